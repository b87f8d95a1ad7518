"""Old and new tables together: the proof by ranks, the search over mixtures of routes, and the cycle."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner

from dsnswitch.gen.cli import cli
from dsnswitch.net.routing.ranks import Ranks
from dsnswitch.net.tables.sources import given_tables
from dsnswitch.net.tables.together import together
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.network.engine import lookup

TORUS = ("--topology", "torus:4x4")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files of tables of a torus: of the whole, around a failed link with the same ranks, and with ranks of another root."""
    folder = tmp_path_factory.mktemp("tables")
    more = {
        "old": "--classes 2",
        "new": f"--classes 2 --broken 0,0:dim0_forward --before {folder}/old.json",
        "root": "--classes 2 --root 1,3",
        "tree": "--classes 1 --root 0,0",
        "other": "--classes 1 --root 2,1",
    }
    for name, words in more.items():
        made = ["table", *TORUS, "--routing", "turns", *words.split(), "--format", "json", "--out", f"{folder}/{name}.json"]
        found = CliRunner().invoke(cli, made)
        assert found.exit_code == 0, found.output
    return {name: f"{folder}/{name}.json" for name in more}


def walks(network, some, up, classes):
    """Virtual channels of random walks by random answers of the tables: lists of (switch, port, class)."""
    rng = np.random.default_rng(1)
    for _ in range(2000):
        at, entry, number, walk = network.switch(int(rng.integers(network.nodes))), None, 0, []
        column = int(rng.integers(network.nodes))
        for _ in range(40):
            made = some[int(rng.integers(len(some)))]
            wiring = made.wiring
            place = wiring.place[network.number(at)]
            port = made.tables[network.number(at)].lookup(int(wiring.keys(place)[column])) & (1 << made.port_bits) - 1
            if port == made.arrived:
                break
            mask = up[network.number(at)]
            number += entry is not None and entry in mask and port in mask
            if number == classes:
                break
            walk.append((at, port, number))
            at, entry = network.neighbour(at, port)
        yield walk


def test_the_certificate_rises_along_any_mixture_of_routes(run, files):
    status, out, err = run("deadlock", *TORUS, "--tables", files["old"], "--tables", files["new"], "--format", "json")
    assert (status, err) == (0, "")
    network, found = parse_network("torus:4x4"), json.loads(out)
    numbers = {(tuple(source), tuple(target), number): value for source, target, number, value in found["channels"]}
    assert len(numbers) == 128
    some = [given_tables(network, files[name]) for name in ("old", "new")]
    up = [set(some[0].ports_up(place)) for place in some[0].wiring.place.tolist()]
    length = 0
    for walk in walks(network, some, up, 2):
        values = [numbers[at, network.neighbour(at, port)[0], number] for at, port, number in walk]
        assert all(before < after for before, after in pairwise(values))
        length = max(length, len(values))
    assert length > 4


def test_other_ranks_close_a_cycle(run, files):
    """The walks of each file alone are free of deadlock; the cycle of both is printed."""
    status, out, err = run("deadlock", *TORUS, "--tables", files["old"], "--tables", files["root"])
    assert (status, out) == (1, "")
    assert "can deadlock together: " in err
    assert " waits for " in err
    text = run("deadlock", *TORUS, "--tables", files["root"], "--tables", files["root"])[1]
    assert "the same ranks; 128 channels numbered by class" in text


