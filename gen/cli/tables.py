"""Commands that compile tables: table, table-sizes."""

import re
import sys

import click

from dsnswitch.gen.cli.options import Picture, folder_option, form_option, maybe_network_options, out_option
from dsnswitch.gen.cli.progress import watched
from dsnswitch.net.extras import need
from dsnswitch.net.messages import UsageError

#: Maximum number of turn classes.
MOST_CLASSES = 64


@click.command()
@maybe_network_options
@click.option(
    "--node",
    metavar="ADDRESS",
    help="Only the table of this switch: its address, such as 3,5,7, or its name in the file of a graph.",
)
@click.option(
    "--keys",
    type=click.Choice(["absolute", "relative", "folded", "switch"]),
    help="Keys of a network. Default absolute. Of a graph: switch, for the tables of a switch core.",
)
@click.option("--expand", is_flag=True, help="Do not merge: one entry per next hop, with remarks (Fig. 4.12).")
@click.option(
    "--broken",
    metavar="LINK",
    multiple=True,
    help="Failed link or switch of a network: ADDRESS:ADDRESS, ADDRESS:PORT, ADDRESS, or @FILE with one per line; repeatable.",
)
@click.option(
    "--routing",
    help="turns: routes in turn classes, the default of a graph and with --broken. Of a DSN also minimal. "
    "Default: the routes of the network's algorithm.",
)
@click.option(
    "--classes",
    type=click.IntRange(1, MOST_CLASSES),
    help="Turn classes, the virtual channels of a link. With few, routes become longer. Default: those of shortest paths; "
    "1 for --format lft.",
)
@click.option("--adaptive", is_flag=True, help="A second port in an entry where there is one, for cores with --adaptive.")
@click.option("--root", metavar="SWITCH", help="The switch of highest rank. Default: ranks that spread classes evenly.")
@click.option("--before", metavar="FILE", help="JSON tables that these follow under traffic: keep their ranks.")
@click.option("--balance", help="Hosts that share routes: auto (default), switch: all of a switch, or host: none.")
@click.option(
    "--load",
    metavar="FILE",
    help="Read tables from a JSON or CSV file; with the graph of a file, also check them. Or a dump of OpenSM, with a graph.",
)
@click.option("--format", "form", default="csv", show_default=True, help="json, csv, mem, or lft: a dump for OpenSM.")
@click.option(
    "--kind",
    type=click.Choice(["ternary", "direct"]),
    default="ternary",
    show_default=True,
    help="Kind of table of --format mem.",
)
@click.option(
    "--action", "bits", type=click.IntRange(1, 64), help="Bits of an action of --format mem. Default: as few as the actions need."
)
@click.option(
    "--entries",
    type=click.IntRange(1),
    help="Rows of the hardware table; more entries are an error. Default: the number of entries. "
    "With --kind direct: words of the RAM. Default: every key of a network, otherwise up to the greatest key with an action.",
)
@out_option()
@folder_option("Folder of the images of --format mem, one for each table.")
def table(network, load, form, out, folder, **values):
    """Compile routing tables: of a network's algorithm, of any graph without deadlock, or from a file."""
    from dsnswitch.net.tables.files import FORMATS
    from dsnswitch.net.tables.sources import from_file, from_graph, from_network

    kind, *hardware = (values.pop(key) for key in ("kind", "bits", "entries"))
    if form not in FORMATS:
        raise UsageError(f"Table format must be one of {', '.join(FORMATS)}, not {form!r}")
    # More switches than that take too many entries.
    values["large"] = (form, kind) == ("mem", "direct") or (values["node"] is not None and form != "lft")
    if form == "lft" and load is None and network is not None and (network.from_file or values["routing"] or values["broken"]):
        # A dump says nothing of virtual channels.
        values["classes"] = values["classes"] or 1
    if network is not None and network.from_file:
        source = from_graph(network, values, watched, load)
    elif (network is None) == (load is None):
        raise UsageError("A network or --load must be given, and both only for --topology graph:FILE")
    elif network is not None:
        source = from_network(network, values, watched)
    else:
        source = from_file(load, values)
    if source.faults:
        for fault in source.faults:
            click.echo(f"dsnswitch: {fault}", err=True)
        sys.exit(1)
    _write(source, form, kind, *hardware, out, folder)
    if source.line:
        click.echo(source.line, err=True)


def _write(source, form, kind, bits, entries, out, folder):
    """Write tables in the format ``form`` to a file, a folder or standard output."""
    from dsnswitch.gen.writing import write_files, write_text
    from dsnswitch.net.tables.files import direct_image, ternary_image, to_csv, to_json

    tables = source.tables
    if folder and form != "mem":
        raise UsageError(f"Option --folder is for images, --format mem, not {form}")
    if form == "lft":
        if source.dump is None:
            raise UsageError("A dump for OpenSM is of a graph, or of a network with --routing or --broken")
        write_text(out, source.dump())
        return
    for made in tables:
        if entries is not None and not (form == "mem" and kind == "direct"):
            made.check_capacity(entries)
    if form == "mem":
        adaptive = source.more.get("adaptive", False) or any(made.chooses for made in tables)
        texts = {
            re.sub(r"[^A-Za-z0-9.-]+", "_", made.name) + ".mem": direct_image(made, entries or source.words, bits, adaptive)
            if kind == "direct"
            else ternary_image(made, entries or len(made.entries), bits, adaptive)
            for made in tables
        }
        if len(texts) < len(tables):
            raise UsageError("Names of tables must differ in letters or digits, because they become file names")
        if folder:
            write_files(folder, texts)
            click.echo(f"wrote {len(texts)} images to {folder}")
            return
        if len(texts) > 1:
            raise UsageError(f"{len(texts)} images need --folder, or --node for one of them")
        (text,) = texts.values()
    else:
        text = to_json(tables, source.more) if form == "json" else to_csv(tables)
    if out == "-":
        click.echo(text, nl=False)
    else:
        write_text(out, text)


@click.command("table-sizes")
@form_option("text", "json")
@click.option("--plot", type=Picture("svg"), metavar="FILE", help="Write the curves as .svg.")
def table_sizes(form, plot):
    """Print the entries of tables with all kinds of keys for 128 to 32768 nodes, and the dissertation's count."""
    import json

    from dsnswitch.gen.writing import write_text
    from dsnswitch.net.tables.formulas import COLUMNS, sizes

    rows = sizes()
    if plot:
        need("A plot", "plot", "matplotlib")
        from dsnswitch.net.tables.formulas import size_plot

        write_text(plot, size_plot(rows))
    if form == "json":
        click.echo(json.dumps(rows, indent=2))
        return
    heads = ["network", *COLUMNS.values()]
    lines = [heads, *([row["network"], *(f"{row[key]:g}" for key in COLUMNS)] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        click.echo("  ".join(cell.rjust(width) for cell, width in zip(line, widths)))
