"""Reed-Solomon with any parameters: random codes, beats, unrolling and cuts; encoder and decoder against the golden model."""

import random

import pytest

from dsnswitch.hdl.gf.field import Field

LARGE = pytest.mark.regress


def field(rng):
    """GF(2**2) to GF(2**12) with a random primitive polynomial."""
    m = rng.choice((2, 3, 4, 5, 6, 7, 8, 9, 11, 12))
    while True:
        try:
            return Field(m, rng.randrange(1 << m, 2 << m))
        except ValueError:
            continue


def drawn(seed):
    """A random code, shortened or not, and a width; then the parameters of the decoder alone."""
    rng = random.Random(seed)
    over = field(rng)
    n = rng.randint(3, min(over.order, 60))
    parity = rng.randint(2, min(n - 1, 12))
    code = {"n": n, "k": n - parity, "field": over.m, "polynomial": over.polynomial, "root": rng.randrange(over.order)}
    symbols = rng.randint(1, min(n, 20))
    cuts = [cut for cut in ("syndromes", "evaluation", "division") if rng.random() < 0.5]
    more = {
        "unroll": rng.randint(1, parity),
        "cuts": ",".join(cuts) or "none",
        "lanes": rng.choice([lanes for lanes in range(1, symbols + 1) if symbols % lanes == 0]),
    }
    return {**code, "symbols": symbols}, more


@pytest.mark.parametrize("seed", [18, *(pytest.param(seed, marks=LARGE) for seed in range(12))])
def test_any_code(lab, seed):
    values, more = drawn(seed)
    cases = [{"words": 24, "stall": stall} for stall in (0, 0.3)]
    assert lab.bench("rs_bench", {"block": "rs-encoder", **values}, ["encodes"], cases=cases) == 1
    decoder = {"block": "rs-decoder", **values, **more}
    both = ["decodes", "forgets_what_a_reset_cut_off"]
    kinds = [("beyond", 0), ("beyond", 0.6), ("single", 0), ("bursts", 0.1), ("parity", 0.2)]
    cases = [{"errors": errors, "words": 60, "stall": stall} for errors, stall in kinds]
    assert lab.bench("rs_bench", decoder, both, cases=cases) == 2
