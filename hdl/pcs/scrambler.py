"""Self-synchronising scrambler 1 + x^39 + x^58 (IEEE 802.3 Clause 49.2.6) for words of any width."""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

#: Each bit is summed with the bits that were sent this many bits earlier. The state has as many bits as the greater tap.
TAPS = (39, 58)


class Scrambler(wiring.Component):
    """Scrambler: ``scrambled[i] = plain[i] ^ scrambled[i - 39] ^ scrambled[i - 58]``. Combinational; the parent keeps the state.

    Bit i depends on a chain of up to ``i // 39`` earlier bits of its own word: two levels of XOR, plus one per bit of the
    chain.

    Members
    -------
    - plain: Bit 0 is sent first.
    - previous, latest: The last 58 bits sent before this word, and including it, the latest highest. The first state may be
      any value.
    - scrambled: The scrambled word.
    """

    def __init__(self, width):
        super().__init__({"plain": In(width), "previous": In(TAPS[1]), "scrambled": Out(width), "latest": Out(TAPS[1])})

    def elaborate(self, platform):
        m = Module()
        sent = [*self.previous]
        for index, bit in enumerate(self.plain):
            scrambled = Signal(name=f"bit_{index}")
            # The older bit comes earlier.
            m.d.comb += scrambled.eq(bit ^ sent[-TAPS[1]] ^ sent[-TAPS[0]])
            sent.append(scrambled)
        m.d.comb += [self.scrambled.eq(Cat(sent[TAPS[1] :])), self.latest.eq(Cat(sent[-TAPS[1] :]))]
        return m


class Descrambler(wiring.Component):
    """Descrambler: ``plain[i] = scrambled[i] ^ scrambled[i - 39] ^ scrambled[i - 58]``. Combinational, two levels of XOR.

    One wrong bit on the line becomes three wrong bits, 39 and 19 bits apart.

    Members
    -------
    - scrambled: Bit 0 is received first.
    - previous, latest: The last 58 bits received before this word, and including it, the latest highest.
    - plain: The descrambled word.
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
    """``plain`` scrambled, combinational. Adds a :class:`Scrambler` and its state, which ``taken`` enables."""
    m.submodules.scrambler = scrambler = Scrambler(len(plain))
    sent = Signal(TAPS[1])
    m.d.comb += [scrambler.plain.eq(plain), scrambler.previous.eq(sent)]
    with m.If(taken):
        m.d.sync += sent.eq(scrambler.latest)
    return scrambler.scrambled


def descramble(m: Module, taken, scrambled):
    """``scrambled`` descrambled, combinational. Adds a :class:`Descrambler` and its state, which ``taken`` enables."""
    m.submodules.descrambler = descrambler = Descrambler(len(scrambled))
    received = Signal(TAPS[1])
    m.d.comb += [descrambler.scrambled.eq(scrambled), descrambler.previous.eq(received)]
    with m.If(taken):
        m.d.sync += received.eq(descrambler.latest)
    return descrambler.plain


class SumDescrambler(wiring.Component):
    """Computes sums of descrambled bits of a word (:class:`Descrambler`). Combinational; the parent keeps the state.

    Descrambling is linear: a sum of plain bits is a sum of scrambled bits of this word and of the word before. The state
    holds the sum of the latter, so that it takes one XOR, however many bits it sums.

    Parameters
    ----------
    width : int
        Bits of a word, at least 58.
    masks : sequence of int
        One integer per sum: bit i is 1 if plain bit i is in the sum.

    Members
    -------
    - scrambled: Bit 0 is received first.
    - previous, latest: The state before and after this word, one bit per sum that needs bits of the word before. The first
      state may be any value.
    - sums: The sums.
    """

    def __init__(self, width, masks):
        if width < TAPS[1]:
            raise ValueError(f"Words of a descrambler of sums must have {TAPS[1]} bits or more, not {width}")
        # Each mask has the bits of the word before, then those of this word.
        reached = [_reached(mask, width) for mask in masks]
        self._now = [mask >> width for mask in reached]
        self._before = [mask & (1 << width) - 1 for mask in reached]
        state = sum(mask > 0 for mask in self._before)
        super().__init__({"scrambled": In(width), "previous": In(state), "sums": Out(len(masks)), "latest": Out(state)})

    def elaborate(self, platform):
        m = Module()
        bit = 0
        for index, (now, before) in enumerate(zip(self._now, self._before)):
            total = self._sum(now)
            if before:
                m.d.comb += self.latest[bit].eq(self._sum(before))
                total ^= self.previous[bit]
                bit += 1
            m.d.comb += self.sums[index].eq(total)
        return m

    def _sum(self, mask):
        """XOR of the bits of the current word that are in ``mask``."""
        return reduce(xor, (bit for index, bit in enumerate(self.scrambled) if mask >> index & 1))


def _reached(mask, width):
    """Scrambled bits that the plain bits of ``mask`` sum, as a mask that begins with bit 0 of the word before."""
    return reduce(xor, (mask << width - tap for tap in (0, *TAPS)))
