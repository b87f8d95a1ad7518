"""Command line: parses, calls, prints. Every error is one line on standard error, exit status 2."""

import io
import os
import sys
from contextlib import redirect_stdout

import click

from dsnswitch.gen.cli.blocks import blocks
from dsnswitch.gen.cli.codes import vectors
from dsnswitch.gen.cli.faults import faults
from dsnswitch.gen.cli.growth import expand
from dsnswitch.gen.cli.load import load
from dsnswitch.gen.cli.networks import check, route, topology
from dsnswitch.gen.cli.options import HelpByDefault
from dsnswitch.gen.cli.progress import clock
from dsnswitch.gen.cli.registers import registers
from dsnswitch.gen.cli.routing import deadlock, topologies
from dsnswitch.gen.cli.tables import table, table_sizes
from dsnswitch.gen.version import __version__
from dsnswitch.gen.writing import write_output
from dsnswitch.lab.cli.figures import figures
from dsnswitch.lab.cli.hardware import budget, fpga, report, synth, verilog
from dsnswitch.lab.cli.layout import layout
from dsnswitch.lab.cli.link import link
from dsnswitch.net.messages import UsageError, printable, shortened

__all__ = ["cli", "main"]

#: Maximum number of characters of the line that reports an error.
MOST_LINE = 200


@click.group(cls=HelpByDefault, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dsnswitch")
def cli():
    """Generate, measure and analyse the datapath of a switch for the Distributed Shortcut Network."""


COMMANDS = (
    blocks,
    verilog,
    registers,
    topologies,
    topology,
    route,
    check,
    load,
    deadlock,
    faults,
    expand,
    synth,
    budget,
    report,
    figures,
    fpga,
    layout,
    link,
    vectors,
    table,
    table_sizes,
)

for _command in COMMANDS:
    cli.add_command(_command)


def _message(error):
    """The text of an error that the user should see, or None for a bug."""
    if isinstance(error, UsageError):
        return str(error)
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError):
        # Files of the user have messages of their own; this is a temporary folder or a tool.
        what = f" {error.filename}" if error.filename else ""
        return f"The system refuses{what}: {error.strerror or error}"
    if isinstance(error, MemoryError):
        return "The command needs more memory than is available"
    return None


def _fail(message):
    line = shortened(printable(f"dsnswitch: error: {' '.join(message.split())}"), MOST_LINE)
    # If standard error is closed or full, only the exit status reports the error.
    try:
        click.echo(line, err=True)
    except OSError:
        # The line is still in the buffer. Python writes it again at its end, which must not change the exit status.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return 2


def _run():
    """Run the command; returns its exit status. Output is written only after success, so that it is never partial."""
    output = io.StringIO()
    try:
        try:
            with redirect_stdout(output), clock():
                status = cli.main(prog_name="dsnswitch", standalone_mode=False)
        except SystemExit as stop:
            # A command that found something, such as `check`, prints it and exits with status 1.
            status = stop.code
        write_output(output.getvalue())
    except (click.Abort, KeyboardInterrupt):
        return 130
    except Exception as error:
        message = _message(error)
        if message is None:
            raise
        return _fail(message)
    return status or 0


def main():
    """Entry point of the console command."""
    sys.exit(_run())
