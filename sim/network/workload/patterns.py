"""Traffic patterns by name: which host sends to which, for any network.

Hosts have the numbers ``switch number * hosts + host`` (``Point``). The number of a switch is
that of :meth:`~dsnswitch.net.topology.network.Network.number`: ``(y * X + x) * m + id`` in a grid DSN, ``x * m + id`` in a ring
DSN, ``c0 + S0 * (c1 + S1 * c2)`` in a torus, and ``(layer * 2^p + x) * p + id`` in a DSN-F. In a network whose switches have
different numbers of hosts, the numbers have no gaps; those of a graph have the order of the keys of the hosts.

*Patterns of bits* permute or invert the bits of the host's number, so they need a number of hosts that is a power of two
(Dally and Towles, Principles and Practices of Interconnection Networks, 3.2). In a DSN the lowest bits are those of host and id,
the next ones those of x, the highest those of y.

*Patterns of digits* add to the coordinates of the switch, modulo their sizes, and keep the host. The coordinates are the fields
of an address along which links run: x and y of a DSN (the supernode moves, the id stays), every dimension of a torus, mesh or
hypercube, layer and x of a DSN-F. A network without such fields, or without a switch at every address, such as most DSN-F, has
one coordinate, the number of the switch, or of the host if switches have different numbers of hosts.

A host that a permutation maps to itself sends nothing.
"""

import math
import re
from typing import Any

import numpy as np

from dsnswitch.net.messages import UsageError, nearest, shortened
from dsnswitch.net.reading import read_text
from dsnswitch.net.topology.network import Network

__all__ = ["FORMS", "MOST_ROWS", "is_finite", "packets_of", "pattern", "read_trace", "senders"]

#: ``{name: (form, description)}`` of every pattern.
FORMS = {
    "uniform": ("uniform", "every packet goes to a random other host"),
    "transpose": ("transpose", "the bits of the host's number rotate by half of their number (F V: matrix transpose)"),
    "bit-reversal": ("bit-reversal", "the bits of the host's number in reverse order"),
    "bit-complement": ("bit-complement", "the bits of the host's number, inverted"),
    "shuffle": ("shuffle", "the bits of the host's number rotate left by one"),
    "tornado": ("tornado", "almost half way around each dimension: + ceil(k / 2) - 1 modulo its size k"),
    "neighbour": ("neighbour", "the next switch, or supernode, in each dimension: + 1"),
    "shift": ("shift:HOSTS", "the host whose number is HOSTS higher, modulo their number (T 4.2)"),
    "overlap": ("overlap", "pairs of switches two hops apart; the only paths of two pairs share a link (T Fig. 5)"),
    "hot-spot": ("hot-spot[:HOST[:SHARE]]", "uniform, but SHARE of the packets (0.1) go to HOST (0); 1: all others to it"),
    "permutation": ("permutation", "a random permutation of the hosts by the seed"),
    "all-to-all": ("all-to-all:FLITS", "exchange: every host sends a message to every other host"),
    "exchange": ("exchange:FLITS", "exchange: every host sends a message to its equals at all linked switches"),
    "stencil": (
        "stencil:AxBxC:FLITS",
        "exchange: hosts in their order are a torus of these sizes; each sends a message to its neighbours (T 4.4)",
    ),
    "trace": ("trace:FILE", "CSV with the columns cycle,source,destination,flits"),
}

#: Patterns that are exchanges of messages.
EXCHANGES = ("all-to-all", "exchange", "stencil")

#: Maximum number of packets of a trace or an exchange.
MOST_ROWS = 1 << 22

#: First line of a trace.
COLUMNS = "cycle,source,destination,flits"


