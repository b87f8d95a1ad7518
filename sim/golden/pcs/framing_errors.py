"""What wrong bits in the framing of a 256b/260b block do: every pattern of one and two of them.

The framing of a block is its header and whatever says where the words that are not data are and of which type: in the protected
format the fields, in the literal one flags, nibble and type fields. Bits are numbered as in the block before scrambling.
"""

import random
from itertools import combinations

from . import pcs66
from .framing import NAMES, info
from .legal import sample_word
from .mii import ERRORS, kind, type_of
from .pcs260 import pack, unpack

__all__ = ["OUTCOMES", "count", "framing_bits", "outcome"]

#: What becomes of a block: all words as sent; every word that is not as sent an error; a wrong word that looks right.
OUTCOMES = ("corrected", "flagged", "valid")


def framing_bits(types, layout):
    """Bits of the framing of a block of four block types, ascending."""
    places = [place for place, block_type in enumerate(types) if block_type != "data"]
    bits = [0, 1, 2, 3]
    if not places:
        return bits
    if layout == "literal":
        bits += [4, 5, 6, 7, *range(8 + 64 * places[0], 12 + 64 * places[0])]
        return bits + [4 + 64 * place + bit for place in places[1:] for bit in range(8)]
    for index, (place, after) in enumerate(zip(places, [*places[1:], 4])):
        fields = len(info(NAMES[types[place]], place, after - place - 1, (0, 0)))
        slot = place if index else 0
        bits += [4 + 64 * slot + bit for bit in range(8 * fields)]
    return bits


def outcome(words, block, layout):
    """Which of :data:`OUTCOMES` a received ``block`` is that was sent with ``words``, its receiver's state machine included."""
    found, _ = unpack(block & 0xF, block >> 4, layout)
    if found == words:
        return "corrected"
    if found is None:
        return "flagged"
    # Before the block was what lets its first word follow.
    state = "INIT" if kind(type_of(words[0])) in "CS" else "D"
    states = pcs66.sequence([kind(type_of(word)) for word in found], state)
    found = [ERRORS if state == "E" else word for word, state in zip(found, states)]
    return "flagged" if all(word in (sent, ERRORS) for word, sent in zip(found, words)) else "valid"


def count(sequences, layout, wrong, seed=1):
    """How many patterns of ``wrong`` bits in the framing end in each of :data:`OUTCOMES`, over all ``sequences`` of types.

    Octets and characters are random, so that what is taken for a type field by mistake is.
    """
    rng, found = random.Random(seed), dict.fromkeys(OUTCOMES, 0)
    for types in sequences:
        words = [sample_word(block_type, rng, plain=True) for block_type in types]
        header, body = pack(words, layout)
        block = header | body << 4
        for places in combinations(framing_bits(types, layout), wrong):
            received = block ^ sum(1 << place for place in places)
            found[outcome(words, received, layout)] += 1
    return found
