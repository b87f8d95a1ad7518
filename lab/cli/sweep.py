"""Commands that run sweeps of simulations, and draw and write their results."""

import sys
from pathlib import Path

import click

from dsnswitch.gen.cli.groups import HelpByDefault
from dsnswitch.gen.cli.options import folder_option, out_option
from dsnswitch.gen.cli.progress import stage, tell, watched
from dsnswitch.net.extras import need

_sweep = click.argument("sweep", metavar="FOLDER")


@click.group(cls=HelpByDefault)
def sweep():
    """Sweep simulations over networks, routings, traffic and loads: curves, tables, plots."""


@sweep.command()
@click.argument("file")
@folder_option("Folder of the results. Default build/sweep/ and the name of the file.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on the workers of this Dask scheduler, such as tcp://host:8786.")
@click.option(
    "--workers",
    type=click.IntRange(0, 256),
    help="Processes on this machine. Default one for each core; 0 runs in this process, without Dask.",
)
@click.option("--threads", type=click.IntRange(1, 256), default=1, show_default=True, help="Threads of each simulation.")
def run(file, folder, scheduler, workers, threads) -> None:
    """Run the points of a sweep that are not in the folder yet; exit status 1 if a simulation ends with an error."""
    from dsnswitch.gen.writing import make_folder
    from dsnswitch.lab.sweep.plan import read_plan
    from dsnswitch.lab.sweep.run import Sweep, local, remote
    from dsnswitch.lab.sweep.store import Store
    from dsnswitch.lab.sweep.table import INDEX, kept, summary, write_index
    from dsnswitch.net.messages import UsageError

    if scheduler and workers is not None:
        raise UsageError("Option --workers is for this machine; the workers of --scheduler run already")
    if scheduler or workers != 0:
        need("A sweep with workers", "sweep", "distributed")
    need("A sweep", "sweep", "pyosys")
    plan = read_plan(file, watched)
    folder = Path(folder or Path("build", "sweep", Path(file).stem))
    found = Sweep(plan, Store(folder))
    if not found.complete:
        try:
            stage("starting workers")
            with remote(scheduler) if scheduler else local(workers) as executor:
                make_folder(folder / "results")
                stage("measuring points")
                left = max(1, plan.expected - sum(len(state.rows) for state in found.states))
                try:
                    for _ in watched(found.points(executor, threads, tell), "points", left):
                        pass
                finally:
                    stage("ending workers")
                    write_index(folder, found)
        except KeyboardInterrupt:
            tell(f"interrupted: {kept(found)} kept in {folder}; the same command measures the others")
            raise
    write_index(folder, found)
    click.echo("\n".join(summary(found)))
    click.echo(f"\n{found.kept} points, {found.new} of them new\nwrote {folder / INDEX}")
    broken = [(curve, load, text) for curve, state in zip(plan.curves, found.states) for load, text in state.errors.items()]
    for curve, load, text in broken:
        at = f" at load {load:g}" if load else ""
        click.echo(f"dsnswitch: {curve.label}{at}: the simulation ends: {text}", err=True)
    if broken:
        sys.exit(1)


@sweep.command()
@_sweep
@click.option("--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", show_default=True)
@out_option("Default: standard output; Parquet: sweep.parquet in the folder.", None)
def table(sweep, form, out) -> None:
    """Write all points of a sweep as one table, one line for each point."""
    from dsnswitch.gen.writing import write_text
    from dsnswitch.lab.sweep.table import csv_table, parquet_table, read_sweep

    if form == "parquet":
        need("A Parquet file", "parquet", "pyarrow")
    _, curves = read_sweep(sweep)
    if form == "csv" and not out:
        click.echo(csv_table(curves), nl=False)
        return
    path = out or Path(sweep, "sweep.parquet")
    write_text(path, parquet_table(curves) if form == "parquet" else csv_table(curves))
    click.echo(f"wrote {path}")


@sweep.command()
@_sweep
@folder_option("Folder of the plots. Default: that of the sweep.")
def plot(sweep, folder) -> None:
    """Write plots of a sweep: latency against load, loads of links as heat maps, and a page with all points."""
    from dsnswitch.gen.writing import write_files
    from dsnswitch.lab.sweep.page import plots
    from dsnswitch.lab.sweep.table import read_sweep

    need("A plot", "sweep", "matplotlib")
    found = plots(*read_sweep(sweep))
    write_files(folder or sweep, found)
    click.echo("\n".join(f"wrote {Path(folder or sweep, name)}" for name in found))
