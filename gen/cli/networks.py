"""Commands about networks: topologies, topology, route, check, load, deadlock, faults, expand."""

import dataclasses
import json
import sys

import click

from dsnswitch.gen.cli.options import Finite, Picture, form_option, network_options, out_option, refuse_same, relation_options
from dsnswitch.gen.cli.progress import watched
from dsnswitch.net import limits
from dsnswitch.net.extras import installation, need
from dsnswitch.net.files.export import FORMATS as FILES
from dsnswitch.net.files.options import CORE, ROUTING
from dsnswitch.net.files.parameters import FORMS, switch_of
from dsnswitch.net.messages import UsageError, refusing, shortened
from dsnswitch.net.topology.registry import parse_network

#: Maximum number of channels in the certificate of a network.
MOST_CHANNELS = 4_000_000

#: Routes of a network up to which `check` also prints the loads that `load` prints.
MOST_LOADED = 1 << 20

#: Default shares of failed links, in percent.
RATES = (1.0, 2.0, 5.0, 10.0, 15.0, 20.0)

#: Maximum number of shares in one call.
MOST_RATES = 40


@click.command()
@click.argument("words", metavar="[WORD]...", nargs=-1)
@form_option("text", "json")
def topologies(words, form):
    """List the networks that --topology accepts.

    With words, only networks whose spelling or description has all of them: dsnswitch topologies random graph.
    """
    found = {name: both for name, both in FORMS.items() if all(word.lower() in " ".join(both).lower() for word in words)}
    if not found:
        raise UsageError(f"No topology has the words {shortened(' '.join(words), 40)!r}; dsnswitch topologies lists all")
    if form == "json":
        rows = {name: {"form": form, "description": description} for name, (form, description) in found.items()}
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(len(form) for form, _ in found.values())
    for form, description in found.values():
        click.echo(f"{form:<{width}}  {description}")


@click.command()
@network_options
@click.option("--format", "form", default="edges", show_default=True, help=f"{', '.join(FILES)}.")
@out_option()
def topology(network, form, out):
    """Print the graph: every link with its kind and level."""
    from dsnswitch.gen.writing import write_text
    from dsnswitch.net.files.export import export

    write_text(out, export(network, form, watched))


@click.command()
@relation_options
@click.option("--from", "source", required=True, metavar="ADDRESS", help="Address of a node, such as 3,5,7.")
@click.option("--to", "target", required=True, metavar="ADDRESS", help="Address of a node, such as 3,5,7.")
@form_option("text", "json")
def route(relation, source, target, form):
    """Print the path between two nodes, hop by hop, with the virtual channel class of each hop."""
    network = relation.network
    ends = [switch_of(network, text) for text in (source, target)]
    if not network.hosts_of(ends[1]):
        raise UsageError(f"No packet is sent to {network.spell_switch(ends[1])} of {network.spelling}, which has no hosts")
    hops = relation.route(*ends)
    if form == "json":
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
@form_option("text", "json")
def check(relation, form):
    """Check that every pair is delivered within the dissertation's bound; exit status 1 if not.

    Further figures are those of the graph and of its channels under uniform traffic.
    """
    from dsnswitch.net.analysis.paths import loads, statistics
    from dsnswitch.net.analysis.structure import structure

    network = relation.network
    limits.at_most(limits.MOST_NODES, network.nodes, f"Nodes of a network to check, {network.name},")
    found, graph = statistics(relation, watched), structure(network)
    load = loads(relation, watched) if _has_loads(relation) else None
    more = dataclasses.asdict(graph)
    more |= {"throughput_bound": load.bound, "channel_load": 1 / load.bound} if load else {}
    if form == "json":
        rows = {**dataclasses.asdict(found), "within_bound": found.within_bound, **more}
        click.echo(json.dumps(rows, indent=2))
    else:
        for name, value in (dataclasses.asdict(found) | more).items():
            if name == "worst_pair":
                value = " to ".join(map(network.spell_switch, value))
            if name == "cuts":
                value = f"needs METIS: {installation('floor')}" if value is None else " ".join(map(str, value))
            text = f"{value:.4f}" if isinstance(value, float) else str(value)
            click.echo(f"{name.replace('_', ' '):<17} {text}")
    if not found.within_bound:
        pair = " to ".join(map(network.spell_switch, found.worst_pair))
        reason = f"{pair} takes {found.routing_diameter} hops, the bound is {found.path_bound}"
        click.echo(f"dsnswitch: not within the bound: {reason}", err=True)
        sys.exit(1)


