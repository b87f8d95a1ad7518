"""Notice injector: inserts notices between the packets of host 0 on their way into the core."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import FlitLink, flit_layout
from dsnswitch.hdl.switch.credit_return import CreditReturn
from dsnswitch.hdl.switch.notice import NoticeFormat

__all__ = ["NoticeInjector"]


class NoticeInjector(wiring.Component):
    """Inserts notices between the packets of a host, on channel 0. Latency 1 cycle for flits and for credits.

    The host has a credit for each entry of the core's buffer, so no entry is reserved for notices. A notice therefore takes an
    entry of channel 0 only while one is free, and keeps the next credit of this channel. A host that sends in the meantime has
    one flit more than fits: one at most, as there is one such notice at a time. This flit waits in a register, ``waiting``. While
    a notice and a flit wait, credits are held back, so that a host that sends in every cycle pauses and the register empties.

    Parameters
    ----------
    shape : CoreShape
        With detours.
    port : CorePort
        Host 0.

    Members
    -------
    flits : In(FlitLink)
        Flits of the host.
    pending, notice, taken : In(1), In(NoticeFormat.width), Out(1)
        A notice waits; the lowest bits of its flit; it goes to the register ``o``.
    o : Out(FlitLink)
        Flits to the core.

    Attributes
    ----------
    left : Signal
        Free buffer entries of channel 0 in the core.
    owes : Signal
        A notice has taken an entry, and no credit has been kept for it yet.
    waiting : Signal
        Channel of the flit that waits, one-hot; 0 without one.
    in_packet : Signal
        A packet of the host is open on channel 0.
    sent : Signal
        Channel of the flit that goes to the register ``o``, one-hot; 0 without one.
    stays, resumes : Signal
        The flit of the host cannot go on in this cycle; the flit that waits goes on.
    returns : list of CreditReturn
        Credits of each channel on their way to the host.
    """

    def __init__(self, shape, port):
        self._shape = shape
        self.left = Signal(range(shape.depth + 1), init=shape.depth)
        self.owes = Signal()
        self.waiting = Signal(port.channels)
        self.in_packet = Signal()
        self.stays = Signal()
        self.resumes = Signal()
        self.sent = Signal(port.channels)
        self.returns = [CreditReturn(shape.depth) for _ in range(port.channels)]
        super().__init__(
            {
                "flits": In(FlitLink(shape, port)),
                "pending": In(1),
                "notice": In(NoticeFormat(shape).width),
                "taken": Out(1),
                "o": Out(FlitLink(shape, port)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        came, sent, credit = self.flits.valid, self.sent, self.o.credit
        full = Signal()
        waits = Signal()
        stays, resumes = self.stays, self.resumes
        m.d.comb += [
            full.eq(~self.left.any()),
            waits.eq(self.waiting.any()),
            resumes.eq(waits & ~(self.waiting[0] & full)),
            self.taken.eq(self.pending & ~waits & ~full & ~self.owes & ~self.in_packet),
            stays.eq(came.any() & (resumes | self.taken | came[0] & full)),
            sent.eq(Mux(resumes, self.waiting, Mux(self.taken, 1, Mux(stays, 0, came)))),
        ]
        chosen = self._chosen(m)
        m.d.sync += [self.o.valid.eq(sent), self.o.flit.eq(chosen)]
        with m.If(stays):
            m.d.sync += self.waiting.eq(came)
        with m.Elif(resumes):
            m.d.sync += self.waiting.eq(0)
        with m.If(sent[0]):
            m.d.sync += self.in_packet.eq(~chosen.tail)
        with m.If(self.taken | credit[0]):
            m.d.sync += self.owes.eq(self.taken)
        m.d.sync += self.left.eq(self.left - sent[0] + credit[0])
        for v, credits in enumerate(self.returns):
            m.submodules[f"return_{v}"] = credits
            m.d.comb += [
                credits.earned.eq(credit[v] & ~self.owes if v == 0 else credit[v]),
                credits.hold.eq(self.pending & waits),
                self.flits.credit[v].eq(credits.credit),
            ]
        return m

    def _chosen(self, m):
        """The flit that goes to the core. The flit that waits is in ``kept``."""
        flit = Signal(flit_layout(self._shape))
        kept = Signal(flit_layout(self._shape), reset_less=True)
        chosen = Signal(flit_layout(self._shape))
        m.d.comb += [
            flit.data.eq(self.notice),
            Cat(flit.head, flit.tail).eq(3),
            chosen.eq(Mux(self.resumes, kept, Mux(self.taken, flit, self.flits.flit))),
        ]
        with m.If(self.stays):
            m.d.sync += kept.eq(self.flits.flit)
        return chosen
