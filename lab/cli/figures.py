"""Command ``figures``: measures the figures that README and docs state, and writes the generated parts of the pages."""

import sys
from pathlib import Path

import click

from dsnswitch.gen.cli.progress import progress
from dsnswitch.gen.extras import need
from dsnswitch.lab.checkout import need_checkout


@click.command()
@click.option("--check", is_flag=True, help="Write no file; exit status 1 if a figure or page is stale.")
@click.option("--root", default=".", show_default=True, metavar="FOLDER", help="Directory of the repository.")
def figures(check, root):
    """Measure the figures that README and docs state, and write them there. Only changed blocks are measured."""
    from dsnswitch.lab.docs.pages import PAGES, read_pages, rewrite, stale_parts

    need_checkout("Command figures", *PAGES, root=root)
    need("Measuring figures", "synth", "pyosys")
    from dsnswitch.lab.figures.refresh import refresh, stale_names
    from dsnswitch.lab.figures.store import PATH, load

    read_pages(root)
    store = load(Path(root, PATH))
    if check:
        found = [*stale_names(store, progress), *stale_parts(root, store)]
        for line in found:
            click.echo(line)
        if found:
            sys.exit(1)
        click.echo("Figures and pages are current")
        return
    refresh(store, progress)
    for page in rewrite(root, store):
        click.echo(f"wrote {page}")
