"""Two fabric ports joined by a line: emitted Verilog against the golden model of the line, with wrong bits and faults."""

import pytest


def test_line_is_legal(joined):
    assert joined(["line_is_legal"], packets=40) == 1


@pytest.mark.parametrize("ber", [1e-3, 1e-4, 1e-5])
def test_random_traffic(joined, ber):
    assert joined(["random_traffic"], packets=150, ber=ber) == 1
