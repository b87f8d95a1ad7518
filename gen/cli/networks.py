"""Commands that question a network: topology, route, check."""

import dataclasses
import json
import sys
from contextlib import ExitStack

import click

from .. import limits
from ..network import address
from .options import network_options
from .progress import progress


@click.command()
@network_options
@click.option("--format", "form", default="edges", show_default=True, help="edges, json, graphml, anynet, dot or svg.")
@click.option("--out", default="-", show_default=True, help="File to write; - is standard output.")
def topology(dsn, form, out):
    """Print the whole graph, every link with its kind and level."""
    from ..topology_export import export
    from ..writing import write_text

    write_text(out, export(dsn, form))


@click.command()
@network_options
@click.option("--from", "source", required=True, metavar="ADDRESS", help="x,y,id or x,id.")
@click.option("--to", "target", required=True, metavar="ADDRESS", help="x,y,id or x,id.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def route(dsn, source, target, as_json):
    """Print the path between two nodes, hop by hop."""
    from ...sim.golden.routing import route as golden_route

    ends = [address(dsn, text) for text in (source, target)]
    hops = golden_route(dsn, *map(_fields, ends))
    if as_json:
        rows = [hop._asdict() for hop in hops]
        click.echo(json.dumps({"from": _fields(ends[0]), "to": _fields(ends[1]), "hops": rows}, indent=2))
        return
    click.echo(f"{ends[0]} to {ends[1]}: {len(hops)} hops")
    for hop in hops:
        level = "" if hop.level is None else f" level {hop.level} {hop.direction}"
        click.echo(f"  {','.join(map(str, hop.source))} -> {','.join(map(str, hop.target))}  {hop.kind}{level}")


def _fields(node):
    return (*node.coordinates, node.id)


@click.command()
@network_options
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def check(dsn, as_json):
    """Check that every pair is delivered within the paper's bound; exit status 1 if not."""
    from ...sim.golden.allpairs import statistics

    limits.at_most(limits.MOST_NODES, dsn.nodes, f"Nodes of a network to check, {dsn.name},")
    with ExitStack() as stack:

        def bar(sources):
            return stack.enter_context(progress(sources, "shortest paths", dsn.nodes > 5000))

        found = statistics(dsn, bar)
    if as_json:
        click.echo(json.dumps({**dataclasses.asdict(found), "within_bound": found.within_bound}, indent=2))
    else:
        for field in dataclasses.fields(found):
            value = getattr(found, field.name)
            if field.name == "worst_pair":
                value = " to ".join(",".join(map(str, end)) for end in value)
            text = f"{value:.4f}" if isinstance(value, float) else str(value)
            click.echo(f"{field.name.replace('_', ' '):<17} {text}")
    if not found.within_bound:
        pair = " to ".join(",".join(map(str, end)) for end in found.worst_pair)
        reason = f"{pair} takes {found.routing_diameter} hops, the bound is {found.path_bound}"
        click.echo(f"dsnswitch: not within the bound: {reason}", err=True)
        sys.exit(1)