def _has_loads(relation):
    """Whether the loads of channels take as little time as the lengths of routes."""
    network = relation.network
    return network.is_tabled or len(network.representatives()) * network.nodes <= MOST_LOADED


@click.command()
@relation_options
@form_option("text", "json")
def load(relation, form):
    """Print the load of each kind of link under uniform traffic, and the throughput that it bounds."""
    from dsnswitch.net.analysis.paths import loads

    network = relation.network
    limits.at_most(limits.MOST_NODES, network.nodes, f"Nodes of a network to load, {network.name},")
    found = loads(relation, watched)
    if form == "json":
        click.echo(json.dumps(dataclasses.asdict(found), indent=2))
        return
    click.echo(f"{'link':<20} {'channels':>8} {'mean':>8} {'maximum':>8}")
    for row in found.rows:
        name = " ".join(str(row[key]) for key in ("kind", "level", "direction") if row[key] is not None)
        click.echo(f"{name:<20} {row['channels']:>8} {row['mean']:>8.4f} {row['maximum']:>8.4f}")
    click.echo(f"average path         {found.average_path:.4f} hops")
    click.echo(f"throughput bound     {found.bound:.4f} flits per {'host' if network.is_uneven else 'switch'} and cycle")


@click.command()
@relation_options
@click.option("--fallback", is_flag=True, help="Include fallback tables, of one turn class.")
@click.option("--broken", metavar="LINK", multiple=True, help="Failed link that the tables avoid, as in `dsnswitch table`.")
@click.option(
    "--virtual-networks",
    "count",
    type=click.IntRange(CORE["virtual_networks"].low, CORE["virtual_networks"].high),
    default=1,
    show_default=True,
    help="Virtual networks, each with channels of its own.",
)
@click.option("--protocol", metavar="KIND:NETWORK,..", help="Virtual network of each kind of messages: request:0,reply:1.")
@click.option("--waits", metavar="KIND:KIND", multiple=True, help="Hosts take the first only if they can send the second.")
@click.option(
    "--tables",
    "files",
    metavar="FILE",
    multiple=True,
    help="Instead of the routing: tables that follow each other under traffic, JSON files; old and new together.",
)
@form_option("text", "json")
@out_option()
def deadlock(relation, fallback, broken, count, protocol, waits, files, form, out):
    """Prove the routing free of deadlock; exit status 1 with the cycle if it is not.

    The JSON certificate numbers every virtual channel so that the numbers rise along every route, and with --protocol also
    from the messages that a host takes to those that it must send.
    """
    from dsnswitch.gen.writing import write_text
    from dsnswitch.net.routing.certificate import cycle_text, prove
    from dsnswitch.net.routing.dependencies import DeadlockError
    from dsnswitch.net.routing.minimal.relation import MinimalRelation
    from dsnswitch.net.routing.protocol import Protocol, ProtocolError, protocol_of
    from dsnswitch.net.tables.sources import tables_around
    from dsnswitch.net.tables.two_stage import TwoStageRelation

    if broken and not fallback:
        raise UsageError("Option --broken needs --fallback")
    for name, value in (("fallback", fallback), ("protocol", protocol), ("virtual-networks", count > 1)):
        if files and value:
            raise UsageError(f"Option --tables takes no --{name}")
    if len(files) == 1:
        raise UsageError("Option --tables needs two files, old and new; dsnswitch table --load checks one")
    if fallback and (relation.rings or isinstance(relation, MinimalRelation | TwoStageRelation)):
        raise UsageError("Option --fallback takes the base routing")
    for name, value in (("waits", waits), ("protocol", protocol)):
        if value and not (protocol and waits):
            raise UsageError(f"Option --{name} needs --{'protocol' if name == 'waits' else 'waits'}")
    with refusing():
        plan = protocol_of(protocol, waits, count) if protocol else Protocol({}, ())
    network = relation.network
    if files:
        write_text(out, _together(network, files, form))
        return
    try:
        numbers = prove(relation)
        ranks = plan.ranks(count)
    except DeadlockError as error:
        click.echo(f"dsnswitch: not free of deadlock: {cycle_text(relation, error)}", err=True)
        sys.exit(1)
    except ProtocolError as error:
        click.echo(f"dsnswitch: not free of deadlock: {error}", err=True)
        sys.exit(1)
    tables = None
    if fallback:
        values = {"broken": broken, "routing": None, "classes": 1, "root": None, "balance": None}
        tables, _ = tables_around(network, values, watched)
    if form == "json":
        write_text(out, _certificate(relation, tables, plan, ranks))
    else:
        write_text(out, _summary(relation, tables, len(numbers), plan, ranks))


