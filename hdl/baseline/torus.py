"""Baseline route logic: dimension-order routing of a k-ary torus, the best-known table-free routing."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..logic import Magnitude

__all__ = ["TorusRoute"]


class TorusRoute(wiring.Component):
    """Dimension-order routing: the shorter direction around each ring, upwards in a tie. Combinational, one packet per cycle.

    Parameters
    ----------
    sizes : tuple of int
        Nodes of each dimension, powers of two.
    node : tuple of int or None
        Own coordinates as constants, or None for coordinates as inputs (straps).

    Members
    -------
    own_0, own_1, .. : In(log2 size)
        Own coordinates, static; only without ``node``.
    dst_0, dst_1, .. : In(log2 size)
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
        self._widths = [size.bit_length() - 1 for size in sizes]
        self._node = node
        members = {}
        if node is None:
            members |= {f"own_{axis}": In(width) for axis, width in enumerate(self._widths)}
        members |= {f"dst_{axis}": In(width) for axis, width in enumerate(self._widths)}
        super().__init__(members | {"out_port": Out(2 * len(sizes)), "arrived": Out(1)})

    @property
    def latency(self):
        """Cycles from the destination to the outputs."""
        return 0

    def elaborate(self, platform):
        m = Module()
        turn, port = Const(1, 1), []
        for axis, width in enumerate(self._widths):
            own = getattr(self, f"own_{axis}") if self._node is None else Const(self._node[axis], width)
            dst = getattr(self, f"dst_{axis}")
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
