"""Gearbox: converts a stream of words of one width to words of another width."""

from fractions import Fraction
from math import gcd

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out


def check(into, out, group=None):
    """Check the parameters of a :class:`Gearbox`.

    Raises
    ------
    ValueError
        If a width is not positive, or a group is not larger than a word.
    """
    for name, value in (("into", into), ("out", out), ("group", group)):
        if value is not None and not value > 0:
            raise ValueError(f"Gearbox {name} must be 1 or more, not {value!r}")
    if group is not None and group <= max(into, out):
        raise ValueError(f"Gearbox group must be more than a word, {max(into, out)} bits, not {group!r}")


class Gearbox(wiring.Component):
    """Gearbox from words of ``into`` bits to words of ``out`` bits.

    The side with the narrower words moves one word per cycle, except for one idle cycle after a group whose last word overfills
    an output word.

    The gearbox accepts a word when its buffer has fewer than ``out`` bits. A barrel shifter puts the word at the end of these
    bits, and words leave from the low end. The buffer has ``into + out - step`` bits; all widths are multiples of ``step``.

    With ``group``, that number of bits forms a group. A group begins with a new word on both sides, and its last word on either
    side is padded: padding is ignored at the input and 0 at the output. The gearbox accepts the first word of a group when the
    last word of the group before it leaves.

    Latency: the first word of a group leaves :attr:`latency` cycles, ``ceil(out / into)``, after the first word entered.

    Parameters
    ----------
    into, out : int
        Bits of a word at the input and at the output.
    group : int or None
        Bits of a group; None for a stream without groups.

    Members
    -------
    - i (In(stream of ``into`` bits)): Bit 0 is the first.
    - o (Out(stream of ``out`` bits)): Bit 0 is the first.
    """

    def __init__(self, into, out, group=None):
        check(into, out, group)
        self._into, self._out, self._group = into, out, group
        self.latency = -(-out // into)
        super().__init__({"i": In(stream.Signature(into)), "o": Out(stream.Signature(out))})

    @property
    def results_per_cycle(self):
        """Output words per cycle while both sides keep up, as a fraction."""
        into, out, group = self._into, self._out, self._group
        # Counting as the gateware counts: without a group, one period is the bits after which both sides begin a word.
        total = group or into * out // gcd(into, out)
        fill, given, cycles, words = 0, 0, 0, 0
        while True:
            taken = fill >= out or (given >= total and fill > 0)
            left = max(0, fill - out) if taken else fill
            words += taken
            if given >= total and not left:
                # The first word of the next group goes in as the last of this one leaves.
                return Fraction(words, cycles)
            moves = given < total and (fill < 2 * out if taken else fill < out)
            step = min(into, total - given) if moves else 0
            fill, given, cycles = left + step, given + step, cycles + 1

    def elaborate(self, platform):
        m = Module()
        into, out, group = self._into, self._out, self._group
        inputs = -(-group // into) if group else None
        tail = group - (inputs - 1) * into if group else into
        # All widths are multiples of the step, so the shifter moves words by whole steps.
        step = gcd(into, out, tail)
        whole, most = out // step, (out + into) // step - 1
        buffer = Signal(most * step)
        fill = Signal(range(most + 1))
        last = Signal()
        ending = Signal()
        finishing = Signal()
        taken = Signal()
        left = Signal(range(most + 1))
        m.d.comb += [
            self.o.payload.eq(buffer),
            self.o.valid.eq((fill >= whole) | ending),
            taken.eq(self.o.valid & self.o.ready),
            # Bits in the buffer after this cycle's output word has left.
            finishing.eq(ending & (fill <= whole)),
            left.eq(Mux(taken, Mux(finishing, 0, fill - whole), fill)),
            self.i.ready.eq(Mux(taken, finishing | ~ending & (fill < 2 * whole), ~ending & (fill < whole))),
        ]
        given = Signal()
        m.d.comb += given.eq(self.i.valid & self.i.ready)
        if group:
            self._count(m, given, last, inputs)
            with m.If(given):
                m.d.sync += ending.eq(last)
            with m.Elif(taken & finishing):
                m.d.sync += ending.eq(0)
        word = Cat(self.i.payload[:tail], self.i.payload[tail:] & ~last.replicate(into - tail))
        # Each bit of the shift amount drives a multiplexer per bit of the word; gates in between keep that load off registers.
        places = left[: (whole - 1).bit_length()]
        places = places & given.replicate(len(places))
        moved = self._barrel(m, word & given.replicate(into), places, step, len(buffer))
        m.d.sync += buffer.eq(Mux(taken, buffer[out:], buffer) | moved)
        m.d.sync += fill.eq(Mux(given, left + Mux(last, tail // step, into // step), left))
        return m

    @staticmethod
    def _count(m, given, last, inputs):
        """Drive ``last``: the word that enters is the last of its group."""
        place = Signal(range(inputs))
        m.d.comb += last.eq(place == inputs - 1)
        with m.If(given):
            m.d.sync += place.eq(Mux(last, 0, place + 1))

    @staticmethod
    def _barrel(m, value, places, step, width):
        """Barrel shifter: ``value`` moved up by ``places`` steps, in ``width`` bits."""
        for bit, by in enumerate(places):
            level = Signal(min(len(value) + (step << bit), width), name=f"level_{bit}")
            m.d.comb += level.eq(Mux(by, value << (step << bit), value))
            value = level
        return value
