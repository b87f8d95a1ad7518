"""Route logic of a DSN switch whose network size is an input: one netlist for every size up to a maximum."""

from amaranth.hdl import Cat
from amaranth.lib.wiring import connect

from dsnswitch.hdl.routing.dsn.route import RouteLogic
from dsnswitch.hdl.routing.dsn.sized.ring_unit import SizedRingUnit
from dsnswitch.hdl.routing.dsn.sized.terms import SizedTerms
from dsnswitch.net.topology.dsn import Dsn

__all__ = ["SizedRoute"]


class SizedRoute(RouteLogic):
    """Universal :class:`RouteLogic` for every network of up to 2^p supernodes in each dimension.

    It decides as the fixed-size logic does, with the virtual channel classes of the largest network. The dependencies of a
    smaller network are part of those of the largest one, so that one proof of deadlock freedom holds for all sizes.

    Latency 0 cycles (combinational), or 1 with ``register``; one packet per cycle in both cases.

    Parameters
    ----------
    network : Dsn
        The largest network. Its sizes are powers of two from 2.
    register : bool
        Register the outputs in the domain ``sync`` (rising edge, synchronous reset to 0).

    Members
    -------
    own, dst, in_.., out_port, out_class, arrived
        As for :class:`RouteLogic` of the largest network. A port that a smaller network does not have is never chosen.
    size.x, size.y : In(p + 1)
        Supernodes in each dimension, 1..2**p: static, constant while packets flow.
    invalid : Out(1)
        The destination does not exist, a size is out of range, or the switch's address does not exist. Exactly one bit of
        ``out_port``, ``arrived`` and ``invalid`` is set.
    """

    def __init__(self, network: Dsn, *, register=False, relation=None):
        for size in network.sizes:
            if size < 2 or size & (size - 1):
                raise ValueError(f"The largest network must have sizes that are powers of two from 2, not {size}")
        sizes = {name: levels + 1 for name, levels in zip(network.dimensions, network.levels)}
        super().__init__(network, register=register, relation=relation, sizes=sizes)
        #: By dimension: the greatest coordinate, and whether size or own coordinate are wrong.
        self._sized = {}

    def _ring(self, m, name, row, features):
        dsn = self._network
        levels, backward = dsn.levels[dsn.dimensions.index(name)], dsn.directions == "both"
        m.submodules[f"static_{name}"] = terms = SizedTerms(levels, dsn.supernode, backward, "wraps" in features)
        m.submodules[f"ring_{name}"] = unit = SizedRingUnit(levels, dsn.supernode, backward, features)
        connect(m, row, terms.row)
        connect(m, terms.terms, unit.terms)
        connect(m, terms.rows, unit.rows)
        m.d.comb += [terms.own.eq(self._own(name)), terms.size.eq(getattr(self.size, name))]
        self._sized[name] = terms.last, terms.wrong
        return unit

    def _outside(self, m):
        wrong = [super()._outside(m)]
        for name, (last, misfit) in self._sized.items():
            wrong += [misfit, self._dst(name) > last]
        return Cat(wrong).any()
