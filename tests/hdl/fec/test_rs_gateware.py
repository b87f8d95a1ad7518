"""Reed-Solomon encoder and decoder: emitted Verilog against the golden model.

The tests of the strict link have encoder and decoder of RS(528,514).
"""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.fec.reed_solomon.code import NAMED, Beats, DecoderPlan, ReedSolomonCode, encode
from dsnswitch.hdl.gf import field as matrix
from dsnswitch.hdl.gf.field import Field
from dsnswitch.net.messages import UsageError

LARGE = pytest.mark.regress
CODE = "rs-528-514"

#: A code without a name: another first root, another polynomial, an odd number of parity symbols.
OTHER = {"n": 40, "k": 30, "field": 6, "polynomial": 0x5B, "root": 3}
ODD = {"n": 30, "k": 25, "field": 5, "polynomial": 0x25}


def rs(kind, code, **more):
    return {"block": f"rs-{kind}", **({"code": code} if isinstance(code, str) else code), **more}


@pytest.mark.parametrize(
    ("code", "symbols"),
    [
        ("rs-7-3", 3),
        *(pytest.param("rs-7-3", symbols, marks=LARGE) for symbols in (1, 2, 4, 5, 6, 7)),
        pytest.param(OTHER, 7, marks=LARGE),
        (ODD, 4),
        pytest.param("rs-255-239", 1, marks=LARGE),
        *(pytest.param(CODE, symbols, marks=LARGE) for symbols in (16, 8, 33, 66, 10)),
        *(pytest.param(code, 16, marks=LARGE) for code in ("rs-544-514", "rs-255-239")),
    ],
    ids=str,
)
def test_encoder(lab, code, symbols):
    values = rs("encoder", code, symbols=symbols)
    cases = [{"words": 24, "stall": stall} for stall in (0, 0.3)]
    assert lab.bench("rs_bench", values, ["encodes"], cases=cases) == 1


DECODERS = [
    *(pytest.param({"code": "rs-7-3"}, {"symbols": symbols}, marks=LARGE) for symbols in (1, 2, 4, 7)),
    ({"code": "rs-7-3"}, {"symbols": 3, "unroll": 3, "cuts": "none"}),
    pytest.param({"code": "rs-7-3"}, {"symbols": 7, "unroll": 4, "cuts": "syndromes"}, marks=LARGE),
    pytest.param(OTHER, {"symbols": 8, "unroll": 3, "cuts": "syndromes,evaluation,division"}, marks=LARGE),
    (ODD, {"symbols": 8, "unroll": 2}),
    pytest.param(ODD, {"symbols": 30, "unroll": 5, "cuts": "none"}, marks=LARGE),
    pytest.param({"code": CODE}, {"symbols": 16}, marks=LARGE),
    pytest.param({"code": "rs-255-239"}, {"symbols": 16}, marks=LARGE),
    *(
        pytest.param({"code": CODE}, {"symbols": symbols, "unroll": unroll}, marks=LARGE)
        for symbols, unroll in ((8, 1), (16, 2), (33, 1), (66, 2))
    ),
    pytest.param({"code": "rs-544-514"}, {"symbols": 16, "unroll": 1}, marks=LARGE),
    pytest.param({"code": "rs-544-514"}, {"symbols": 34, "unroll": 4}, marks=LARGE),
]


@pytest.mark.parametrize(("code", "more"), DECODERS, ids=lambda value: "-".join(map(str, value.values())))
def test_decoder(lab, code, more):
    """Random errors within and beyond t, each symbol wrong once, bursts across ends, errors in parity alone; stalls; reset."""
    values = rs("decoder", code, **more)
    both = ["decodes", "forgets_what_a_reset_cut_off"]
    # For a large code, `make regress` tests every symbol and every burst.
    most = 24 if code == {"code": CODE} and not more.get("unroll") else 600
    kinds = [("beyond", 40, 0), ("beyond", 24, 0.6), ("single", 600, 0), ("bursts", 200, 0.1), ("parity", 24, 0.2)]
    cases = [{"errors": errors, "words": min(words, most), "stall": stall} for errors, words, stall in kinds]
    cases.append({"words": 16, "bypass": 1})
    assert lab.bench("rs_bench", values, both, cases=cases) == 2


@pytest.mark.parametrize("symbols", [pytest.param(1, marks=LARGE), 7])
def test_every_error_of_rs_7_3(lab, symbols):
    """All 1,079 patterns of up to two symbols, every value, on random words."""
    values = rs("decoder", "rs-7-3", symbols=symbols)
    assert lab.bench("rs_bench", values, ["decodes"], cases=[{"words": 2000, "errors": "every"}]) == 1


@pytest.mark.parametrize(
    ("symbols", "unroll", "cycles"), [(16, 1, 51), (16, 2, 44), (33, 1, 34), (33, 2, 27), (66, 1, 26), (66, 2, 19)]
)
def test_latency_of_rs_528_514(symbols, unroll, cycles):
    """At most two cycles above the minimum: reception, key equation, 2. Benches measure the same latency in the Verilog."""
    beats = Beats(NAMED[CODE], symbols)
    plan = DecoderPlan(beats, unroll)
    assert plan.latency == cycles <= beats.count + -(-14 // unroll) + 2 + 2
    # A codeword arrives every 528 / W cycles. If that is less than the steps of a solver plus two, a second solver is needed.
    assert plan.solvers == (2 if symbols == 66 else 1)


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("width", [1, 5, 16])
def test_parity_map_is_the_long_division(name, width):
    """Every basis vector of the last data: one symbol with one bit set, and its parity by long division."""
    code = NAMED[name]
    width = min(width, code.k)
    rows, size = Beats(code, width).parity_map(), code.field.m
    for place in range(width):
        for bit in range(size):
            data = [0] * code.k
            data[code.k - width + place] = 1 << bit
            parity = encode(code, data)[code.k :]
            wanted = sum(symbol << size * power for power, symbol in enumerate(reversed(parity)))
            assert matrix.apply(rows, 1 << size * place + bit) == wanted


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (rs("encoder", "rs-7-3", symbols=8), r"Symbols per beat must be in 1\.\.7, not 8"),
        (rs("encoder", CODE, symbols=529), r"must be at most 200000, not 740600"),
        (rs("encoder", CODE, n=528), "code and n cannot be given together"),
        (rs("encoder", {"n": 15, "k": 9, "field": 4}), "Block rs-encoder needs polynomial"),
        (rs("encoder", {"n": 15, "k": 9, "field": 4, "polynomial": 31}), "must be primitive, not 0x1f"),
        (rs("decoder", CODE, unroll=15), r"Key equation steps per cycle must be in 1\.\.14, not 15"),
        (rs("decoder", CODE, cuts="syndrome"), "cuts must be different ones of .*, not 'syndrome'"),
        (rs("decoder", CODE, cuts="division,division"), "cuts must be different ones of .*, not 'division'"),
        (rs("decoder", CODE, lanes=3), "Lanes must divide the symbols per beat, 16, not 3"),
    ],
)
def test_bad_parameters(values, message):
    with pytest.raises(UsageError, match=message):
        build(values)


def test_bad_width():
    with pytest.raises(TypeError, match=r"Symbols per beat must be an integer, not 1\.5"):
        Beats(ReedSolomonCode(7, 3, Field(3, 0xB)), 1.5)
