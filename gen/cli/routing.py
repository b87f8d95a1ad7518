"""Commands about routing: topologies, deadlock."""

import json
import sys

import click

from ...hdl.topology import TOPOLOGIES
from ..errors import UsageError
from .options import network_options

__all__ = ["deadlock", "topologies"]

#: Channels that the certificate of one network has at most.
MOST_CHANNELS = 4_000_000


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def topologies(as_json):
    """List the networks that --topology accepts."""
    if as_json:
        rows = {name: {"form": found.form, "description": found.description} for name, found in TOPOLOGIES.items()}
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(len(found.form) for found in TOPOLOGIES.values())
    for found in TOPOLOGIES.values():
        click.echo(f"{found.form:<{width}}  {found.description}")


@click.command()
@network_options
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--out", default="-", show_default=True, help="File to write; - is standard output.")
def deadlock(network, form, out):
    """Prove the routing free of deadlock; exit status 1 with the cycle if it is not.

    The JSON certificate numbers every virtual channel so that the numbers rise along every route.
    """
    from ...hdl.routing.dependencies import DeadlockError
    from ...hdl.routing.registry import relation_of
    from ..network.certificate import cycle_text, json_text, prove
    from ..writing import write_text

    relation = relation_of(network)
    try:
        numbers = prove(relation)
    except DeadlockError as error:
        click.echo(f"dsnswitch: not free of deadlock: {cycle_text(relation, error)}", err=True)
        sys.exit(1)
    if form == "json":
        most = network.nodes * sum(relation.classes[port.kind] for port in network.ports)
        if most > MOST_CHANNELS:
            raise UsageError(f"A certificate lists at most {MOST_CHANNELS} channels; {network.name} has up to {most}")
        text = json_text(relation)
    else:
        classes = ", ".join(f"{kind} {number}" for kind, number in relation.classes.items())
        text = (
            f"network          {network.title}, {network.nodes} switches\n"
            f"virtual channels {classes}\n"
            f"proof            {len(numbers)} classes of equal channels, numbered; every route takes them in rising order\n"
        )
    write_text(out, text)
