"""Characters of the media independent interface (XGMII, XLGMII, CGMII) and their codes on the line. No Amaranth.

IEEE 802.3 Table 49-1 for the seven-bit codes; the four-bit codes are this project's (docs/pcs.md).
"""

__all__ = [
    "CODES",
    "ERROR",
    "IDLE",
    "LPI",
    "ORDERED_SETS",
    "SEQUENCE",
    "SHORT_CODES",
    "SIGNAL",
    "START",
    "TERMINATE",
    "inverse",
]

#: Control characters between frames, as octets.
IDLE, LPI, ERROR = 0x07, 0x06, 0xFE
#: Characters that begin and end a frame.
START, TERMINATE = 0xFB, 0xFD
#: Characters that begin an ordered set.
SEQUENCE, SIGNAL = 0x9C, 0x5C

#: Seven-bit code of each control character; the last six are reserved.
CODES = {IDLE: 0x00, LPI: 0x06, ERROR: 0x1E, 0x1C: 0x2D, 0x3C: 0x33, 0x7C: 0x4B, 0xBC: 0x55, 0xDC: 0x66, 0xF7: 0x78}

#: Four-bit code of each, for blocks without space for seven bits. One wrong bit does not turn idle into another character.
SHORT_CODES = {IDLE: 0x0, LPI: 0x7, ERROR: 0xF, 0x1C: 0x3, 0x3C: 0x5, 0x7C: 0x6, 0xBC: 0x9, 0xDC: 0xA, 0xF7: 0xC}

#: Four-bit code of the character that begins an ordered set.
ORDERED_SETS = {SEQUENCE: 0x0, SIGNAL: 0xF}


def inverse(table):
    """The inverse of a table: the character of each code."""
    return {code: octet for octet, code in table.items()}
