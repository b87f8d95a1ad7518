"""Model of 64b/66b (IEEE 802.3 Clause 49), bit by bit: block formats, state machines, scrambler, block lock, BER monitor.

A block is a pair ``(header, payload)``: header bit 0 is sent first, 0b10 is data and 0b01 is control; then the payload,
bit 0 first.
"""

import re

from dsnswitch.sim.golden.pcs.mii import CODES, ERRORS, FAULT, join, kind, lanes, type_of

CONTROL, DATA = 0b01, 0b10

# Fields after the block type field, highest bits first. A number stands for that many bits of padding.
_FORMATS = {
    0x1E: "C7 C6 C5 C4 C3 C2 C1 C0",
    0x2D: "D7 D6 D5 O4 C3 C2 C1 C0",
    0x33: "D7 D6 D5 4 C3 C2 C1 C0",
    0x4B: "C7 C6 C5 C4 O0 D3 D2 D1",
    0x55: "D7 D6 D5 O4 O0 D3 D2 D1",
    0x66: "D7 D6 D5 4 O0 D3 D2 D1",
    0x78: "D7 D6 D5 D4 D3 D2 D1",
    0x87: "C7 C6 C5 C4 C3 C2 C1 7",
    0x99: "C7 C6 C5 C4 C3 C2 6 D0",
    0xAA: "C7 C6 C5 C4 C3 5 D1 D0",
    0xB4: "C7 C6 C5 C4 4 D2 D1 D0",
    0xCC: "C7 C6 C5 3 D3 D2 D1 D0",
    0xD2: "C7 C6 2 D4 D3 D2 D1 D0",
    0xE1: "C7 1 D5 D4 D3 D2 D1 D0",
    0xFF: "D6 D5 D4 D3 D2 D1 D0",
}
_WIDTH = {"C": 7, "D": 8, "O": 4}
_ORDERED = {0x9C: 0x0, 0x5C: 0xF}
# Characters that a format implies: S in lane 0 or 4, T after the last data octet.
_IMPLIED = {0x33: {4: 0xFB}, 0x66: {4: 0xFB}, 0x78: {0: 0xFB}}
_IMPLIED |= {byte: {lane: 0xFD} for lane, byte in enumerate((0x87, 0x99, 0xAA, 0xB4, 0xCC, 0xD2, 0xE1, 0xFF))}


def _fields(byte):
    """``(letter or "", lane, first bit, width)`` of every field after the type field."""
    start = 8
    for field in reversed(_FORMATS[byte].split()):
        letter, number = re.fullmatch(r"([CDO]?)(\d)", field).groups()
        width = _WIDTH[letter] if letter else int(number)
        yield letter, int(number), start, width
        start += width
    assert start == 64


def encode_word(word):
    """``(header, payload)`` of a word. A word without a block type becomes a block of eight errors."""
    block_type = type_of(word)
    if block_type == "data":
        return DATA, word[0]
    if block_type is None:
        block_type, word = 0x1E, ERRORS
    payload, characters = block_type, lanes(word)
    for letter, lane, start, _ in _fields(block_type):
        if letter:
            octet = characters[lane][0]
            payload |= {"C": CODES, "O": _ORDERED}.get(letter, {octet: octet})[octet] << start
    return CONTROL, payload


def payload_word(header, payload):
    """The word of a block, or None if it is not valid (Clause 49.2.13.2.3, R_BLOCK_TYPE = E)."""
    if header == DATA:
        return payload, 0
    byte = payload & 0xFF
    if header != CONTROL or byte not in _FORMATS:
        return None
    characters = [None] * 8
    for lane, octet in _IMPLIED.get(byte, {}).items():
        characters[lane] = (octet, 1)
    for letter, lane, start, width in _fields(byte):
        value = payload >> start & (1 << width) - 1
        if letter == "D":
            characters[lane] = (value, 0)
        elif letter:
            octets = [octet for octet, code in {"C": CODES, "O": _ORDERED}[letter].items() if code == value]
            if not octets:
                return None
            characters[lane] = (octets[0], 1)
    word = join(characters)
    return word if type_of(word) is not None else None


