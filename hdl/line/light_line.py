"""The light link's line: receiver of codewords of SECDED(270,260). :class:`LineEncoder` is the transmitter."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring

from dsnswitch.hdl.line.block_format import LIGHT
from dsnswitch.hdl.line.light_fec import CODE
from dsnswitch.hdl.line.line_decoder import LineDecoder
from dsnswitch.hdl.line.line_members import receiver_members
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.pcs.block_lock import BlockLock

__all__ = ["LightLineRx"]


class LightLineRx(wiring.Component):
    """Receives blocks in codewords of the light link. Combinational from codeword to block; one block per cycle.

    Lock is block lock, by headers without a wrong bit: at a boundary that is off by one bit, half of the headers are those of
    the other kind of block with one wrong bit. A lock that sees only uncorrectable codewords ends after :attr:`HOPELESS` of them.

    Members: :func:`receiver_members`.

    Parameters
    ----------
    settle : int
        Codewords in the pipeline between the unit that moves the boundary on ``slip`` and this component.
    """

    #: Uncorrectable codewords in a row that end the lock. A power of two.
    HOPELESS = 512

    def __init__(self, settle=0):
        self._lock = BlockLock(settle + 1)
        super().__init__(receiver_members(CODE.n))

    @property
    def may_be_noise(self):
        """Whether the block of the cycle before is perhaps noise, if the line fails and it has no flag.

        A correction makes a codeword of more than a quarter of all words. One in 1,024 is a codeword without a correction.
        """
        return self.corrected

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = LineDecoder()
        m.submodules.lock = lock = self._lock
        connect_ports(m, decoder, self, ("is_data", "plain", "bad"))
        connect_ports(m, lock, self, ("locked", "slip"))
        framed = Signal()
        arrived = Signal()
        fixed = Signal()
        failed = Signal()
        failures = Signal(range(self.HOPELESS + 1))
        hopeless = failures[-1]
        m.d.sync += [
            arrived.eq(self.i.valid),
            framed.eq(decoder.framed),
            fixed.eq(self.i.valid & decoder.corrected),
            failed.eq(self.i.valid & decoder.bad),
        ]
        m.d.comb += [
            self.i.ready.eq(1),
            decoder.valid.eq(self.i.valid),
            decoder.word.eq(self.i.payload),
            self.valid.eq(self.i.valid),
            self.no_start.eq(LIGHT.no_start(m, decoder.early_field)),
            lock.test.eq(arrived),
            lock.valid.eq(framed & ~hopeless),
            self.corrected.eq(fixed & lock.locked),
            self.uncorrectable.eq(failed & lock.locked),
        ]
        with m.If(~lock.locked):
            m.d.sync += failures.eq(0)
        with m.Elif(arrived & ~hopeless):
            m.d.sync += failures.eq(Mux(failed, failures + 1, 0))
        return m
