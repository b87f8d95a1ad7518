"""Command line: parses, calls, prints. Every error is one line on standard error, exit status 2."""

import gc
import io
import os
import sys
from contextlib import redirect_stdout
from importlib import import_module
from importlib.util import find_spec

import click

from dsnswitch.gen.cli.groups import Commands
from dsnswitch.gen.cli.progress import clock
from dsnswitch.gen.version import __version__
from dsnswitch.gen.writing import write_output
from dsnswitch.net.messages import MOST_LINE, UsageError, nearest, note, printable, shortened

#: Short help of each command, by the module here that has it. :class:`Commands` imports the module when the command is used.
HELP = {
    "blocks": {
        "blocks": "List the blocks that --block accepts, one line each; as JSON with the schema of each parameter.",
        "verilog": "Write Verilog, instantiation template, manifest, file list, FuseSoC core and SDC.",
        "registers": "Write the registers of a switch as SystemRDL, or as HTML, Markdown or C header by PeakRDL.",
        "vectors": "Write test vectors as JSON: data, codeword and received word as bytes in hex and as symbols, errors, "
        "syndromes.",
    },
    "networks": {
        "topologies": "List the networks that --topology accepts.",
        "topology": "Print the graph: every link with its kind and level.",
        "route": "Print the path between two nodes, hop by hop, with the virtual channel class of each hop.",
        "check": "Check that every pair is delivered within the dissertation's bound; exit status 1 if not.",
        "load": "Print the load of each kind of link under uniform traffic, and the throughput that it bounds.",
        "deadlock": "Prove the routing free of deadlock; exit status 1 with the cycle if it is not.",
        "faults": "Fail random links: pairs that are still delivered, average path, and the tables for the rest.",
        "expand": "Plan the growth of a DSN-F, or of a grid or ring DSN: cables to add and to remove, new addresses of the "
        "switches.",
    },
    "floor": {"floorplan": "Lay a network out in cabinets: length of each cable, bill of materials, cost, latency, picture."},
    "schemas": {"schema": "Print the JSON schema of a kind of file: configuration, sweep, manifest, tables, result."},
    "simulate": {
        "simulate": "Simulate a network of switch cores, or of switches, cycle by cycle: latency against load, saturation."
    },
    "tables": {
        "table": "Compile routing tables: of a network's algorithm, of any graph without deadlock, or from a file.",
        "table-sizes": "Print the entries of tables with all kinds of keys for 128 to 32768 nodes, and the dissertation's count.",
    },
}

#: Module and short help of each command.
COMMANDS = {name: (f"dsnswitch.gen.cli.{module}", text) for module, found in HELP.items() for name, text in found.items()}

#: Packages that bring commands of their own, in a table ``COMMANDS``, if they are installed.
MORE = ("dsnswitch.lab.cli",)


def commands() -> dict[str, tuple[str, str]]:
    """The table of all commands."""
    found = dict(COMMANDS)
    for name in MORE:
        if find_spec(name):
            found |= import_module(name).COMMANDS
    return found


@click.group(cls=Commands, table=commands(), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dsnswitch")
def cli():
    """Generate, measure and analyse the datapath of a switch for the Distributed Shortcut Network."""


#: Options of earlier versions, and the first of those that the command has in their place.
INSTEAD = {
    "--graph": ("--topology graph:FILE",),
    "--graph-format": ("--topology graph:FILE,format=FORMAT",),
    "--hosts": ("--endpoints", "--topology graph:FILE,hosts=NUMBER"),
    "--json": ("--format json",),
    "--out": ("--folder",),
    "--switch": ("--node",),
}


def _no_option(name, command, options):
    """The message about an option that a command does not have."""
    instead = next((new for new in INSTEAD.get(name, ()) if new.split()[0] in options), None)
    more = f"; it is {instead} now" if instead else nearest(name, options, f"{command} --help lists all")
    return f"There is no option {shortened(name, 40)}{more}"


def _message(error):
    """The text of an error that the user should see, or None for a bug."""
    if isinstance(error, UsageError):
        return str(error)
    if isinstance(error, click.NoSuchOption) and error.ctx:
        options = [name for option in error.ctx.command.get_params(error.ctx) for name in option.opts]
        return _no_option(error.option_name, error.ctx.command_path, options)
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


def _run(group, name):
    """Run the command; returns its exit status. Output is written only after success, so that it is never partial."""
    output = io.StringIO()
    note.cache_clear()
    try:
        try:
            with redirect_stdout(output), clock():
                status = group.main(prog_name=name, standalone_mode=False)
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


def main(group=cli, name: str = "dsnswitch") -> None:
    """Entry point of the console command, or of another group of commands whose errors are one line, too."""
    # A command makes millions of objects and few cycles of them. Searching for these takes a tenth of its time.
    gc.set_threshold(5_000_000)
    status = _run(group, name)
    gc.freeze()
    sys.exit(status)
