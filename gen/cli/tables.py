"""Commands that compile tables: table, table-sizes."""

import re

import click

from ..errors import UsageError
from .options import maybe_network_options
from .progress import progress_if_many

__all__ = ["table", "table_sizes"]

#: Most virtual channels.
MOST_LAYERS = 64


class _Layers(click.ParamType):
    """A number of virtual channels, or ``auto``."""

    name = "layers"

    def convert(self, value, param, ctx):
        if value == "auto":
            return value
        if not str(value).isdecimal() or not 1 <= int(str(value)[:9]) <= MOST_LAYERS:
            self.fail(f"must be auto or in 1..{MOST_LAYERS}, not {value!r}", param, ctx)
        return int(value)


@click.command()
@maybe_network_options
@click.option("--node", metavar="ADDRESS", help="The table of this node of a network only: x,y,id or x,id.")
@click.option(
    "--keys", type=click.Choice(["absolute", "relative", "folded"]), help="Keys of a network. Default absolute."
)
@click.option("--expand", is_flag=True, help="Do not merge: an entry a place to go for, with remarks (Fig. 4.12).")
@click.option("--graph", metavar="FILE", help="Graph to compile instead of a network.")
@click.option("--graph-format", "graph_form", help="edges, graphml or anynet. By default from the file's name.")
@click.option("--hosts", type=click.IntRange(0), default=0, help="Vertices 0.. of an edge list that are hosts.")
@click.option(
    "--broken",
    metavar="LINK",
    multiple=True,
    help="Failed link of a network, as often as there are: ADDRESS:ADDRESS, ADDRESS:PORT, or @FILE with one a line.",
)
@click.option("--routing", help="Of a graph, or of a network with failed links: updown (default) or shortest.")
@click.option("--layers", type=_Layers(), default=1, show_default=True, help="Virtual channels of shortest, or auto.")
@click.option("--root", metavar="SWITCH", help="Root of updown. By default the one with the lowest load.")
@click.option("--balance", help="How routes share the links: auto (default), none, switch or host.")
@click.option("--switch", metavar="SWITCH", help="The table of this switch of a graph only.")
@click.option("--load", metavar="FILE", help="Take tables from a JSON or CSV file.")
@click.option("--format", "form", default="csv", show_default=True, help="json, csv or mem.")
@click.option("--kind", type=click.Choice(["ternary", "direct"]), default="ternary", show_default=True, help="Of mem.")
@click.option(
    "--action", "bits", type=click.IntRange(1, 64), help="Bits of an action of mem. Default: as many as needed."
)
@click.option(
    "--entries", type=click.IntRange(1), help="Places of the table; more entries are an error. Default: as many."
)
@click.option(
    "--out", default="-", show_default=True, help="File to write, - for standard output; of several mem a folder."
)
def table(dsn, load, graph, form, kind, bits, entries, out, **values):
    """Compile tables for a network (the routing algorithm's), for any graph (deadlock-free), or from a file."""
    from ..tables.sources import from_file, from_graph, from_network
    from ..tables.write import FORMATS

    if form not in FORMATS:
        raise UsageError(f"Table format must be one of {', '.join(FORMATS)}, not {form!r}")
    if sum(source is not None for source in (dsn, graph, load)) != 1:
        raise UsageError("A network, --graph or --load must be given, and only one of them")
    if dsn is not None:
        source = from_network(dsn, values, progress_if_many)
    elif graph is not None:
        source = from_graph(graph, values, progress_if_many)
    else:
        source = from_file(load, values)
    _write(source, form, kind, bits, entries, out)
    if source.line:
        click.echo(source.line, err=True)


def _write(source, form, kind, bits, entries, out):
    """Write tables in a format, to a file, a folder or standard output."""
    from ..tables.write import direct_image, ternary_image, to_csv, to_json
    from ..writing import write_files, write_text

    tables = source.tables
    for made in tables:
        if entries is not None and not (form == "mem" and kind == "direct"):
            made.check_room(entries)
    if form == "mem":
        texts = {
            re.sub(r"[^A-Za-z0-9.-]+", "_", made.name) + ".mem": direct_image(made, bits)
            if kind == "direct"
            else ternary_image(made, entries or len(made.entries), bits)
            for made in tables
        }
        if len(texts) < len(tables):
            raise UsageError("Names of tables must differ in letters and digits to be names of files")
        if len(texts) > 1:
            if out == "-":
                raise UsageError(
                    f"{len(texts)} images need a folder: give --out, or --node or --switch for one of them"
                )
            write_files(out, texts)
            click.echo(f"wrote {len(texts)} images to {out}")
            return
        (text,) = texts.values()
    else:
        text = to_json(tables, source.more) if form == "json" else to_csv(tables)
    if out == "-":
        click.echo(text, nl=False)
    else:
        write_text(out, text)


@click.command("table-sizes")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
@click.option("--plot", metavar="FILE", help="Write the curves as SVG.")
def table_sizes(as_json, plot):
    """Entries of relative, folded, absolute, flat and direct tables for 128 to 32768 nodes, beside the paper's count."""
    import json

    from ..tables.sizes import COLUMNS, sizes
    from ..writing import write_text

    rows = sizes()
    if plot:
        try:
            from ..tables.plot import size_plot
        except ModuleNotFoundError as error:
            raise UsageError(f"Plots need {error.name}: run make report, or pip install 'dsnswitch[report]'") from None
        write_text(plot, size_plot(rows))
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    heads = ["network", *COLUMNS.values()]
    lines = [heads, *([row["network"], *(f"{row[key]:g}" for key in COLUMNS)] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        click.echo("  ".join(cell.rjust(width) for cell, width in zip(line, widths)))