def _together(network, files, form):
    """The proof of tables that follow each other, as text or as a JSON certificate; ends the command if they have a cycle."""
    from dsnswitch.net.routing.certificate import json_text
    from dsnswitch.net.routing.protocol import Protocol
    from dsnswitch.net.tables.sources import given_tables
    from dsnswitch.net.tables.together import certificate_of, together

    some = [given_tables(network, path) for path in files]
    proof, wiring = together(some, watched), some[0].wiring
    if proof.cycle:
        click.echo(f"dsnswitch: {' and '.join(files)} can deadlock together: {proof.cycle}", err=True)
        sys.exit(1)
    if form == "json":
        limits.at_most(MOST_CHANNELS, len(proof.numbers), f"Channels of a certificate of {network.name}")
        classes = dict.fromkeys(sorted({network.ports[port].kind for port in wiring.port[:-1].tolist()}), proof.classes)
        return json_text(network, classes, certificate_of(network, wiring, proof), Protocol({}, ()), (0,))
    if proof.ranks is not None:
        text = f"the same ranks; {len(proof.numbers)} channels numbered by class, up before down, and rank, for any routes"
    else:
        text = f"{proof.dependencies} dependencies of all mixtures of routes, numbered; every packet takes them in rising order"
    lines = [
        f"network          {network.title}, {network.nodes} switches",
        f"tables           {', '.join(files)}",
        f"virtual channels {proof.classes} on every link",
        f"proof            {text}",
    ]
    return "\n".join(lines) + "\n"


def _certificate(relation, tables, protocol, ranks):
    """The JSON certificate of an algorithm, together with its fallback tables if ``tables`` is not None.

    ``ranks`` are those of the virtual networks by the ``protocol``.
    """
    from dsnswitch.net.routing.certificate import certificate, json_text
    from dsnswitch.net.tables.walk import fallback_certificate, fallback_classes

    network = relation.network
    classes = fallback_classes(relation, tables) if tables else relation.classes
    most = len(ranks) * network.nodes * sum(classes[port.kind] for port in network.ports)
    if most > MOST_CHANNELS:
        raise UsageError(f"A certificate lists at most {MOST_CHANNELS} channels; {network.name} has up to {most}")
    channels = fallback_certificate(relation, tables) if tables else certificate(relation)
    return json_text(network, classes, channels, protocol, ranks, relation.ring_kinds)


def _summary(relation, tables, count, protocol, ranks):
    network = relation.network
    classes = ", ".join(f"{kind} {number}" for kind, number in relation.classes.items())
    rings = f", or goes on in a ring of {', '.join(relation.ring_kinds)} with a free flit" if relation.rings else ""
    lines = [
        f"network          {network.title}, {network.nodes} switches",
        f"virtual channels {classes}",
        f"proof            {count} classes of equal channels, numbered; every route takes them in rising order{rings}",
    ]
    lines += [f"{title:<16} {text}" for title, text in relation.notes]
    if tables:
        lines += [
            f"tables           {tables.routing}, {tables.layers} more virtual channel on every port",
            f"proof of tables  {len(tables.walked.first)} dependencies, numbered after the algorithm's; no packet returns to it",
        ]
    if len(ranks) > 1:
        lines.append(f"virtual networks {len(ranks)}, each with these channels; no packet changes its virtual network")
    if protocol.waits:
        kinds = ", ".join(f"{kind} in virtual network {number}" for kind, number in protocol.networks.items())
        waits = ", ".join(f"{one} waits for {other}" for one, other in protocol.waits)
        order = " before ".join(str(ranks.index(rank)) for rank in range(len(ranks)))
        lines.append(f"protocol         {kinds}; {waits}: no cycle, virtual networks {order}")
    return "\n".join(lines) + "\n"


