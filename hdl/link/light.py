"""The light link (D 5.2.2, Fig. 5.7): 256b/260b, protected by a code that corrects one wrong bit per block."""

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.fec.secded.coders import SecdedDecoder, SecdedEncoder
from dsnswitch.hdl.line.rates import CODE
from dsnswitch.hdl.logic.numbers import count
from dsnswitch.hdl.logic.wiring import Beside, connect_ports
from dsnswitch.hdl.pcs.layouts import COUNTER_BITS, mii
from dsnswitch.hdl.pcs.pcs260.pcs import Pcs260Rx, Pcs260Tx
from dsnswitch.hdl.stream.stage import stage


class LightLinkTx(wiring.Component):
    """Transmitter: converts four words to a codeword. Latency 2 cycles (PCS, code), one codeword per cycle.

    Parameters
    ----------
    layout : str
        Format of 256b/260b.

    Members
    -------
    - i (In(stream of mii(4))): The words; word 0 is sent first.
    - o (Out(stream of 270 bits)): Bits 0..259 are the block, bits 260..269 the check bits. Bit 0 is sent first. The payload
      holds its value until it is accepted.
    - enable (In(1)): Enable the code: while 0, the check bits of blocks that enter the encoder are 0. May change at any time.
    """

    latency = 2

    def __init__(self, layout="protected"):
        self._pcs = Pcs260Tx(layout)
        super().__init__({"i": In(stream.Signature(mii(4))), "o": Out(stream.Signature(CODE.n)), "enable": In(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.pcs = pcs = self._pcs
        m.submodules.encoder = encoder = SecdedEncoder(CODE)
        connect(m, flipped(self.i), pcs.i)
        m.d.comb += encoder.data.eq(pcs.o.payload)
        with m.If(stage(m, pcs.o, self.o)):
            checks = Mux(self.enable, encoder.word[CODE.k :], 0)
            m.d.sync += self.o.payload.eq(Cat(pcs.o.payload, checks))
        return m


class LightLinkRx(wiring.Component):
    """Receiver: converts a codeword to four words. Latency 2 cycles (code, PCS), one codeword per cycle.

    It corrects one wrong bit of a codeword. Uncorrectable blocks are passed on as errors, and so is the next block
    (:class:`Pcs260Rx`). A block is uncorrectable if it has two wrong bits, or more and the syndrome shows it.

    Parameters
    ----------
    layout : str
        Format of 256b/260b.
    settle : int
        Codewords in the pipeline between the unit that moves the boundary on ``slip`` and this component.

    Members
    -------
    - i (In(stream of 270 bits)): The codeword; bit 0 was sent first.
    - o (Out(stream of mii(4))): The words; word 0 was sent first.
    - enable (In(1)): Enable the code: while 0, blocks are neither corrected nor marked. May change at any time.
    - locked, slip (Out(1)): Block lock, by the header; the boundary must move by one bit.
    - clear (In(1)): Sets the counters to 0.
    - corrected, uncorrectable (Out(32)): Corrected codewords; uncorrectable codewords. Counted while locked.
    - blocks, header_errors, corrected_blocks, errored_blocks (Out(32)): Counters of the PCS, which follows the code.
    """

    latency = 2

    def __init__(self, layout="protected", settle=0):
        self._pcs = Pcs260Rx(layout, settle + 1)
        from_pcs = ("blocks", "header_errors", "corrected_blocks", "errored_blocks")
        super().__init__(
            {
                "i": In(stream.Signature(CODE.n)),
                "o": Out(stream.Signature(mii(4))),
                "enable": In(1),
                "locked": Out(1),
                "slip": Out(1),
                "clear": In(1),
                **{name: Out(COUNTER_BITS) for name in ("corrected", "uncorrectable", *from_pcs)},
            }
        )
        self._from_pcs = ("locked", "slip", *from_pcs)

    def elaborate(self, platform):
        m = Module()
        m.submodules.pcs = pcs = self._pcs
        m.submodules.decoder = decoder = SecdedDecoder(CODE, position="none")
        connect(m, pcs.o, flipped(self.o))
        m.d.comb += [decoder.word.eq(self.i.payload), pcs.clear.eq(self.clear)]
        connect_ports(m, pcs, self, self._from_pcs)
        corrected = self.enable & decoder.corrected
        uncorrectable = self.enable & decoder.uncorrectable
        between = stream.Signature(pcs.i.payload.shape()).create(path=("between",))
        connect(m, between, pcs.i)
        taken = stage(m, self.i, between)
        with m.If(taken):
            m.d.sync += [
                between.payload.block.eq(Mux(self.enable, decoder.data, self.i.payload[: CODE.k])),
                between.payload.bad.eq(uncorrectable),
            ]
        count(m, self, corrected=corrected & taken & pcs.locked, uncorrectable=uncorrectable & taken & pcs.locked)
        return m


class LightLink(Beside):
    """One end of a light link: :class:`LightLinkTx` with its ports in ``tx``, :class:`LightLinkRx` in ``rx``."""

    latency = 2

    def __init__(self, layout="protected", settle=0):
        super().__init__(tx=LightLinkTx(layout), rx=LightLinkRx(layout, settle))
