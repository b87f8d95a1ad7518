"""Each part of the PCS is broken once, and the benches notice."""

import inspect
import textwrap

import pytest
from amaranth.hdl import Cat, Module

from dsnswitch.hdl.pcs import ber_monitor, block_lock, classifier, scrambler, sequencer, sum_descrambler
from dsnswitch.hdl.pcs.layouts import ERRORS
from dsnswitch.hdl.pcs.pcs66 import block_fields, code_check, word_reader
from dsnswitch.hdl.pcs.pcs66 import rx as rx66
from dsnswitch.hdl.pcs.pcs257 import mii as pcs257_mii
from dsnswitch.hdl.pcs.pcs260 import field, header
from dsnswitch.sim.run import SimulationError


def accepts_everything(self, platform):
    """Sequencer without order."""
    m = Module()
    m.d.comb += [self.good.eq(~0), self.latest.eq(self.previous)]
    return m


def takes_errors_for_control(good):
    def elaborate(self, platform):
        """Classifier that lets an error among control characters pass."""
        right, classifier.ERROR = classifier.ERROR, 0x100
        try:
            return good(self, platform)
        finally:
            classifier.ERROR = right

    return elaborate


def never_high(self, platform):
    """BER monitor that sees nothing."""
    return Module()


def corrects_two(self, platform):
    """Field decoder that never gives up."""
    m = Module()
    low, high = self.octet[:4], self.octet[4:]
    syndrome = field.field_octet(low)[4:] ^ high
    m.d.comb += [
        self.nibble.eq(Cat(low[bit] ^ (syndrome == 0xF ^ 1 << bit) for bit in range(4))),
        self.corrected.eq(syndrome.any()),
    ]
    return m


def data_if_first_bit(self, platform):
    """Header decoder that looks at two bits."""
    m = Module()
    m.d.comb += [
        self.is_data.eq(self.header[1]),
        self.exact.eq(self.header[:2].xor()),
        self.bad.eq(~self.header[:2].xor()),
    ]
    return m


def forgets_the_bad_block(self, platform):
    """Receiver of 256b/257b that believes what the descrambler makes behind a bad block."""
    source = textwrap.dedent(inspect.getsource(RIGHT))
    broken, space = source.replace("(), came.bad,", "(came.bad,), 0,"), dict(vars(pcs257_mii))
    assert broken != source
    exec(broken, space)
    return space["elaborate"](self, platform)


def anything_follows(self, platform):
    """Gap check that lets every block follow the end of a frame."""
    m = Module()
    m.d.comb += self.follows.eq(self.good)
    return m


def takes_any_lpi(self, platform):
    """Code check that does not look at the high bits."""
    m = Module()
    m.d.comb += [self.known.eq(~self.syndrome[:3].any()), self.error.eq(self.high == 1)]
    return m


def forgets_lane_7(good):
    def elaborate(self, platform):
        """Word reader whose flag of the last lane is never set."""
        m = good(self, platform)
        if self._flagged:
            m.d.comb += self.errors[7].eq(0)
        return m

    return elaborate


RIGHT = pcs257_mii.Mii257Rx.elaborate
MUTANTS = {
    "sequencer": (sequencer.Sequencer, "elaborate", accepts_everything, "pcs66-tx", "sends_66"),
    "classifier": (
        classifier.Classifier,
        "elaborate",
        takes_errors_for_control(classifier.Classifier.elaborate),
        "pcs66-tx",
        "sends_66",
    ),
    "scrambler": (scrambler, "TAPS", (38, 58), "pcs66-tx", "sends_66"),
    "lock": (block_lock.BlockLock, "WINDOW", 65, "pcs66-rx", "receives_66"),
    "lock loss": (block_lock.BlockLock, "LIMIT", 17, "pcs66-rx", "finds_the_blocks"),
    "sums": (sum_descrambler, "TAPS", (38, 58), "pcs66-rx", "receives_66"),
    "gap": (block_fields.GapCheck, "elaborate", anything_follows, "pcs66-rx", "receives_66"),
    "codes": (code_check.CodeCheck, "elaborate", takes_any_lpi, "pcs66-rx", "receives_66"),
    "flags": (
        word_reader.WordReader,
        "elaborate",
        forgets_lane_7(word_reader.WordReader.elaborate),
        "pcs66-rx",
        "receives_66",
    ),
    "error": (rx66, "ERRORS", (ERRORS[0] ^ 1 << 63, ERRORS[1]), "pcs66-rx", "receives_66"),
    "monitor": (ber_monitor.BerMonitor, "elaborate", never_high, "pcs66-rx", "receives_66"),
    "field": (field.FieldDecoder, "elaborate", corrects_two, "pcs260-rx", "receives_260"),
    "spoiled block": (pcs257_mii.Mii257Rx, "elaborate", forgets_the_bad_block, "mii257-rx", "receives_mii257"),
    "header": (header.HeaderDecoder, "elaborate", data_if_first_bit, "pcs260-rx", "receives_260"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_noticed(lab, monkeypatch, name):
    owner, attribute, broken, block, test = MUTANTS[name]
    monkeypatch.setattr(owner, attribute, broken)
    values = {"block": block} | ({"window": 300, "limit": 9} if block == "pcs66-rx" else {})
    with pytest.raises(SimulationError, match="failed"):
        lab.bench("pcs_bench", values, [test], "-mutant", words=1200, stall=0, wrong=0.5)
