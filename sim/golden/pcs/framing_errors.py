"""Effect of wrong bits in the framing of a 256b/260b block.

The framing of a block is its header and the bits that give positions and types of the words that are not data: the fields
in the protected format; flags, nibble and type fields in the literal format. Bits are numbered as in the block before
scrambling.
"""

import math
import random
from dataclasses import dataclass

import numpy as np

from dsnswitch.sim.golden.pcs import pcs66
from dsnswitch.sim.golden.pcs.framing import KIND_TYPES, NAMES, info, kind_sequences, sample_word
from dsnswitch.sim.golden.pcs.mii import ERRORS, kind, type_of
from dsnswitch.sim.golden.pcs.pcs260 import pack, unpack

#: Outcomes for a block: all words are as sent; every word that differs is an error; a wrong word passes as valid.
OUTCOMES = ("corrected", "flagged", "valid")


def framing_bits(types, layout):
    """Bits of the framing of a block whose words have these four block types, ascending."""
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
    """Outcome (:data:`OUTCOMES`) of a received ``block`` that was sent with ``words``, after the receiver's state machine."""
    found, _ = unpack(block & 0xF, block >> 4, layout)
    if found == words:
        return "corrected"
    if found is None:
        return "flagged"
    # The state before the block is one that allows its first word.
    state = "INIT" if kind(type_of(words[0])) in "CS" else "D"
    states = pcs66.sequence([kind(type_of(word)) for word in found], state)
    found = [ERRORS if state == "E" else word for word, state in zip(found, states)]
    return "flagged" if all(word in (sent, ERRORS) for word, sent in zip(found, words)) else "valid"


@dataclass(frozen=True)
class FramingErrors:
    """Result of :func:`sample` for one format.

    Attributes
    ----------
    shares : dict
        Share of patterns with each of :data:`OUTCOMES`, by the number of wrong bits.
    patterns : dict
        Mean number of patterns of a block that pass as valid, by the number of wrong bits.
    """

    layout: str
    shares: dict
    patterns: dict

    def __call__(self, ber):
        """Probability that wrong framing of a block with control passes as valid, for independent wrong bits."""
        return sum(many * ber**wrong for wrong, many in self.patterns.items())

    def given(self, n):
        """The same, by the number of wrong bits, 0..n, in an n-bit word that contains the block; an upper bound."""
        found = np.zeros(n + 1)
        for wrong, many in self.patterns.items():
            found[wrong:] += [many * math.comb(n - wrong, bits - wrong) / math.comb(n, bits) for bits in range(wrong, n + 1)]
        return np.minimum(found, 1.0)


def sample(layout, count=2000, most=3, seed=1):
    """:class:`FramingErrors` of ``count`` random patterns of each number of wrong bits from 1 to ``most``, which is at most 3.

    A pattern applies to a random legal sequence of kinds with at least one word that is not data, with random types.
    Patterns of more wrong bits are not counted, nor are blocks of data only, whose framing is the header alone.
    """
    rng = random.Random(seed)
    sequences = [kinds for kinds in kind_sequences() if set(kinds) != {"D"}]
    shares, patterns = {}, {}
    for wrong in range(1, most + 1):
        found, weight = dict.fromkeys(OUTCOMES, 0), 0
        for _ in range(count):
            types = [rng.choice(KIND_TYPES[letter]) for letter in rng.choice(sequences)]
            bits = framing_bits(types, layout)
            found[_hit(types, rng.sample(bits, wrong), layout, rng)] += 1
            # In the protected format only three wrong bits in one field, or in the header, can pass as valid; only these
            # are drawn.
            groups = [bits[:4], *(bits[at : at + 8] for at in range(4, len(bits), 8))] if layout == "protected" else [bits]
            chances = [math.comb(len(group), wrong) if layout != "protected" or wrong == 3 else 0 for group in groups]
            if any(chances):
                (group,) = rng.choices(groups, chances)
                weight += sum(chances) * (_hit(types, rng.sample(group, wrong), layout, rng) == "valid")
        shares[wrong] = {name: many / count for name, many in found.items()}
        patterns[wrong] = weight / count
    return FramingErrors(layout, shares, patterns)


def _hit(types, places, layout, rng):
    """Outcome of wrong bits ``places`` in a random block of these types."""
    words = [sample_word(block_type, rng, plain=True) for block_type in types]
    header, body = pack(words, layout)
    return outcome(words, (header | body << 4) ^ sum(1 << place for place in places), layout)
