"""Tag of an end of a fabric link in its blocks of counts, by which the other end notices words of its own, or of another port."""

from amaranth.hdl import Cat, Const, Signal

from dsnswitch.hdl.line.line_format import DETAILS_CODE, check_sums

__all__ = ["END_TAG", "credit_tag", "end_tag", "tag_fields"]

#: Bits of a tag: whether the end is the lower one of the two, and the check bits of its port and address.
END_TAG = 1 + DETAILS_CODE.r
#: Bits of the field ``channel`` and first free bit of ``freed`` in a link word of counts.
_CHANNEL, _FREED = 5, 10


def end_tag(m, name, end, other):
    """The tag of the end with ``(address, port)`` ``end``, whose line leads to the end ``other``. Registered.

    The tags of the two ends of a link always differ: one end is lower than the other. The check bits are those that details of
    port and address would have, so they differ if at most three bits of port and address differ.
    """
    address, port = end
    tag = Signal(END_TAG, name=name)
    m.d.sync += tag.eq(Cat(Cat(*end) < Cat(*other), check_sums(DETAILS_CODE, Cat(port, address))))
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
