"""Command ``load``: the load of each kind of link."""

import dataclasses
import json

import click

from dsnswitch.gen.cli.options import relation_options
from dsnswitch.gen.cli.progress import watched
from dsnswitch.net import limits

__all__ = ["load"]


@click.command()
@relation_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def load(relation, as_json):
    """Print the load of each kind of link under uniform traffic, and the throughput that it bounds."""
    from dsnswitch.net.analysis.paths import loads

    network = relation.network
    limits.at_most(limits.MOST_NODES, network.nodes, f"Nodes of a network to load, {network.name},")
    found = loads(relation, watched)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(found), indent=2))
        return
    click.echo(f"{'link':<20} {'channels':>8} {'mean':>8} {'maximum':>8}")
    for row in found.rows:
        name = " ".join(str(row[key]) for key in ("kind", "level", "direction") if row[key] is not None)
        click.echo(f"{name:<20} {row['channels']:>8} {row['mean']:>8.4f} {row['maximum']:>8.4f}")
    click.echo(f"average path         {found.average_path:.4f} hops")
    click.echo(f"throughput bound     {found.bound:.4f} flits per switch and cycle")
