"""Model of the switch core as a list of rules: the output of each packet, the order of packets, and the number of credits.

The model gets flits with the cycle in which they pass a port of the core. It has neither a pipeline nor an arbiter: it compares
the core with its specification.
"""

from collections import Counter, defaultdict, deque, namedtuple
from enum import Enum
from functools import lru_cache
from types import MappingProxyType


class Flit(namedtuple("Flit", "data head tail bad")):
    """One flit: ``data`` as a number, three flags. In a word on wires, the flags are above ``width`` bits of data."""

    @classmethod
    def of(cls, word, width):
        """The flit of a word."""
        return cls(word & (1 << width) - 1, *(word >> width + bit & 1 for bit in range(3)))

    def word(self, width):
        """The word of the flit."""
        return self.data | (self.head | self.tail << 1 | self.bad << 2) << width


def flits_of(words):
    """Flits of a packet with these data."""
    return [Flit(word, int(i == 0), int(i == len(words) - 1), 0) for i, word in enumerate(words)]


#: The output channel of a packet: number of the output port, channel.
Way = namedtuple("Way", "output channel")


class HeaderFormat:
    """Header fields and their check bits.

    Parameters
    ----------
    fields : dict
        ``{name: (first bit, last bit)}``. The check bits have the name ``check``.
    columns : sequence of int
        Check bits that bit i of the header contributes to.
    longest : int
        Flits of the longest packet.

    ``read(word)`` is the mapping ``{name: value}`` of a header.
    """

    def __init__(self, fields, columns, longest):
        self.fields, self.columns, self.longest = fields, columns, longest
        self._check = fields["check"][0]
        # Bits of the header that each check bit is the parity of.
        width = fields["check"][1] - self._check + 1
        self._masks = [
            sum(1 << bit for bit, column in enumerate(columns[: self._check]) if column >> row & 1) for row in range(width)
        ]
        # The model reads each header several times in succession.
        self.read = lru_cache(maxsize=64)(self._read)

    @classmethod
    def of(cls, manifest):
        """The header that a manifest states."""
        fields = {field["name"]: field["bits"] for field in manifest["header"]}
        return cls(fields, manifest["code"]["columns"], manifest["parameters"]["packet"])

    def pack(self, values):
        """The header of ``{name: value}`` with its check bits; other fields are 0."""
        word = sum(value << self.fields[name][0] for name, value in values.items())
        return word | self.check_bits(word) << self._check

    def check_bits(self, word):
        """Check bits of the other fields of ``word``."""
        return sum(((word & mask).bit_count() & 1) << row for row, mask in enumerate(self._masks))

    def _read(self, word):
        """``{name: value}`` of a header, as a mapping that cannot be changed."""
        return MappingProxyType({name: word >> low & (1 << high - low + 1) - 1 for name, (low, high) in self.fields.items()})

    def is_sane(self, word):
        """Whether check bits and length are correct."""
        values = self.read(word)
        return self.check_bits(word) == values["check"] and 1 <= values["length"] <= self.longest

    def next_hop(self, word, changes):
        """The header that leaves the switch: one hop more, and ``changes`` to flags."""
        return self.changed(word, {"hops": self.read(word)["hops"] + 1} | changes)

    def changed(self, word, changes):
        """The header ``word`` with other values of some fields."""
        values = self.read(word) | {"check": 0} | changes
        old = word >> self._check + self.fields["check"][1] - self.fields["check"][0] + 1
        return old << self.fields["check"][1] + 1 | self.pack(values)


class _Packet:
    """A packet under way: its output channels, the flits that must leave, and the cycles in which they arrived."""

    def __init__(self, source, way, length, other=None):
        self.source, self.way, self.length, self.other = source, way, length, other
        self.flits, self.cycles, self.sent = [], [], 0
        #: Cycle since which it is the first packet of its input channel; packets of each other input channel since then.
        self.front_since, self.overtaken = None, Counter()
        #: Dropped flits between the packet before it and itself.
        self.behind = 0