@click.command()
@network_options
@click.option("--rate", "rates", type=Finite(0, 99), multiple=True, help="Failed links in percent; repeatable. Default: 1 to 20.")
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
    type=click.IntRange(ROUTING["classes"].low, ROUTING["classes"].high),
    help="Virtual channel classes. Default: as every single failed link needs.",
)
@form_option("text", "json")
@click.option("--plot", type=Picture("svg"), metavar="FILE", help="Write the curves as .svg.")
def faults(dsn, rates, seed, seeds, classes, form, plot):
    """Fail random links: pairs that are still delivered, average path, and the tables for the rest.

    Most DSNs have detours. In another network, such as the graph of a file, a pair is delivered if its route meets no failed
    link. Pairs are those of switches with hosts.
    """
    from dsnswitch.gen.writing import write_text
    from dsnswitch.net.analysis.faults import PAPER, measure, routing_of, spread
    from dsnswitch.net.routing.registry import DETOUR

    with refusing():
        dsn = dsn.fabric
    routing = routing_of(dsn)
    papers = PAPER if routing == DETOUR else {}
    limits.at_most(limits.MOST_FAULTY, dsn.nodes, f"Nodes of a network with random failed links, {dsn.name},")
    limits.at_most(MOST_RATES, len(rates), "Shares of failed links")
    shares = [rate / 100 for rate in sorted(set(rates or RATES))]
    if plot:
        need("A plot", "plot", "matplotlib")
    with refusing():
        every = measure(dsn, shares, seeds=range(seed, seed + seeds), classes=classes, bar=watched)
    spreads = [spread(rows) for rows in every]
    means = [mean for mean, _, _ in spreads]
    if plot:
        from dsnswitch.net.analysis.faults import fault_plot

        write_text(plot, fault_plot(f"Random failed links, {dsn.title}", means, routing))
    if form == "json":
        paper = [{"rate": rate, "xy_yx": growth, "shortest": least} for rate, (growth, least) in papers.items()]
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
    click.echo("failed  links  connected  delivered  average  growth  longest  shortest  growth  tables  reported  entries")
    for found in spreads:
        for row, name in zip(found if seeds > 1 else found[:1], ("mean", "least", "largest")):
            click.echo(
                f"{row.rate:>6.1%}  {row.links:>5.0f}  {row.connected:>9.3%}  {row.delivered:>9.3%}  {row.average_path:>7.4f}"
                f"  {row.growth:>6.2%}  {row.longest:>7.4g}  {row.shortest:>8.4f}  {row.shortest_growth:>6.2%}"
                f"  {row.tables:>6.3%}  {row.reported:>8.3%}  {row.entries:>7.2f}" + (f"  {name}" if seeds > 1 else "")
            )
    for rate, (growth, least) in papers.items():
        click.echo(f"D Fig. 4.10, 1,024 switches, {rate:.0%} failed: growth {growth:.2%} (XY/YX), {least:.2%} (shortest)")


@click.command()
@click.option("--from", "before", required=True, metavar="TOPOLOGY", help="Network as it is, such as dsn-f:100.")
@click.option("--to", "after", required=True, metavar="TOPOLOGY", help="Network as it will be, such as dsn-f:200.")
@form_option("text", "json")
@out_option()
@click.option("--plot", type=Picture("svg"), metavar="FILE", help="Write a picture of the cables as .svg.")
def expand(before, after, form, out, plot):
    """Plan the growth of a DSN-F, or of a grid or ring DSN: cables to add and to remove, new addresses of the switches."""
    from dsnswitch.gen.writing import write_text
    from dsnswitch.net.plan.picture import growth_picture
    from dsnswitch.net.plan.plan import as_json, as_text
    from dsnswitch.net.plan.plan import expand as plan_of

    refuse_same([("--out", out), ("--plot", plot)])
    with refusing((TypeError, ValueError)):
        networks = [parse_network(text) for text in (before, after)]
    for network in networks:
        limits.at_most(limits.MOST_GROWN, network.nodes, f"Switches of a network that grows, {network.name},")
    if plot:
        limits.at_most(limits.MOST_GROWN_DRAWN, networks[1].nodes, "Switches of a picture")
    plan = plan_of(*networks)
    if plot:
        write_text(plot, growth_picture(plan))
    write_text(out, (as_json if form == "json" else as_text)(plan))
