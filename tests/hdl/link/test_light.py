"""Each unit of the light link alone: PCS and code are stand-ins, and every output is compared with a model in every cycle."""

import pytest
from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.rates import CODE
from dsnswitch.hdl.link import light
from dsnswitch.hdl.link.light import LightLink, LightLinkRx, LightLinkTx
from dsnswitch.hdl.logic import numbers
from dsnswitch.hdl.pcs.pcs260.pcs import Pcs260Rx, Pcs260Tx

from ..compared import AnyInputs, compare
from ..leaping_counter import STEP, LeapingCounter
from ..line.test_selected import Copy
from ..mixed import Mixed, mixed

BLOCK, COUNT = (1 << CODE.k) - 1, (1 << 32) - 1


class Inverting(wiring.Component):
    """A decoder that inverts the block, and of which two check bits say what has been found."""

    def __init__(self, code, position):
        super().__init__({"word": In(code.n), "data": Out(code.k), "corrected": Out(1), "uncorrectable": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += Cat(self.data, self.corrected, self.uncorrectable).eq(self.word ^ BLOCK)
        return m


class Tx(AnyInputs):
    def __init__(self):
        super().__init__(LightLinkTx())
        self.pcs, self.valid, self.word = Mixed(Pcs260Tx()), 0, 0

    def cycle(self, enable, i__payload, i__valid, o__ready):
        sent, ready = self.pcs.outputs(), o__ready | ~self.valid & 1
        found = {"i__ready": sent["i__ready"], "o__payload": self.word, "o__valid": self.valid}
        self.pcs.step(i__payload=i__payload, i__valid=i__valid, o__ready=ready)
        if ready and sent["o__valid"]:
            block = sent["o__payload"]
            self.word = block | (block << CODE.k if enable else 0) & (1 << CODE.n) - 1
        if ready:
            self.valid = sent["o__valid"]
        return found


class Rx(AnyInputs):
    def __init__(self):
        super().__init__(LightLinkRx())
        self.pcs, self.valid, self.block, self.counts = Mixed(Pcs260Rx()), 0, 0, (0, 0)

    def cycle(self, enable, clear, i__payload, i__valid, o__ready):
        found, counts = self.pcs.outputs(), self.counts
        ready = found["i__ready"] | ~self.valid & 1
        self.pcs.step(i__payload=self.block, i__valid=self.valid, o__ready=o__ready, clear=clear)
        flags = [enable & i__payload >> CODE.k + place for place in range(2)]
        events = [flag & i__valid & ready & found["locked"] for flag in flags]
        self.counts = [(0 if clear else count) + STEP * event & COUNT for count, event in zip(counts, events)]
        if i__valid and ready:
            self.block = i__payload & BLOCK ^ (BLOCK if enable else 0) | flags[1] << CODE.k
        if ready:
            self.valid = i__valid
        return found | {"i__ready": ready, "corrected": counts[0], "uncorrectable": counts[1]}


class Both(AnyInputs):
    def __init__(self):
        super().__init__(LightLink())
        self.parts = {"tx": Mixed(LightLinkTx()), "rx": Mixed(LightLinkRx())}

    def cycle(self, **inputs):
        found = {f"{part}__{name}": value for part, one in self.parts.items() for name, value in one.outputs().items()}
        for part, one in self.parts.items():
            one.step(**{name.removeprefix(f"{part}__"): value for name, value in inputs.items() if name.startswith(part)})
        return found


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch):
    """The PCS, the code and the counters."""
    for name, kind in {"Pcs260Tx": mixed(Pcs260Tx), "Pcs260Rx": mixed(Pcs260Rx), "SecdedEncoder": Copy}.items():
        monkeypatch.setattr(light, name, kind)
    monkeypatch.setattr(light, "SecdedDecoder", Inverting)
    monkeypatch.setattr(numbers, "Counter", LeapingCounter)


@pytest.mark.parametrize(("kind", "model"), [(LightLinkTx, Tx), (LightLinkRx, Rx)])
def test_unit(simulate, kind, model):
    compare(simulate, kind(), model)


def test_link(simulate, monkeypatch):
    for kind in (LightLinkTx, LightLinkRx):
        monkeypatch.setattr(light, kind.__name__, mixed(kind))
    compare(simulate, LightLink(), Both)
