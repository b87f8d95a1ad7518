"""Route logic of a switch in any graph: rules for the destinations of each switch."""

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Module, Mux

from dsnswitch.hdl.logic.gates import Lookup, decode
from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.minimal import RuleLogic
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.graph import Graph


class GraphRoute(RouteComponent):
    """Routing of a graph over shortest paths, without a table that is loaded: see :class:`GraphRelation`.

    The generator turns the table of each switch into a short list of rules, as for minimal routing of a DSN. A switch of a graph
    that is too large for this (:attr:`Network.has_universal_logic`) has its table as a ROM.

    Members
    -------
    - own.switch, dst.switch (In(ceil(log2 switches))): Numbers of the switches; ``own`` only in the universal logic.
    - in_port, in_class (In(ports), In(ceil(log2 classes))): Port on which the packet came, one-hot, and its virtual channel
      class; both are 0 from a host.
    - out_class (Out(ceil(log2 classes))): Virtual channel class: that of the packet, or of the rules at its source. It means
      nothing with ``arrived`` and ``invalid``. This output and the two inputs exist only with two classes or more.
    """

    def __init__(self, network: Graph, node=None):
        self._relation = relation_of(network)
        self._classes = max(self._relation.classes.values())
        width = (self._classes - 1).bit_length()
        in_port = len(network.ports) if width else 0
        super().__init__(network, node, in_port=in_port, in_class=width, out_class=width)

    def elaborate(self, platform):
        m = Module()
        own, dst, outside = self._own("switch"), self._dst("switch"), self._outside(m)
        port, start = (self._by_rules if self._network.has_universal_logic else self._by_table)(m, dst)
        here = dst == own
        self._answer(m, out_port=Mux(here | outside, 0, port), arrived=here & ~outside, invalid=outside)
        if len(self.out_class):
            self._answer(m, out_class=Mux(self.in_port.any(), self.in_class, start))
        return m

    def _by_table(self, m, dst):
        """As :meth:`_by_rules`, from a ROM of the switch's table: a word for each destination."""
        ports, layers = (made[self._node[0]].tolist() for made in (self._relation.ports, self._relation.layers))
        count = len(self.out_port)
        words = {
            number: 1 << port | layer << count
            for number, (port, layer) in enumerate(zip(ports, layers))
            if number != self._node[0] and port >= 0
        }
        m.submodules.table = table = Lookup(words, len(dst), count + len(self.out_class))
        m.d.comb += table.value.eq(dst)
        return table.result[:count], table.result[count:]

    def _by_rules(self, m, dst):
        """The port, one-hot, and the class of a packet of this switch, by the rules."""
        count, width = self._network.nodes, len(self.out_class)
        numbers = range(count) if self._node is None else [self._node[0]]
        is_own = decode(self._own("switch"), count)
        port, start = Const(0, len(self.out_port)), Const(0, width)
        for number in numbers:
            found = []
            for name, rules, ends in zip(("port", "class"), self._relation.rules(number), (len(port), self._classes)):
                if not rules or (ends == 1 and name == "class"):
                    found.append(Const(0, ends))
                    continue
                m.submodules[f"{name}_{number}"] = logic = RuleLogic(rules, len(dst), ends, set())
                m.d.comb += logic.state.eq(dst)
                found.append(logic.out_port)
            port = port | Mux(is_own[number], found[0], 0)
            chosen = reduce(or_, (Mux(bit, Const(value, width), 0) for value, bit in enumerate(found[1])))
            start = start | Mux(is_own[number], chosen, 0)
        return port, start
