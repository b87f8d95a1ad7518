"""The scrambler of a block in few gate levels."""

from amaranth.hdl import Cat, Signal

from dsnswitch.hdl.pcs.scrambler import TAPS

__all__ = ["scrambled"]


def scrambled(m, name, bits):
    """``bits`` divided by p = 1 + x^39 + x^58. None stands for a bit that is 0. Three XOR gates of three inputs.

    1/p = p * p^2 * p^4 up to x^256, as p^8 begins with 1 + x^312. So this is no chain as in
    :class:`Scrambler`. Bits before the block are added to ``bits`` by the caller, each a tap later.
    """
    for power in (1, 2, 4):
        following = []
        for place, bit in enumerate(bits):
            terms = [bit, *(bits[place - power * tap] for tap in TAPS if place >= power * tap)]
            terms = [term for term in terms if term is not None]
            if len(terms) > 1:
                total = Signal(name=f"{name}_{power}_{place}")
                m.d.comb += total.eq(Cat(terms).xor())
                terms = [total]
            following.append(terms[0] if terms else None)
        bits = following
    return bits
