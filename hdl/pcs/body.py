"""What all formats of four words have in common: ports between words and the 256 bits behind the header."""

from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from .block_types import KINDS
from .words import ALL_TYPES, mii

__all__ = ["packer_members", "unpacker_members"]


def packer_members():
    """Ports of a packer.

    Members
    -------
    words : In(mii(4))
    types : In(16 bits, 4 times)
        One-hot; 0 is an error.
    good : In(4)
        Which words follow as they may; the others count as errors. Comes late, as it hangs on all words.
    is_data : Out(1)
        All four are data: the body is their octets.
    body_bits : Out(256)
    """
    types = data.ArrayLayout(len(ALL_TYPES), 4)
    return {"words": In(mii(4)), "types": In(types), "good": In(4), "is_data": Out(1), "body_bits": Out(256)}


def unpacker_members():
    """Ports of an unpacker.

    Members
    -------
    is_data : In(1)
    body_bits : In(256)
    words : Out(mii(4))
    kinds : Out(4 bits, 4 times)
        One-hot in the order of ``KINDS``; 0 is an error, whatever the word is.
    corrected : Out(1)
        One bit of a protected field was wrong.
    bad : Out(1)
        The block is not to be believed.
    """
    kinds = data.ArrayLayout(len(KINDS), 4)
    return {
        "is_data": In(1),
        "body_bits": In(256),
        "words": Out(mii(4)),
        "kinds": Out(kinds),
        "corrected": Out(1),
        "bad": Out(1),
    }
