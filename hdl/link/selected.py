"""The selected link: its format, light or strict, is selected at run time (D 5.2.2)."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.line.light import LightDecode
from dsnswitch.hdl.line.rates import BEATS, LIGHT_BLOCKS_PER_CYCLE
from dsnswitch.hdl.line.selected import FEC_COUNTERS, SelectedDecode, SelectedEncode
from dsnswitch.hdl.logic.wiring import Beside, connect_ports
from dsnswitch.hdl.pcs.dual import DualRx, DualTx
from dsnswitch.hdl.pcs.layouts import COUNTER_BITS, mii

_PCS_COUNTERS = ("blocks", "corrected_blocks", "errored_blocks")

#: Counters of the receiver.
SELECTED_COUNTERS = (*FEC_COUNTERS[:-1], *_PCS_COUNTERS, FEC_COUNTERS[-1])


class SelectedLinkTx(wiring.Component):
    """Transmitter: converts four words at a time to 160-bit words of the line, in either format.

    Latency 3 cycles (PCS, gearbox, code), one word of the line per cycle. The latency is counted from four words of the MII
    to the word of the line with the first bit of their block. It is the same for every block while the line does not stall,
    as the transmitter accepts blocks at the pace of the line (:class:`Pacer`).

    The format changes after a group (:class:`SelectedEncode`). Scrambler and sequencer keep their states, so that a
    frame may continue across the change.

    Members
    -------
    - i (In(stream of mii(4))): The words; word 0 is sent first.
    - strict (In(1)): The requested format, read between groups of blocks.
    - o (Out(stream of 160 bits)): Words of the line; bit 0 is sent first. The payload holds its value until it is accepted.
    - is_strict (Out(1)): The format of the words that are accepted.
    """

    latency = 3
    #: Groups of four words of the MII, in the format that carries fewer.
    results_per_cycle = LIGHT_BLOCKS_PER_CYCLE

    i: In(stream.Signature(mii(4)))
    strict: In(1)
    o: Out(stream.Signature(BEATS.bits))
    is_strict: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.pcs = pcs = DualTx()
        m.submodules.fec = fec = SelectedEncode()
        connect(m, pcs.o, fec.i)
        connect(m, fec.o, flipped(self.o))
        connect_ports(m, self, fec, ("strict",))
        connect_ports(m, fec, self, ("is_strict",))
        m.d.comb += [
            pcs.i.payload.eq(self.i.payload),
            pcs.strict.eq(fec.is_strict),
            pcs.i.valid.eq(self.i.valid & fec.due),
            self.i.ready.eq(pcs.i.ready & fec.due),
            fec.accepted.eq(self.i.valid & self.i.ready),
        ]
        return m


class SelectedLinkRx(wiring.Component):
    """Receiver: converts 160-bit words of the line, in either format, to four words of the MII at a time. One word per cycle.

    The latency from the first word of a group to its first words of the MII is :attr:`latency` cycles in the light format,
    and one cycle more than that of :class:`StrictLinkRx` in the strict format.

    Parameters and other members are those of :class:`SelectedDecode` and :class:`DualRx`.

    Members
    -------
    - i (In(stream of 160 bits)): Words of the line; bit 0 was sent first.
    - o (Out(stream of mii(4))): The words; word 0 was sent first.
    """

    latency = 1 + LightDecode.latency + DualRx.latency
    #: Groups of four words of the MII, in the format that carries fewer.
    results_per_cycle = LIGHT_BLOCKS_PER_CYCLE

    def __init__(self, unroll=1, settle=0, window=8192, limit=417, keep=160):
        self._fec = SelectedDecode(unroll, settle, window, limit, keep)
        self._pcs = DualRx()
        inputs = ("strict", "bypass_correction", "bypass_indication", "clear")
        super().__init__(
            {
                "i": In(stream.Signature(BEATS.bits)),
                "o": Out(stream.Signature(mii(4))),
                **{name: In(1) for name in inputs},
                **{name: Out(1) for name in ("is_strict", "locked", "slip", "hi_ser")},
                **{name: Out(COUNTER_BITS) for name in SELECTED_COUNTERS},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.fec = fec = self._fec
        m.submodules.pcs = pcs = self._pcs
        connect(m, flipped(self.i), fec.i)
        connect(m, fec.o, pcs.i)
        connect(m, pcs.o, flipped(self.o))
        connect_ports(m, self, fec, ("strict", "bypass_correction", "bypass_indication", "clear"))
        connect_ports(m, fec, self, ("is_strict", "locked", "slip", "hi_ser", *FEC_COUNTERS))
        connect_ports(m, self, pcs, ("clear",))
        connect_ports(m, pcs, self, _PCS_COUNTERS)
        return m


class SelectedLink(Beside):
    """One end of a selected link: :class:`SelectedLinkTx` with its ports in ``tx``, :class:`SelectedLinkRx` in ``rx``."""

    results_per_cycle = LIGHT_BLOCKS_PER_CYCLE

    def __init__(self, **parameters):
        receiver = SelectedLinkRx(**parameters)
        self.latency = receiver.latency
        super().__init__(tx=SelectedLinkTx(), rx=receiver)
