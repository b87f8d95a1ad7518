"""Virtual channel classes that count turns, for routings whose packets go up and down in ids."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.net.routing.detour.decisions import goes_up


class Turns(wiring.Component):
    """Class of the next hop: one more than before if the packet went down and now goes up. Combinational.

    A link goes up if it leads to a switch of higher id.

    Parameters
    ----------
    network : Dsn
        The network.
    classes : int
        Number of classes.
    bounded : bool
        Packets may run out of classes. Otherwise the routing keeps within them.

    Members
    -------
    - own (In(m)): Own id, one-hot (static).
    - in_port, in_class (In(ports), In(ceil(log2 classes))): Port on which the packet came, one-hot, and its class. Both are 0
      from a host.
    - goes_up (In(1)): The next hop goes up.
    - rising (Out(ports)): Ports that lead up (static).
    - out_class (Out(ceil(log2 classes))): Class of the next hop.
    - is_over (Out(1)): There is no such class, and ``out_class`` is ``in_class``; 0 if not ``bounded``.
    """

    def __init__(self, network, classes, bounded=True):
        self._network, self._last = network, classes - 1 if bounded else None
        ports, width = len(network.ports), (classes - 1).bit_length()
        super().__init__(
            {
                "own": In(network.m),
                "in_port": In(ports),
                "in_class": In(width),
                "goes_up": In(1),
                "rising": Out(ports),
                "out_class": Out(width),
                "is_over": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        turn = Signal()
        m.d.comb += [
            self.rising.eq(Cat((self.own & self._ids(port)).any() for port in range(len(self.rising)))),
            turn.eq((self.in_port & self.rising).any() & self.goes_up),
            self.is_over.eq(0 if self._last is None else turn & (self.in_class == self._last)),
            self.out_class.eq(self.in_class + (turn & ~self.is_over)),
        ]
        return m

    def _ids(self, port):
        """Mask of the ids whose link on ``port`` goes up."""
        dsn, mask = self._network, 0
        for node in range(dsn.m):
            if dsn.neighbour((0,) * len(dsn.sizes) + (node,), port) is not None and goes_up(dsn, node, port):
                mask |= 1 << node
        return mask
