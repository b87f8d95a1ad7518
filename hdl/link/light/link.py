"""The light link (D 5.2.2, Fig. 5.7): 256b/260b, and around it a code that corrects one wrong bit of a block."""

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...fec.secded import SecdedCode, SecdedDecoder, SecdedEncoder
from ...logic import Beside, connect_ports, count
from ...pcs.pcs260 import Pcs260Rx, Pcs260Tx
from ...pcs.words import mii
from ...stream import stage

__all__ = ["CODE", "LightLink", "LightLinkRx", "LightLinkTx"]

#: The code of the link: 10 check bits behind a block of 260.
CODE = SecdedCode(270, 260)


class LightLinkTx(wiring.Component):
    """Four words to a codeword. Latency 2 cycles (PCS, code), one codeword a cycle.

    Parameters
    ----------
    layout : str
        Format of 256b/260b.

    Members
    -------
    i : In(stream of mii(4))
    o : Out(stream of 270 bits)
        Bits 0..259 the block, 260..269 the check bits. Bit 0 is sent first. Holds while it is not taken.
    enable : In(1)
        Without it the check bits of what passes the code are 0. May change at any time.
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
    """Codewords to four words each. Latency 2 cycles (code, PCS), one codeword a cycle.

    One wrong bit of a codeword is corrected. With two, and with more where the syndrome tells, the block is handed on as
    errors, and so is the next one (:class:`~..pcs.pcs260.rx.Pcs260Rx`).

    Parameters
    ----------
    layout : str
        Format of 256b/260b.
    settle : int
        Codewords on their way between ``slip`` and what it changes, beside the one in this component.
    counter_width : int
        Bits of the counters, which stay at their greatest value.

    Members
    -------
    i : In(stream of 270 bits)
    o : Out(stream of mii(4))
    enable : In(1)
        Without it blocks pass as they are, neither corrected nor marked. May change at any time.
    locked, slip : Out(1)
        Block lock on the header; look one bit later.
    clear : In(1)
        Sets the counters to 0.
    corrected, uncorrectable : Out(counter_width)
        Codewords with a wrong bit corrected; those that could not be. While locked.
    blocks, header_errors, corrected_blocks, errored_blocks : Out(counter_width)
        Of the PCS, behind the code.
    """

    latency = 2

    def __init__(self, layout="protected", settle=0, counter_width=32):
        self._pcs = Pcs260Rx(layout, settle + 1, counter_width)
        from_pcs = ("blocks", "header_errors", "corrected_blocks", "errored_blocks")
        super().__init__(
            {
                "i": In(stream.Signature(CODE.n)),
                "o": Out(stream.Signature(mii(4))),
                "enable": In(1),
                "locked": Out(1),
                "slip": Out(1),
                "clear": In(1),
                **{name: Out(counter_width) for name in ("corrected", "uncorrectable", *from_pcs)},
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
    """Both ends of the link's own side: transmitter and receiver beside each other.

    Members
    -------
    tx, rx
        Ports of :class:`LightLinkTx` and :class:`LightLinkRx`.
    """

    latency = 2

    def __init__(self, layout="protected", settle=0, counter_width=32):
        super().__init__(tx=LightLinkTx(layout), rx=LightLinkRx(layout, settle, counter_width))
