"""Command ``registers``: the registers of a switch as HTML, Markdown, C header or SystemRDL."""

from pathlib import Path

import click

from dsnswitch.gen.blocks import DEVICE
from dsnswitch.gen.cli.block_help import BlockCommand
from dsnswitch.gen.cli.options import block_options
from dsnswitch.gen.extras import need

__all__ = ["registers"]


@click.command(cls=BlockCommand)
@block_options(default=DEVICE)
@click.option(
    "--as",
    "form",
    type=click.Choice(["rdl", "html", "markdown", "c"]),
    default="rdl",
    show_default=True,
    help="SystemRDL, a folder of HTML pages, a Markdown page, or a C header.",
)
@click.option("--out", default="build/registers", show_default=True, help="Output directory.")
def registers(block, form, out):
    """Write the registers of a switch as SystemRDL, or as HTML, Markdown or C header by PeakRDL."""
    from dsnswitch.gen.registers import registers_of, written
    from dsnswitch.gen.version import __version__
    from dsnswitch.gen.writing import write_files

    found = registers_of(block)
    if form != "rdl":
        need("A register description", "registers", "systemrdl", "peakrdl_html", "peakrdl_markdown", "peakrdl_cheader")
    files = written(found, form, block.name, f"dsnswitch {__version__}")
    write_files(out, files)
    names = sorted(files, key=lambda name: (name.count("/"), not name.endswith("index.html"), name))
    for name in names if form != "html" else [next(name for name in names if name.endswith("index.html"))]:
        click.echo(f"wrote {Path(out, name)}")
