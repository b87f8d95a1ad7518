"""Flits of a fabric link before the code has corrected them, and their withdrawal."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import flit_layout
from dsnswitch.hdl.port.shape import FabricShape


class EarlyFlits(wiring.Component):
    """Offers a flit in the cycle of its block, and says late in this cycle whether it counts. Latency 0 or 1 cycles.

    The flit is read from the block as it arrives, while the code looks for wrong bits. It counts if no bit of the codeword is
    wrong and the receiver accepts it. If not, it is withdrawn. If the receiver accepts the corrected flit all the same, it is
    offered in the next cycle, from the receiver's register, and counts. Flits that arrive meanwhile take the same way, so that
    flits stay in order, until a block brings none.

    Members
    -------
    - offers (In(channels)): The channel of a flit that the block may have; one-hot or 0. Known early, so it is a guess.
    - early (In(flit_layout)): That flit, not corrected.
    - takes (In(channels)): The channel on which the receiver accepts ``early`` if no bit is wrong; one-hot or 0.
    - exact (In(1)): No bit of the codeword is wrong.
    - accepts (In(1)): In the next cycle ``into`` and ``flit`` have the corrected flit, or another one. It is 1 if ``takes`` is
      not 0 and ``exact`` is 1.
    - into, flit (In): The flit in the receiver's register; ``into`` is one-hot or 0.
    - valid, offered (Out(channels), Out(flit_layout)): The flit for the core.
    - confirmed (Out(1)): It counts.
    """

    def __init__(self, shape: FabricShape):
        flit = flit_layout(shape.core)
        #: The flit in the register has not been given yet.
        self.waits = Signal()
        super().__init__(
            {
                "offers": In(shape.channels),
                "early": In(flit),
                "takes": In(shape.channels),
                "exact": In(1),
                "accepts": In(1),
                "into": In(shape.channels),
                "flit": In(flit),
                "valid": Out(shape.channels),
                "offered": Out(flit),
                "confirmed": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        waits = self.waits
        counts = Signal()
        m.d.comb += [
            counts.eq((self.takes & self.offers).any() & self.exact),
            self.valid.eq(Mux(waits, self.into, self.offers)),
            self.offered.eq(Mux(waits, self.flit, self.early)),
            self.confirmed.eq(waits | counts),
        ]
        m.d.sync += waits.eq(self.accepts & (waits | ~counts))
        return m
