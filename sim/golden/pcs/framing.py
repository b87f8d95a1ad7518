"""Model of the protected format of 256b/260b, transcribed from the tables of docs/pcs260-protected.md.

A word's slot is 64 bits. ``F1 F2 F3`` are its fields, octets 0, 1 and 2. A field has four bits of information, and is sent
as the octet with that low nibble among the fifteen block type fields and 0.
"""

import random
from functools import cache, lru_cache

from dsnswitch.sim.golden.pcs.mii import CODES, ERRORS, LANES, join, kind, lanes, type_of

#: Octet of each value of a field.
FIELD_WORDS = (0x00, 0xE1, 0xD2, 0x33, 0xB4, 0x55, 0x66, 0x87, 0x78, 0x99, 0xAA, 0x4B, 0xCC, 0x2D, 0x1E, 0xFF)

#: Name of each block type; None is an error.
NAMES = {0x1E: "C", 0x2D: "O4", 0x4B: "O0", 0x55: "O0O4", 0x33: "S4", 0x66: "S4O", 0x78: "S0", None: "E"}
NAMES |= {byte: f"T{lane}" for lane, byte in enumerate((0x87, 0x99, 0xAA, 0xB4, 0xCC, 0xD2, 0xE1, 0xFF))}

#: First bit in the slot of each data octet (8 bits) and of each control character's code (4 bits).
_PLACES = {
    "C": "C0 24 C1 28 C2 32 C3 36 C4 40 C5 44 C6 56 C7 60",
    "O4": "C0 24 C1 28 C2 32 C3 36 D5 40 D6 48 D7 56",
    "O0": "D3 24 D1 32 C4 40 C5 44 D2 48 C6 56 C7 60",
    "O0O4": "D2 16 D3 24 D1 32 D5 40 D6 48 D7 56",
    "S4": "C0 24 C1 28 C2 32 C3 36 D5 40 D6 48 D7 56",
    "S4O": "D2 16 D3 24 D1 32 D5 40 D6 48 D7 56",
    "S0": "D1 8 D2 16 D3 24 D4 32 D5 40 D6 48 D7 56",
    "T0": "C1 28 C2 32 C3 36 C4 40 C5 44 C6 56 C7 60",
    "T1": "C2 32 C3 36 C4 40 C5 44 D0 48 C6 56 C7 60",
    "T2": "D1 16 C3 36 C4 40 C5 44 D0 48 C6 56 C7 60",
    "T3": "D1 16 D2 24 C4 40 C5 44 D0 48 C6 56 C7 60",
    "T4": "D1 16 D2 24 D3 32 C5 44 D0 48 C6 56 C7 60",
    "T5": "D1 16 D2 24 D3 32 D4 40 D0 48 C6 56 C7 60",
    "T6": "D0 8 D1 16 D2 24 D3 32 D4 40 D5 48 C7 60",
    "T7": "D0 8 D1 16 D2 24 D3 32 D4 40 D5 48 D6 56",
    "E": "",
}
#: Four-bit code of each control character.
_SHORT = {0x07: 0x0, 0x06: 0x7, 0xFE: 0xF, 0x1C: 0x3, 0x3C: 0x5, 0x7C: 0x6, 0xBC: 0x9, 0xDC: 0xA, 0xF7: 0xC}
assert set(_SHORT) == set(CODES)

#: Characters that the name of a word determines.
_FIXED = {"S0": {0: 0xFB}, "S4": {4: 0xFB}, "S4O": {4: 0xFB}, **{f"T{lane}": {lane: 0xFD} for lane in range(8)}}
_SETS = (0x9C, 0x5C)

#: Meaning of the fields of a word: name, position, number of data words after it, ordered sets in lanes 0 and 4.
_MEANING = {}
for _n in range(4):
    _MEANING[(_n,)] = ("T7", _n, None, (0, 0))
    _MEANING[(4 + _n,)] = ("T6", _n, None, (0, 0))
    _MEANING[(8 + _n,)] = ("S0", None, _n, (0, 0))
    _MEANING[12, _n] = ("O0O4", None, None, (_n & 1, _n >> 1))
    for _s in (0, 1):
        _MEANING[13, _n + 4 * _s] = ("S4O", None, _n, (_s, 0))
    for _t in range(4):
        _MEANING[14, 4 * _t + _n] = (f"T{_t}", _n, None, (0, 0))
    for _t in (4, 5):
        _MEANING[15, 4 * (_t - 4) + _n] = (f"T{_t}", _n, None, (0, 0))
    _MEANING[15, 11, _n] = ("S4", None, _n, (0, 0))
    for _p in range(4):
        _MEANING[15, 12, _n + 4 * _p] = ("E", _p, _n, (0, 0))
_MEANING[15, 8] = ("C", None, None, (0, 0))
for _s in (0, 1):
    _MEANING[15, 9, _s] = ("O4", None, None, (0, _s))
    _MEANING[15, 10, _s] = ("O0", None, None, (_s, 0))


def info(name, place, data, sets):
    """Values of a word's fields."""
    for fields, (other, at, after, those) in _MEANING.items():
        if name == other and at in (None, place) and after in (None, data) and those == sets:
            return fields
    raise AssertionError(f"no fields for {name} at {place} before {data}")