def reference(some):
    """Whether mixtures of routes with layers close a cycle: an own walk, destination by destination."""
    graph, wiring = nx.DiGraph(), some[0].wiring
    at = {(a, p): (c, b) for c, (a, b, p) in enumerate(zip(wiring.source[:-1], wiring.target[:-1], wiring.port[:-1]))}
    actions = [made.actions() for made in some]
    bits = some[0].port_bits
    for end in range(actions[0].shape[1]):
        for layer in {int(one[s, end]) >> bits for one in actions for s in range(wiring.size)}:
            starts = [s for s in range(wiring.size) if any(int(one[s, end]) >> bits == layer for one in actions)]
            seen, left = set(), [(None, s) for s in starts]
            while left:
                held, here = left.pop()
                for one in actions:
                    port = int(one[here, end]) & (1 << bits) - 1
                    if (here, port) not in at:
                        continue
                    channel, there = at[here, port]
                    if held is not None:
                        graph.add_edge((held, layer), (channel, layer))
                    if (channel, there) not in seen:
                        seen.add((channel, there))
                        left.append((channel, there))
    return not nx.is_directed_acyclic_graph(graph)


def on_layer(made, layer):
    """Tables of up*/down* routes without ranks, whose packets are on one of two layers."""
    found = []
    for table in made.tables:
        entries = tuple(replace(one, action=one.action + (layer << made.port_bits)) for one in table.entries)
        found.append(replace(table, actions=table.actions * 2, entries=entries))
    return replace(made, ranks=None, layers=2, tables=found)


def test_layers_are_searched(files):
    """Up*/down* routes of two roots, on layers: the search agrees with an own one."""
    answers = []
    network = parse_network("torus:4x4")
    tree, other = (given_tables(network, files[name]) for name in ("tree", "other"))
    for some in ([(tree, 0), (tree, 1)], [(tree, 0), (other, 0)], [(tree, 0), (other, 1)], [(other, 1), (other, 1)]):
        some = [on_layer(*one) for one in some]
        found = together(some)
        assert found.ranks is None
        assert (found.cycle is not None) == reference(some)
        answers.append(found.cycle is not None)
    assert answers == [False, True, True, False]


def test_ranks_without_an_order_are_searched():
    """Links that lead up all the way round a ring have no order: no certificate by ranks, but a cycle."""
    first = lookup.tables_for(parse_network("torus:5"), {"lookup": "table", "classes": 3})
    up = np.append(first.wiring.port[:-1] == 0, False)
    made = replace(first, ranks=Ranks(first.wiring, up))
    found = together([made, made])
    assert found.ranks is None
    assert found.cycle is not None


def test_wrong_words(refuse, files, tmp_path):
    words = ("deadlock", *TORUS, "--tables", files["old"])
    assert "Option --tables needs two files" in refuse(*words)
    assert "Option --tables takes no --virtual-networks" in refuse(*words, "--tables", files["new"], "--virtual-networks", "2")
    table = ("table", *TORUS, "--routing", "turns", "--format", "json")
    assert "keeps the ranks of tables, so there is no --root" in refuse(*table, "--before", files["old"], "--root", "0,0")
    assert "do not say which end of link 0,0 to 1,0 has the higher rank" in refuse(*table, "--before", files["new"])
    found = json.loads(Path(files["old"]).read_text())
    del found["up"], found["layers"]
    (tmp_path / "none.json").write_text(json.dumps(found))
    assert "has no ranks" in refuse(*table, "--before", str(tmp_path / "none.json"))


def test_tables_without_a_switch(run, tmp_path):
    """They keep the ranks, lead to it over one link only, and are free of deadlock together with those of the whole network."""
    table, whole, now = ("table", "--topology", "torus:4x4", "--format", "json"), tmp_path / "whole.json", tmp_path / "now.json"
    assert run(*table, "--routing", "turns", "--out", whole)[0] == 0
    assert run(*table, "--broken", "1,2", "--before", whole, "--out", now)[0] == 0
    found = json.loads(now.read_text())
    assert [port is None for port in found["ports"]["1,2"]].count(False) == 1
    assert found["destinations"].keys() == json.loads(whole.read_text())["destinations"].keys()
    words = ("--topology", "torus:4x4", "--tables", whole, "--tables", now)
    status, _, err = run("deadlock", *words)
    assert status == 0, err
    status, _, err = run(*table, "--broken", "9,9")
    assert status == 2
    assert "A failed link must be two nodes" in err
