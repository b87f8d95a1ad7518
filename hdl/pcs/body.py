"""Ports of packers and unpackers, which all formats of four words share.

A packer converts four words to the 256 bits after the header of a block, the *body*; an unpacker converts a body to four
words.
"""

from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.block_types import KINDS
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, mii

__all__ = ["packer_members", "unpacker_members"]


def packer_members():
    """Ports of a packer.

    Members
    -------
    words : In(mii(4))
        The words; word 0 is sent first.
    types : In(16 bits, 4 times)
        Block type of each word, one-hot; 0 is an error.
    good : In(4)
        Bit j: word j is allowed after the word before it. Other words are sent as errors. Arrives late, as it depends on
        all words.
    is_data : Out(1)
        All four words are data, and the body is their octets.
    body_bits : Out(256)
        The body.
    """
    types = data.ArrayLayout(len(ALL_TYPES), 4)
    return {"words": In(mii(4)), "types": In(types), "good": In(4), "is_data": Out(1), "body_bits": Out(256)}


def unpacker_members():
    """Ports of an unpacker.

    Members
    -------
    is_data : In(1)
        The header says that all four words are data.
    body_bits : In(256)
        The body.
    words : Out(mii(4))
        The words; word 0 was sent first.
    kinds : Out(4 bits, 4 times)
        Kind of each word, one-hot in the order of ``KINDS``; 0 is an error for any word.
    corrected : Out(1)
        A wrong bit of a protected field was corrected.
    bad : Out(1)
        The block has errors that cannot be corrected.
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
