"""The line format of the fabric link: blocks of 256b/260b or 256b/257b that carry flits and link words.

A flit that continues the packet before it is a data block. Every other block is a control block of four words:

    word 0   T7 if a frame is open, else an ordered set; both have the link word in octets 2 to 7
    word 1   S0 if the block opens a frame, else an ordered set
    words 2, 3   data after S0, else ordered sets

Bit ``i`` of a flit is bit ``(i + FIRST) % 256`` of the body of its block. A head flit has its first ``HEAD_BITS`` bits in words
1 to 3. Other control blocks have *details* in octets 2 to 7 of words 1 to 3: counts of
flits, or the parameters of a hello. :class:`BlockFormat` has the octets in which 256b/260b and 256b/257b differ.
"""

import enum
from functools import cache, reduce
from operator import xor

from amaranth.hdl import Cat, Const
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.fec.secded.code import SecdedCode
from dsnswitch.hdl.gf.xor_network import shared
from dsnswitch.hdl.logic.gates import xor_gates

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
    ``freed`` are the tag of the sender (:func:`end_tag`). ``exact``: the counts of sent flits include each flit before this
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


def hello_layout(several=False):
    """The details of a hello: what both ends must agree on, and who sends it.

    ``replay``: flits of the sender's replay buffer, 0 without retransmission. ``fresh``: the sender has sent no packet since its
    reset. With ``several`` virtual networks, hellos describe them in turn: ``channels`` and ``depth`` are those of
    ``virtual_network``, and ``last_network`` is the greatest number of a virtual network.
    """
    turn = {"virtual_network": 3, "last_network": 3} if several else {}
    sizes = {"version": 8, "flit": 10, "channels": 6, "depth": 13, "packet": 8, "replay": 10}
    return data.StructLayout({**sizes, "address": 64, "port": 8, "fresh": 1, **turn})


def check_sums(m, code, bits, name):
    """The check bits of ``code`` for its first information ``bits``, the others 0, by :func:`xor_gates` in module ``m``."""
    places = [place for place, bit in enumerate(bits) if not isinstance(bit, Const)]
    ones = [place for place, bit in enumerate(bits) if isinstance(bit, Const) and bit.value]
    sums = xor_gates(m, _sums(code, tuple(places)), [bits[place] for place in places], name)
    constant = reduce(xor, (code.columns[place] for place in ones), 0)
    return sums ^ constant if constant else sums


@cache
def _sums(code, places):
    """:class:`XorNetwork` of the check bits of a code for the information bits ``places``."""
    columns = [code.columns[place] for place in places]
    return shared([sum((column >> row & 1) << bit for bit, column in enumerate(columns)) for row in range(code.r)], len(columns))


def details_bits(body):
    """The details, 144 bits, in the body of a control block."""
    return Cat(body[64 * word + 16 : 64 * word + 64] for word in (1, 2, 3))


# Ports of the units between blocks and the line, which are the same for every kind of link.

#: The block that the transmitter offers: name and bits.
SENT_BLOCK = {
    "is_data": 1,
    "carries": 1,
    "flit": 256,
    "frame_open": 1,
    "starts": 1,
    "link_word": LINK_CODE.n,
    "details": DETAILS_CODE.n,
}

#: The block that the receiver reads: name and bits.
RECEIVED_BLOCK = {"valid": 1, "is_data": 1, "no_start": 1, "plain": 256, "bad": 1}

#: What a receiver that speculates reads of a block before it is corrected: whether it is a data block, its plain body, and,
#: late, that no bit of the codeword is wrong. Only then the others are right.
EARLY_BLOCK = {"early_data": 1, "early_plain": 256, "exact": 1}


def transmitter_members(word):
    """Ports of a unit that sends blocks in words of ``word`` bits.

    Members
    -------
    - is_data, carries: The block is a data block; it has bits of a flit in its last 184 bits.
    - flit: The flit, of which bit ``i`` is for bit ``(i + FIRST) % 256`` of the body.
    - frame_open, starts: Of a control block: it closes a frame; it opens one.
    - link_word, details: Of a control block; the details only of one without a flit.
    - taken: The block enters the line in this cycle.
    - o (Out(stream of ``word`` bits)): Words of the line. The payload holds its value until it is accepted.
    """
    return {**{name: In(width) for name, width in SENT_BLOCK.items()}, "taken": Out(1), "o": Out(stream.Signature(word))}


def receiver_members(word):
    """Ports of a unit that receives blocks from words of ``word`` bits.

    Members
    -------
    - i (In(stream of ``word`` bits)): Words of the line.
    - valid: A block arrives.
    - is_data, no_start: It is a data block; its word 1 is no start.
    - plain: Its plain body.
    - bad: It could not be corrected. The next block is wrong, too: the descrambler sums bits of both.
    - locked, slip: Lock; the boundary must move by one bit.
    - corrected, uncorrectable: A codeword was corrected, could not be corrected; while locked.
    """
    return {
        "i": In(stream.Signature(word)),
        **{name: Out(width) for name, width in RECEIVED_BLOCK.items()},
        **{name: Out(1) for name in ("locked", "slip", "corrected", "uncorrectable")},
    }


def constant_word(**values):
    """Link word of constant fields, the others 0, with its check bits. The code is linear, so such words can be added."""
    layout = link_word_layout()
    bits = sum(value << layout[name].offset for name, value in values.items())
    checks = sum(((bits & row).bit_count() & 1) << place for place, row in enumerate(LINK_CODE.rows))
    return Const(bits | checks << LINK_CODE.k, LINK_CODE.n)


def link_word(m, name, **values):
    """Link word of fields that are signals, the others 0, with its check bits (:func:`check_sums`)."""
    return Cat(*_fields(values), link_word_sums(m, name, **values))


def link_word_sums(m, name, **values):
    """The check bits of such a link word."""
    return check_sums(m, LINK_CODE, _fields(values), name)


def number_word(number, sums):
    """Link word of a number whose check bits are known."""
    field = link_word_layout()["number"]
    return Cat(Const(0, field.offset), number, Const(0, LINK_CODE.k - field.offset - field.width), sums)


def _fields(values):
    """Information bits of a link word with ``values``, the other fields 0, as a list."""
    bits = []
    for name, field in list(link_word_layout())[:-1]:
        value = values.get(name, Const(0, field.width))
        known = [*value] if not isinstance(value, Const) else [Const(value.value >> bit & 1, 1) for bit in range(len(value))]
        bits += [*known, *[Const(0, 1)] * (field.width - len(known))]
    return bits
