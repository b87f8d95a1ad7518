"""Ethernet frames across the light link with bit errors on the line: frames that arrive, error counters, missed errors."""

from math import comb

import pytest

from dsnswitch.hdl.fec.secded.code import SecdedCode
from dsnswitch.hdl.pcs.pcs260.pcs import Pcs260Rx
from dsnswitch.lab.codes.secded import delivered
from dsnswitch.sim.golden.fec import secded
from dsnswitch.sim.run import SimulationError

CODE = SecdedCode(270, 260)
LINK = {"block": "light-link"}


def missed(ber):
    """Share of codewords that are wrong but not flagged after the code: three wrong bits, and more."""

    def wrong(bits):
        return comb(270, bits) * ber**bits * (1 - ber) ** (270 - bits)

    # Triples: those that are not flagged. More errors: 1 of 512 even ones has syndrome 0, and 270 odd syndromes are columns.
    triples = (1 - secded.triple_theory(CODE)) * wrong(3)
    return triples + sum(wrong(bits) * (270 / 512 if bits % 2 else 1 / 512) for bits in range(4, 30))


def cross(lab, values=LINK, tests=None, label="", blocks=(), clean=2000, seed=1):
    """Run the bench."""
    blocks = [(ber, count, missed(ber)) for ber, count in blocks]
    return lab.bench("frames_bench", values, tests, label, blocks=blocks, clean=clean, seed=seed)


def test_frames_cross_the_light_link(lab):
    assert cross(lab, blocks=[(1e-3, 4_000), (1e-4, 3_000), (1e-6, 1_000)], clean=1000) == 5


@pytest.mark.regress
@pytest.mark.parametrize(("layout", "seed"), [("protected", 2), ("literal", 3)])
def test_many_frames_cross_the_light_link(lab, layout, seed):
    blocks = [(1e-3, 50_000), (1e-4, 80_000), (1e-6, 20_000)]
    assert cross(lab, LINK | {"format": layout}, None, "-many", blocks, 5000, seed) == 5


def test_missed_share_is_that_of_the_exact_spectrum():
    for ber in (1e-6, 1e-4, 1e-3):
        assert missed(ber) == pytest.approx(delivered(CODE, ber).unflagged.sum(), rel=0.01)


@pytest.mark.regress
def test_a_block_that_should_be_spoilt_is_noticed(lab, mutate):
    """A broken receiver passes the block after an uncorrectable one, which was descrambled with it."""
    old = "unpacker.bad),\n        words_out.spoils.eq(self.i.payload.bad)"
    mutate(Pcs260Rx, "elaborate", old, "unpacker.bad | self.i.payload.bad)")
    with pytest.raises(SimulationError, match=r"frames_bench\.one_and_two failed"):
        cross(lab, tests=["one_and_two"], label="-mutant")
