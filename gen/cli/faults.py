"""Command ``faults``: random failed links."""

import dataclasses
import json

import click

from dsnswitch.gen.cli.options import Finite, network_options
from dsnswitch.gen.cli.progress import watched
from dsnswitch.gen.extras import need
from dsnswitch.net import limits
from dsnswitch.net.files.parameters import CLASSES
from dsnswitch.net.messages import UsageError

__all__ = ["faults"]

#: Default shares of failed links, in percent.
RATES = (1.0, 2.0, 5.0, 10.0, 15.0, 20.0)

#: Maximum number of shares in one call.
MOST_RATES = 40


@click.command()
@network_options
@click.option(
    "--rate", "rates", type=Finite(0, 99), multiple=True, help="Failed links in percent; repeatable. Default: 1 to 20."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the random failures.")
@click.option(
    "--seeds",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="Number of seeds, from --seed on: prints the mean and the range.",
)
@click.option(
    "--classes",
    type=click.IntRange(CLASSES["minimum"], CLASSES["maximum"]),
    help="Virtual channel classes. Default: as every single failed link needs.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--plot", metavar="FILE", help="Write the curves as SVG.")
def faults(dsn, rates, seed, seeds, classes, as_json, plot):
    """Fail random links of a DSN: pairs that detours deliver, average path, and the tables for the rest."""
    from dsnswitch.gen.writing import write_text
    from dsnswitch.net.analysis.faults import PAPER, measure, spread
    from dsnswitch.net.files.parameters import routed
    from dsnswitch.net.routing.registry import DETOUR

    routed(dsn, DETOUR)
    limits.at_most(limits.MOST_FAULTY, dsn.nodes, f"Nodes of a network with random failed links, {dsn.name},")
    limits.at_most(MOST_RATES, len(rates), "Shares of failed links")
    shares = [rate / 100 for rate in sorted(set(rates or RATES))]
    if plot:
        need("A plot", "report", "matplotlib")
    try:
        every = measure(dsn, shares, seeds=range(seed, seed + seeds), classes=classes, bar=watched)
    except ValueError as error:
        raise UsageError(str(error)) from None
    spreads = [spread(rows) for rows in every]
    means = [mean for mean, _, _ in spreads]
    if plot:
        from dsnswitch.net.analysis.faults import fault_plot

        write_text(plot, fault_plot(f"Random failed links, {dsn.title}", means))
    if as_json:
        paper = [{"rate": rate, "xy_yx": growth, "shortest": least} for rate, (growth, least) in PAPER.items()]
        found = {
            "network": dsn.spelling,
            "seed": seed,
            "seeds": seeds,
            "rows": [dataclasses.asdict(row) for row in means],
            "least": [dataclasses.asdict(row) for _, row, _ in spreads],
            "largest": [dataclasses.asdict(row) for _, _, row in spreads],
            "paper": paper,
        }
        click.echo(json.dumps(found, indent=2))
        return
    click.echo(
        "failed  links  connected  delivered  average  growth  longest  shortest  growth  tables  reported  entries"
    )
    for found in spreads:
        for row, name in zip(found if seeds > 1 else found[:1], ("mean", "least", "largest")):
            click.echo(
                f"{row.rate:>6.1%}  {row.links:>5.0f}  {row.connected:>9.3%}  {row.delivered:>9.3%}  {row.average_path:>7.4f}"
                f"  {row.growth:>6.2%}  {row.longest:>7.4g}  {row.shortest:>8.4f}  {row.shortest_growth:>6.2%}"
                f"  {row.tables:>6.3%}  {row.reported:>8.3%}  {row.entries:>7.2f}" + (f"  {name}" if seeds > 1 else "")
            )
    for rate, (growth, least) in PAPER.items():
        click.echo(
            f"D Fig. 4.10, 1,024 switches, {rate:.0%} failed: growth {growth:.2%} (XY/YX), {least:.2%} (shortest)"
        )
