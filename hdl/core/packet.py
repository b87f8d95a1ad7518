"""Flits, packet headers and tags: the layouts of what passes through a switch."""

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import xor
from typing import ClassVar

from amaranth.hdl import Cat, Const, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.fec.secded.code import SecdedCode
from dsnswitch.net.routing.detour.decisions import header_width


@dataclass(frozen=True)
class Header:
    """Layout of the header, which lies in the lowest bits of a head flit.

    The check bits are those of an odd-weight-column code of distance 4: any three wrong bits of a header are detected.
    Being linear, the code lets a switch update the check bits by the change that it makes.
    """

    shape: CoreShape

    @cached_property
    def address(self):
        """A switch: the network's fields, without those that have one value, and the host's number where there are several."""
        fields = {field.name: field.width for field in self.shape.network.fields if field.width}
        host = (self.shape.hosts - 1).bit_length()
        return data.StructLayout(fields | ({"host": host} if host else {}))

    @cached_property
    def switch(self):
        """A switch, without a host."""
        return data.StructLayout({field.name: field.width for field in self.shape.network.fields if field.width})

    @cached_property
    def intermediate(self):
        """The switch over which a packet goes, if ``valid``: until it is there."""
        return data.StructLayout({"valid": 1, **self.switch.members})

    @cached_property
    def fields(self):
        """Every field but the check bits, from bit 0."""
        layer, virtual = (self.shape.layers - 1).bit_length(), self.shape.virtual_network_bits
        return {
            "destination": self.address,
            "source": self.address,
            **({"layer": layer} if layer else {}),
            **({"virtual_network": virtual} if virtual else {}),
            "flags": data.StructLayout({"by_table": 1, **self._detour}),
            **({"age": self.shape.age} if self.shape.age else {}),
            "length": self.shape.packet.bit_length(),
            "hops": self.hop_width,
        }

    @property
    def state(self):
        """The flag that routing reads and writes at each switch."""
        if self.shape.is_two_stage:
            return "intermediate"
        return "digits" if self.shape.has_digits else "detour"

    @property
    def _detour(self):
        """Flags of detours; otherwise a bit that a core passes on. Adaptive routing has the mark of ordered packets, and
        perhaps digits."""
        if self.shape.is_two_stage:
            return {"detour": 1, "ordered": 1, "intermediate": self.intermediate}
        if self.shape.is_adaptive:
            digits = {"digits": self.shape.relation.digit_bits} if self.shape.has_digits else {}
            return {"detour": 1, "ordered": 1} | digits
        if not self.shape.has_detours:
            return {"detour": 1}
        return {"detour": header_width(self.shape.network), "undeliverable": 1, "notice": 1}

    @property
    def hop_width(self):
        """Bits of the hop count. A packet with the greatest count is dropped, so that no packet circles for ever."""
        return (self.shape.most_hops + 1).bit_length()

    @cached_property
    def code(self):
        """The code that protects the header."""
        k = data.StructLayout(self.fields).size
        r = next(r for r in range(2, 16) if (1 << r - 1) - r >= k)
        return SecdedCode(k + r, k)

    @cached_property
    def layout(self):
        """The whole header."""
        return data.StructLayout({**self.fields, "check": self.code.r})

    @property
    def width(self):
        """Bits of the header."""
        return self.layout.size

    def check(self):
        """Raise a ValueError if the header does not fit a flit."""
        if self.width > self.shape.flit:
            raise ValueError(f"Flit width must be at least that of the header, {self.width} bits, not {self.shape.flit}")

    def older(self, m, header):
        """The lowest bits of ``header`` with its age one higher, or the same if it is the greatest, and right check bits."""
        age, layout = header.age, self.layout
        change = Signal(len(age), name="age_change")
        m.d.comb += change.eq(Mux(age.all(), 0, age ^ (age + 1)[: len(age)]))
        first = layout["age"].offset
        bits = [None] * first + list(change) + [None] * (self.code.k - first - len(change))
        word = header.as_value()
        return Cat(word[:first], age ^ change, word[first + len(change) : self.code.k], header.check ^ self.sums(bits))

    def written(self, m, **values):
        """A new header with the fields ``values`` and check bits; its other fields are 0."""
        header = Signal(self.layout)
        m.d.comb += [header[name].eq(value) for name, value in values.items()]
        m.d.comb += header.check.eq(self.sums(list(header.as_value()[: self.code.k])))
        return header

    def syndrome(self, header):
        """Which check bits of a header are wrong."""
        return self.sums(list(header.as_value()[: self.code.k])) ^ header.check

    def sums(self, bits):
        """The check bits of ``bits``, a list of one value per protected bit with None for bits that are 0."""
        return Cat(
            Cat(bit for place, bit in enumerate(bits) if bit is not None and row >> place & 1).xor() for row in self.code.rows
        )


