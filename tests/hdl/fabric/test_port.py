"""Two fabric ports joined by a line: emitted Verilog against the golden model of the line, with wrong bits and faults."""


def test_line_is_legal(joined):
    assert joined(["line_is_legal"], packets=40) == 1
