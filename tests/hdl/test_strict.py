"""The strict link: emitted Verilog against the golden model."""

LINK = {"block": "strict-link", "window": 8, "limit": 20, "keep": 2}


def test_link(lab):
    assert lab.bench("strict_bench", LINK, codewords=30, stall=0.2) == 5
