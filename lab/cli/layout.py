"""Command ``layout``: places and routes a block on OSU 0.18 um cells, and times it with its wires."""

from contextlib import nullcontext
from pathlib import Path

import click

from dsnswitch.gen.cli.blocks import BlockCommand, block_options
from dsnswitch.gen.cli.options import Finite
from dsnswitch.gen.cli.progress import progress
from dsnswitch.gen.extras import need, need_checkout
from dsnswitch.net.messages import UsageError


@click.command(cls=BlockCommand)
@block_options(required=False)
@click.option(
    "--density", type=Finite(0.3, 0.95), help="Share of the rows that cells take; lower ones are tried if it fails."
)
@click.option("--all", "everything", is_flag=True, help="Lay out all designs of docs/layouts.json that have changed.")
@click.option(
    "--repository", default=".", show_default=True, metavar="FOLDER", help="Directory of the repository, for --all."
)
@click.option("--out", default="build/layout", show_default=True, help="Output directory.")
def layout(block, density, everything, repository, out):
    """Place and route: delay, area and picture with wires."""
    from dsnswitch.lab.docs.pages import PAGES, read_pages, rewrite

    if everything and block is None:
        need_checkout("Option --all", *PAGES, root=repository)
    need("A layout", "layout", "pyosys", "gdstk", "PIL")
    from dsnswitch.gen.writing import make_folder, write_files
    from dsnswitch.lab.figures.store import PATH, load
    from dsnswitch.lab.layout.drawing import drawing, gds, png, svg
    from dsnswitch.lab.layout.flow import DENSITIES, lay_out
    from dsnswitch.lab.layout.measured import figures, refresh, report, table
    from dsnswitch.lab.layout.tools import tools
    from dsnswitch.lab.synth.measure import design_of

    if everything == (block is not None):
        raise UsageError("Either a network, --block or --all must be given")
    if everything:
        read_pages(repository)
        refresh(repository, progress, lambda items, label: nullcontext(items))
        for page in rewrite(repository, load(Path(repository, PATH))):
            click.echo(f"wrote {page}")
        return
    subject = design_of(block)
    tools()
    make_folder(out)
    densities = DENSITIES if density is None else (density, *(lower for lower in DENSITIES if lower < density))
    found = lay_out(subject, progress, densities=densities)
    entry = figures(found)
    picture = [drawing(found, subject.name)]
    files = {f"{subject.name}.{suffix}": text for suffix, text in found.files.items()}
    files |= {f"{subject.name}.svg": svg(picture), f"{subject.name}.png": png(picture)}
    files |= {f"{subject.name}.gds": gds(found), f"{subject.name}.json": report([entry])}
    write_files(out, files)
    click.echo(table(entry), nl=False)
    for name in files:
        click.echo(f"{'wrote':<15} {Path(out, name)}")