def pattern(text: str, network: Network, hosts: int, packet: int, seed: int = 1) -> dict[str, Any]:
    """Attributes of a :class:`~dsnswitch.sim.network.engine.points.Point` for a pattern.

    They are ``destinations``, ``weights`` with ``sources``, or ``trace``, or nothing for uniform traffic of all switches. The
    text is one of :data:`FORMS`, ``hosts`` are those of a switch. Messages of an exchange are cut to packets of ``packet``
    flits, and ``seed`` is that of a random permutation.

    Raises
    ------
    UsageError
        If there is no such pattern, or it is impossible for this network.
    """
    name, *parts = text.split(":", 1)
    if name not in FORMS:
        more = nearest(name, FORMS, "dsnswitch simulate --help lists all")
        raise UsageError(f"There is no pattern {shortened(name, 40)!r}{more}")
    form = FORMS[name][0]
    every = host_numbers(network, hosts)
    count, total = len(every), network.nodes * hosts
    if name == "trace":
        if not parts:
            raise UsageError(f"Pattern trace must have the form {form}, not {text!r}")
        return {"trace": _trace(parts[0], network, hosts, packet, every)}
    words = parts[0].split(":") if parts else []
    most = {"hot-spot": 2, "all-to-all": 1, "exchange": 1, "shift": 1, "stencil": 2}.get(name, 0)
    if len(words) > most or (name != "hot-spot" and len(words) < most):
        raise UsageError(f"Pattern {name} must have the form {form}, not {shortened(text, 40)!r}")
    if name in EXCHANGES:
        flits = _number(words[-1], "Flits of a message", 1, 1 << 20)
        if name == "stencil":
            return {"trace": _stencil(words[0], every, flits, packet)}
        return {"trace": _exchange(name, network, hosts, flits, packet)}
    if name == "uniform" and count == total:
        return {}
    if name in ("hot-spot", "uniform"):
        weights, sources = np.zeros(total), np.zeros(total, bool)
        weights[every], sources[every] = _hot_spot(words, count) if name == "hot-spot" else 1.0, True
        if (hot := weights == weights.sum()).any():
            # All others send to one host, which sends nothing.
            return {"destinations": np.where(sources & ~hot, np.argmax(hot), -1)}
        return {"weights": weights, "sources": sources}
    own = np.arange(count)
    if name == "permutation":
        found = np.random.default_rng(seed).permutation(count)
    elif name == "shift":
        found = (own + _number(words[0], "Hosts of a shift", 1, count - 1)) % count
    elif name == "overlap":
        found = _overlap(network, hosts, every)
    elif name in ("tornado", "neighbour"):
        found = _digits(network, hosts, count, (lambda k: (k + 1) // 2 - 1) if name == "tornado" else lambda k: 1)
    else:
        found = _bits(name, count)
    if (found == own).all():
        raise UsageError(f"Pattern {name} of {network.spelling} sends every host's packets to itself")
    ends = np.full(total, -1)
    ends[every] = np.where(found == own, -1, every[found])
    return {"destinations": ends}


def _overlap(network, hosts, every):
    """Destinations by the numbers of hosts: in chains A, B, C, D of switches, those of A and C, and of B and D, exchange packets.

    B is the only switch between A and C, and C between B and D, so that the link of B and C carries the packets of two switches
    in each direction. Chains are chosen greedily, first where the fewest neighbours are left, so that few switches are outside
    them, such as two in a Slim Fly. Those form pairs two hops apart, or send nothing.
    """
    ends = [network.number(switch) for switch in network.terminals()]
    near = {at: {network.number(end[0]) for _, end in network.links_of(network.switch(at))} for at in ends}
    left, partner = {*ends}, {}
    joined = np.zeros((network.nodes, network.nodes), int)
    for at, others in near.items():
        joined[at, list(others)] = 1
    # Paths of two hops between switches that no link joins.
    paths = (joined @ joined) * (1 - joined)
    np.fill_diagonal(paths, 0)

    def scarce(some):
        return sorted(some & left, key=lambda at: (len(near[at] & left), at))

    def chain():
        for a in scarce(left):
            for b in scarce(near[a]):
                for c in scarce(near[b]):
                    for d in scarce(near[c]) if paths[a, c] == 1 else ():
                        if d != a and paths[b, d] == 1:
                            return a, b, c, d
        return None

    while found := chain():
        a, b, c, d = found
        for one, other in ((a, c), (b, d)):
            partner |= {one: other, other: one}
        left.difference_update(found)
    if not partner:
        raise UsageError(f"Pattern overlap needs pairs of switches with one path of two hops, not {network.spelling}")
    while left:
        one = left.pop()
        if other := next((at for at in left if paths[one, at]), None):
            partner |= {one: other, other: one}
            left.remove(other)
    places = {}
    for place, number in enumerate(every.tolist()):
        places.setdefault(number // hosts, []).append(place)
    found = np.arange(len(every))
    for one, other in partner.items():
        for place, end in zip(places[one], places[other]):
            found[place] = end
    return found


def host_numbers(network: Network, hosts: int) -> np.ndarray:
    """The numbers ``switch * hosts + host`` of the hosts of a network whose switches have up to ``hosts``, in their order."""
    return np.array([network.number(switch) * hosts + host for switch, host in network.host_places(hosts)])


def _trace(path, network, hosts, packet, every):
    """The rows of a trace, with the numbers of :func:`host_numbers`."""
    if network.is_uneven:
        trace = read_trace(path, len(every), packet)
        trace[:, 1:3] = every[trace[:, 1:3]]
        return trace
    trace = read_trace(path, network.nodes * hosts, packet)
    for number in np.setdiff1d(trace[:, 1:3], every)[:1]:
        switch = network.spell_switch(network.switch(number // hosts))
        raise UsageError(f"Trace {path}: host {number} does not exist, because switch {switch} has no hosts")
    return trace


def _number(text, what, low, high):
    if not text.isdecimal() or not low <= int(text[:12]) <= high:
        raise UsageError(f"{what} must be in {low}..{high}, not {shortened(text, 40)!r}")
    return int(text)


def _bits(name, count):
    """Destinations of a pattern of bits."""
    bits = count.bit_length() - 1
    if count != 1 << bits:
        raise UsageError(f"Pattern {name} needs a number of hosts that is a power of two, not {count}")
    own = np.arange(count)
    if name == "bit-complement":
        return own ^ count - 1
    if name == "bit-reversal":
        return sum((own >> bit & 1) << bits - 1 - bit for bit in range(bits))
    turn = 1 if name == "shuffle" else bits // 2
    return (own << turn | own >> bits - turn) & count - 1


def _digits(network, hosts, count, step):
    """Destinations of a pattern of digits; ``step`` gives what is added to a coordinate of a size."""
    if network.is_uneven:
        return (np.arange(count) + step(count)) % count
    kinds = {port.kind for port in network.ports}
    axes = [index for index, field in enumerate(network.fields) if field.name in kinds]
    nodes = sum(1 for _ in network.terminals())
    if math.prod(field.size for field in network.fields) != nodes:
        axes = []
    found = []
    for number in range(nodes):
        if axes:
            switch = list(network.switch(number))
            for axis in axes:
                size = network.fields[axis].size
                switch[axis] = (switch[axis] + step(size)) % size
            number = network.number(tuple(switch))
        else:
            number = (number + step(nodes)) % nodes
        found += range(number * hosts, (number + 1) * hosts)
    return np.array(found)


def _hot_spot(words, count):
    """A hot spot (Pfister and Norton, 1985: a share of all packets goes to one host, the rest is uniform).

    With a share of 1, all packets.
    """
    host = _number(words[0], "Host of a hot spot", 0, count - 1) if words else 0
    try:
        share = float(words[1]) if len(words) > 1 else 0.1
    except ValueError:
        share = -1
    if not 0 < share <= 1:
        raise UsageError(f"Share of a hot spot must be above 0 and at most 1, not {shortened(words[1], 40)!r}")
    weights = np.full(count, (1 - share) / count)
    weights[host] += share
    return weights


def packets_of(flits: int, packet: int) -> list[int]:
    """Lengths of the packets of a message: as long as possible, the last one has the rest."""
    return [packet] * (flits // packet) + ([flits % packet] if flits % packet else [])


def _exchange(name, network, hosts, flits, packet):
    """Trace of an exchange that begins in cycle 0.

    All-to-all: host h sends to h + 1, h + 2, and so on, so that the destinations of one step are a permutation.
    """
    every = host_numbers(network, hosts)
    count, known = len(every), set(every.tolist())
    if name == "all-to-all":
        fewest = count * (count - 1)
        _rows(name, fewest * -(-flits // packet))
        pairs = [(every[host], every[(host + step) % count]) for host in range(count) for step in range(1, count)]
    else:
        pairs = []
        for number in range(network.nodes):
            ends = [network.number(end[0]) for _, end in network.links_of(network.switch(number))]
            pairs += [(number * hosts + host, end * hosts + host) for host in range(hosts) for end in dict.fromkeys(ends)]
        pairs = [pair for pair in pairs if pair[0] != pair[1] and known.issuperset(pair)]
        _rows(name, len(pairs) * -(-flits // packet))
    if not pairs:
        raise UsageError(f"Pattern {name} needs two hosts with a link, not {network.spelling}")
    lengths = packets_of(flits, packet)
    return np.array([(0, *pair, length) for pair in pairs for length in lengths], dtype=np.int64)


def _stencil(text, every, flits, packet):
    """Trace of an exchange with the neighbours in a torus, which begins in cycle 0. ``every`` are the numbers of the hosts.

    The first coordinate is that of hosts that follow each other. A host sends a packet of each of its messages in turn.
    """
    if not re.fullmatch(r"[1-9][0-9]{0,6}(x[1-9][0-9]{0,6}){0,5}", text):
        raise UsageError(f"Sizes of a stencil must be up to six numbers, such as 13x13x18, not {shortened(text, 40)!r}")
    sizes = tuple(map(int, text.split("x")))
    count = math.prod(sizes)
    if not 2 <= count <= len(every):
        raise UsageError(f"A stencil of {len(every)} hosts must have 2..{len(every)} places, not {text}, which has {count}")
    _rows("stencil", 2 * len(sizes) * count * -(-flits // packet))
    own, axes = np.arange(count).reshape(sizes, order="F"), range(len(sizes))
    ends = np.array([np.roll(own, step, axis).ravel(order="F") for axis in axes for step in (-1, 1)])
    lengths, rows = packets_of(flits, packet), []
    for host, some in enumerate(ends.T.tolist()):
        near = [end for end in dict.fromkeys(some) if end != host]
        rows += [(0, every[host], every[end], length) for length in lengths for end in near]
    return np.array(rows, dtype=np.int64)


def _rows(name, count):
    if count > MOST_ROWS:
        raise UsageError(f"Packets of pattern {name} must be at most {MOST_ROWS}, not {count}")


def read_trace(path: str, hosts: int, packet: int) -> np.ndarray:
    """Rows ``cycle, source, destination, flits`` of a CSV file, as :attr:`~dsnswitch.sim.network.engine.points.Point.trace`.

    The first line has the names of the columns. Source and destination are numbers of hosts.

    Raises
    ------
    UsageError
        If the file cannot be read, or a line is wrong; the message names file and line.
    """
    lines = read_text(path, "Trace").splitlines()
    if not lines or lines[0].replace(" ", "") != COLUMNS:
        raise UsageError(f"Trace {path}, line 1: the columns must be {COLUMNS}")
    rules = (("cycle", 0, 1 << 40), ("source", 0, hosts - 1), ("destination", 0, hosts - 1), ("flits", 1, packet))
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        words = [word.strip() for word in line.split(",")]
        if len(words) != len(rules):
            raise UsageError(f"Trace {path}, line {number}: a packet has {COLUMNS}, not {shortened(line, 40)!r}")
        for word, (name, low, high) in zip(words, rules):
            if not (word.isascii() and word.isdecimal()) or not low <= int(word[:18]) <= high:
                raise UsageError(f"Trace {path}, line {number}: {name} must be in {low}..{high}, not {shortened(word, 40)!r}")
        rows.append(tuple(map(int, words)))
        if rows[-1][1] == rows[-1][2]:
            raise UsageError(f"Trace {path}, line {number}: host {words[1]} sends to itself")
        if len(rows) > MOST_ROWS:
            raise UsageError(f"Trace {path} must have at most {MOST_ROWS} packets; it has more")
    if not rows:
        raise UsageError(f"Trace {path} has no packets")
    return np.array(rows, dtype=np.int64)


def is_finite(text: str) -> bool:
    """Whether the traffic of a pattern ends, so that its result is a completion time."""
    return text.partition(":")[0] in (*EXCHANGES, "trace")


def senders(point: Any, present: np.ndarray) -> np.ndarray:
    """Which places of hosts send in a :class:`~dsnswitch.sim.network.engine.points.Point`; ``present`` are those with a host."""
    if point.destinations is not None:
        return np.asarray(point.destinations) >= 0
    if point.trace is not None:
        return np.isin(np.arange(len(present)), np.asarray(point.trace).reshape(-1, 4)[:, 1])
    return present if point.sources is None else np.asarray(point.sources)
