"""Baseline route logic: dimension-order routing of a mesh, the cheapest table-free routing."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..logic import Magnitude

__all__ = ["MeshRoute"]


class MeshRoute(wiring.Component):
    """Dimension-order routing: up or down each dimension in turn. Combinational, one packet per cycle.

    Parameters
    ----------
    sizes : tuple of int
        Nodes of each dimension, powers of two.

    Members
    -------
    own_0, own_1, .. : In(log2 size)
        Own coordinates, static.
    dst_0, dst_1, .. : In(log2 size)
        Coordinates of the destination.
    out_port : Out(2 * dimensions)
        One-hot: up and down of dimension 0, of dimension 1, and so on.
    arrived : Out(1)
        The destination is this node.
    """

    def __init__(self, sizes):
        for size in sizes:
            if size < 2 or size & (size - 1):
                raise ValueError(f"Mesh sizes must be powers of two from 2, not {size}")
        self._widths = [size.bit_length() - 1 for size in sizes]
        members = {f"own_{axis}": In(width) for axis, width in enumerate(self._widths)}
        members |= {f"dst_{axis}": In(width) for axis, width in enumerate(self._widths)}
        super().__init__(members | {"out_port": Out(2 * len(sizes)), "arrived": Out(1)})

    def elaborate(self, platform):
        m = Module()
        turn, port = Const(1, 1), []
        for axis, width in enumerate(self._widths):
            own, dst = getattr(self, f"own_{axis}"), getattr(self, f"dst_{axis}")
            m.submodules[f"magnitude_{axis}"] = magnitude = Magnitude(width)
            done, after = (Signal(name=f"{name}_{axis}") for name in ("done", "after"))
            m.d.comb += [magnitude.a.eq(dst), magnitude.b.eq(own), done.eq(dst == own), after.eq(turn & done)]
            port += [turn & ~done & ~magnitude.borrow, turn & magnitude.borrow]
            turn = after
        m.d.comb += [self.out_port.eq(Cat(port)), self.arrived.eq(turn)]
        return m
