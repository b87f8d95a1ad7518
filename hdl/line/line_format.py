"""The line format of the fabric link: blocks of 256b/260b or 256b/257b that carry flits and link words.

A flit that continues the packet before it is a data block. Every other block is a control block of four words:

    word 0   T7 if a frame is open, else an ordered set; both have the link word in octets 2 to 7
    word 1   S0 if the block opens a frame, else an ordered set
    words 2, 3   data after S0, else ordered sets

Bit ``i`` of a flit is bit ``(i + FIRST) % 256`` of the body of its block. A head flit has its first ``HEAD_BITS`` bits in words
1 to 3. Other control blocks have *details* in octets 2 to 7 of words 1 to 3: counts of
flits, or the parameters of a hello. :mod:`block_format` has the octets in which 256b/260b and 256b/257b differ.
"""

import enum

from amaranth.hdl import Cat, Const
from amaranth.lib import data

from dsnswitch.hdl.fec.secded.parameters import SecdedCode

__all__ = [
    "FIRST",
    "LINK_CODE",
    "DETAILS_CODE",
    "NUMBER_BITS",
    "Kind",
    "answer_layout",
    "check_sums",
    "hello_layout",
    "link_word_layout",
    "details_bits",
]

#: Bits of the number that a link word has, of packets or of flits.
NUMBER_BITS = 9

#: Bit of the body at which bit 0 of a flit is.
FIRST = 72


class Kind(enum.IntEnum):
    """Purpose of a control block."""

    #: Parameters of the sender, in the details.
    HELLO = 0
    #: Counts of flits, in the details.
    CREDIT = 1
    #: A head flit.
    HEAD = 2
    #: The data blocks that follow continue the packet of this channel. Counts of flits in the details.
    RESUME = 3
    #: The packet of this channel ends and is bad. Counts of flits in the details.
    ABORT = 4


#: Codes of the link word and of the details. Both have distance 4.
LINK_CODE = SecdedCode(48, 40)
DETAILS_CODE = SecdedCode(144, 135)


def link_word_layout():
    """The link word, in each control block.

    ``single``: the head is also the tail. ``ready``: the sender of this word accepts flits. ``seen``: it has received the other
    end's parameters; with retransmission, in other blocks than hellos, the last request that it has answered. ``number``:
    packets sent before this block; with retransmission the number of the next flit, in hellos packets. ``freed``: count of
    flits that left the buffer of channel ``entry``. In blocks with details, ``entry`` is the first channel that they count, and
    ``freed`` is an :func:`answer_layout`. In blocks of kind ``CREDIT``, ``single``, ``channel`` and the highest four bits of
    ``freed`` are the tag of the sender (:mod:`end_tag`). ``exact``: the counts of sent flits include each flit before this
    block, and none is being sent again.
    """
    return data.StructLayout(
        {
            "kind": 3,
            "single": 1,
            "ready": 1,
            "seen": 1,
            "exact": 1,
            "channel": 5,
            "number": NUMBER_BITS,
            "entry": 5,
            "freed": 14,
            "check": LINK_CODE.r,
        }
    )


def answer_layout():
    """What a link word says about arrivals: all packets before number ``accepted`` have arrived.

    With retransmission: all flits before number ``accepted`` have arrived. ``request``: inverted whenever the sender of this word
    asks for the others.
    """
    return data.StructLayout({"accepted": NUMBER_BITS, "request": 1})


def hello_layout():
    """The details of a hello: what both ends must agree on, and who sends it.

    ``replay``: flits of the sender's replay buffer, 0 without retransmission. ``fresh``: the sender has sent no packet since its
    reset.
    """
    return data.StructLayout(
        {
            "version": 8,
            "flit": 10,
            "channels": 6,
            "depth": 13,
            "packet": 8,
            "replay": 10,
            "address": 64,
            "port": 8,
            "fresh": 1,
        }
    )


def check_sums(code, bits):
    """The check bits of ``code`` for its information ``bits``."""
    return Cat((bits & Const(row, len(bits))).xor() for row in code.rows)


def details_bits(body):
    """The details, 144 bits, in the body of a control block."""
    return Cat(body[64 * word + 16 : 64 * word + 64] for word in (1, 2, 3))
