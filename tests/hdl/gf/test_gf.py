"""Linear maps, towers and shared XOR networks, in plain integers."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.hdl.gf import field as matrix
from dsnswitch.hdl.gf.field import Field, tower
from dsnswitch.hdl.gf.xor_network import shared

FIELDS = [Field(4, 0x13), Field(6, 0x43), Field(8, 0x11D), Field(10, 0x409)]


@given(st.lists(st.integers(0, (1 << 12) - 1), max_size=20), st.integers(0, 3))
def test_shared_networks_sum_their_rows(rows, more):
    plain = shared(rows, 12)
    assert plain.rows() == tuple(rows)
    roomy = shared(rows, 12, plain.depth + more)
    assert roomy.rows() == tuple(rows)
    assert roomy.depth <= plain.depth + more
    assert plain.gates <= sum(max(0, row.bit_count() - 1) for row in rows)


def test_sharing_saves():
    """A dense map of 60 bits needs less than half of the XORs of sums without sharing, at the minimum depth."""
    rng = random.Random(1)
    rows = [rng.getrandbits(60) for _ in range(60)]
    network = shared(rows, 60)
    assert network.gates < sum(row.bit_count() - 1 for row in rows) / 2
    assert network.depth == max((row.bit_count() - 1).bit_length() for row in rows)


def test_full_sums_keep_the_least_depth():
    """Sums of 16 bits fill a tree of four levels, so a shared pair of unequal depths may be too deep for one of them."""
    rng = random.Random(1)
    rows = [sum(1 << bit for bit in rng.sample(range(24), 16)) for _ in range(16)]
    assert shared(rows, 24).depth == 4


def test_too_little_depth():
    with pytest.raises(ValueError, match="need 3 XOR levels, not 2"):
        shared([0b11111], 5, 2)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: f"m{field.m}")
def test_maps(field):
    """Products with constants, squares, inverses and compositions, on every element."""
    for factor in (1, 2, field.power(5), field.order):
        rows = matrix.constant(field, factor)
        back = matrix.inverse(rows)
        twice = matrix.compose(matrix.square(field), rows)
        for value in range(field.order + 1):
            assert matrix.apply(rows, value) == field.multiply(factor, value)
            assert matrix.apply(back, matrix.apply(rows, value)) == value
            assert matrix.apply(twice, value) == field.multiply(matrix.apply(rows, value), matrix.apply(rows, value))


def test_a_map_without_inverse():
    with pytest.raises(ValueError, match="has no inverse"):
        matrix.inverse((0b01, 0b01))


@pytest.mark.parametrize("field", [*FIELDS, Field(12, 0x1053), Field(16, 0x1100B)], ids=lambda field: f"m{field.m}")
def test_towers(field):
    """Pairs multiply like the elements, modulo y**2 + y + nu."""
    made, rng = tower(field), random.Random(1)
    half = made.half
    for _ in range(500):
        a, b = (rng.randrange(field.order + 1) for _ in range(2))
        pairs = matrix.apply(made.into, a), matrix.apply(made.into, b)
        assert matrix.apply(made.back, pairs[0]) == a
        (high, low), (other, lowest) = ((pair >> half.m, pair & half.order) for pair in pairs)
        square = half.multiply(high, other)
        product = (square ^ half.multiply(high, lowest) ^ half.multiply(low, other)) << half.m
        product |= half.multiply(low, lowest) ^ half.multiply(made.nu, square)
        assert matrix.apply(made.back, product) == field.multiply(a, b)


def test_no_tower():
    with pytest.raises(ValueError, match="must be even and at least 4 for pairs, not 3"):
        tower(Field(3, 0xB))
