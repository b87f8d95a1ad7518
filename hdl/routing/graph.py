"""Route logic of a switch in any small network: rules for the destinations of each switch."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux

from dsnswitch.hdl.logic.gates import Lookup, decode
from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.minimal import RuleLogic
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.network import Network


class GraphRoute(RouteComponent):
    """Table-free routing of a network over shortest paths, such as :class:`GraphRelation` or a relation in closed form.

    The generator turns the answers of the relation at each switch into a short list of rules, as for minimal routing of a DSN. A
    switch of a network that is too large for this (:attr:`Network.is_large`) has its answers in a ROM.

    Members
    -------
    - own, dst (In): Addresses of the switches; ``own`` only in the universal logic.
    - in_port, in_class (In(ports), In(ceil(log2 classes))): Port on which the packet came, one-hot, and its virtual channel
      class; both are 0 from a host. They exist only if the class follows from turns, and there are two or more.
    - out_class (Out(ceil(log2 classes))): Virtual channel class, by turns or by rules. It means nothing with ``arrived`` and
      ``invalid``, and exists only with two classes or more.
    """

    def __init__(self, network: Network, node=None):
        self._relation = relation_of(network)
        self._classes = max(self._relation.classes.values())
        # For a destination that does not exist, the rules for port and class may disagree; a packet that no route brings here
        # may have run out of turn classes.
        self.bounded = len(set(self._relation.classes.values())) == 1 and not self._relation.by_turns
        width = (self._classes - 1).bit_length()
        turning = width if self._relation.by_turns else 0
        super().__init__(network, node, in_port=len(network.ports) if turning else 0, in_class=turning, out_class=width)

    def elaborate(self, platform):
        m = Module()
        own, dst = (Cat(of(field.name) for field in reversed(self._network.fields)) for of in (self._own, self._dst))
        outside = self._outside(m)
        port, start = self._by_table(m, dst) if self._network.is_large else self._by_rules(m, own, dst)
        here = dst == own
        self._answer(m, out_port=Mux(here | outside, 0, port), arrived=here & ~outside, invalid=outside)
        if len(self.in_class):
            up = self._up(own)
            rises = (self.in_port & up).any() & (self.out_port & up).any()
            self._answer(m, out_class=(self.in_class + rises)[: len(self.out_class)])
        elif len(self.out_class):
            self._answer(m, out_class=start)
        return m

    def _up(self, own):
        """The ports that lead to switches of higher rank."""
        if self._node is not None:
            return Const(self._relation.ports_up(self._node), len(self.out_port))
        from dsnswitch.net.routing.derived import address_bits

        places = {address_bits(self._network, switch): self._relation.ports_up(switch) for switch in self._network.switches()}
        is_own, none = decode(own, max(places) + 1), Const(0, len(self.out_port))
        return reduce(or_, (Mux(is_own[place], Const(up, len(none)), 0) for place, up in places.items()), none)

    def _by_table(self, m, dst):
        """As :meth:`_by_rules`, from a ROM of the switch's table: a word for each destination."""
        from dsnswitch.net.routing.derived import answers

        count, (exists, found) = len(self.out_port), answers(self._relation, self._node)
        rows = enumerate(zip(exists.tolist(), *found.tolist()))
        words = {end: 1 << port | virtual_class << count for end, (is_end, port, virtual_class) in rows if is_end}
        m.submodules.table = table = Lookup(words, len(dst), count + len(self.out_class))
        m.d.comb += table.value.eq(dst)
        return table.result[:count], table.result[count:]

    def _by_rules(self, m, own, dst):
        """The port, one-hot, and the class of a packet of this switch, by the rules."""
        # This loads numpy, which other route logics do not need.
        from dsnswitch.net.routing.derived import address_bits, rules

        network, width = self._network, len(self.out_class)
        switches = list(network.switches()) if self._node is None else [self._node]
        places = [address_bits(network, switch) for switch in switches]
        is_own = decode(own, max(places) + 1)
        port, start = Const(0, len(self.out_port)), Const(0, width)
        for switch, place in zip(switches, places):
            found = []
            for name, some, ends in zip(("port", "class"), rules(self._relation, switch), (len(port), self._classes)):
                if not some or (name == "class" and (ends == 1 or self._relation.by_turns)):
                    found.append(Const(0, ends))
                    continue
                m.submodules[f"{name}_{place}"] = logic = RuleLogic(some, len(dst), ends, set())
                m.d.comb += logic.state.eq(dst)
                found.append(logic.out_port)
            port = port | Mux(is_own[place], found[0], 0)
            chosen = reduce(or_, (Mux(bit, Const(value, width), 0) for value, bit in enumerate(found[1])))
            start = start | Mux(is_own[place], chosen, 0)
        return port, start
