"""Commands about routing: topologies, deadlock."""

import json
import sys

import click

from dsnswitch.gen.cli.options import relation_options
from dsnswitch.gen.cli.progress import watched
from dsnswitch.net.files.parameters import FORMS
from dsnswitch.net.messages import UsageError

__all__ = ["deadlock", "topologies"]

#: Maximum number of channels in the certificate of a network.
MOST_CHANNELS = 4_000_000


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def topologies(as_json):
    """List the networks that --topology accepts."""
    if as_json:
        rows = {name: {"form": form, "description": description} for name, (form, description) in FORMS.items()}
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(len(form) for form, _ in FORMS.values())
    for form, description in FORMS.values():
        click.echo(f"{form:<{width}}  {description}")


@click.command()
@relation_options
@click.option(
    "--fallback",
    type=click.Choice(["updown", "shortest"]),
    help="Include fallback tables with this routing.",
)
@click.option(
    "--broken", metavar="LINK", multiple=True, help="Failed link that the tables avoid, as in `dsnswitch table`."
)
@click.option(
    "--layers", type=click.IntRange(1), help="Virtual channels of --fallback shortest. Default: as few as possible."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--out", default="-", show_default=True, help="File to write; - is standard output.")
def deadlock(relation, fallback, broken, layers, form, out):
    """Prove the routing free of deadlock; exit status 1 with the cycle if it is not.

    The JSON certificate numbers every virtual channel so that the numbers rise along every route.
    """
    from dsnswitch.gen.writing import write_text
    from dsnswitch.net.routing.certificate import cycle_text, prove
    from dsnswitch.net.routing.dependencies import DeadlockError
    from dsnswitch.net.routing.minimal.relation import MinimalRelation
    from dsnswitch.net.tables.sources import tables_around

    for name, value in (("broken", broken), ("layers", layers)):
        if value and not fallback:
            raise UsageError(f"Option --{name} needs --fallback")
    if fallback and isinstance(relation, MinimalRelation):
        raise UsageError(f"Option --fallback (= {fallback}) takes the base routing, not minimal")
    network = relation.network
    try:
        numbers = prove(relation)
    except DeadlockError as error:
        click.echo(f"dsnswitch: not free of deadlock: {cycle_text(relation, error)}", err=True)
        sys.exit(1)
    tables = None
    if fallback:
        layers = 1 if fallback == "updown" else layers or "auto"
        values = {"broken": broken, "routing": fallback, "layers": layers, "root": None, "balance": None}
        tables, _ = tables_around(network, values, watched)
    write_text(out, _certificate(relation, tables) if form == "json" else _summary(relation, tables, len(numbers)))


def _certificate(relation, tables):
    """The JSON certificate of an algorithm, together with its fallback tables if ``tables`` is not None."""
    from dsnswitch.net.routing.certificate import certificate, json_text
    from dsnswitch.net.tables.walk import fallback_certificate, fallback_classes

    network = relation.network
    classes = fallback_classes(relation, tables) if tables else relation.classes
    most = network.nodes * sum(classes[port.kind] for port in network.ports)
    if most > MOST_CHANNELS:
        raise UsageError(f"A certificate lists at most {MOST_CHANNELS} channels; {network.name} has up to {most}")
    channels = fallback_certificate(relation, tables) if tables else certificate(relation)
    return json_text(network, classes, channels)


def _summary(relation, tables, count):
    network = relation.network
    classes = ", ".join(f"{kind} {number}" for kind, number in relation.classes.items())
    lines = [
        f"network          {network.title}, {network.nodes} switches",
        f"virtual channels {classes}",
        f"proof            {count} classes of equal channels, numbered; every route takes them in rising order",
    ]
    if tables:
        plural = "s" if tables.layers > 1 else ""
        lines += [
            f"tables           {tables.routing}, {tables.layers} more virtual channel{plural} on every port",
            f"proof of tables  {len(tables.walked.first)} dependencies, numbered after the algorithm's; no packet returns to it",
        ]
    return "\n".join(lines) + "\n"
