"""Route logic of a mesh switch: dimension-order routing."""

from amaranth.hdl import Cat, Const, Module, Signal

from dsnswitch.hdl.logic.numbers import Magnitude
from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.net.topology.mesh import Mesh


class MeshRoute(RouteComponent):
    """Table-free route logic of a mesh switch: dimension-order routing, see :class:`MeshRelation`.

    In each dimension, the packet goes forward if the destination has the larger coordinate, and backward if it has the smaller
    one. It never takes a port at the edge of the mesh.

    Parameters
    ----------
    network : Mesh
        The network.
    node : tuple of int or None
        None makes the *universal* logic, with its address as the input ``own``. An address makes the *specialised*
        logic of that switch.

    Members
    -------
    - own.dim0, own.dim1, .. (In(ceil(log2 size))): Own coordinates, static straps; only in the universal logic. A dimension of
      one switch has no input.
    - dst.dim0, dst.dim1, .. (In(ceil(log2 size))): Coordinates of the destination.
    - out_port (Out(ports)): One-hot output port, by the index of :attr:`Mesh.ports`.
    - arrived (Out(1)): The destination is this switch.
    - invalid (Out(1)): The destination or the own address does not exist. Exactly one bit of ``out_port``, ``arrived`` and
      ``invalid`` is set.
    """

    def __init__(self, network: Mesh, node=None):
        super().__init__(network, node)

    def elaborate(self, platform):
        m = Module()
        turn, ports = Const(1, 1), []
        for axis, field in enumerate(self.network.fields):
            if field.size == 1:
                continue
            m.submodules[f"distance_{axis}"] = distance = Magnitude(field.width)
            done, after = Signal(name=f"done_{axis}"), Signal(name=f"after_{axis}")
            own, dst = self._own(field.name), self._dst(field.name)
            m.d.comb += [distance.a.eq(dst), distance.b.eq(own), done.eq(dst == own), after.eq(turn & done)]
            ports += [turn & ~done & ~distance.borrow, turn & distance.borrow]
            turn = after
        is_outside = Signal()
        m.d.comb += is_outside.eq(self._outside(m))
        port = Cat(ports) & ~is_outside.replicate(len(ports))
        self._answer(m, out_port=port, arrived=turn & ~is_outside, invalid=is_outside)
        return m
