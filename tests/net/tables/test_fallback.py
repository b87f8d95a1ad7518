"""The certificate of an algorithm with fallback tables, checked along every route that a packet can take."""

import json
from itertools import pairwise, product

import pytest

from dsnswitch.net.routing.dsn.relation import DsnRelation
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.routing.relation import Arrival
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.routing import lattices

CASES = [
    ("grid:3x2", "0,0,2:local_xor1"),
    ("grid:3x3", "1,2,5:local_cross"),
    ("ring:9:ring-4", "3,1:x_forward"),
    ("torus:4x3", "1,1:dim0_forward"),
]


class Walker:
    """Sends packets through a network as the hardware does: by the algorithm until its port is dead, then by the tables."""

    def __init__(self, spelling, link, certificate, tables):
        self.network, self.relation = parse_network(spelling), relation_of(parse_network(spelling))
        place, port = link.rpartition(":")[::2]
        end = (self.network.parse_switch(place), [found.name for found in self.network.ports].index(port))
        self.dead = {end, self.network.neighbour(*end)}
        self.numbers = {}
        for source, target, virtual_class, number in json.loads(certificate)["channels"]:
            self.numbers[tuple(source), tuple(target), virtual_class] = number
        made = json.loads(tables)
        self.bits = made["port_bits"]
        self.tables = {table["table"].removeprefix("node "): table for table in made["tables"]}

    def action(self, here, destination):
        """``(layer, port)`` for a destination in the table of switch ``here``, by the longest prefix."""
        table = self.tables[self.network.spell_switch(here)]
        key = format(self.network.key(here, destination), f"0{table['key_width']}b")
        fitting = [entry for entry in table["entries"] if key.startswith(entry["match"].rstrip("*"))]
        best = max(fitting, key=lambda entry: len(entry["match"].rstrip("*")))
        return divmod(best["action"], 1 << self.bits)

    def route(self, source, destination):
        """Channels ``(source, target, class)`` of a packet, and the hop at which it changed to the tables, or None."""
        here, arrival, layer, taken, changed = source, None, None, [], None
        while here != destination:
            if layer is None:
                port, virtual_class = self.relation.hops(here, arrival, destination)[0]
                if (here, port) in self.dead:
                    layer, changed = self.action(here, destination)[0], len(taken)
            if layer is not None:
                port = self.action(here, destination)[1]
                virtual_class = self.relation.classes[self.network.ports[port].kind] + layer
            assert (here, port) not in self.dead
            there, entry = self.network.neighbour(here, port)
            taken.append((here, there, virtual_class))
            here, arrival = there, Arrival(entry, virtual_class)
        return taken, changed


@pytest.mark.parametrize(("spelling", "link"), CASES)
def test_numbers_rise_along_every_route_across_the_change_to_tables(run, spelling, link):
    options = ("--broken", link)
    status, certificate, err = run("deadlock", "--topology", spelling, "--fallback", *options, "--format", "json")
    assert (status, err) == (0, "")
    words = ("table", "--topology", spelling, "--classes", 1, *options, "--format", "json")
    walker = Walker(spelling, link, certificate, run(*words)[1])
    changes = []
    for source, destination in product(walker.network.switches(), repeat=2):
        taken, changed = walker.route(source, destination)
        numbers = [walker.numbers[channel] for channel in taken]
        assert all(before < after for before, after in pairwise(numbers)), (source, destination, taken)
        changes.append(changed)
    # Packets reach the failed link at the source and after some hops.
    assert 0 in changes
    assert any(changes)


def test_summary_and_wrong_options(run, refuse):
    text = run("deadlock", "-p", "2", "--fallback")[1]
    assert "more virtual channel" in text
    assert "no packet returns to it" in text
    assert "Option --broken needs --fallback" in refuse("deadlock", "-p", "2", "--broken", "0,0,0:local_xor1")


def test_algorithm_of_a_torus_as_tables(run):
    """Every action of every table is the first hop of the golden route."""
    sizes = (4, 3)
    network = parse_network("torus:4x3")
    for own in network.switches():
        words = ("table", "--topology", "torus:4x3", "--node", network.spell_switch(own), "--format", "json")
        [table] = json.loads(run(*words)[1])["tables"]
        for destination in network.switches():
            key = format(network.key(own, destination), f"0{table['key_width']}b")
            fitting = [entry for entry in table["entries"] if key.startswith(entry["match"].rstrip("*"))]
            action = max(fitting, key=lambda entry: len(entry["match"].rstrip("*")))["action"]
            hops = lattices.route(sizes, own, destination)
            assert action == len(network.ports) if not hops else network.neighbour(own, action)[0] == hops[0][1]


def test_deadlock_and_topologies_commands(run, refuse):
    assert "local 3, x 1, y 1" in run("deadlock", "-p", "3")[1]
    assert "torus:AxBx.." in run("topologies")[1]
    assert "Topology torus:4 takes no p (= 3)" in refuse("deadlock", "--topology", "torus:4", "-p", "3")


@pytest.fixture
def no_known_relation():
    """Relations are made again before and after a test that changes their classes."""
    relation_of.cache_clear()
    yield
    relation_of.cache_clear()


@pytest.mark.usefixtures("no_known_relation")
def test_a_cycle_is_refused(refuse, run, monkeypatch):
    """With one class for all purposes, the generator refuses the network and prints the cycle."""
    monkeypatch.setattr(DsnRelation, "class_of", lambda self, purpose: 0)
    message = refuse("verilog", "--block", "route", "-p", "2", "--out", "-")
    assert "is not free of deadlock: id" in message
    status, _, err = run("deadlock", "-p", "2")
    assert status == 1
    assert "not free of deadlock: id" in err