class SwitchModel:
    """Compares the flits of a core with the rules. It raises AssertionError for every broken rule.

    Parameters
    ----------
    header : HeaderFormat
    decide : callable
        ``decide(port, channel, header word)`` is ``(reason, changes)`` or ``((output, channel), changes)``; ``changes`` are new
        values of header flags.
    depth : int
        Flits of an input buffer.
    latency : int
        Least number of cycles from the arrival of a flit to its departure.
    overtaking : callable
        ``overtaking(one, way)``: most packets of other input channels that may begin on the output channel ``way`` while a packet
        of the input channel ``one`` waits for it. Input channels are ``(port, channel)``.
    virtual_network_of : callable
        ``virtual_network_of(port, channel)``: the one whose packets arrive there. Headers name it, if they name one.
    age_cycles : int
        If headers have an age: cycles for which the head of a packet waits in front of its input channel for each step of it.
        Packets that are older do not count as overtaking. 0 without ages.
    other : callable
        ``other(port, channel, header word)``: a second output channel that a packet may take if it waits, or None.
    """

    #: Cycles by which the time of a head in front of its channel is not known.
    FRONT = 4

    def __init__(
        self,
        header,
        decide,
        depth,
        latency,
        overtaking,
        age_cycles=0,
        virtual_network_of=lambda port, channel: 0,
        other=lambda port, channel, word: None,
    ):
        self._age_cycles, self._virtual_network_of = age_cycles, virtual_network_of
        self._oldest = (1 << header.fields["age"][1] - header.fields["age"][0] + 1) - 1 if age_cycles else 0
        #: Packets that left older than they came.
        self.aged = 0
        self.header, self.decide, self.depth, self.latency = header, decide, depth, latency
        self.overtaking, self._other = overtaking, other
        #: Packets that left on their second output channel.
        self.diverted = 0
        #: Called with the input channel, the output channel and the flits of each packet that begins to leave.
        self.began = lambda source, way, length: None
        self.queues = defaultdict(deque)
        self._open, self._skipping, self._dropped = {}, set(), Counter()
        #: Cycle from which a packet that arrives next is in front of its input channel, if no other packet is there.
        self._clear = Counter()
        self.held = Counter()
        self._leaving = {}
        self.events = Counter()
        self.arrived = self.left = self.packets = self.most_overtaken = 0
        self.latencies = []

    def arrive(self, cycle, port, channel, flit):
        """Record that a flit arrives on an input channel."""
        source = port, channel
        self.held[source] += 1
        assert self.held[source] <= self.depth, f"cycle {cycle}: the bench sent to {source} without a credit"
        self.arrived += 1
        packet = self._open.get(source)
        if packet is None:
            self._begin(cycle, source, flit)
            return
        last = len(packet.flits) + 1 == packet.length
        ends = flit.tail or flit.head or last
        wrong = ends and (not flit.tail or flit.head or not last)
        self._add(cycle, packet, Flit(flit.data, 0, int(ends), int(flit.bad or wrong)))
        if wrong and not flit.bad:
            self.events["bad_length", port] += 1
        if ends:
            del self._open[source]
            if not flit.tail:
                self._skipping.add(source)

    def _begin(self, cycle, source, flit):
        port, channel = source
        if not flit.head:
            if source not in self._skipping:
                self.events["stray", port] += 1
            way = None
        else:
            way = self._way(port, channel, flit.data)
        if way is None:
            (self._skipping.discard if flit.tail else self._skipping.add)(source)
            self._dropped[source] += 1
            self._clear[source] = max(self._clear[source], cycle) + 1
            return
        self._skipping.discard(source)
        way, changes = way
        packet = _Packet(source, way, self.header.read(flit.data)["length"], self._other(port, channel, flit.data))
        ends = flit.tail or packet.length == 1
        wrong = ends and not (flit.tail and packet.length == 1)
        data = self.header.next_hop(flit.data, changes)
        self._add(cycle, packet, Flit(data, 1, int(ends), int(flit.bad or wrong)))
        if wrong and not flit.bad:
            self.events["bad_length", port] += 1
        if not ends:
            self._open[source] = packet
        elif not flit.tail:
            self._skipping.add(source)
        queue = self.queues[self.queue_of(packet)]
        packet.behind = self._dropped.pop(source, 0)
        if not queue:
            packet.front_since = max(cycle, self._clear[source])
        queue.append(packet)

    def queue_of(self, packet):
        """The packet's queue. Packets of one queue leave in the order in which they arrived: those of one input channel."""
        return packet.source

    def _way(self, port, channel, word):
        """Output channel of the packet of a head flit, or None if the packet is dropped."""
        values = self.header.read(word)
        greatest = (1 << self.header.fields["hops"][1] - self.header.fields["hops"][0] + 1) - 1
        if not self.header.is_sane(word) or values.get("virtual_network", 0) != self._virtual_network_of(port, channel):
            reason = "bad_header"
        elif values["hops"] == greatest:
            reason = "expired"
        else:
            found, changes = self.decide(port, channel, word)
            if not isinstance(found, str):
                return Way(*found), changes
            reason = found
        self.events[reason, port] += 1
        return None

    @staticmethod
    def _add(cycle, packet, flit):
        packet.flits.append(flit)
        packet.cycles.append(cycle)

    def leave(self, cycle, output, channel, flit):
        """Check a flit that leaves on an output channel."""
        place = f"cycle {cycle}, output {output} channel {channel}"
        way = Way(output, channel)
        packet = self._leaving.get(way)
        if packet is None:
            assert flit.head, f"{place}: {flit} leaves without a head"
            packet = self._started(cycle, way, flit, place)
        assert packet.sent < len(packet.flits), f"{place}: {flit} leaves before it has arrived"
        expected = packet.flits[packet.sent]
        if flit.head and self._age_cycles:
            expected = self._aged(cycle, packet, expected, flit, place)
        assert flit == expected, f"{place}: {flit} leaves, not {expected}"
        took = cycle - packet.cycles[packet.sent]
        assert took >= self.latency, f"{place}: {flit} took {took} cycles"
        self.latencies.append(took)
        packet.sent += 1
        self.left += 1
        if flit.tail:
            del self._leaving[way]
            queue = self.queues[self.queue_of(packet)]
            assert queue.popleft() is packet
            self.packets += 1
            # Dropped flits in between leave the buffer one per cycle.
            if queue:
                queue[0].front_since = max(cycle + queue[0].behind, queue[0].cycles[0])
            self._clear[packet.source] = cycle + self._dropped[packet.source]

    def _started(self, cycle, way, flit, place):
        """The packet that begins on an output channel: the oldest of an input channel, in order."""
        waiting = [queue[0] for queue in self.queues.values() if queue and not queue[0].sent]
        fronts = [packet for packet in waiting if packet.way == way]
        found = [packet for packet in waiting if way in (packet.way, packet.other)]
        found = [packet for packet in found if self._with_age(packet.flits[0], flit) == flit]
        if len(found) != 1:
            others = [q[0] for q in self.queues.values() if q and q[0].flits[0] == flit]
            raise AssertionError(
                f"{place}: head {flit.data:x} is that of {len(found)} packets that may leave here; "
                f"it came on {[p.source for p in others]} and may leave on {[p.way for p in others]}"
            )
        [packet] = found
        self.diverted += packet.way != way
        for other in fronts:
            # A request that arrived after the decision was not passed over.
            waits = other is not packet and other.front_since + 2 <= cycle - self.latency
            if waits and not self._is_older(cycle, flit, other):
                other.overtaken[packet.source] += 1
                times = other.overtaken.total()
                self.most_overtaken = max(times, self.most_overtaken)
                most = self.overtaking(other.source, other.way)
                passed = ", ".join(f"{source} {number} times" for source, number in other.overtaken.most_common())
                assert times <= most, f"{place}: {other.source} was passed over {times} times, not {most}: by {passed}"
        self.began(packet.source, way, packet.length)
        self._leaving[way] = packet
        return packet

    def _with_age(self, flit, other):
        """A head ``flit`` with the age of ``other``."""
        if not self._age_cycles:
            return flit
        return flit._replace(data=self.header.changed(flit.data, {"age": self.header.read(other.data)["age"]}))

    def _ages(self, cycle, packet):
        """Least and greatest age of a packet whose head is in front of its channel and leaves in this cycle."""
        waited, came = cycle - packet.front_since - self.latency, self.header.read(packet.flits[0].data)["age"]
        least, greatest = (waited - self.FRONT) // self._age_cycles, -((waited + self.FRONT) // -self._age_cycles)
        return min(self._oldest, came + max(0, least)), min(self._oldest, came + greatest)

    def _aged(self, cycle, packet, expected, flit, place):
        """The head ``expected`` with the age with which it leaves, which must be that of its waiting time."""
        age, (least, greatest) = self.header.read(flit.data)["age"], self._ages(cycle, packet)
        assert least <= age <= greatest, f"{place}: age {age}, not {least} to {greatest}"
        self.aged += age > self.header.read(expected.data)["age"]
        return self._with_age(expected, flit)

    def _is_older(self, cycle, flit, other):
        """Whether the head ``flit`` may leave before ``other`` because of its age."""
        if not self._age_cycles:
            return False
        least, _ = self._ages(cycle, other)
        return least < self._oldest and self.header.read(flit.data)["age"] >= least

    def credit(self, port, channel):
        """Record that a credit returns to the sender of an input channel."""
        self.held[port, channel] -= 1
        assert self.held[port, channel] >= 0, f"port {port} channel {channel}: a credit too many"

    def finished(self):
        """Whether all packets have left or were dropped, and all credits have returned."""
        return not any(self.queues.values()) and not any(self.held.values())


