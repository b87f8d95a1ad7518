"""Commands that show a network and its routes: topology, route, check."""

import dataclasses
import json
import sys

import click

from dsnswitch.gen.cli.options import graph_options, relation_options
from dsnswitch.gen.cli.progress import watched
from dsnswitch.net import limits
from dsnswitch.net.files.parameters import switch_of


@click.command()
@graph_options
@click.option("--format", "form", default="edges", show_default=True, help="edges, json, graphml, anynet, dot or svg.")
@click.option("--out", default="-", show_default=True, help="File to write; - is standard output.")
def topology(network, form, out):
    """Print the graph: every link with its kind and level."""
    from dsnswitch.gen.writing import write_text
    from dsnswitch.net.files.export import export

    write_text(out, export(network, form, watched))


@click.command()
@relation_options
@click.option("--from", "source", required=True, metavar="ADDRESS", help="Address of a node, such as 3,5,7.")
@click.option("--to", "target", required=True, metavar="ADDRESS", help="Address of a node, such as 3,5,7.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def route(relation, source, target, as_json):
    """Print the path between two nodes, hop by hop, with the virtual channel class of each hop."""
    network = relation.network
    ends = [switch_of(network, text) for text in (source, target)]
    hops = relation.route(*ends)
    if as_json:
        rows = [_row(network, hop) for hop in hops]
        click.echo(json.dumps({"from": ends[0], "to": ends[1], "hops": rows}, indent=2))
        return
    spell = network.spell_switch
    click.echo(f"{spell(ends[0])} to {spell(ends[1])}: {len(hops)} hops")
    for hop in hops:
        port = network.ports[hop.port].name
        click.echo(f"  {spell(hop.source)} -> {spell(hop.target)}  {port}, class {hop.virtual_class}")


def _row(network, hop):
    port = network.ports[hop.port]
    return {
        "source": hop.source,
        "target": hop.target,
        "port": port.name,
        "kind": port.kind,
        "level": network.level(hop.source, hop.port),
        "direction": port.direction,
        "class": hop.virtual_class,
    }


@click.command()
@relation_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(relation, as_json):
    """Check that every pair is delivered within the dissertation's bound; exit status 1 if not."""
    from dsnswitch.net.analysis.paths import statistics

    network = relation.network
    limits.at_most(limits.MOST_NODES, network.nodes, f"Nodes of a network to check, {network.name},")
    found = statistics(relation, watched)
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
