"""Emitted PCS blocks against the golden model."""

import pytest

BLOCKS = {
    "pcs66-tx": ({}, ["sends_66"]),
    "pcs66-rx": ({"window": 300, "limit": 9}, ["receives_66", "finds_the_blocks"]),
    "pcs257-tx": ({}, ["sends_257"]),
    "pcs257-rx": ({}, ["receives_257"]),
    "mii257-tx": ({}, ["sends_mii257"]),
    "mii257-rx": ({}, ["receives_mii257"]),
}
FORMATS = {"pcs260-tx": ["sends_260"], "pcs260-rx": ["receives_260", "finds_the_blocks", "survives_wrong_framing"]}


@pytest.mark.parametrize("block", BLOCKS)
def test_bench(lab, block):
    values, tests = BLOCKS[block]
    runs(lab, {"block": block, **values}, tests, 900)


@pytest.mark.parametrize("layout", ["protected", "literal"])
@pytest.mark.parametrize("block", FORMATS)
def test_bench_260(lab, block, layout):
    runs(lab, {"block": block, "format": layout}, FORMATS[block], 900 if block == "pcs260-tx" else 1800)


@pytest.mark.regress
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("layout", ["protected", "literal"])
@pytest.mark.parametrize("block", FORMATS)
def test_bench_260_for_long(lab, block, layout, seed):
    values = {"block": block, "format": layout}
    assert lab.bench("pcs_bench", values, FORMATS[block][:1], words=20_000, stall=0.2, wrong=0.5, seed=seed) == 1


@pytest.mark.regress
@pytest.mark.parametrize("layout", ["protected", "literal"])
@pytest.mark.parametrize("block", FORMATS)
def test_every_legal_sequence(lab, block, layout):
    """All 12,640 sequences of four block types through the RTL, and every wrong framing bit of one sequence of each kind."""
    values = {"block": block, "format": layout}
    tests = [name for name in FORMATS[block] if name != "finds_the_blocks"]
    assert lab.bench("pcs_bench", values, tests, words="all", stall=0, wrong=0) == len(tests)


def runs(lab, values, tests, words):
    """Run the bench at full speed, where latency is checked, and with stalls."""
    assert lab.bench("pcs_bench", values, tests[:1], words=words // 3, stall=0, wrong=0.3) == 1
    found = [name for name in tests if name != "survives_wrong_framing"]
    assert lab.bench("pcs_bench", values, found, words=words, stall=0.4, wrong=0.5) == len(found)
    if len(found) < len(tests):
        assert lab.bench("pcs_bench", values, tests[-1:], words=1, stall=0.2, wrong=0) == 1
