"""The self-synchronising scrambler 1 + x^39 + x^58 (IEEE 802.3 Clause 49.2.6), any number of bits at once."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["TAPS", "Descrambler", "Scrambler", "descramble", "scramble"]

#: So many bits back are those that each bit is summed with; the state has as many as the greater.
TAPS = (39, 58)


class Scrambler(wiring.Component):
    """``scrambled[i] = plain[i] ^ scrambled[i - 39] ^ scrambled[i - 58]``. Combinational; the user keeps the state.

    Bit i reaches back over ``i // 39`` bits of its own word: two levels of XOR and one more for each.

    Members
    -------
    plain : In(width)
        Bit 0 is sent first.
    previous, latest : In(58), Out(58)
        The last bits sent before this word and with it, latest highest. Any value will do to begin with.
    scrambled : Out(width)
    """

    def __init__(self, width):
        super().__init__({"plain": In(width), "previous": In(TAPS[1]), "scrambled": Out(width), "latest": Out(TAPS[1])})

    def elaborate(self, platform):
        m = Module()
        sent = [*self.previous]
        for place, bit in enumerate(self.plain):
            scrambled = Signal(name=f"bit_{place}")
            # The older bit comes earlier.
            m.d.comb += scrambled.eq(bit ^ sent[-TAPS[1]] ^ sent[-TAPS[0]])
            sent.append(scrambled)
        m.d.comb += [self.scrambled.eq(Cat(sent[TAPS[1] :])), self.latest.eq(Cat(sent[-TAPS[1] :]))]
        return m


class Descrambler(wiring.Component):
    """``plain[i] = scrambled[i] ^ scrambled[i - 39] ^ scrambled[i - 58]``. Combinational, two levels of XOR.

    One wrong bit makes three, 39 and 19 bits apart.

    Members
    -------
    scrambled : In(width)
    previous, latest : In(58), Out(58)
        The last bits received, latest highest.
    plain : Out(width)
    """

    def __init__(self, width):
        super().__init__({"scrambled": In(width), "previous": In(TAPS[1]), "plain": Out(width), "latest": Out(TAPS[1])})

    def elaborate(self, platform):
        m = Module()
        width = len(self.scrambled)
        received = Cat(self.previous, self.scrambled)
        delayed = [received[TAPS[1] - tap : TAPS[1] - tap + width] for tap in TAPS]
        m.d.comb += [self.plain.eq(self.scrambled ^ delayed[0] ^ delayed[1]), self.latest.eq(received[-TAPS[1] :])]
        return m


def scramble(m: Module, taken, plain):
    """``plain`` scrambled, combinational; a submodule and the state are added, which moves on where ``taken``."""
    m.submodules.scrambler = scrambler = Scrambler(len(plain))
    sent = Signal(TAPS[1])
    m.d.comb += [scrambler.plain.eq(plain), scrambler.previous.eq(sent)]
    with m.If(taken):
        m.d.sync += sent.eq(scrambler.latest)
    return scrambler.scrambled


def descramble(m: Module, taken, scrambled):
    """The opposite of :func:`scramble`."""
    m.submodules.descrambler = descrambler = Descrambler(len(scrambled))
    received = Signal(TAPS[1])
    m.d.comb += [descrambler.scrambled.eq(scrambled), descrambler.previous.eq(received)]
    with m.If(taken):
        m.d.sync += received.eq(descrambler.latest)
    return descrambler.plain
