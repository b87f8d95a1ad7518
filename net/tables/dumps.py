"""Tables of a graph as a dump of an InfiniBand fabric, and back."""

from dataclasses import replace

import numpy as np

from dsnswitch.net.files.formats.infiniband import ends_of, identities, number_of
from dsnswitch.net.files.formats.infiniband_tables import OWN, read_dump, write_dump
from dsnswitch.net.messages import UsageError, note, unwatched
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import Tables
from dsnswitch.net.tables.entries import Entry, Table
from dsnswitch.net.tables.management import ports_to_switches
from dsnswitch.net.tables.switch_graph import text
from dsnswitch.net.tables.walk import describe_cycle, faults, find_cycle, named_channels, walk


def dump(network, made, switches):
    """The tables of some switches as text, for every LID of hosts and switches.

    Without named hosts, each switch with hosts has as many as the topology states, or one. All LIDs of a port have the same
    route.

    Raises :class:`UsageError` if the tables have several layers, which a dump cannot say.
    """
    if made.layers > 1:
        raise UsageError(f"A dump of tables has one virtual channel, not {made.layers}: take updown, or fewer --layers")
    ids, index = identities(network), made.wiring.index
    ends = {}
    for host, switch, port in ends_of(network):
        ends.setdefault(host if network.hosts else network.label(switch), []).append((host, port))
    at = {network.label(switch): switch for switch in network.switches()}
    to_switches, found = ports_to_switches(made), {}
    for label in switches:
        numbers = {port.index: number_of(network, at[label], port.index) for port in network.ports_of(at[label])}
        ports = {text(label): OWN}
        for other in at:
            if (port := int(to_switches[index[label], index[other]])) in numbers:
                ports[text(other)] = numbers[port]
        for end, port in zip(made.graph.keys, made.by_switch[label].answers_to(made.graph.keys_at(label)).tolist()):
            if port == made.arrived or port in numbers:
                ports |= {host: last if port == made.arrived else numbers[port] for host, last in ends[end]}
        found[text(label)] = {lid: port for end, port in ports.items() for lid in ids[end].lids}
    return write_dump(ids, found, {text(label) for label in at})


def given_dump(network, graph, path, words, bar=unwatched):
    """The :class:`Tables` of a dump for the first LID of each host, and the faults of all LIDs as lines.

    ``words`` are the text of the file ``path``.
    """
    if not graph.keys.keys() == set(network.hosts):
        raise UsageError(f"{path}: a dump of tables needs a graph with hosts, and {graph.name} names none")
    ids, bits = identities(network), graph.most_ports.bit_length()
    found = _indices(network, graph, path, read_dump(path, words, ids))
    names = [*(f"port {port}" for port in range(graph.most_ports)), "arrived"]
    names += ["-"] * ((1 << bits) - len(names))
    tables = {}
    for label, ports in found.items():
        entries = (Entry(key, graph.width, ports.get(ids[end].lid)) for end, key in graph.keys.items())
        some = tuple(entry for entry in entries if entry.action is not None)
        tables[label] = Table(f"{graph.kind} {label}", graph.width, tuple(names), some)
    made = Tables(graph, Wiring(graph), "given", 1, bits, tables)
    return made, made.faults(bar) or _faults(made, ids, found, bar)


def _indices(network, graph, path, found):
    """``{switch: {LID: index of a port}}`` of the numbers of ports in a dump; the switch itself is the port ``arrived``."""
    indices = {}
    for label in graph.ports:
        name = text(label)
        if name not in found:
            raise UsageError(f"{path} has no table of {name}, a switch of {graph.name}")
        switch = network.parse_switch(name)
        known = {number_of(network, switch, port.index): port.index for port in network.ports_of(switch)}
        known[OWN] = graph.most_ports
        for lid, port in found[name].items():
            if port not in known:
                raise UsageError(f"{path}: {name} sends packets for LID {lid} to port {port}, which has no cable")
        indices[label] = {lid: known[port] for lid, port in found[name].items()}
    return indices


def _faults(made, ids, found, bar):
    """The faults of the packets from hosts to every LID, as lines. Those of packets from switches are only noted.

    Hosts send data to each LID of a host, and queries to switches; a switch answers. Routing engines for InfiniBand leave pairs
    of switches without a route, or with a route that can deadlock with others, since switches send few packets.
    """
    lines = _walked(made, ids, found, 0, bar)
    if not lines:
        answers = _walked(made, ids, found, 1, bar)
        if answers:
            more = f", and {len(answers) - 1} more" if len(answers) > 1 else ""
            note(f"packets that switches send: {answers[0]}{more}")
    return lines


def _walked(made, ids, found, weight, bar):
    """Faults of the packets to all LIDs. They enter at the switches that have hosts, or at all if ``weight`` is 1."""
    graph, bits, switches = made.graph, made.port_bits, made.wiring.switches
    ends = [*graph.keys, *(switch for switch in switches if ids[text(switch)].lids)]
    weights = {end: weight if end in graph.ports else graph.weight(end) for end in ends}
    wiring, first, second = None, [], []
    for path in range(max(len(one.lids) for one in ids.values())):
        lids = {end: ids[text(end)].lids[path % len(ids[text(end)].lids)] for end in ends}
        lidded = replace(graph, keys=lids, width=16, weights=weights, key_kind="LID")
        wiring = wiring or Wiring(lidded)
        actions = np.array([[found[switch].get(lid, -1) for lid in lids.values()] for switch in wiring.switches])
        walked = walk(wiring, actions, bits, bar)
        tables = Tables(lidded, wiring, made.routing, 1, bits, {})
        if walked.lost:
            return tuple(faults(tables, replace(walked, first=walked.first[:0], second=walked.second[:0])))
        first.append(walked.first)
        second.append(walked.second)
    cycle = find_cycle(np.concatenate(first), np.concatenate(second))
    return (f"the routes can deadlock: {describe_cycle(named_channels(wiring, cycle))}",) if cycle else ()
