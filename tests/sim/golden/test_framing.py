"""The two formats of 256b/260b under errors: distances, and every pattern of one and two wrong bits in the framing."""

import random
from itertools import combinations

import numpy as np
import pytest

from dsnswitch.sim.golden.pcs.framing import KIND_TYPES, kind_sequences, sample_word, type_sequences
from dsnswitch.sim.golden.pcs.framing_errors import OUTCOMES, framing_bits, outcome
from dsnswitch.sim.golden.pcs.pcs260 import pack, unpack

LAYOUTS = ["protected", "literal"]


def count(sequences, layout, wrong, seed=1):
    """Number of patterns of ``wrong`` bits in the framing with each of :data:`OUTCOMES`, over all ``sequences`` of types.

    Octets and characters are random, as a receiver may read them as type fields by mistake.
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


def one_of_each(seed=1):
    """One sequence of types for every legal sequence of kinds."""
    rng = random.Random(seed)
    return [tuple(rng.choice(KIND_TYPES[letter]) for letter in kinds) for kinds in kind_sequences()]


@pytest.mark.parametrize("layout", ["protected", pytest.param("literal", marks=pytest.mark.regress)])
def test_every_legal_sequence_survives(layout):
    """All 12,640 sequences of four block types, with random characters and octets."""
    rng = random.Random(5)
    for types in type_sequences():
        words = [sample_word(block_type, rng) for block_type in types]
        header, body = pack(words, layout)
        assert body.bit_length() <= 256
        assert unpack(header, body, layout) == (words, False), types


def shortest_distance(layout):
    """Smallest number of framing bits in which the blocks of two different sequences certainly differ.

    Bits that are framing in one block and octets in the other do not count, because octets may have any value.
    """
    rng, values, masks = random.Random(5), [], []
    for types in type_sequences():
        # In the literal format, an error is a control block of error characters.
        if layout == "literal" and None in types:
            continue
        words = [sample_word(block_type, rng, plain=True) for block_type in types]
        header, body = pack(words, layout)
        values.append((header | body << 4).to_bytes(40, "little"))
        masks.append(sum(1 << bit for bit in framing_bits(types, layout)).to_bytes(40, "little"))
    values, masks = (np.frombuffer(b"".join(rows), dtype=np.uint64).reshape(-1, 5) for rows in (values, masks))
    used = np.flatnonzero(masks.any(axis=0))
    values, masks, least = values[:, used], masks[:, used], 260
    for row in range(len(values) - 1):
        differing = (values[row] ^ values[row + 1 :]) & masks[row] & masks[row + 1 :]
        least = min(least, int(np.bitwise_count(differing).sum(axis=1).min()))
    return least


@pytest.mark.parametrize(("layout", "distance"), [("protected", 4), ("literal", 1)])
def test_distance(layout, distance):
    assert shortest_distance(layout) == distance


@pytest.mark.parametrize(("layout", "corrected", "valid"), [("protected", (1, 1), (0, 0)), ("literal", (0.7, 0.8), (0.08, 0.15))])
def test_one_wrong_bit(layout, corrected, valid):
    """Every wrong bit. Protected: all are corrected. Literal: flags and the nibble of the first type have no distance."""
    found = count(one_of_each(), layout, 1)
    total = sum(found.values())
    assert corrected[0] <= found["corrected"] / total <= corrected[1]
    assert valid[0] <= found["valid"] / total <= valid[1]


def test_two_wrong_bits_protected():
    """Every pair of bits in every eighth sequence: in two fields both are corrected, in one field the block is flagged."""
    sequences = one_of_each()[::8]
    found = count(sequences, "protected", 2)
    assert found["valid"] == 0
    same = 0
    for types in sequences:
        fields = (len(framing_bits(types, "protected")) - 4) // 8
        same += 6 + 28 * fields
    assert found["flagged"] == same


def test_two_wrong_bits_literal():
    found = count(one_of_each()[::8], "literal", 2)
    assert 0.1 < found["valid"] / sum(found.values()) < 0.3


@pytest.mark.regress
@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_wrong_bit_of_every_sequence(layout):
    """Every sequence in the protected format; every eighth in the literal one, where one wrong bit is not always corrected."""
    found = count(type_sequences()[:: 1 if layout == "protected" else 8], layout, 1)
    assert (found["corrected"] == sum(found.values())) == (layout == "protected")


@pytest.mark.regress
def test_two_wrong_bits_of_every_kind():
    assert count(one_of_each(0), "protected", 2, 0)["valid"] == 0


def test_framing_bits_are_where_the_format_has_them():
    """Changing any other bit of a data word changes no type; the framing of a full block is 4 + 8 bits a field."""
    assert framing_bits(("data",) * 4, "protected") == [0, 1, 2, 3]
    assert framing_bits(("data", "data", "data", 0xFF), "protected") == list(range(12))
    assert framing_bits((0x1E, 0x78, "data", "data"), "protected") == [*range(20), *range(68, 76)]
    assert framing_bits(("data", 0x87, 0x78, "data"), "literal") == [*range(8), *range(72, 76), *range(132, 140)]
