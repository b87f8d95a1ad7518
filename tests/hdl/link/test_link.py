"""The light link: emitted Verilog against the golden models, latency, and reception of each end's words by the other."""

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring

from dsnswitch.hdl.fec.secded.coders import SecdedDecoder
from dsnswitch.hdl.link import light
from dsnswitch.hdl.link.light import LightLink, LightLinkRx, LightLinkTx
from dsnswitch.sim.run import SimulationError

FORMATS = ["protected", pytest.param("literal", marks=pytest.mark.regress)]


@pytest.mark.parametrize("layout", FORMATS)
def test_transmitter(lab, layout):
    values = {"block": "light-link-tx", "format": layout}
    assert lab.bench("pcs_bench", values, ["sends_light"], words=200, stall=0, enable=1, wrong=0) == 1
    for enable in (1, 0):
        assert lab.bench("pcs_bench", values, ["sends_light"], words=600, stall=0.3, enable=enable, wrong=0) == 1


@pytest.mark.parametrize("layout", FORMATS)
def test_receiver(lab, layout):
    values = {"block": "light-link-rx", "format": layout}
    tests = ["receives_light", "enable_may_change_at_any_block"]
    assert lab.bench("pcs_bench", values, tests, words=400, stall=0, enable=1, wrong=0.3) == 2
    for enable in (1, 0):
        assert lab.bench("pcs_bench", values, tests[:1], words=700, stall=0.3, enable=enable, wrong=0.3) == 1


def test_latency_is_two_cycles_each_way():
    """One cycle for the PCS and one for the code. The benches compare the Verilog with the manifest, which uses this latency."""
    assert (LightLinkTx.latency, LightLinkRx.latency, LightLink.latency) == (2, 2, 2)


@pytest.mark.regress
def test_a_decoder_that_keeps_silent_is_noticed(lab, monkeypatch):
    """The bench builds a complete receiver."""

    class Silent(wiring.Component):
        """Corrects errors, but does not flag uncorrectable words."""

        def __init__(self, code, position):
            self._decoder = SecdedDecoder(code, position=position)
            super().__init__(self._decoder.signature)

        def elaborate(self, platform):
            m = Module()
            m.submodules.decoder = decoder = self._decoder
            m.d.comb += [decoder.word.eq(self.word), self.data.eq(decoder.data), self.corrected.eq(decoder.corrected)]
            return m

    monkeypatch.setattr(light, "SecdedDecoder", Silent)
    values = {"block": "light-link-rx", "format": "protected"}
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("pcs_bench", values, ["receives_light"], "-mutant", words=1200, stall=0, enable=1, wrong=0.3)
