"""Tables of a graph as a dump of an InfiniBand fabric, and back."""

import numpy as np

from dsnswitch.net.files.formats.infiniband import ends_of, identities, number_of
from dsnswitch.net.files.formats.infiniband_tables import OWN, read_dump, write_dump
from dsnswitch.net.messages import UsageError, note, unwatched
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.compile import Tables, action_names
from dsnswitch.net.tables.entries import Entry, Table
from dsnswitch.net.tables.management import ports_to_switches
from dsnswitch.net.tables.walk import describe_cycle, faults, find_cycle, walk


def dump(network, made, numbers) -> str:
    """The tables of the switches with these ``numbers`` as text, for every LID of hosts and switches.

    Without named hosts, each switch with hosts has as many as the topology states, or one. All LIDs of a port have the same
    route.

    Raises :class:`UsageError` if the tables need several virtual channels, which a dump cannot say.
    """
    if made.layers > 1:
        raise UsageError(f"A dump of tables has one virtual channel, not {made.layers}: take --classes 1")
    wiring, ids = made.wiring, identities(network)
    ends = {}
    for host, switch, port in ends_of(network):
        ends.setdefault(host if network.hosts else network.spell_switch(switch), []).append((host, port))
    to_switches, found = ports_to_switches(made), {}
    names = [wiring.names[at] for at in wiring.place]
    for number in numbers:
        switch, at = network.switch(number), wiring.place[number]
        known = {port.index: number_of(network, switch, port.index) for port in network.ports_of(switch)}
        ports = {names[number]: OWN}
        for other, port in zip(names, to_switches[at, wiring.place].tolist()):
            if port in known:
                ports[other] = known[port]
        for end, port in zip(wiring.ends.names, made.tables[number].answers_to(wiring.keys(at)).tolist()):
            if port == made.arrived or port in known:
                ports |= {host: last if port == made.arrived else known[port] for host, last in ends[end]}
        found[names[number]] = {lid: port for end, port in ports.items() for lid in ids[end].lids}
    return write_dump(ids, found, set(names))


def given_dump(network, path, words, bar=unwatched) -> tuple[Tables, tuple[str] | tuple[str, ...]]:
    """The :class:`Tables` of a dump for the first LID of each host, and the faults of all LIDs as lines.

    ``words`` are the text of the file ``path``.
    """
    wiring = Wiring(network)
    if not set(wiring.ends.names) == set(network.hosts):
        raise UsageError(f"{path}: a dump of tables needs a graph with hosts, and {wiring.name} names none")
    ids = identities(network)
    found = _indices(network, wiring, path, read_dump(path, words, ids))
    tables, names = [], action_names(wiring)
    for label, ports in found.items():
        actions = [ports.get(ids[end].lid) for end in wiring.ends.names]
        pairs = zip(wiring.ends.key.tolist(), actions)
        some = tuple(Entry(key, wiring.width, action) for key, action in pairs if action is not None)
        tables.append(Table(f"{wiring.kind} {label}", wiring.width, names, some))
    made = Tables(wiring, "given", 1, tables)
    return made, made.faults(bar) or _faults(network, ids, found, bar)


def _indices(network, wiring, path, found):
    """``{switch: {LID: index of a port}}`` of the numbers of ports in a dump; the switch itself is the port ``arrived``."""
    indices = {}
    for switch in network.switches():
        name = network.spell_switch(switch)
        if name not in found:
            raise UsageError(f"{path} has no table of {name}, a switch of {wiring.name}")
        known = {number_of(network, switch, port.index): port.index for port in network.ports_of(switch)}
        known[OWN] = wiring.most_ports
        for lid, port in found[name].items():
            if port not in known:
                raise UsageError(f"{path}: {name} sends packets for LID {lid} to port {port}, which has no cable")
        indices[name] = {lid: known[port] for lid, port in found[name].items()}
    return indices


def _faults(network, ids, found, bar):
    """The faults of the packets from hosts to every LID, as lines. Those of packets from switches are only noted.

    Hosts send data to each LID of a host, and queries to switches; a switch answers. Routing engines for InfiniBand leave pairs
    of switches without a route, or with a route that can deadlock with others, since switches send few packets.
    """
    lines = _walked(network, ids, found, 0, bar)
    if not lines:
        answers = _walked(network, ids, found, 1, bar)
        if answers:
            more = f", and {len(answers) - 1} more" if len(answers) > 1 else ""
            note(f"packets that switches send: {answers[0]}{more}")
    return lines


def _walked(network, ids, found, weight, bar):
    """Faults of the packets to all LIDs. They enter at the switches that have hosts, or at all if ``weight`` is 1."""
    addressed = [switch for switch in network.switches() if ids[network.spell_switch(switch)].lids]
    wiring, first, second = Wiring(network, more=[(switch, weight) for switch in addressed]), [], []
    every = [ids[end].lids for end in wiring.ends.names]
    for path in range(max(len(one.lids) for one in ids.values())):
        lids = [some[path % len(some)] for some in every]
        wiring.ends = wiring.ends._replace(key=np.array(lids))
        actions = np.array([[found[switch].get(lid, -1) for lid in lids] for switch in wiring.names])
        walked = walk(wiring, actions, bar)
        if walked.lost:
            return tuple(faults(wiring, walked._replace(first=walked.first[:0], second=walked.second[:0]), "LID"))
        first.append(walked.first)
        second.append(walked.second)
    cycle = find_cycle(np.concatenate(first), np.concatenate(second))
    return (f"the routes can deadlock: {describe_cycle(wiring, cycle)}",) if cycle else ()