class Reason(Enum):
    """The rule that decides an answer."""

    DOES_NOT_EXIST = "the destination does not exist"
    DOES_NOT_EXIST_BY_TABLE = "the destination of a packet of the tables does not exist"
    ALGORITHM = "the algorithm's port"
    ALGORITHM_ARRIVED = "the algorithm: arrived"
    TABLE = "the table's port"
    TABLE_ARRIVED = "the table: arrived"
    FALLBACK = "the table's port, because the algorithm's is dead"
    MISS = "the table has no entry"
    NO_SUCH_PORT = "the table's action names no port"
    DEAD_PORT = "the table's port is dead"


#: Outputs of the block, ``port`` as a one-hot mask, and the :class:`Reason`.
Answer = namedtuple("Answer", "port arrived invalid no_route by_table reason")


def forwarding(ports, exists, hop, entry, *, by_packet, dead):
    """The :class:`Answer` to one packet.

    Parameters
    ----------
    ports : int
        Output ports of the switch.
    exists : bool
        Whether the destination exists.
    hop : int or None
        Output port by the route logic; None if the destination is this switch.
    entry : tuple of int, or None
        ``(action,)`` by the table; None on a miss.
    by_packet : bool
        The switch or the packet asks for the table.
    dead : int
        Mask of the dead ports.
    """
    if not exists:
        reason = Reason.DOES_NOT_EXIST_BY_TABLE if by_packet else Reason.DOES_NOT_EXIST
        return Answer(0, 0, 1, 0, int(by_packet), reason)
    if not by_packet:
        if hop is None:
            return Answer(0, 1, 0, 0, 0, Reason.ALGORITHM_ARRIVED)
        if not dead >> hop & 1:
            return Answer(1 << hop, 0, 0, 0, 0, Reason.ALGORITHM)
    if entry is None:
        return Answer(0, 0, 0, 1, 1, Reason.MISS)
    [action] = entry
    if action > ports:
        return Answer(0, 0, 0, 1, 1, Reason.NO_SUCH_PORT)
    if action == ports:
        return Answer(0, 1, 0, 0, 1, Reason.TABLE_ARRIVED)
    if dead >> action & 1:
        return Answer(0, 0, 0, 1, 1, Reason.DEAD_PORT)
    return Answer(1 << action, 0, 0, 0, 1, Reason.TABLE if by_packet else Reason.FALLBACK)


def hops_of_entry(ports, entry, arrival, classes, dead, up):
    """The two hops of a packet by an entry of a table for turn classes, each as ``(port, class)``, or None.

    Parameters
    ----------
    ports : int
        Output ports of the switch.
    entry : tuple of int, or None
        First and second port; None on a miss.
    arrival : tuple of int, or None
        Port and class in which the packet came; None from a host.
    classes : int
        Turn classes.
    dead, up : int
        Masks of the dead ports, and of those to switches of higher rank.
    """

    def hop(port):
        if port >= ports or dead >> port & 1:
            return None
        if arrival is None:
            return port, 0
        came, number = arrival
        # It came down if the port to where it was leads up.
        number += up >> came & up >> port & 1
        return None if number == classes else (port, number)

    return (None, None) if entry is None else tuple(map(hop, entry))
