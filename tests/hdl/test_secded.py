"""SECDED: the code, its three layers, the gates, and proofs."""

from itertools import combinations

import numpy as np
import pytest
from amaranth.hdl import Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.hdl.fec.hamming import SecdedCode, SecdedDecoder, SecdedEncoder, decode, encode, syndrome
from dsnswitch.hdl.fec.hamming.flags import countable
from dsnswitch.hdl.fec.hamming.sharing import parity_network
from dsnswitch.sim.golden.fec import secded
from dsnswitch.sim.run import SimulationError

NAMED = [(270, 260), (72, 64), (39, 32)]
OTHERS = [(4, 1), (8, 4), (13, 8), (22, 16), (30, 24), (137, 128), (532, 521)]


@pytest.mark.parametrize(("n", "k"), NAMED + OTHERS)
def test_columns(n, k):
    """Different, odd, the lightest there are, rows balanced: the code has distance 4."""
    code = SecdedCode(n, k)
    assert len(set(code.columns)) == n
    assert all(column.bit_count() % 2 for column in code.columns)
    assert code.columns[k:] == tuple(1 << row for row in range(n - k))
    weights = sorted(column.bit_count() for column in code.columns[:k])
    assert weights == sorted(s.bit_count() for s in range(1 << n - k) if s.bit_count() % 2 and s.bit_count() > 1)[:k]
    loads = [row.bit_count() for row in code.rows]
    assert max(loads) - min(loads) <= (1 if (n, k) in NAMED else 2)


def test_270_260_is_the_published_construction():
    """120 columns of weight 3, 140 of weight 5, 1060 ones, 106 in every row (spec/link-coding: SECDED (270,260))."""
    code = SecdedCode(270, 260)
    weights = [column.bit_count() for column in code.columns[:260]]
    assert (weights.count(3), weights.count(5), sum(weights)) == (120, 140, 1060)
    assert {row.bit_count() for row in code.rows} == {106}
    assert countable(code)


@pytest.mark.parametrize(
    ("n", "k", "message"),
    [
        (270, 261, r"SECDED\(270,261\) is impossible: 9 check bits protect 247 bits"),
        (260, 260, "0 check bits protect 0 bits"),
        (20, 0, r"k must be in 1\.\.1024, not 0"),
        (40, 8, "n - k must be at most 16, not 32"),
    ],
)
def test_impossible_codes(n, k, message):
    with pytest.raises(ValueError, match=message):
        SecdedCode(n, k)


@pytest.mark.parametrize(("n", "k"), [*NAMED, (13, 8), (22, 16)])
@pytest.mark.parametrize("with_checks", [False, True])
def test_network_sums_the_rows(n, k, with_checks):
    code = SecdedCode(n, k)
    network = parity_network(code, with_checks)
    assert network.rows() == tuple(row | (1 << k + j if with_checks else 0) for j, row in enumerate(code.rows))
    plain = sum(row.bit_count() - 1 + with_checks for row in code.rows)
    assert network.gates < plain if (n, k) in NAMED else network.gates <= plain


def test_gates_of_270_260():
    """The issue's target is 620 gates in 7 levels, the best peers' 605 in 13 and 681 in 8."""
    encoder, checker = (parity_network(SecdedCode(270, 260), checks) for checks in (False, True))
    assert (encoder.gates, encoder.depth) == (530, 7)
    assert (checker.gates, checker.depth) == (540, 7)
    with pytest.raises(ValueError, match="need 7 XOR levels or more; 6 are not reached"):
        parity_network(SecdedCode(270, 260), depth=6)


@pytest.mark.parametrize(("n", "k"), NAMED)
def test_linear_argument(n, k):
    """A code is linear, so the syndrome tells of the error alone: all of one and two bits, once, are every case."""
    code = SecdedCode(n, k)
    assert syndrome(code, 0) == 0
    seen = set()
    for bit in range(n):
        found = syndrome(code, 1 << bit)
        assert found.bit_count() % 2
        assert found not in seen
        seen.add(found)
        assert decode(code, 1 << bit) == (0, True, False, bit)
    for a, b in combinations(range(n), 2):
        assert decode(code, 1 << a | 1 << b)[1:] == (False, True, None)


@given(st.sampled_from(NAMED), st.data())
def test_layers_agree(size, data):
    """Plain integers against the golden model's matrices, with up to four errors."""
    code = SecdedCode(*size)
    sent = data.draw(st.integers(0, (1 << code.k) - 1))
    word = encode(code, sent)
    assert secded.words([word], code.n).tolist() == secded.encode(code, secded.words([sent], code.k)).tolist()
    for place in data.draw(st.lists(st.integers(0, code.n - 1), max_size=4, unique=True)):
        word ^= 1 << place
    ours = decode(code, word)
    fixed, corrected, uncorrectable, position = secded.decode(code, secded.words([word], code.n))
    assert secded.words([ours.data], code.k).tolist() == fixed.tolist()
    assert (ours.corrected, ours.uncorrectable) == (corrected[0], uncorrectable[0])
    assert (-1 if ours.position is None else ours.position) == position[0]


def test_encode_takes_k_bits():
    with pytest.raises(ValueError, match="SECDED data must have 4 bits, not 5"):
        encode(SecdedCode(8, 4), 16)


def test_triple_errors_are_flagged_as_often_as_theory_says():
    code = SecdedCode(270, 260)
    theory, count = secded.triple_theory(code), 200_000
    assert theory == pytest.approx(0.4426, abs=1e-4)
    sigma = (theory * (1 - theory) / count) ** 0.5
    assert secded.share_of_flagged_triples(code, count, seed=1) == pytest.approx(theory, abs=4 * sigma)


