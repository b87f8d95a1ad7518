"""SECDED: proofs that every single error is corrected and every double error flagged, for any data.

For small codes, SAT proves both for any data. For the named codes, it proves both for data 0, because XORs of 260 bits are too
hard for SAT. In addition, the netlist between word and syndrome is shown to be linear: it consists of XORs alone and has the rows
of the code. The syndrome then depends on the error alone, and so does all logic after it, except for the corrected bits.
"""

import json

import pytest
from amaranth.hdl import Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.gen.emit.verilog.hierarchy import hierarchical_rtlil
from dsnswitch.hdl.fec.secded.code import SecdedCode
from dsnswitch.hdl.fec.secded.coders import SecdedDecoder, SecdedEncoder
from dsnswitch.lab.synth.yosys import commands

NAMED = [(270, 260), (72, 64), (39, 32)]


class Contract(wiring.Component):
    """Output ``broken`` is 1 if an encoded word with ``wrong`` errors is not decoded as it must be.

    ``wrong`` is 1 or 2. With ``zero``, the data are 0.
    """

    def __init__(self, code, wrong, zero):
        self._code, self._wrong, self._zero = code, wrong, zero
        super().__init__({"data": In(code.k), "a": In(range(code.n)), "b": In(range(code.n)), "broken": Out(1)})

    def elaborate(self, platform):
        m = Module()
        code = self._code
        m.submodules.encoder = encoder = SecdedEncoder(code)
        m.submodules.decoder = decoder = SecdedDecoder(code, position="none")
        error = Signal(code.n)
        data = Signal(code.k)
        m.d.comb += [
            data.eq(Const(0, code.k) if self._zero else self.data),
            error.eq((Const(1, code.n) << self.a) ^ ((Const(1, code.n) << self.b) if self._wrong == 2 else 0)),
            encoder.data.eq(data),
            decoder.word.eq(encoder.word ^ error),
        ]
        legal = (self.a < code.n) & (self.b < code.n) & (self.a != self.b if self._wrong == 2 else 1)
        flags = (decoder.corrected == (self._wrong == 1)) & (decoder.uncorrectable == (self._wrong == 2))
        received = (encoder.word ^ error)[: code.k]
        right = flags & (decoder.data == (data if self._wrong == 1 else received))
        m.d.comb += self.broken.eq(legal & ~right)
        return m


@pytest.mark.parametrize("wrong", [1, 2])
@pytest.mark.parametrize(("n", "k"), [(8, 4), (13, 8), (22, 16)])
def test_small_codes_are_proved(prove, n, k, wrong):
    proved, log = prove(Contract(SecdedCode(n, k), wrong, zero=False), "broken")
    assert proved, log


@pytest.mark.prove
@pytest.mark.parametrize("wrong", [1, 2])
@pytest.mark.parametrize(("n", "k"), NAMED)
def test_named_codes_are_proved(prove, n, k, wrong):
    proved, log = prove(Contract(SecdedCode(n, k), wrong, zero=True), "broken")
    assert proved, log


def linear_forms(component, source, tmp_path):
    """The nets of a netlist that are sums of bits of port ``source``: name -> an integer for each bit, with the summed bits."""
    (tmp_path / "linear.il").write_text(hierarchical_rtlil(component, "linear"))
    passes = ("proc -norom", "flatten", "simplemap", "opt_clean")
    done = commands(("read_rtlil linear.il", "hierarchy -top linear", *passes, "write_json linear.json"), tmp_path)
    assert done.returncode == 0, done.stderr
    module = json.loads((tmp_path / "linear.json").read_text())["modules"]["linear"]
    forms = {bit: 1 << place for place, bit in enumerate(module["ports"][source]["bits"])}
    waiting = [cell["connections"] for cell in module["cells"].values() if cell["type"] == "$_XOR_"]
    while waiting:
        left = []
        for pins in waiting:
            a, b = (forms.get(pins[pin][0]) for pin in "AB")
            if a is None or b is None:
                left.append(pins)
            else:
                forms[pins["Y"][0]] = a ^ b
        if len(left) == len(waiting):
            break
        waiting = left
    return {name: [forms.get(bit) for bit in net["bits"]] for name, net in module["netnames"].items()}


@pytest.mark.parametrize(("n", "k"), NAMED)
def test_gates_are_linear(tmp_path, n, k):
    """The encoder's word and the decoder's syndrome and parity consist of XORs alone, and are the sums that the code defines."""
    code = SecdedCode(n, k)
    word = linear_forms(SecdedEncoder(code), "data", tmp_path)["word"]
    assert word == [1 << bit for bit in range(k)] + list(code.rows)
    decoder = linear_forms(SecdedDecoder(code), "word", tmp_path)
    assert decoder["syndrome"] == [row | 1 << k + check for check, row in enumerate(code.rows)]
    assert decoder["parity"] == [(1 << n) - 1]


def test_a_wrong_decoder_is_not_proved(prove, monkeypatch):
    from dsnswitch.hdl.fec.secded import coders as decoder

    good = decoder.xor_gates

    def bad(m, network, bits, name):
        return good(m, network, [*bits[1:], bits[0]], name)

    monkeypatch.setattr(decoder, "xor_gates", bad)
    proved, log = prove(Contract(SecdedCode(8, 4), 1, zero=False), "broken")
    assert not proved
    assert "model found: FAIL" in log