# States and transitions of Figures 49-16 and 49-17. The next state gives the kind of the word that is sent or received.
_ARROWS = {
    "INIT": {"C": "C", "S": "D"},
    "C": {"C": "C", "S": "D"},
    "D": {"D": "D", "T": "T"},
    "T": {"C": "C", "S": "D"},
    "E": {"T": "T", "D": "D", "C": "C"},
}


def sequence(kinds, state="INIT", following=None):
    """States after each of ``kinds`` (C, S, T, D, E).

    For a receiver, ``following`` has the kind after each one: a T is valid only before an S or a C.
    """
    states = []
    for index, letter in enumerate(kinds):
        if following is not None and letter == "T" and following[index] not in "SC":
            letter = "E"
        state = _ARROWS[state].get(letter, "E")
        states.append(state)
    return states


def scramble(bits, state):
    """Scramble ``bits`` by 1 + x^39 + x^58 in place. ``state`` is the last 58 bits sent, latest last; it is updated."""
    sent = list(state)
    for bit in bits:
        sent.append(bit ^ sent[-39] ^ sent[-58])
    bits[:], state[:] = sent[58:], sent[-58:]


def descramble(bits, state):
    """Undo :func:`scramble` in place. ``state`` is the last 58 bits received, latest last; it is updated."""
    received = [*state, *bits]
    # Element i of ``received`` came 58 bits before bit i.
    bits[:] = [bit ^ late ^ early for bit, late, early in zip(bits, received[58 - 39 :], received)]
    state[:] = received[-58:]


class Carry:
    """What a transmitter or receiver carries from one block to the next, the same for all formats.

    It is the state of the word sequence, the last 58 scrambled bits, and whether the previous block was bad.
    """

    def __init__(self):
        self.state, self.bits, self.spoiled = "INIT", [0] * 58, False

    def follow(self, word):
        """The word, or a word of errors if it may not follow the word before it."""
        self.state = sequence([kind(type_of(word))], self.state)[0]
        return ERRORS if self.state == "E" else word


class Lock:
    """Block lock (Figure 49-14)."""

    def __init__(self):
        self.locked = self.slip = False
        self._count = self._invalid = 0

    def test(self, valid):
        """Update the lock with one header. If ``slip`` is then True, the boundary moves by one bit and the counts restart."""
        self._count += 1
        self._invalid += not valid
        self.slip = self._invalid == 16 or (not valid and not self.locked)
        if self.slip:
            self.locked = False
        elif self._count == 64 and self._invalid == 0:
            self.locked = True
        if self.slip or self._count == 64:
            self._count = self._invalid = 0


class BerMonitor:
    """BER monitor (Figure 49-15): the bit error rate is high with ``limit`` invalid headers in a window of ``window`` blocks."""

    def __init__(self, window, limit):
        self._window, self._limit = window, limit
        self.high = False
        self._count = self._invalid = 0

    def test(self, valid, locked):
        """Update the monitor with one header."""
        if not locked:
            self.high, self._count, self._invalid = False, 0, 0
            return
        self._count += 1
        self._invalid += not valid
        if self._invalid >= self._limit:
            self.high = True
        if self._count == self._window:
            self.high = self._invalid >= self._limit
            self._count = self._invalid = 0


class Receiver:
    """Converts blocks to words. The word of a block is decided when the next block arrives."""

    def __init__(self):
        self._state, self._waiting = "INIT", None

    def step(self, block, good=True):
        """The word of the block before ``block``; None for the first block. ``good``: locked, and no high bit error rate."""
        word = payload_word(*block)
        letter = "E" if word is None else kind(type_of(word))
        waiting, self._waiting = self._waiting, (word, letter, good)
        if waiting is None:
            return None
        before, mine, was_good = waiting
        if not was_good:
            self._state = "INIT"
            return FAULT
        self._state = sequence([mine], self._state, [letter if good else "E"])[0]
        return ERRORS if self._state == "E" else before
