"""The command papers: the comparisons of the papers on a floor."""

from pathlib import Path

import click

from dsnswitch.gen.cli.progress import watched
from dsnswitch.net.extras import need, need_checkout


@click.command()
@click.option("--root", default=".", show_default=True, help="The repository, in whose docs the figures are recorded.")
@click.option("--out", default="build/papers", show_default=True, help="Folder of the page and its pictures.")
@click.option("--again", is_flag=True, help="Measure every network again. Default: those that are not recorded.")
def papers(root, out, again):
    """Measure the networks that the papers compare, record them in docs/papers.json, and draw the papers' figures on a page."""
    from dsnswitch.gen.writing import write_files
    from dsnswitch.lab.figures.store import PATH as FIGURES
    from dsnswitch.lab.papers.page import page
    from dsnswitch.lab.papers.plots import figures
    from dsnswitch.lab.papers.store import PATH, Comparisons, load

    need_checkout("Command papers", FIGURES, root=root)
    need("Comparing the papers", "floor", "scipy", "pymetis", "matplotlib")
    store = Comparisons(Path(root, PATH)) if again else load(Path(root, PATH))
    new = len(store.missing())
    store.measure(watched)
    written = {"index.html": page(store, Path(root, FIGURES))}
    written |= {f"{name}.svg": text for name, text in figures(store).items()}
    write_files(out, written)
    click.echo(f"{len(store.networks)} networks, {new} of them new, in {store.path}")
    click.echo(f"wrote {Path(out, 'index.html')}")
