"""Sequences of words that a transmitter may send, by the transitions of IEEE 802.3 Figure 49-16."""

import random

from dsnswitch.sim.golden.pcs.mii import CODES, ERRORS, LANES, join, kind, type_of

__all__ = ["KIND_TYPES", "kind_sequences", "random_words", "sample_word", "tour", "type_sequences"]

#: Block types of each kind, including "data" and None (an error).
KIND_TYPES = {
    letter: tuple(block_type for block_type in (*LANES, "data", None) if kind(block_type) == letter)
    for letter in "CSTDE"
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
