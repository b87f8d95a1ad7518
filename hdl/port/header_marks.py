"""Marks of the channel in a head's check bits: a head that a wrong bit moves to another channel is not accepted. No Amaranth."""

from dsnswitch.hdl.core.packet import Header

__all__ = ["channel_marks"]


def channel_marks(header: Header, channels):
    """What each channel inverts in the check bits of a header on the line, as integers; 0 for channel 0.

    A bit of the channel's number is one more information bit of the header's code: its column is a syndrome of odd weight that
    no other bit has. Where the code has none left, it is one of even weight.
    """
    code = header.code
    free = [s for s in range(3, 1 << code.r) if s not in code.columns]
    columns = sorted(free, key=lambda s: (s.bit_count() % 2 == 0, s.bit_count(), s))
    marks = []
    for channel in range(channels):
        mark = 0
        for bit, column in zip(range(channels.bit_length()), columns):
            mark ^= column * (channel >> bit & 1)
        marks.append(mark)
    return tuple(marks)
