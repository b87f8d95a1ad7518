"""The key under which a table knows a destination: its address, or where it lies from here (D Fig. 4.12)."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..topology import Dsn

__all__ = ["KEYS", "TableKey", "key_width"]

#: How coordinates stand in a key.
KEYS = ("absolute", "relative", "folded")


def key_width(dsn: Dsn, keys):
    """Bits of a key: x, y and id, folded coordinates with a direction bit more."""
    return sum(levels + (keys == "folded" and levels > 0) for levels in dsn.levels) + (dsn.m - 1).bit_length()


class TableKey(wiring.Component):
    """Destination and own coordinates to a key: x, y, id, x most significant. Combinational.

    Parameters
    ----------
    dsn : Dsn
        The network.
    keys : str
        ``absolute``: the destination as it is. ``relative``: x and y as forward distances ``(dst - own) mod n``. ``folded``: a
        direction bit and the distance that way; forward as it is, backward with its bits reversed, as there the trailing one
        decides.

    Members
    -------
    own_x, own_y : In(p_x), In(p_y)
        Own coordinates; not with absolute keys.
    dst_x, dst_y, dst_id : In(p_x), In(p_y), In(ceil(log2 m))
        The destination. A field with one possible value has no port.
    key : Out(key_width)
    """

    def __init__(self, dsn: Dsn, keys):
        if keys not in KEYS:
            raise ValueError(f"Keys must be one of {', '.join(KEYS)}, not {keys!r}")
        self._dsn, self._keys = dsn, keys
        self._rings = [ring for ring in zip(dsn.dimensions, dsn.sizes, dsn.levels) if ring[2]]
        members = {} if keys == "absolute" else {f"own_{name}": In(levels) for name, _, levels in self._rings}
        members |= {f"dst_{name}": In(levels) for name, _, levels in self._rings}
        if dsn.m > 1:
            members["dst_id"] = In((dsn.m - 1).bit_length())
        super().__init__(members | {"key": Out(key_width(dsn, keys))})

    @property
    def latency(self):
        """Cycles from the destination to the key."""
        return 0

    def elaborate(self, platform):
        m = Module()
        parts = [self._coordinate(m, *ring) for ring in self._rings]
        if self._dsn.m > 1:
            parts.append(self.dst_id)
        m.d.comb += self.key.eq(Cat(reversed(parts)))
        return m

    def _coordinate(self, m, name, n, levels):
        dst = getattr(self, f"dst_{name}")
        if self._keys == "absolute":
            return dst
        own = getattr(self, f"own_{name}")
        ahead = Signal(levels, name=f"ahead_{name}")
        m.d.comb += ahead.eq(self._minus(dst, own, n))
        if self._keys == "relative":
            return ahead
        if self._dsn.directions == "forward":
            return Cat(ahead, 0)
        behind = Signal(levels, name=f"behind_{name}")
        back = Signal(name=f"back_{name}")
        # More than half the ring ahead is less than half behind.
        m.d.comb += [behind.eq(self._minus(own, dst, n)), back.eq(behind < ahead)]
        return Cat(Mux(back, behind[::-1], ahead), back)

    @staticmethod
    def _minus(a, b, n):
        """``(a - b) mod n``."""
        return a - b if n & (n - 1) == 0 else Mux(a < b, a - b + n, a - b)
