"""The Reed-Solomon decoder's Verilog corrects as many random words as theory predicts."""

from math import comb

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from dsnswitch.gen.emit.verilog.convert import convert
from dsnswitch.hdl.fec.reed_solomon import decoder
from dsnswitch.hdl.fec.reed_solomon.code import NAMED
from dsnswitch.hdl.fec.reed_solomon.decoder import RsDecoder
from dsnswitch.sim.run import SimulationError, run_bench

pytestmark = pytest.mark.regress

COUNTERS = ("codewords", "corrected", "uncorrectable", "symbol_errors")


class RandomWords(wiring.Component):
    """A decoder fed by generators of random numbers (SplitMix64: G. Steele, D. Lea, C. Flood 2014), one beat per cycle."""

    def __init__(self, name, width):
        self._decoder = RsDecoder(NAMED[name], width)
        super().__init__({name: Out(32) for name in COUNTERS})

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = self._decoder
        payload = decoder.i.payload
        numbers = []
        for place in range(-(-len(payload) // 64)):
            state = Signal(64, name=f"state_{place}", init=0x0123456789ABCDEF * (2 * place + 1) % (1 << 64))
            m.d.sync += state.eq(state + 0x9E3779B97F4A7C15)
            value = state
            for step, (shift, factor) in enumerate(((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))):
                mixed = Signal(64, name=f"mixed_{place}_{step}")
                m.d.comb += mixed.eq((value ^ value >> shift) * factor)
                value = mixed
            numbers.append((value ^ value >> 31)[:64])
        m.d.comb += [payload.eq(Cat(numbers)), decoder.i.valid.eq(1), decoder.o.ready.eq(1)]
        m.d.comb += [getattr(self, name).eq(getattr(decoder, name)) for name in COUNTERS]
        return m


@pytest.fixture
def run(lab):
    """A function that simulates random words in a decoder."""
    return lambda name, width, words, label="": decode(lab.folder / f"random-words-{name}{label}{lab.worker}", name, width, words)


def decode(folder, name, width, words):
    """Simulate random words, and check the number of corrected words.

    A random word is within t symbols of a codeword with the probability that is the share of all words in such balls.
    """
    code = NAMED[name]
    order = code.field.order
    balls = [comb(code.n, wrong) * order**wrong / (order + 1) ** code.parity for wrong in range(code.t + 1)]
    clean, expected = words * balls[0], words * sum(balls[1:])
    # Six standard deviations of a Poisson distribution, and four more words, because small means are not normally distributed.
    spread = 6 * expected**0.5 + 4
    parameters = {
        "codewords": words,
        "beats": -(-code.n // width),
        "least": expected - spread,
        "most": expected + spread,
        "clean": clean + 6 * clean**0.5 + 4,
    }
    folder.mkdir(parents=True, exist_ok=True)
    verilog = folder / "random_words.v"
    verilog.write_text(convert(RandomWords(name, width), "random_words", []))
    return run_bench("random_words_bench", verilog, "random_words", folder, parameters, optimise="-O1")


@pytest.mark.parametrize(
    ("name", "width", "words"), [("rs-7-3", 7, 1_000_000), ("rs-255-239", 16, 60_000), ("rs-528-514", 16, 30_000)]
)
def test_random_words(run, name, width, words):
    """Expected words within t symbols of a codeword: 263,000 for RS(7,3), 1.5 for RS(255,239), 0.05 for RS(528,514).

    For the two large codes the lower bound is below 0, as it would be with a million words.
    """
    assert run(name, width, words) == 1


def test_one_that_does_not_count_roots_is_noticed(run, monkeypatch):
    monkeypatch.setattr(decoder, "ones", lambda bits: Cat(bits[1:]).any() + bits[0])
    with pytest.raises(SimulationError, match="decodes_as_often_as_theory_says"):
        run("rs-7-3", 7, 100_000, "-mutant")
