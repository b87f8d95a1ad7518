"""Ports of the units between blocks and the line, which are the same for every kind of link."""

from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import DETAILS_CODE, LINK_CODE

__all__ = ["RECEIVED_BLOCK", "SENT_BLOCK", "receiver_members", "transmitter_members"]

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


def transmitter_members(word):
    """Ports of a unit that sends blocks in words of ``word`` bits.

    Members
    -------
    is_data, carries : In(1)
        The block is a data block; it has bits of a flit in its last 184 bits.
    flit : In(256)
        The flit, of which bit ``i`` is for bit ``(i + FIRST) % 256`` of the body.
    frame_open, starts : In(1)
        Of a control block: it closes a frame; it opens one.
    link_word, details : In(48), In(144)
        Of a control block; the details only of one without a flit.
    taken : Out(1)
        The block enters the line in this cycle.
    o : Out(stream of ``word`` bits)
        Words of the line. The payload holds its value until it is accepted.
    """
    return {
        **{name: In(width) for name, width in SENT_BLOCK.items()},
        "taken": Out(1),
        "o": Out(stream.Signature(word)),
    }


def receiver_members(word):
    """Ports of a unit that receives blocks from words of ``word`` bits.

    Members
    -------
    i : In(stream of ``word`` bits)
        Words of the line.
    valid : Out(1)
        A block arrives.
    is_data, no_start : Out(1)
        It is a data block; its word 1 is no start.
    plain : Out(256)
        Its plain body.
    bad : Out(1)
        It could not be corrected. The next block is wrong, too: the descrambler sums bits of both.
    locked, slip : Out(1)
        Lock; the boundary must move by one bit.
    corrected, uncorrectable : Out(1)
        A codeword was corrected, could not be corrected; while locked.
    """
    return {
        "i": In(stream.Signature(word)),
        **{name: Out(width) for name, width in RECEIVED_BLOCK.items()},
        **{name: Out(1) for name in ("locked", "slip", "corrected", "uncorrectable")},
    }
