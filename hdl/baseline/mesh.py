"""Baseline route logic: dimension-order routing of a mesh, the cheapest table-free routing."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.magnitude import Magnitude

__all__ = ["PlainMeshRoute"]


class PlainMeshRoute(wiring.Component):
    """Dimension-order routing: up or down each dimension in turn. Combinational, one packet per cycle.

    Parameters
    ----------
    sizes : tuple of int
        Nodes of each dimension, powers of two.

    Members
    -------
    own.dim0, own.dim1, .. : In(log2 size)
        Own coordinates, static.
    dst.dim0, dst.dim1, .. : In(log2 size)
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
        self._widths = {f"dim{axis}": size.bit_length() - 1 for axis, size in enumerate(sizes)}
        address = wiring.Signature({name: Out(width) for name, width in self._widths.items()})
        outputs = {"out_port": Out(2 * len(sizes)), "arrived": Out(1)}
        super().__init__({"own": In(address), "dst": In(address), **outputs})

    def elaborate(self, platform):
        m = Module()
        turn, port = Const(1, 1), []
        for axis, (name, width) in enumerate(self._widths.items()):
            own, dst = getattr(self.own, name), getattr(self.dst, name)
            m.submodules[f"magnitude_{axis}"] = magnitude = Magnitude(width)
            done, after = (Signal(name=f"{name}_{axis}") for name in ("done", "after"))
            m.d.comb += [magnitude.a.eq(dst), magnitude.b.eq(own), done.eq(dst == own), after.eq(turn & done)]
            port += [turn & ~done & ~magnitude.borrow, turn & magnitude.borrow]
            turn = after
        m.d.comb += [self.out_port.eq(Cat(port)), self.arrived.eq(turn)]
        return m
