"""The commands deadlock and topologies, and the refusal of a routing with a cycle."""

import json

import pytest

from dsnswitch.net.routing.dsn.relation import DsnRelation
from dsnswitch.net.routing.registry import relation_of


@pytest.mark.parametrize("words", [("-p", "2"), ("--topology", "ring:22:ring-6"), ("--topology", "torus:5x4")])
def test_certificate(run, words):
    """The certificate is checked with the two JSON texts alone, as another program would check it."""
    numbers = {}
    for source, target, virtual_class, number in json.loads(run("deadlock", *words, "--format", "json")[1])["channels"]:
        numbers[tuple(source), tuple(target), virtual_class] = number
    nodes = sorted({source for source, _, _ in numbers})
    ends = ["--from", ",".join(map(str, nodes[1])), "--to", ",".join(map(str, nodes[-1]))]
    hops = json.loads(run("route", *words, *ends, "--json")[1])["hops"]
    taken = [numbers[tuple(hop["source"]), tuple(hop["target"]), hop["class"]] for hop in hops]
    assert taken == sorted(set(taken))


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
