"""Command ``figures``: measures the figures that README and docs state, and writes the generated parts of the pages."""

import sys
from pathlib import Path

import click

from dsnswitch.gen.cli.progress import progress
from dsnswitch.gen.extras import need, need_checkout


@click.command()
@click.option(
    "--check",
    is_flag=True,
    help="Write no file; name stale figures; exit status 1 if a page, file or budget is wrong.",
)
@click.option("--root", default=".", show_default=True, metavar="FOLDER", help="Directory of the repository.")
def figures(check, root):
    """Measure the figures that README and docs state, and write them there. Only changed blocks are measured."""
    from dsnswitch.lab.docs.pages import PAGES, read_pages, rewrite

    need_checkout("Command figures", *PAGES, root=root)
    need("Measuring figures", "synth", "pyosys")
    from dsnswitch.lab.figures.refresh import refresh
    from dsnswitch.lab.figures.store import PATH, load

    read_pages(root)
    store = load(Path(root, PATH))
    if check:
        from dsnswitch.lab.stale import mistakes, warnings

        wrong, old = mistakes(root, store), warnings(root, store, progress)
        for line in [*(f"error: {line}" for line in wrong), *(f"warning: {line}" for line in old)]:
            click.echo(line)
        click.echo(f"{len(wrong)} mistakes in pages, generated files and budgets; {len(old)} stale figures")
        sys.exit(bool(wrong))
    refresh(store, progress)
    for page in rewrite(root, store):
        click.echo(f"wrote {page}")
