"""Matrix arbiter: grants the least recently served requester."""

from itertools import combinations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["MatrixArbiter"]


class MatrixArbiter(wiring.Component):
    """Grants the least recently served requester. Latency 1 cycle, with one bit of state per pair of requesters.

    While an input requests and is not granted, each other input is granted at most once: the grant moves it to the end of
    the order. So a request waits for at most ``inputs - 1`` grants to others. This also holds if requests come and go: cycles
    without a request change the order only in the waiting input's favour.

    The order of a cycle already counts the grant that is in the register, which enters the order's own registers one cycle
    later. So a late request passes through the comparison only.

    Parameters
    ----------
    inputs : int

    Members
    -------
    request : In(inputs)
        Requests.
    keep : In(inputs)
        One-hot or 0. If not 0, it is granted and ``request`` is ignored.
    grant : Out(inputs)
        One-hot, or 0 without a request; registered.

    Attributes
    ----------
    order : dict of Signal
        For each pair ``(low, high)`` the register that says whether ``low`` comes before ``high``, without the last grant.
    """

    def __init__(self, inputs):
        pairs = combinations(range(inputs), 2)
        self.order = {(low, high): Signal(name=f"order_{low}_{high}", init=1) for low, high in pairs}
        super().__init__({"request": In(inputs), "keep": In(inputs), "grant": Out(inputs)})

    def elaborate(self, platform):
        m = Module()
        inputs = len(self.request)
        first = {}
        for (low, high), order in self.order.items():
            first[low, high] = order_now = Signal(name=f"order_now_{low}_{high}")
            m.d.comb += order_now.eq(order & ~self.grant[low] | self.grant[high])
            m.d.sync += order.eq(order_now)
            first[high, low] = ~order_now
        kept = Signal()
        m.d.comb += kept.eq(self.keep.any())
        for one in range(inputs):
            loses = Signal(name=f"loses_{one}")
            rivals = [self.request[other] & first[other, one] for other in range(inputs) if other != one]
            m.d.comb += loses.eq(Cat(rivals).any())
            m.d.sync += self.grant[one].eq(Mux(kept, self.keep[one], self.request[one] & ~loses))
        return m
