"""Characters of the media independent interface (XGMII, XLGMII, CGMII) and their codes on the line. No Amaranth.

IEEE 802.3 Table 49-1 for the seven-bit codes; the four-bit codes are this project's (docs/pcs.md).
"""

from dataclasses import dataclass

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


@dataclass(frozen=True)
class BlockType:
    """Block type of 64b/66b (IEEE 802.3 Figure 49-7): the kind of character in each of the eight lanes of a word.

    Attributes
    ----------
    byte : int or None
        Block type field; None for data.
    lanes : str
        One letter per lane, lane 0 first: C control, D data, O ordered set, S start, T terminate.
    """

    byte: int | None
    lanes: str

    @property
    def kind(self):
        """Kind that the state machines use (Figure 49-16, T_BLOCK_TYPE): C, S, T or D."""
        return next((letter for letter in "TS" if letter in self.lanes), "D" if self.byte is None else "C")

    @property
    def name(self):
        """Short name, such as ``T3`` or ``O0O4``: the kind with the lane where a frame begins or ends; lanes of ordered sets."""
        if self.kind in "ST":
            return f"{self.kind}{self.lanes.index(self.kind)}" + ("O" if "O" in self.lanes else "")
        return "".join(f"O{lane}" for lane in (0, 4) if self.lanes[lane] == "O") or self.kind


def _terminate(lane, byte):
    return BlockType(byte, "D" * lane + "T" + "C" * (7 - lane))


#: The 15 control block types, in the order of their one-hot code.
BLOCK_TYPES = (
    BlockType(0x1E, "CCCCCCCC"),
    BlockType(0x2D, "CCCCODDD"),
    BlockType(0x4B, "ODDDCCCC"),
    BlockType(0x55, "ODDDODDD"),
    BlockType(0x33, "CCCCSDDD"),
    BlockType(0x66, "ODDDSDDD"),
    BlockType(0x78, "SDDDDDDD"),
    *(_terminate(lane, byte) for lane, byte in enumerate((0x87, 0x99, 0xAA, 0xB4, 0xCC, 0xD2, 0xE1, 0xFF))),
)

#: Type of a word of eight data octets.
DATA = BlockType(None, "DDDDDDDD")

#: Kinds in the order of their one-hot code. A word without a kind is an error.
KINDS = "CSTD"


def data_bit(kind, lane):
    """First bit of the data octet of ``lane`` in the 64-bit payload. In a block that ends a frame the type field comes first."""
    return 8 * (lane + 1) if kind.kind == "T" else 8 * lane


def code_bit(lane):
    """First bit of the seven-bit code of a control character in the payload."""
    return 8 + 7 * lane


def ordered_set_bit(lane):
    """First bit of the four-bit code of an ordered set in lane 0 or 4."""
    return 32 + lane


def type_byte(nibble):
    """Codeword of the [8,4,4] code with these low bits. The 16 codewords are the 15 type fields and 0.

    Every bit of the high nibble is the sum of three low bits, so that any two codewords differ in at least four bits.
    """
    parity = nibble.bit_count() & 1
    return nibble | (nibble ^ (0xF if parity else 0)) << 4
