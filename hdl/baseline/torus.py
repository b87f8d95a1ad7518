"""Baseline route logic: dimension-order routing of a k-ary torus, the best-known table-free routing."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.magnitude import Magnitude

__all__ = ["PlainTorusRoute"]


class PlainTorusRoute(wiring.Component):
    """Dimension-order routing: the shorter direction around each ring, upwards in a tie. Combinational, one packet per cycle.

    Parameters
    ----------
    sizes : tuple of int
        Nodes of each dimension, powers of two.
    node : tuple of int or None
        Own coordinates as constants, or None for coordinates as inputs (straps).

    Members
    -------
    own.dim0, own.dim1, .. : In(log2 size)
        Own coordinates, static; only without ``node``.
    dst.dim0, dst.dim1, .. : In(log2 size)
        Coordinates of the destination.
    out_port : Out(2 * dimensions)
        One-hot: up and down of dimension 0, of dimension 1, and so on.
    arrived : Out(1)
        The destination is this node.
    """

    def __init__(self, sizes, node=None):
        for size in sizes:
            if size < 2 or size & (size - 1):
                raise ValueError(f"Torus sizes must be powers of two from 2, not {size}")
        self._widths = {f"dim{axis}": size.bit_length() - 1 for axis, size in enumerate(sizes)}
        address = wiring.Signature({name: Out(width) for name, width in self._widths.items()})
        self._node = node
        members = {"dst": In(address)} if node is not None else {"own": In(address), "dst": In(address)}
        super().__init__(members | {"out_port": Out(2 * len(sizes)), "arrived": Out(1)})

    @property
    def latency(self):
        """Cycles from the destination to the outputs."""
        return 0

    def elaborate(self, platform):
        m = Module()
        turn, port = Const(1, 1), []
        for axis, (name, width) in enumerate(self._widths.items()):
            own = getattr(self.own, name) if self._node is None else Const(self._node[axis], width)
            dst = getattr(self.dst, name)
            m.submodules[f"magnitude_{axis}"] = magnitude = Magnitude(width)
            done, down, after = (Signal(name=f"{name}_{axis}") for name in ("done", "down", "after"))
            m.d.comb += [
                magnitude.a.eq(dst),
                magnitude.b.eq(own),
                done.eq(dst == own),
                # The distance up is more than half the ring: at least half, and not exactly half.
                down.eq(~magnitude.below[-1] & (dst ^ own)[:-1].any() if width > 1 else 0),
                after.eq(turn & done),
            ]
            port += [turn & ~done & ~down, turn & down]
            turn = after
        m.d.comb += [self.out_port.eq(Cat(port)), self.arrived.eq(turn)]
        return m
