"""Minimal route logic of a DSN switch: port and virtual channel class of a packet's next hop."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from dsnswitch.hdl.logic.gates import decode
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.ring import Offset, RingTerms
from dsnswitch.hdl.routing.turns import Turns
from dsnswitch.net.routing.minimal.relation import AdaptiveRelation, MinimalRelation
from dsnswitch.net.topology.dsn import Dsn


def holds(state, mask, value):
    """Whether ``state & mask == value``."""
    literals = [bit if value >> place & 1 else ~bit for place, bit in enumerate(state) if mask >> place & 1]
    return Cat(literals).all() if literals else Const(1, 1)


class RuleLogic(wiring.Component):
    """Output port at switches of one id. Combinational.

    Parameters
    ----------
    rules : list of Rule
        Rules of the id; the last holds always.
    inputs : int
        Bits of the input.
    ports : int
        Output ports of the switch.
    rising : set of int
        Ports to switches of higher id; their rules stand before all others or after them.

    Members
    -------
    - state (In(inputs)): Forward distance in x, then in y, then the destination's id, from the least significant bit.
    - out_port (Out(ports)): One-hot output port. At the destination it is any port.
    - up (Out(1)): The port leads to a switch of higher id. It does not wait for the order of the rules within a group.
    """

    def __init__(self, rules, inputs, ports, rising):
        self._rules, self._rising = rules, rising
        super().__init__({"state": In(inputs), "out_port": Out(ports), "up": Out(1)})

    def elaborate(self, platform):
        m = Module()
        taken, earlier, group = {}, Const(0, 1), []
        first = self._rules[0].port in self._rising
        for rule in self._rules:
            is_taken = Signal(name=f"holds_{rule.port}")
            m.d.comb += is_taken.eq(Cat(holds(self.state, *cube) for cube in rule.cubes).any())
            taken[rule.port] = is_taken & ~earlier
            earlier = earlier | is_taken
            if (rule.port in self._rising) == first:
                group.append(is_taken)
        m.d.comb += self.out_port.eq(Cat(taken.get(port, Const(0, 1)) for port in range(len(self.out_port))))
        m.d.comb += self.up.eq(Cat(group).any() if first else ~Cat(group).any())
        return m


def own_ids(dsn, node, own):
    """``{id: bit}``: for each id that the switch may have, whether it has that. ``own`` is the own id, a value."""
    is_own = decode(own, dsn.m)
    return {number: is_own[number] for number in (range(dsn.m) if node is None else [node[-1]])}


def by_rules(m, name, owns, rules, state, ports, rising=None, going=None):
    """``(port, up)`` of the :class:`RuleLogic` of the switch's id.

    ``owns`` is that of :func:`own_ids`; ``rules`` and ``rising`` are by id. Without the bit ``going``, the port is 0.
    """
    port, up = Const(0, ports), Const(0, 1)
    for node, is_own in owns.items():
        m.submodules[f"{name}_id_{node}"] = logic = RuleLogic(rules[node], len(state), ports, rising[node] if rising else set())
        m.d.comb += logic.state.eq(state)
        port = port | Mux(is_own if going is None else is_own & going, logic.out_port, 0)
        up = up | is_own & logic.up
    return port, up


def by_cubes(owns, cubes, state):
    """Whether a sum of products of the switch's id holds. ``cubes`` are by id, ``owns`` is that of :func:`own_ids`."""
    return Cat(is_own & holds(state, *cube) for node, is_own in owns.items() for cube in cubes[node]).any()


def distances(m, dsn, own, dst):
    """The forward distance in each dimension that has links, then the destination's id. ``own`` and ``dst`` give a field by
    name."""
    found = []
    for field in dsn.fields:
        if not field.width:
            continue
        if field.name == "id":
            found.append(dst(field.name))
            continue
        m.submodules[f"static_{field.name}"] = terms = RingTerms(field.size, False)
        m.submodules[f"offset_{field.name}"] = offset = Offset(terms.terms.signature)
        connect(m, terms.terms, offset.terms)
        m.d.comb += [terms.own.eq(own(field.name)), offset.dst.eq(dst(field.name))]
        found.append(offset.distance)
    return found


class MinimalRoute(RouteComponent):
    """Table-free routing of one packet over a shortest path.

    The generator turns what a switch knows of shortest paths into a list of rules for each id (``net/routing/minimal/``).

    Members
    -------
    - own.x, own.y, own.id, dst.x, dst.y, dst.id (In): Addresses. A field with one possible value has no port, and a ring has no
      y.
    - in_port, in_class (In(ports), In(ceil(log2 classes))): Port on which the packet came, one-hot, and its virtual channel
      class; both are 0 from a host.
    - out_class (Out(ceil(log2 classes))): Virtual channel class of the next hop, on every kind of port
      (:class:`MinimalRelation`). It means nothing with ``arrived`` and ``invalid``. This output and the two inputs exist only
      with two classes or more.
    - other_port, other_class (Out): With ``adaptive``, as ``out_port`` and ``out_class``: another hop on a shortest path, or the
      same one where there is no other.
    """

    bounded = False

    def __init__(self, network: Dsn, node=None, adaptive=False):
        relation = (AdaptiveRelation if adaptive else MinimalRelation)(network)
        alternatives = relation.alternatives if adaptive else None
        self._begin(network, node, relation.classes, relation.decisions, alternatives)

    def _begin(self, network, node, classes, decisions, alternatives, **bits):
        self._rules, self._several = {"out": decisions.rules}, None
        self._rising = [decisions.rising(node) for node in range(network.m)]
        self._classes = max(classes.values())
        width = (self._classes - 1).bit_length()
        if alternatives:
            self._rules["other"], self._several = alternatives.rules, alternatives.several
            bits |= {"other_port": len(network.ports), "other_class": width}
        in_port = len(network.ports) if width or bits.get("in_state") else 0
        super().__init__(network, node, in_port=in_port, in_class=width, out_class=width, **bits)

    def elaborate(self, platform):
        m = Module()
        here = [self._dst(field.name) == self._own(field.name) for field in self._network.fields if field.width]
        state, owns = self._state(m), own_ids(self._network, self._node, self._own("id"))
        is_here = Signal()
        is_outside = Signal()
        m.d.comb += [is_here.eq(Cat(here).all()), is_outside.eq(self._outside(m))]
        self._answer(m, arrived=is_here & ~is_outside, invalid=is_outside)
        first = None
        for name in self._rules:
            rules, going = self._rules[name], ~(is_here | is_outside)
            port, up = by_rules(m, name, owns, rules, state, len(self.out_port), self._rising, going)
            if first:
                several = by_cubes(owns, self._several, state)
                port, up = Mux(several, port, first[0]), Mux(several, up, first[1])
            first = port, up
            self._answer(m, **{f"{name}_port": port})
            if len(self.out_class):
                m.submodules[f"{name}_turns"] = turns = Turns(self._network, self._classes, bounded=False)
                connect_ports(m, self, turns, ("in_port", "in_class"))
                m.d.comb += [turns.own.eq(decode(self._own("id"), self._network.m)), turns.goes_up.eq(up)]
                self._answer(m, **{f"{name}_class": turns.out_class})
        return m

    def _state(self, m):
        """The input of the rules."""
        return Cat(distances(m, self._network, self._own, self._dst))