def flit_layout(shape):
    """A flit. ``head`` and ``tail`` mark a packet's first and last; ``bad`` with ``tail``: the packet must not be used."""
    return data.StructLayout({"data": shape.flit, "head": 1, "tail": 1, "bad": 1})


class FlitLink(wiring.Signature):
    """Flits one way and credits the other, as the sender sees it: the link between two ports, of which ``port`` is one.

    Members
    -------
    - valid (Out(port.channels)): One-hot: the virtual channel of the flit.
    - flit (Out(flit_layout(shape))): The flit.
    - credit (In(port.channels)): A pulse of ``credit[v]`` returns one flit of the receiver's buffer of channel ``v``.
    """

    #: What the manifest of a top says of the members: their role, with the direction before it, and their encodings.
    ROLE = "flit"
    ENCODINGS: ClassVar = {"valid": "one-hot", "credit": "flags"}

    def __init__(self, shape, port):
        super().__init__({"valid": Out(port.channels), "flit": Out(flit_layout(shape)), "credit": In(port.channels)})


def host_address(shape, own_address, number):
    """Address of host ``number`` of the switch with ``own_address``."""
    return Cat(own_address, Const(number, (shape.hosts - 1).bit_length()))


def flow_of(destination, source, width):
    """A number of ``width`` bits that all packets of one source and destination share: their channel within a class."""
    bits = Cat(destination, source)
    return reduce(xor, (bits[low : low + width] for low in range(0, len(bits), width)))


def tag_layout(shape):
    """What a core finds out about a packet as it arrives: the output port and, for each kind of choice, the channel.

    With adaptive routing, ``other`` has the same of another hop that the packet may take: route 0 if there is none.
    """
    hop = {"route": len(shape.ports), "channel": shape.selection_width}
    return data.StructLayout(hop | ({"other": data.StructLayout(hop)} if shape.is_adaptive else {}))


def choice_of(shape, share, channel):
    """The part of a tag's choices of channel that is for the :class:`PortShare` of an output; 1 if it has one channel."""
    if share.channels == 1:
        return Const(1, 1)
    first = shape.selections[share.classes, share.spread]
    return channel[first : first + share.channels]


def tagged_layout(shape):
    """A flit in a buffer. ``drop``: consume it."""
    return data.StructLayout({"flit": flit_layout(shape), "tag": tag_layout(shape), "drop": 1})


def asks_layout(ports, channel):
    """What the next flit of an input channel asks for.

    The next flit comes from the buffer (``waiting``) or from the input (``entry``). For both, ``taken`` says that it does, and
    ``head`` to which outputs, one-hot, the flit begins a packet, on which ``channel``; ``single``: it is also the tail. ``body``:
    outputs, one-hot, to which the flit continues the packet in front. The two are apart because an arriving flit is routed in the
    same cycle, and what the outputs have for a flit of the buffer is found meanwhile.

    ``ports`` is the number of outputs, ``channel`` the bits of the choice of channel.
    """
    start = data.StructLayout({"taken": 1, "head": ports, "single": 1, "channel": channel})
    return data.StructLayout({"waiting": start, "entry": start, "body": ports})


def sent_layout(channel):
    """What an output must know of the flit in front of an input channel: its output channel, and whether it is a tail.

    ``drop``: the flit is not to be sent; its header has turned out to be wrong after it had asked for the output.
    """
    return data.StructLayout({"tail": 1, "drop": 1, "channel": channel})


def requests_layout(sources, channels):
    """The fields of :func:`asks_layout` for one output, each as a vector of ``sources``; ``channel`` is one per channel."""
    start = data.StructLayout(
        {"taken": sources, "head": sources, "single": sources, "channel": data.ArrayLayout(sources, channels)}
    )
    return data.StructLayout({"waiting": start, "entry": start, "body": sources})


def fronts_layout(sources, channels):
    """The fields of :func:`sent_layout`, each as a vector of ``sources``; ``channel`` is one per channel."""
    return data.StructLayout({"tail": sources, "drop": sources, "channel": data.ArrayLayout(sources, channels)})