def test_triple_theory_by_counting():
    code = SecdedCode(22, 16)
    received = secded.words([1 << a | 1 << b | 1 << c for a, b, c in combinations(range(22), 3)], 22)
    assert secded.decode(code, received)[2].mean() == pytest.approx(secded.triple_theory(code))


@pytest.mark.parametrize(
    ("values", "tests"),
    [
        *(({"block": "secded-encoder", "n": n, "k": k, "stages": s}, ["encodes"]) for n, k in NAMED for s in (0, 1)),
        *(({"block": "secded-decoder", "n": n, "k": k, "stages": s}, ["decodes"]) for n, k in NAMED for s in (0, 1, 2)),
        ({"block": "secded", "n": 72, "k": 64, "stages": 1}, ["encodes", "decodes"]),
        ({"block": "secded", "n": 39, "k": 32, "position": "none"}, ["encodes", "decodes"]),
        ({"block": "secded-decoder", "n": 22, "k": 16, "position": "binary"}, ["decodes"]),
        ({"block": "secded-decoder", "n": 8, "k": 4, "position": "none"}, ["decodes"]),
        ({"block": "secded-decoder", "n": 72, "k": 64, "stages": 1, "position": "binary"}, ["decodes"]),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else "",
)
def test_bench(lab, values, tests):
    """All 1 + n + n (n - 1) / 2 patterns of up to two errors through the RTL (once at n = 270), and random ones of three."""
    if values["n"] < 270 or values["stages"] == 0 or values["block"] == "secded-encoder":
        assert lab.bench("secded_bench", values, tests, words=300, errors="all") == len(tests)
    if values["block"] == "secded-decoder":
        assert lab.bench("secded_bench", values, ["decodes"], words=0, errors=1000, label="-triples") == 1


def swapped(self, platform):
    """A decoder whose flags are exchanged."""
    m = Module()
    odd = self.syndrome.xor()
    m.d.comb += [self.corrected.eq(odd), self.uncorrectable.eq(self.syndrome.any() & ~odd)]
    return m


def test_flags_that_correct_every_odd_syndrome_are_noticed(lab, monkeypatch):
    """What every peer does: an odd syndrome counts as corrected whether it names a bit or not."""
    from dsnswitch.hdl.fec.hamming import decoder

    monkeypatch.setattr(decoder.Flags, "elaborate", swapped)
    values = {"block": "secded-decoder", "n": 270, "k": 260}
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("secded_bench", values, ["decodes"], words=0, errors=2000, label="-mutant")


# Proofs ---------------------------------------------------------------------------------------------------------------


class Contract(wiring.Component):
    """``broken`` if an encoded word with ``wrong`` errors does not come out as it must.

    ``wrong`` is 1 (any data) or 2 (data 0: the code is linear, and linearity is the network's, which is proved for any
    data by the single errors).
    """

    def __init__(self, code, wrong):
        self._code, self._wrong = code, wrong
        super().__init__({"data": In(code.k), "a": In(range(code.n)), "b": In(range(code.n)), "broken": Out(1)})

    def elaborate(self, platform):
        m = Module()
        code = self._code
        m.submodules.encoder = encoder = SecdedEncoder(code)
        m.submodules.decoder = decoder = SecdedDecoder(code, position="none")
        error, data = Signal(code.n), Signal(code.k)
        m.d.comb += [
            data.eq(self.data if self._wrong == 1 else Const(0, code.k)),
            error.eq((Const(1, code.n) << self.a) ^ ((Const(1, code.n) << self.b) if self._wrong == 2 else 0)),
            encoder.data.eq(data),
            decoder.word.eq(encoder.word ^ error),
        ]
        legal = (self.a < code.n) & (self.b < code.n) & (self.a != self.b if self._wrong == 2 else 1)
        flags = (decoder.corrected == (self._wrong == 1)) & (decoder.uncorrectable == (self._wrong == 2))
        right = flags & (decoder.data == data if self._wrong == 1 else 1)
        m.d.comb += self.broken.eq(legal & ~right)
        return m


@pytest.mark.parametrize("wrong", [1, 2])
@pytest.mark.parametrize(("n", "k"), [(8, 4), (22, 16)])
def test_small_codes_are_proved(prove, n, k, wrong):
    proved, log = prove(Contract(SecdedCode(n, k), wrong), "broken")
    assert proved, log


@pytest.mark.prove
@pytest.mark.parametrize("wrong", [1, 2])
@pytest.mark.parametrize(("n", "k"), NAMED)
def test_named_codes_are_proved(prove, n, k, wrong):
    proved, log = prove(Contract(SecdedCode(n, k), wrong), "broken")
    assert proved, log


def test_a_wrong_decoder_is_not_proved(prove, monkeypatch):
    from dsnswitch.hdl.fec.hamming import decoder

    good = decoder.xor_gates

    def bad(m, network, bits, name):
        return good(m, network, [*bits[1:], bits[0]], name)

    monkeypatch.setattr(decoder, "xor_gates", bad)
    proved, log = prove(Contract(SecdedCode(8, 4), 1), "broken")
    assert not proved
    assert "model found: FAIL" in log


def test_numpy_words_are_little_endian():
    assert secded.words([0b1101], 4).tolist() == [[1, 0, 1, 1]]
    assert np.all(secded.parity_check(SecdedCode(4, 1))[:, 0] == 1)
