"""The option --routing minimal of the commands route, check, deadlock and table."""

import json

import pytest

from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.table import LongestPrefix

OPTION = ("--routing", "minimal")


def test_option_in_a_file(run, tmp_path):
    (tmp_path / "near.toml").write_text('p = 3\nrouting = "minimal"\n')
    assert "local 3, x 3, y 3" in run("deadlock", "--config", tmp_path / "near.toml")[1]
    assert "local 3, x 1, y 1" in run("deadlock", "--config", tmp_path / "near.toml", "--routing", "base")[1]


def prefix(match, action):
    """``(value, length, action)`` of an entry with the text ``match``."""
    return int(match.replace("*", "0"), 2), len(match.rstrip("*")), action


@pytest.mark.parametrize("keys", ["absolute", "relative", "folded"])
@pytest.mark.parametrize("spelling", ["grid:4x4", "grid:5x3", "ring:13:ring-4"])
def test_table_has_the_decisions(run, spelling, keys):
    network = parse_network(spelling)
    relation = relation_of(network, "minimal")
    own = network.representatives()[2]
    words = ("--topology", spelling, *OPTION, "--keys", keys, "--node", ",".join(map(str, own)), "--format", "json")
    (table,) = json.loads(run("table", *words)[1])["tables"]
    lookup = LongestPrefix(table["key_width"], (prefix(entry["match"], entry["action"]) for entry in table["entries"]))
    for destination in network.switches():
        choices = relation.hops(own, None, destination)
        wanted = network.ports[choices[0][0]].name if choices else "arrived"
        (action,) = lookup.lookup(network.key(own, destination, keys))
        assert table["actions"][action] == wanted


def test_digits_on_the_command_line(run, refuse):
    """A route of packets that stay in order, the proof, and the sizes."""
    more = (*OPTION, "--adaptive", "--digits")
    assert "local 3, x 3, y 3" in run("deadlock", "-p", "2", *more)[1]
    hops = [run("route", "-p", "2", "--from", "0,0,1", "--to", "3,1,6", *words)[1] for words in (OPTION, more)]
    assert hops[0].splitlines()[0] == hops[1].splitlines()[0]
    assert "Digits need sizes that are powers of two, not 6" in refuse("deadlock", "-x", "6", "-y", "4", *more)
    assert "Option digits is for adaptive routing" in refuse("deadlock", "-p", "2", *OPTION, "--digits")
