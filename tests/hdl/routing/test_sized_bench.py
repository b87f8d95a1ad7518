"""Emitted route logic whose sizes are inputs, with cocotb: every size against the golden model and the relation."""

from itertools import product

import pytest

GRID = {"max_p": 3}
#: Every size of one dimension, each paired with another of the other.
PAIRWISE = [(x, (x * 3 + 2) % 8 + 1) for x in range(1, 9)] + [(1, 1), (8, 8)]


def test_sizes_of_a_grid(lab):
    assert lab.bench("sized_bench", GRID, sizes=PAIRWISE, pairs=400) == 2


def test_every_ring(lab):
    """Classes depend on how a packet arrived: ring supernodes."""
    assert lab.bench("sized_bench", {"topology": "ring", "max_p": 3}, sizes=[(n,) for n in range(1, 9)]) == 2


def test_rings_with_two_sets_of_shortcuts(lab):
    values = {"topology": "ring", "max_p": 4, "supernode": "k4x2:double"}
    assert lab.bench("sized_bench", values, sizes=[(n,) for n in (1, 2, 3, 8, 9, 16)], pairs=400) == 2


@pytest.mark.regress
def test_every_size_up_to_8x8(lab):
    assert lab.bench("sized_bench", GRID, sizes=list(product(range(1, 9), repeat=2)), label="-all", lanes=16) == 2


@pytest.mark.regress
@pytest.mark.parametrize("register", [False, True])
def test_sizes_up_to_32x32(lab, register):
    """Every width, each with a random height, and the corners. Classes depend on the direction of the next shortcut here."""
    sizes = [(x, (x * 11) % 32 + 1) for x in range(1, 33)] + [(32, 32), (1, 32), (32, 1), (17, 31)]
    assert lab.bench("sized_bench", {"max_p": 5, "register": register}, sizes=sizes, pairs=1_000, lanes=16) == 2


@pytest.mark.regress
@pytest.mark.parametrize("directions", ["both", "forward"])
@pytest.mark.parametrize("supernode", ["ring-4", "coc-2x3"])
def test_rings_up_to_16(lab, supernode, directions):
    values = {"topology": "ring", "max_p": 4, "supernode": supernode, "directions": directions}
    assert lab.bench("sized_bench", values, sizes=[(n,) for n in range(1, 17)], lanes=16) == 2
