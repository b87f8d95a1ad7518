"""Command line: parses, calls, prints. Every error is one line on standard error, exit status 2."""

import sys
from contextlib import contextmanager

import click

from ..errors import UsageError
from ..version import __version__
from .codes import vectors
from .hardware import budget, fpga, report, synth, verilog
from .link import link
from .networks import check, route, topology
from .routing import deadlock, topologies
from .tables import table, table_sizes

__all__ = ["cli", "main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dsnswitch")
def cli():
    """Generate and question the datapath of a switch on the Distributed Shortcut Network."""


COMMANDS = (
    verilog,
    topologies,
    topology,
    route,
    check,
    deadlock,
    synth,
    budget,
    report,
    fpga,
    link,
    vectors,
    table,
    table_sizes,
)

for _command in COMMANDS:
    cli.add_command(_command)


@contextmanager
def _one_line_errors():
    try:
        yield
    except UsageError as error:
        message = str(error)
    except click.ClickException as error:
        message = error.format_message().replace("\n", " ")
    except OSError as error:
        # Files have messages of their own; this is standard output on a full disk.
        message = f"Output cannot be written: {error.strerror or error}"
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    else:
        return
    click.echo(f"dsnswitch: error: {message}", err=True)
    sys.exit(2)


def main():
    """Entry point of the console command."""
    with _one_line_errors():
        cli.main(standalone_mode=False)
