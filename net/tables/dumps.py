"""Tables of a graph as a dump of an InfiniBand fabric, and back."""

from dsnswitch.net.files.formats.infiniband import ends_of, identities, number_of, read_dump, write_dump
from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import Tables
from dsnswitch.net.tables.entries import Entry, Table
from dsnswitch.net.tables.switch_graph import text


def dump(network, made, switches):
    """The tables of some switches as text, for all hosts; without named hosts, each switch with hosts has one.

    Raises :class:`UsageError` if the tables have several layers, which a dump cannot say.
    """
    if made.layers > 1:
        raise UsageError(f"A dump of tables has one virtual channel, not {made.layers}: take updown, or fewer --layers")
    mask, found = (1 << made.port_bits) - 1, {}
    exits = {
        network.label(switch) if not network.hosts else host: (host, port) for host, switch, port in ends_of(network)
    }
    at = {network.label(switch): switch for switch in network.switches()}
    for label in switches:
        ports = made.by_switch[label].answers_to(made.graph.keys_at(label)) & mask
        found[text(label)] = {
            exits[end][0]: exits[end][1] if port == made.arrived else number_of(network, at[label], port)
            for end, port in zip(made.graph.keys, ports.tolist())
        }
    return write_dump(network, found)


def given_dump(network, graph, path, words):
    """The :class:`Tables` of the dump ``words`` of the file ``path``, which are not checked."""
    if not graph.keys.keys() == set(network.hosts):
        raise UsageError(f"{path}: a dump of tables needs a graph with hosts, and {graph.name} names none")
    found, bits = read_dump(path, words, identities(network)), graph.most_ports.bit_length()
    at = {text(label): network.parse_switch(label) for label in graph.ports}
    tables = {}
    for label, switch in at.items():
        if label not in found:
            raise UsageError(f"{path} has no table of {label}, a switch of {graph.name}")
        known = {number_of(network, switch, port.index): port.index for port in network.ports_of(switch)}
        entries = []
        for end, port in found[label].items():
            if end not in graph.keys:
                continue
            if port not in known:
                raise UsageError(f"{path}: {label} sends packets for {end} to port {port}, which has no cable")
            entries.append(Entry(graph.keys[end], graph.width, known[port]))
        names = [*(f"port {port}" for port in range(graph.most_ports)), "arrived"]
        names += ["-"] * ((1 << bits) - len(names))
        tables[label] = Table(f"{graph.kind} {label}", graph.width, tuple(names), tuple(entries))
    return Tables(graph, Wiring(graph), "given", 1, bits, tables)
