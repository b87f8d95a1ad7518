"""Route logic of a DSN switch with registered straps."""

from amaranth.lib.wiring import connect

from dsnswitch.hdl.routing.dsn.registered.final_rows import FinalRows
from dsnswitch.hdl.routing.dsn.registered.ring_unit import RowsUnit
from dsnswitch.hdl.routing.dsn.registered.rows import CoordinateRows, DistanceRows, SizedDistanceRows
from dsnswitch.hdl.routing.dsn.registered.static_registers import connect_later, later
from dsnswitch.hdl.routing.dsn.route import RouteLogic
from dsnswitch.hdl.routing.dsn.sized.route import SizedRoute
from dsnswitch.hdl.routing.dsn.sized.terms import SizedTerms
from dsnswitch.net.topology.dsn import Dsn

__all__ = ["MOST", "RegisteredRoute", "RegisteredSizedRoute"]

#: Most supernodes in a dimension: rows have a bit for each.
MOST = 64


class RegisteredRoute(RouteLogic):
    """Universal :class:`RouteLogic` whose straps are decoded and registered: the shortest path from the destination.

    Latency 0 cycles (combinational), or 1 with ``register``; one packet per cycle in both cases. A change of the switch's
    address takes effect one cycle later. The registers of straps have no reset.

    Parameters
    ----------
    network : Dsn
        The network, of at most :data:`MOST` supernodes in each dimension.
    register : bool
        Register the outputs as well, in the domain ``sync`` (rising edge, synchronous reset to 0).

    Members
    -------
    own, dst, in_.., out_port, out_class, arrived, invalid
        As for :class:`RouteLogic`.
    """

    #: There are registers, whatever the latency.
    clocked = True

    def __init__(self, network: Dsn, *, register=False, relation=None):
        if max(network.sizes) > MOST:
            raise ValueError(
                f"Registered straps are for at most {MOST} supernodes in a dimension, not {max(network.sizes)}"
            )
        super().__init__(network, register=register, relation=relation)

    def _static(self, m, value, name):
        return later(m, value, f"{name}_r")

    def _final(self, m, row, wraps):
        m.submodules.to_destination = final = FinalRows(self._network.supernode, wraps)
        connect_later(m, row, final.row, "final")
        return final

    def _ring(self, m, name, row, features):
        dsn = self._network
        axis = dsn.dimensions.index(name)
        m.submodules[f"distances_{name}"] = distances = DistanceRows(dsn, axis, features)
        connect(m, row, distances.row)
        return self._rows_unit(m, name, distances.rows, CoordinateRows(distances.rows.signature, False))

    def _rows_unit(self, m, name, by_distance, turned):
        """The ring unit that selects in registered rows."""
        own = self._own(name)
        m.submodules[f"rows_{name}"] = turned
        m.submodules[f"ring_{name}"] = unit = RowsUnit(turned.rows.signature)
        connect(m, by_distance, turned.by_distance)
        connect_later(m, turned.rows, unit.rows, name)
        m.d.comb += [turned.own.eq(own), unit.own.eq(later(m, own, f"own_{name}_r"))]
        return unit


class RegisteredSizedRoute(RegisteredRoute, SizedRoute):
    """:class:`SizedRoute` whose straps and sizes are decoded and registered.

    A change of a size takes effect one cycle later, like a change of the switch's address.
    """

    def _ring(self, m, name, row, features):
        dsn = self._network
        levels, backward = dsn.levels[dsn.dimensions.index(name)], dsn.directions == "both"
        size = self._size(name)
        m.submodules[f"static_{name}"] = terms = SizedTerms(levels, dsn.supernode, backward, "wraps" in features)
        m.submodules[f"distances_{name}"] = distances = SizedDistanceRows(levels, dsn.supernode, backward, features)
        turned = CoordinateRows(distances.rows.signature, True)
        connect(m, row, terms.row)
        connect(m, terms.rows, distances.lengths)
        m.d.comb += [
            terms.own.eq(self._own(name)),
            terms.size.eq(size),
            distances.size.eq(size),
            turned.size.eq(size),
        ]
        self._sized[name] = later(m, terms.last, f"last_{name}_r"), later(m, terms.wrong, f"wrong_{name}_r")
        return self._rows_unit(m, name, distances.rows, turned)
