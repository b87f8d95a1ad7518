"""The strict link's line: blocks of 256b/257b, 20 of them in a codeword of RS(528,514)."""

from amaranth.hdl import Const, Module
from amaranth.lib import wiring

from dsnswitch.hdl.line.block_codec import BlockDecoder, BlockEncoder
from dsnswitch.hdl.line.line_members import SENT_BLOCK, receiver_members, transmitter_members
from dsnswitch.hdl.line.strict_fec import BEATS, StrictDecode, StrictEncode, strict_pacer
from dsnswitch.hdl.logic.wiring import connect_ports

__all__ = ["StrictLineRx", "StrictLineTx"]


class StrictLineTx(wiring.Component):
    """Sends 20 blocks in 33 words of 160 bits. Latency 3 cycles (block, gearbox, code) to the word with the first bit.

    It takes blocks at the pace of the line (:mod:`pacer`), so that none waits.
    Members: :func:`transmitter_members`.
    """

    latency = 3

    def __init__(self):
        super().__init__(transmitter_members(BEATS.bits))

    def elaborate(self, platform):
        m = Module()
        m.submodules.encoder = encoder = BlockEncoder()
        m.submodules.fec = fec = StrictEncode()
        m.submodules.pacer = pacer = strict_pacer()
        connect_ports(m, self, encoder, SENT_BLOCK)
        connect_ports(m, encoder, self, ("taken",))
        wiring.connect(m, encoder.o, fec.i)
        wiring.connect(m, fec.o, wiring.flipped(self.o))
        m.d.comb += [
            pacer.go.eq(self.o.ready | ~self.o.valid),
            encoder.due.eq(pacer.go & pacer.due),
            pacer.accepted.eq(encoder.taken),
        ]
        return m


class StrictLineRx(wiring.Component):
    """Receives blocks from words of 160 bits. One word per cycle; the code takes 86 cycles from a codeword to its first block.

    A codeword is stored until its last symbol shows whether it could be corrected. If not, all its blocks are bad. The lock is
    codeword lock.
    Members: :func:`receiver_members`.

    Parameters
    ----------
    settle : int
        Words in the pipeline between the unit that moves the boundary on ``slip`` and this component.
    """

    def __init__(self, settle=0):
        self._fec = StrictDecode(settle=settle, managed=False)
        super().__init__(receiver_members(BEATS.bits))

    @property
    def may_be_noise(self):
        """The same as that of a light line: no, because noise is not taken for a codeword."""
        return Const(0, 1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.fec = fec = self._fec
        m.submodules.decoder = decoder = BlockDecoder()
        wiring.connect(m, wiring.flipped(self.i), fec.i)
        connect_ports(m, decoder, self, ("is_data", "no_start", "plain"))
        connect_ports(m, fec, self, ("locked", "slip"))
        came = fec.o.payload
        m.d.comb += [
            fec.o.ready.eq(1),
            decoder.valid.eq(fec.o.valid),
            decoder.coded.eq(came.block),
            self.valid.eq(fec.o.valid),
            self.bad.eq(came.bad | came.fault),
            self.corrected.eq(fec.ended_corrected & fec.locked),
            self.uncorrectable.eq(fec.ended_uncorrectable & fec.locked),
        ]
        return m
