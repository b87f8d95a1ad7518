"""The strict link: 256b/257b, protected by RS(528,514), 20 blocks per codeword (IEEE 802.3 Clause 91, from memory)."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.line.rates import BEATS, BLOCKS_PER_CYCLE, STRICT_COUNTERS
from dsnswitch.hdl.line.strict import StrictDecode, StrictEncode, strict_pacer
from dsnswitch.hdl.logic.wiring import Beside, connect_ports
from dsnswitch.hdl.pcs.layouts import COUNTER_BITS, mii
from dsnswitch.hdl.pcs.pcs257 import Mii257Rx, Mii257Tx


class StrictLinkTx(wiring.Component):
    """Transmitter: converts four words at a time to 160-bit words of codewords. Latency 3 cycles (PCS, gearbox, encoder).

    One word of the line per cycle: it accepts 20 times four words of the MII in 33 cycles. The latency is counted from four
    words of the MII to the word of the line with the first bit of their block. It is the same for every block while the
    line does not stall, as the transmitter accepts blocks at the pace of the line (:class:`Pacer`).

    Members
    -------
    - i (In(stream of mii(4))): The words; word 0 is sent first.
    - o (Out(stream of 160 bits)): Words of the line; bit 0 is sent first. Codewords of 33 words are counted from reset. The
      payload holds its value until it is accepted.
    """

    latency = 3
    #: Groups of four words of the MII.
    results_per_cycle = BLOCKS_PER_CYCLE

    i: In(stream.Signature(mii(4)))
    o: Out(stream.Signature(BEATS.bits))

    def elaborate(self, platform):
        m = Module()
        m.submodules.pcs = pcs = Mii257Tx()
        m.submodules.fec = fec = StrictEncode()
        m.submodules.pacer = pacer = strict_pacer()
        connect(m, pcs.o, fec.i)
        connect(m, fec.o, flipped(self.o))
        due = Signal()
        m.d.comb += [
            pacer.go.eq(self.o.ready | ~self.o.valid),
            due.eq(pacer.go & pacer.due),
            pcs.i.payload.eq(self.i.payload),
            pcs.i.valid.eq(self.i.valid & due),
            self.i.ready.eq(pcs.i.ready & due),
            pacer.accepted.eq(self.i.valid & self.i.ready),
        ]
        return m


class StrictLinkRx(wiring.Component):
    """Receiver: converts 160-bit words of codewords to four words of the MII at a time. One word of the line per cycle.

    It corrects up to 7 wrong symbols of a codeword. If there are more, all words of the codeword become errors, and so do the
    first four words of the next codeword (:class:`Mii257Rx`). Without lock every word is two local fault ordered sets.

    The latency from the first word of a codeword to its first words of the MII is :attr:`latency` cycles, and 33 cycles less
    with ``bypass_indication``.

    Parameters and other members are those of :class:`StrictDecode`, except the restart of its lock.

    Members
    -------
    - i (In(stream of 160 bits)): Words of the line; bit 0 was sent first.
    - o (Out(stream of mii(4))): The words; word 0 was sent first.
    - blocks, errored_blocks (Out(32)): Counted while locked: all blocks; blocks of which at least one word became an error.
    """

    #: Groups of four words of the MII.
    results_per_cycle = BLOCKS_PER_CYCLE

    def __init__(self, unroll=1, settle=0, window=8192, limit=417, keep=160):
        self._fec = StrictDecode(unroll, settle, window, limit, keep)
        self._pcs = Mii257Rx()
        self.latency = self._fec.latency + self._pcs.latency
        from_pcs = ("blocks", "errored_blocks")
        super().__init__(
            {
                "i": In(stream.Signature(BEATS.bits)),
                "o": Out(stream.Signature(mii(4))),
                "bypass_correction": In(1),
                "bypass_indication": In(1),
                "locked": Out(1),
                "slip": Out(1),
                "hi_ser": Out(1),
                "clear": In(1),
                **{name: Out(COUNTER_BITS) for name in (*STRICT_COUNTERS, *from_pcs)},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.fec = fec = self._fec
        m.submodules.pcs = pcs = self._pcs
        connect(m, flipped(self.i), fec.i)
        connect(m, fec.o, pcs.i)
        connect(m, pcs.o, flipped(self.o))
        connect_ports(m, self, fec, ("bypass_correction", "bypass_indication", "clear"))
        connect_ports(m, self, pcs, ("clear",))
        connect_ports(m, fec, self, ("locked", "slip", "hi_ser", *STRICT_COUNTERS))
        connect_ports(m, pcs, self, ("blocks", "errored_blocks"))
        return m


class StrictLink(Beside):
    """One end of a strict link: :class:`StrictLinkTx` with its ports in ``tx``, :class:`StrictLinkRx` in ``rx``."""

    results_per_cycle = BLOCKS_PER_CYCLE

    def __init__(self, **parameters):
        receiver = StrictLinkRx(**parameters)
        self.latency = receiver.latency
        super().__init__(tx=StrictLinkTx(), rx=receiver)
