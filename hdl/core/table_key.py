"""Table key of a destination: its address, or its distance from the switch's address (D Fig. 4.12)."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.routing.address import DESTINATION, OWN, AddressSignature
from dsnswitch.net.checks import Parameter
from dsnswitch.net.topology.network import Network

__all__ = ["TableKey"]


class TableKey(wiring.Component):
    """Computes the table key of a destination: fields of an address, the first in the most significant bits. Combinational.

    Parameters
    ----------
    network : Network
        The network.
    keys : str
        One of ``network.keys``. ``absolute``: the address of the destination. Only for a DSN: ``relative``, in which x and y are
        forward distances ``(dst - own) mod n``; ``folded``, in which they are a direction bit and the distance in that
        direction. A backward distance has its bits reversed, as its trailing one decides.

    Members
    -------
    own.FIELD : In
        Own coordinates x and y; only with relative and folded keys.
    dst.FIELD : In
        Address of the destination. A field with one possible value has no port.
    key : Out(key_width)
        The key.
    """

    network = Parameter("The network.")
    keys = Parameter("Kind of the keys.")

    def __init__(self, network: Network, keys):
        if keys not in network.keys:
            raise ValueError(f"Keys must be one of {', '.join(network.keys)}, not {keys!r}")
        self._network, self._keys = network, keys
        self._fields = [field for field in network.fields if field.width]
        # The id of a DSN node is absolute in every kind of key.
        moving = [] if keys == "absolute" else self._fields[: sum(map(bool, network.levels))]
        self._moving = {field.name for field in moving}
        own, dst = AddressSignature(moving, OWN), AddressSignature(self._fields, DESTINATION)
        super().__init__({"own": In(own), "dst": In(dst), "key": Out(network.key_width(keys))})

    @property
    def latency(self):
        """Cycles from the destination to the key."""
        return 0

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.key.eq(Cat(reversed([self._coordinate(m, field) for field in self._fields])))
        return m

    def _coordinate(self, m, field):
        name, n, levels = field.name, field.size, field.width
        dst = getattr(self.dst, name)
        if name not in self._moving:
            return dst
        own = getattr(self.own, name)
        ahead = Signal(levels, name=f"ahead_{name}")
        m.d.comb += ahead.eq(self._minus(dst, own, n))
        if self.keys == "relative":
            return ahead
        if self.network.directions == "forward":
            return Cat(ahead, 0)
        behind = Signal(levels, name=f"behind_{name}")
        back = Signal(name=f"back_{name}")
        # The forward distance is more than half the ring if the backward distance is less than the forward distance.
        m.d.comb += [behind.eq(self._minus(own, dst, n)), back.eq(behind < ahead)]
        return Cat(Mux(back, behind[::-1], ahead), back)

    @staticmethod
    def _minus(a, b, n):
        """``(a - b) mod n``."""
        return a - b if n & (n - 1) == 0 else Mux(a < b, a - b + n, a - b)