def put_word(name, word, place, data):
    """Slot of a word that is not data."""
    octets = [octet for octet, _ in lanes(word)]
    sets = tuple(_SETS.index(octets[lane]) if f"O{lane}" in name else 0 for lane in (0, 4))
    if name == "S4O":
        sets = (_SETS.index(octets[0]), 0)
    slot = sum(FIELD_WORDS[nibble] << 8 * number for number, nibble in enumerate(info(name, place, data, sets)))
    for part, bit in _parts(name):
        octet = octets[int(part[1])]
        slot |= (octet if part[0] == "D" else _SHORT[octet]) << bit
    return slot


@cache
def nearest(octet):
    """``(value, wrong bits)`` of a received field; the value is None if two bits are wrong."""
    distance, nibble = min(((octet ^ word).bit_count(), nibble) for nibble, word in enumerate(FIELD_WORDS))
    return (nibble, distance) if distance < 2 else (None, distance)


@lru_cache(1 << 12)
def take_word(slot):
    """``(name, place, data, word, corrected)`` of a slot; None if its fields cannot be corrected.

    If a code has no character, the word is ERRORS and the name ``E*``.
    """
    fields, corrected = (), False
    while fields not in _MEANING:
        if len(fields) == 3:
            return None
        nibble, wrong = nearest(slot >> 8 * len(fields) & 0xFF)
        if nibble is None:
            return None
        fields, corrected = (*fields, nibble), corrected or bool(wrong)
    name, place, data, sets = _MEANING[fields]
    characters = [(0, 0)] * 8
    for lane, octet in _FIXED.get(name, {}).items():
        characters[lane] = (octet, 1)
    for lane, signal in zip((0, 4), sets):
        if f"O{lane}" in name or (name == "S4O" and lane == 0):
            characters[lane] = (_SETS[signal], 1)
    for part, bit in _parts(name):
        if part[0] == "D":
            characters[int(part[1])] = (slot >> bit & 0xFF, 0)
        else:
            octets = [octet for octet, code in _SHORT.items() if code == slot >> bit & 0xF]
            if not octets:
                return "E*", place, data, ERRORS, corrected
            characters[int(part[1])] = (octets[0], 1)
    if name == "E":
        return name, place, data, ERRORS, corrected
    return name, place, data, join(characters), corrected


@cache
def _parts(name):
    words = _PLACES[name].split()
    return [(part, int(bit)) for part, bit in zip(words[::2], words[1::2])]


# Sequences of words that a transmitter may send, by the transitions of IEEE 802.3 Figure 49-16.

#: Block types of each kind, including "data" and None (an error).
KIND_TYPES = {
    letter: tuple(block_type for block_type in (*LANES, "data", None) if kind(block_type) == letter) for letter in "CSTDE"
}

#: Kinds that may follow each kind. After an error a start is an error too.
_FOLLOWS = {"C": "CSE", "S": "DTE", "T": "CSE", "D": "DTE", "E": "CDTE"}


def kind_sequences(length=4):
    """All legal tuples of kinds (C, S, T, D, E), for any kind before the first."""
    found = [(letter,) for letter in _FOLLOWS]
    for _ in range(length - 1):
        found = [(*kinds, letter) for kinds in found for letter in _FOLLOWS[kinds[-1]]]
    return found


def type_sequences(length=4):
    """All legal tuples of block types."""
    found = [((), kinds) for kinds in kind_sequences(length)]
    for place in range(length):
        found = [((*types, block_type), kinds) for types, kinds in found for block_type in KIND_TYPES[kinds[place]]]
    return [types for types, _ in found]


def sample_word(block_type, rng: random.Random, plain=False):
    """A word of a block type with random octets and characters. With ``plain``, all control characters are idles."""
    if block_type == "data":
        return rng.getrandbits(64), 0
    if block_type is None:
        return ERRORS
    characters = []
    for letter in reversed(LANES[block_type]):
        match letter:
            case "D":
                characters.append((rng.getrandbits(8), 0))
            case "C":
                characters.append((0x07 if plain else rng.choice(list(CODES)), 1))
            case "O":
                characters.append((rng.choice((0x9C, 0x5C)), 1))
            case "S" | "T":
                characters.append((0xFB if letter == "S" else 0xFD, 1))
    word = join(characters)
    # Eight control characters with an error among them would be an error.
    return word if type_of(word) == block_type else sample_word(block_type, rng, plain)


def tour(rng: random.Random, sequences):
    """A legal stream of words that contains all ``sequences`` of four block types, with a group of four words before each."""
    words, letter = [], "C"
    for types in sequences:
        # The four words before lead to a gap or into a frame, as the first word needs; they are legal after any last word.
        gap = kind(types[0]) in "CS"
        way = ("TCCC" if letter in "SD" else "CCCC") if gap else ("DDDD" if letter in "SDE" else "SDDD")
        words += [sample_word(rng.choice(KIND_TYPES[step]), rng) for step in way]
        words += [sample_word(block_type, rng) for block_type in types]
        letter = kind(types[-1])
    return words


def random_words(count, rng: random.Random, disorder=0.03):
    """Words of all types, mostly in a legal order. With probability ``disorder`` a word is of any kind."""
    letter, words = "C", []
    for _ in range(count):
        letter = rng.choice("CSTDE" if rng.random() < disorder else _FOLLOWS[letter])
        words.append(sample_word(rng.choice(KIND_TYPES[letter]), rng))
    return words
