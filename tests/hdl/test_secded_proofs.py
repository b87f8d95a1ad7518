"""SECDED: proofs by SAT that every single error is corrected and every double error flagged."""

import pytest
from amaranth.hdl import Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.fec.hamming import SecdedCode, SecdedDecoder, SecdedEncoder

NAMED = [(270, 260), (72, 64), (39, 32)]


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
