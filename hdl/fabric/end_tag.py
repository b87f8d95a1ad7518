"""Tag of an end of a fabric link in its blocks of counts, by which the other end notices words of its own, or of another port."""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Const, Signal

__all__ = ["END_TAG", "credit_tag", "end_tag", "tag_fields"]

#: Bits of a tag: whether the end is the lower one of the two, and a sum of its address and port.
END_TAG = 10
_SUM = END_TAG - 1
#: Bits of the field ``channel`` and first free bit of ``freed`` in a link word of counts.
_CHANNEL, _FREED = 5, 10


def end_tag(m, name, end, other):
    """The tag of the end with ``(address, port)`` ``end``, whose line leads to the end ``other``.

    The tags of the two ends of a link always differ: one end is lower than the other. The tags of two ports of a switch differ
    in their sums. So do those of equal ports of two switches whose addresses have at most nine bits; of longer addresses, one
    pair in 512 has equal sums.
    """
    address, port = end
    parts = [address[low : low + _SUM] for low in range(0, len(address), _SUM)]
    tag = Signal(END_TAG, name=name)
    m.d.comb += tag.eq(Cat(Cat(*end) < Cat(*other), reduce(xor, [*parts, port])[:_SUM]))
    return tag


def tag_fields(tag):
    """Fields of the link word of counts that have the tag, with their values."""
    return {
        "single": tag[0],
        "channel": tag[1 : 1 + _CHANNEL],
        "freed": Cat(Const(0, _FREED), tag[1 + _CHANNEL :]),
    }


def credit_tag(link):
    """The tag in the link word of a block of counts."""
    return Cat(link.single, link.channel, link.freed[_FREED:])
