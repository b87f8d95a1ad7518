"""Header bits of a packet that makes detours."""

from collections import namedtuple
from enum import IntEnum

__all__ = ["NO_DETOUR", "Detour", "Mode", "header_width", "pack", "unpack"]


class Mode(IntEnum):
    """The shortcut that a packet takes next, relative to that of the base routing. Lower values are tried first."""

    #: The shortcut of the base routing.
    DIRECT = 0
    #: The next longer one; the base routing then goes back as far as necessary (D 4.2.4, alternative 2).
    LONGER = 1
    #: The next shorter one; the base routing then takes another of the same length (D 4.2.4, alternative 1).
    SHORTER = 2
    #: One of the same length in the opposite direction; the base routing then takes the next longer one.
    OPPOSITE = 3


#: Header bits. ``mode``: :class:`Mode`, back to DIRECT after any shortcut. ``alternative``: the packet has met a failed local
#: link since its last shortcut, or since it gave one up, and takes the other local routes (D Table 4.3). ``y_first``: y comes
#: before x from now on.
Detour = namedtuple("Detour", "mode alternative y_first")

#: Header of a packet that has met no failed link.
NO_DETOUR = Detour(Mode.DIRECT, False, False)


def header_width(dsn):
    """Number of header bits that a network needs. ``y_first`` exists only with two dimensions."""
    return 4 if sum(size > 1 for size in dsn.sizes) > 1 else 3


def pack(detour):
    """The header bits as an integer: ``mode`` from bit 0, then ``alternative``, then ``y_first``."""
    return int(detour.mode) | detour.alternative << 2 | detour.y_first << 3


def unpack(bits):
    """Inverse of :func:`pack`."""
    return Detour(Mode(bits & 3), bool(bits >> 2 & 1), bool(bits >> 3 & 1))
