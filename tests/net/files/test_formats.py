"""Every format of a file of a network: what is written is recognised and read back as the same network."""

from collections import Counter

import pytest

from dsnswitch.net.files.export import FORMATS, export
from dsnswitch.net.files.readers import read_graph, recognised
from dsnswitch.net.topology.graph import Graph
from dsnswitch.net.topology.registry import parse_network

HOSTS = Graph(
    "hosts",
    [("h10", "a"), ("h2", "a"), ("a", "b"), ("b", "a"), ("b", "c"), ("c", "d"), ("h9", "d"), ("d", "a"), ("h1", "c")],
    ["h10", "h2", "h9", "h1"],
)
NETWORKS = {
    "grid": parse_network("grid:2x3:ring-3"),
    "double": parse_network("grid:2x2:k4x2:double"),
    "torus": parse_network("torus:2x4"),
    "dsn-f": parse_network("dsn-f:10"),
    "hosts": HOSTS,
    "parallel": Graph("two", [("a", "b")] * 3),
}
READABLE = [form for form in FORMATS if form != "svg"]

#: Formats that give a host to each switch of a network whose hosts have no names.
HOSTED = ("anynet", "simgrid", "ibnetdiscover")


def same(number, network, form):
    """A network as numbers: every link, and the hosts at each switch. ``number`` gives that of a name."""
    names = [number(network.spell_switch(switch)) for switch in network.switches()]
    at = dict(zip(network.switches(), names))
    links = Counter(tuple(sorted((at[link.source], at[link.target]))) for link in network.links())
    hosts = {at[switch]: network.hosts_of(switch) for switch in network.switches()}
    return sorted(names), links, hosts


def numbers(network):
    """``name -> number`` in a file that was written of ``network``: a number, an address, or the name of a switch."""
    spelt = {network.spell_switch(switch): network.number(switch) for switch in network.switches()}
    shift = len(network.hosts)

    def number(name):
        word = name.removeprefix("router ").removeprefix("switch ")
        return spelt[word] if word in spelt else int(word) - (shift if name == word else 0)

    return number


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("form", READABLE)
def test_what_is_written_is_read_back(tmp_path, form, name):
    network = NETWORKS[name]
    path = tmp_path / "file"
    path.write_text(export(network, form))
    assert recognised(path, path.read_text()) == form
    found = read_graph(f"{path},hosts={len(network.hosts)}" if form == "adjacency" else path)
    assert same(numbers(network), found, form) == same(numbers(network), network, form)
    # Hosts keep the order of their keys, and so their numbers in hardware.
    named = network.hosts or (network.hosts if form not in HOSTED else found.hosts)
    assert len(found.hosts) == len(named)
    if network.hosts:
        places = [(numbers(network)(found.fabric.spell_switch(at)), n) for at, n in found.fabric.host_places(2)]
        assert places == [(network.fabric.number(at), n) for at, n in network.fabric.host_places(2)]
