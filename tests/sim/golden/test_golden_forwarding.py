"""The models of forwarding and of its keys, compared with examples that were calculated by hand."""

import pytest

from dsnswitch.net.topology.dsn import grid, ring
from dsnswitch.net.topology.supernode import Coc
from dsnswitch.sim.golden.core.core import Reason, forwarding
from dsnswitch.sim.golden.table import table_key

GRID = grid(8, 8)
ODD = grid(5, 3, Coc(3, 2))


@pytest.mark.parametrize(
    ("dsn", "keys", "own", "dst", "key"),
    [
        # D Fig. 4.12(a): the coordinates and the id, unchanged.
        (GRID, "absolute", (6, 7, 0), (1, 2, 3), "001 010 011"),
        # D Fig. 4.12(b): 3 supernodes ahead in each dimension, past the end of the ring.
        (GRID, "relative", (6, 7, 0), (1, 2, 3), "011 011 011"),
        (GRID, "relative", (0, 0, 0), (7, 4, 5), "111 100 101"),
        # 1 supernode back, last bit first; half the ring goes forward.
        (GRID, "folded", (0, 0, 0), (7, 4, 5), "1100 0100 101"),
        (GRID, "folded", (6, 7, 0), (1, 2, 3), "0011 0011 011"),
        # 2 back of 5, and 1 back of 3.
        (ODD, "folded", (0, 0, 0), (3, 2, 5), "1010 110 101"),
        (ODD, "relative", (4, 2, 0), (0, 1, 4), "001 10 100"),
        (grid(5, 3, Coc(3, 2), "forward"), "folded", (0, 0, 0), (3, 2, 5), "0011 010 101"),
        # A field with one value has no bits, and no direction.
        (grid(1, 2), "folded", (0, 1, 0), (0, 0, 7), "01 111"),
        (ring(3, 2), "relative", (2, 0), (1, 1), "10 1"),
    ],
)
def test_keys(dsn, keys, own, dst, key):
    assert table_key(dsn, keys, own, dst) == key.replace(" ", "")


@pytest.mark.parametrize(
    ("exists", "hop", "entry", "by_packet", "dead", "answer"),
    [
        (True, 2, None, False, 0b1011, (0b100, 0, 0, 0, 0, Reason.ALGORITHM)),
        (True, None, (1,), False, 0b1111, (0, 1, 0, 0, 0, Reason.ALGORITHM_ARRIVED)),
        (True, 2, (1,), False, 0b0100, (0b10, 0, 0, 0, 1, Reason.FALLBACK)),
        (True, 2, (1,), True, 0, (0b10, 0, 0, 0, 1, Reason.TABLE)),
        (True, 2, (4,), True, 0b1111, (0, 1, 0, 0, 1, Reason.TABLE_ARRIVED)),
        (True, 2, (5,), True, 0, (0, 0, 0, 1, 1, Reason.NO_SUCH_PORT)),
        (True, 2, (1,), True, 0b0010, (0, 0, 0, 1, 1, Reason.DEAD_PORT)),
        (True, None, None, True, 0, (0, 0, 0, 1, 1, Reason.MISS)),
        (False, None, None, False, 0, (0, 0, 1, 0, 0, Reason.DOES_NOT_EXIST)),
        (False, None, (1,), True, 0, (0, 0, 1, 0, 1, Reason.DOES_NOT_EXIST_BY_TABLE)),
    ],
)
def test_rules(exists, hop, entry, by_packet, dead, answer):
    """All rules, for a switch of 4 ports."""
    assert forwarding(4, exists, hop, entry, by_packet=by_packet, dead=dead) == answer
