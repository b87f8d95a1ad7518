"""The protected format of 256b/260b: the position of every bit of a control block, and the meaning of its fields. No Amaranth.

Every word takes a slot of 64 bits. In the slot of a word that is not data, one to three octets are *fields*: codewords of the
[8,4,4] code (:func:`type_byte`) with four bits of information each. The fields give the word's type, its position in the block,
and the number of data words that follow. The block's first word that is not data takes slot 0, so that the receiver can read
field 1 of slot 0 first; the data words before it move up by one slot. All other words keep their slots.

Each word determines the position of the next word that is not data. After control, and after the end of a frame, it is the
next word, as data may not follow. After a start or an error, the fields have the number of data words between. docs/pcs.md
has the table and the reasons.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

#: Name of a word that is an error. Other words have the :attr:`name` of their type.
ERROR_WORD = "E"

#: Octets 0..7 of the slot of each word: F field, D data octet of a lane, C four-bit codes of two lanes (low nibble first; a
#: point means no lane), - unused, sent as 0.
LAYOUTS = {
    name: tuple(octets.split())
    for name, octets in {
        "C": "F1 F2 -  C01 C23 C45 -  C67",
        "O4": "F1 F2 F3 C01 C23 D5 D6 D7",
        "O0": "F1 F2 F3 D3 D1 C45 D2 C67",
        "O0O4": "F1 F2 D2 D3 D1 D5 D6 D7",
        "S4": "F1 F2 F3 C01 C23 D5 D6 D7",
        "S4O": "F1 F2 D2 D3 D1 D5 D6 D7",
        "S0": "F1 D1 D2 D3 D4 D5 D6 D7",
        "T0": "F1 F2 -  C.1 C23 C45 -  C67",
        "T1": "F1 F2 -  -  C23 C45 D0 C67",
        "T2": "F1 F2 D1 -  C.3 C45 D0 C67",
        "T3": "F1 F2 D1 D2 -  C45 D0 C67",
        "T4": "F1 F2 D1 D2 D3 C.5 D0 C67",
        "T5": "F1 F2 D1 D2 D3 D4 D0 C67",
        "T6": "F1 D0 D1 D2 D3 D4 D5 C.7",
        "T7": "F1 D0 D1 D2 D3 D4 D5 D6",
        ERROR_WORD: "F1 F2 F3 -  -  -  -  -",
    }.items()
}


def says_place(name):
    """Whether the fields have the word's position, as in every word that may follow data."""
    return name[0] in "TE"


def counts_data(name):
    """Whether the fields have the number of data words that follow in the block."""
    return name[0] in "SE"


def arguments(name, places=range(4)):
    """Every combination of arguments of :func:`fields` for a word at one of the positions ``places``, as dictionaries."""
    sets = [range(2) if f"O{lane}" in name or (lane == 0 and name == "S4O") else range(1) for lane in (0, 4)]
    for place in places if says_place(name) else (0,):
        for data in range(4) if counts_data(name) else (0,):
            for set0 in sets[0]:
                for set4 in sets[1]:
                    yield {"place": place, "data": data, "set0": set0, "set4": set4}


def fields(name, place=0, data=0, set0=0, set4=0):
    """Information in the fields of a word, a tuple of nibbles with field 1 first.

    Parameters
    ----------
    name : str
        Key of :data:`LAYOUTS`.
    place : int
        The word's position in the block, 0..3, if :func:`says_place`.
    data : int
        Number of data words that follow in the block, 0..3, if :func:`counts_data`.
    set0, set4 : int
        0 for a sequence, 1 for a signal ordered set in lane 0 or 4.
    """
    match name:
        case "T7":
            return (place,)
        case "T6":
            return (4 + place,)
        case "S0":
            return (8 + data,)
        case "O0O4":
            return 12, set0 + 2 * set4
        case "S4O":
            return 13, data + 4 * set0
        case "C" | "O4" | "O0" | "S4" | "E":
            more = {"C": (), "O4": (set4,), "O0": (set0,), "S4": (data,), "E": (data + 4 * place,)}[name]
            return 15, 8 + ("C", "O4", "O0", "S4", "E").index(name), *more
    lane = int(name[1:])
    return 14 + (4 * lane + place >> 4), 4 * lane + place & 15


def field_octet(nibble):
    """Codeword of four bits: they are the low nibble, and each bit of the high nibble sums three of them (``type_byte``)."""
    return Cat(nibble, nibble ^ nibble.xor().replicate(4))


class FieldDecoder(wiring.Component):
    """Decodes a field: corrects one wrong bit, detects two. Combinational.

    Members
    -------
    - octet: The received field.
    - nibble: The corrected information; if ``bad``, as received.
    - corrected, bad: One bit was wrong; two bits were wrong.
    """

    octet: In(8)
    nibble: Out(4)
    corrected: Out(1)
    bad: Out(1)

    def elaborate(self, platform):
        m = Module()
        low, high = self.octet[:4], self.octet[4:]
        syndrome = Signal(4)
        m.d.comb += [
            syndrome.eq(field_octet(low)[4:] ^ high),
            # A wrong low bit changes three of the four sums, all but one; a wrong high bit changes one.
            self.nibble.eq(Cat(low[bit] ^ (syndrome == 0xF ^ 1 << bit) for bit in range(4))),
            self.corrected.eq(syndrome.xor()),
            self.bad.eq(~syndrome.xor() & syndrome.any()),
        ]
        return m


# The four-bit header of 256b/260b: two codewords of distance 4, of alternating bits.

#: Bit 0 is sent first: in the order of transmission 0101 is data, 1010 control.
DATA, CONTROL = 0b1010, 0b0101


class HeaderDecoder(wiring.Component):
    """Decodes a header: corrects one wrong bit, detects two. Combinational.

    Members
    -------
    - header: The received header.
    - is_data: The block has four data words.
    - exact: No bit is wrong.
    - bad: Two bits are wrong.
    """

    header: In(4)
    is_data: Out(1)
    exact: Out(1)
    bad: Out(1)

    def elaborate(self, platform):
        m = Module()
        off = self.header ^ DATA
        odd = Signal()
        same = Signal()
        two = Signal()
        m.d.comb += [
            odd.eq(off.xor()),
            same.eq(off.all() | ~off.any()),
            two.eq(off[0] & off[1] | off[2] & off[3] | (off[0] | off[1]) & (off[2] | off[3])),
            self.is_data.eq(~two),
            self.exact.eq(same),
            self.bad.eq(~odd & ~same),
        ]
        return m
