"""What both formats of 256b/260b have in common: ports between words and the 256 bits behind the header."""

from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..words import ALL_TYPES, mii

__all__ = ["packer_members", "unpacker_members"]


def packer_members():
    """Ports of a packer.

    Members
    -------
    words : In(mii(4))
    types : In(16 bits, 4 times)
        One-hot; 0 is an error.
    is_data : Out(1)
        All four are data: the body is their octets.
    body : Out(256)
    """
    types = data.ArrayLayout(len(ALL_TYPES), 4)
    return {"words": In(mii(4)), "types": In(types), "is_data": Out(1), "body": Out(256)}


def unpacker_members():
    """Ports of an unpacker.

    Members
    -------
    is_data : In(1)
    body : In(256)
    types : Out(16 bits, 4 times)
        One-hot; 0 is an error.
    data : Out(256)
        Octets of the words; which of them are control follows from the types.
    corrected : Out(1)
        One bit of a protected field was wrong.
    bad : Out(1)
        The block is not to be believed.
    """
    types = data.ArrayLayout(len(ALL_TYPES), 4)
    return {
        "is_data": In(1),
        "body": In(256),
        "types": Out(types),
        "data": Out(256),
        "corrected": Out(1),
        "bad": Out(1),
    }
