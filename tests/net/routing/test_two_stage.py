"""Routes in two stages: their classes, lengths and loads against every route, one by one, and the proof for any walk."""

from itertools import pairwise, permutations, product

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner

from dsnswitch.gen.cli import cli
from dsnswitch.net.analysis.paths import loads, statistics
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.certificate import certificate
from dsnswitch.net.routing.registry import INDIRECT, UGAL, relation_of
from dsnswitch.net.routing.relation import Arrival, Channel
from dsnswitch.net.tables.choices import with_choices
from dsnswitch.net.tables.compile import compile_tables
from dsnswitch.net.tables.two_stage import classes_of_tables, tables_in_two_stages, usual_classes
from dsnswitch.net.topology.registry import parse_network

#: Networks, and their classes for two stages. T 3.4 has 4 on a Slim Fly, by the number of the hop, and 2 on the others.
CLASSES = {
    "slimfly:q=5": 3,
    "mlfm:h=3": 2,
    "oft:k=3": 2,
    "hyperx:3x4": 3,
    "dragonfly:a=2,h=1": 3,
    "fattree:k=4": 2,
    "torus:3x4": 4,
}
SMALL = ["mlfm:h=2", "oft:k=3", "hyperx:3x3", "torus:3x4", "jellyfish:n=16,degree=3", "fattree:k=4", "random-ring:n=12,degree=4"]


def routes_over(relation):
    """``(source, destination, channels)`` of every route over every intermediate switch, hop by hop."""
    network = relation.network
    for source, middle, destination in product(list(network.terminals()), repeat=3):
        if source in (middle, destination):
            continue
        here, arrival, taken = source, None, []
        for end in (middle, destination):
            while here != end:
                [(port, virtual_class)] = relation.hops(here, arrival, end)
                taken.append(Channel(here, port, virtual_class))
                here, entry = network.neighbour(here, port)
                arrival = Arrival(entry, virtual_class)
        yield source, destination, taken


@pytest.mark.parametrize("spelling", SMALL)
def test_classes_lengths_and_loads_are_those_of_every_route(spelling):
    relation = relation_of(parse_network(spelling), INDIRECT)
    network = relation.network
    numbers = {channel: number for channel, _, number in certificate(relation)}
    hops, most, load, ends = 0, 0, {}, 0
    for _, _, taken in routes_over(relation):
        steps = [numbers[channel] for channel in taken]
        assert steps == sorted(set(steps))
        hops, most, ends = hops + len(taken), max(most, len(taken)), ends + 1
        for channel in taken:
            load[channel[:2]] = load.get(channel[:2], 0) + 1
    classes = 1 + max(channel.virtual_class for _, _, taken in routes_over(relation) for channel in taken)
    assert relation.needed == max(2, classes)
    found, count = statistics(relation), len(list(network.terminals()))
    assert found.average_path == pytest.approx(hops / ends)
    assert found.routing_diameter == most == relation.bound
    # Each pair of switches has a route over each intermediate one.
    greatest = max(load.values()) / (count - 1) ** 2
    assert loads(relation).bound == pytest.approx(1 / greatest)


@pytest.mark.parametrize(("spelling", "classes"), CLASSES.items())
def test_classes_of_two_stages(spelling, classes):
    network = parse_network(spelling)
    assert relation_of(network, INDIRECT).classes == dict.fromkeys({port.kind for port in network.ports}, classes)
    assert usual_classes(network) == classes


@pytest.mark.parametrize("spelling", ["hyperx:3x3", "jellyfish:n=16,degree=3"])
def test_one_class_for_all_closes_a_cycle(spelling):
    """The control: with the same routes in one class, channels wait for each other."""
    relation, graph = relation_of(parse_network(spelling), INDIRECT), nx.DiGraph()
    for _, _, taken in routes_over(relation):
        graph.add_edges_from((one[:2], other[:2]) for one, other in pairwise(taken))
    assert not nx.is_directed_acyclic_graph(graph)


def test_fewer_classes_make_routes_longer():
    network = parse_network("jellyfish:n=16,degree=3")
    usual, few = relation_of(network, INDIRECT), relation_of(network, INDIRECT, 2)
    assert few.classes == {"link": 2}
    assert few.trees.classes == 1
    assert few.needed == 2
    assert statistics(few).average_path > statistics(usual).average_path
    assert max(channel.virtual_class for _, _, taken in routes_over(few) for channel in taken) == 1
    with pytest.raises(UsageError, match="at least 2 turn classes, not 1"):
        relation_of(network, INDIRECT, 1)


def test_packets_that_go_straight_are_those_of_one_stage():
    network = parse_network("jellyfish:n=16,degree=3")
    straight, chosen = relation_of(network), relation_of(network, UGAL)
    assert loads(chosen) == loads(straight)
    assert statistics(chosen).average_path == statistics(straight).average_path
    assert statistics(chosen).routing_diameter == statistics(relation_of(network, INDIRECT)).routing_diameter
    assert max(chosen.classes.values()) == usual_classes(network) > max(straight.classes.values())


@pytest.mark.parametrize("spelling", ["hyperx:3x4", "jellyfish:n=16,degree=3"])
def test_tables_need_the_classes_of_their_relation(spelling):
    network = parse_network(spelling)
    assert classes_of_tables(compile_tables(network)) == usual_classes(network)
    made = tables_in_two_stages(network, 2)
    assert classes_of_tables(made) == 2
    choosing = with_choices(compile_tables(network))
    assert classes_of_tables(choosing) == usual_classes(network, adaptive=True) == 2 * choosing.layers


def test_any_choices_fit_twice_the_classes_of_a_stage():
    """Both ports of every entry, in both stages."""
    network = parse_network("jellyfish:n=12,degree=4")
    made = with_choices(compile_tables(network))
    wiring, up, actions, others = made.wiring, made.ranks.up, made.actions(), made.others()
    channel = {(s, p): c for c, (s, p) in enumerate(zip(wiring.source[:-1].tolist(), wiring.port[:-1].tolist()))}
    most = 0
    for source, middle, end in permutations(range(wiring.size), 3):
        states = {(source, 0, False)}
        for home in (middle, end):
            column, ended = int(np.flatnonzero(wiring.ends.home == home)[0]), set()
            while states:
                here, number, fell = states.pop()
                if here == home:
                    ended.add((here, number, fell))
                    continue
                for port in {int(actions[here, column]), int(others[here, column])} - {-1}:
                    taken = channel[here, port]
                    risen = number + (fell and bool(up[taken]))
                    states.add((int(wiring.target[taken]), risen, not up[taken]))
                    most = max(most, risen)
            states = ended
    assert most < 2 * made.layers


def test_commands_know_two_stages():
    run = CliRunner().invoke(cli, ["deadlock", "--topology", "oft:k=3", "--routing", "indirect"])
    assert run.exit_code == 0
    assert "virtual channels link 2" in run.output
    assert "routes           over a random switch: 2 classes, 1 without" in run.output
    run = CliRunner().invoke(cli, ["load", "--topology", "oft:k=3", "--routing", "indirect"])
    assert run.exit_code == 0
    assert "throughput bound" in run.output
