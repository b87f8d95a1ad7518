"""Minimal route logic of a DSN switch: port and virtual channel class of a packet's next hop."""

from itertools import accumulate

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from dsnswitch.hdl.logic.gates import decode
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.ring import Offset, RingTerms
from dsnswitch.hdl.routing.turns import Turns
from dsnswitch.net.routing.minimal.relation import AdaptiveRelation, DigitRelation, MinimalRelation
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


def digit_codes(dsn, own, dst, signs):
    """The input of rules with digits (:class:`DigitDistances`), by dimension that has links, then the destination's id.

    ``signs`` has those of each of these dimensions. No distance is subtracted first: a carry of -1, 0 or 1 passes from digit to
    digit, of which ``own`` is static.
    """
    linked = [field.name for field in dsn.fields if field.width]
    return [*(_digit_code(own(name), dst(name), sign) for name, sign in zip(linked, signs)), dst("id")]


def _digit_code(own, dst, sign):
    needs, carries, below = [], Const(0, 1), Const(0, 1)
    for place, backward in enumerate(sign):
        differs = own[place] ^ dst[place]
        needs.append(differs ^ carries)
        # The sign of what is carried on.
        negative = Mux(differs, own[place], below)
        carries = Mux(needs[-1], backward ^ negative, differs & ~(own[place] ^ below))
        below = negative
    rest = dst[len(sign) :] - own[len(sign) :]
    rest = Mux(carries, Mux(below, rest - 1, rest + 1), rest)[: len(dst) - len(sign)]
    return Cat(rest, needs, Cat(needs) & sign)


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
    - in_state, out_state (In, Out): With ``digits``, the signs in the header, which the logic passes on (:meth:`Digits.bits`).
    """

    bounded = False

    def __init__(self, network: Dsn, node=None, adaptive=False, digits=False):
        self._has_digits = digits
        relation = (DigitRelation if digits else AdaptiveRelation if adaptive else MinimalRelation)(network)
        found = relation.digits if digits else relation
        decisions = found.decisions
        self._rules, self._several = {"out": decisions.rules}, None
        if adaptive:
            self._rules["other"], self._several = found.alternatives.rules, found.alternatives.several
        self._inputs, self._rising = decisions.inputs, decisions.rising
        self._classes = max(relation.classes.values())
        width = (self._classes - 1).bit_length()
        in_port = len(network.ports) if width else 0
        bits = {"other_port": len(network.ports), "other_class": width} if adaptive else {}
        if digits:
            self._sign_widths = [width for width in found.distances.sign_widths if width]
            bits |= dict.fromkeys(("in_state", "out_state"), relation.sign_bits)
        super().__init__(network, node, in_port=in_port, in_class=width, out_class=width, **bits)

    def elaborate(self, platform):
        m = Module()
        linked = [field.name for field in self._network.fields if field.width]
        here = [self._dst(name) == self._own(name) for name in linked]
        if self._has_digits:
            ends = accumulate(self._sign_widths)
            signs = [self.in_state[end - width : end] for width, end in zip(self._sign_widths, ends)]
            state = digit_codes(self._network, self._own, self._dst, signs)
            self._answer(m, out_state=self.in_state)
        else:
            state = distances(m, self._network, self._own, self._dst)
        is_here = Signal()
        is_outside = Signal()
        m.d.comb += [is_here.eq(Cat(here).all()), is_outside.eq(self._outside(m))]
        self._answer(m, arrived=is_here & ~is_outside, invalid=is_outside)
        first = None
        for name in self._rules:
            port, up = self._port(m, name, Cat(state), ~(is_here | is_outside))
            if first:
                several = self._has_several(Cat(state))
                port, up = Mux(several, port, first[0]), Mux(several, up, first[1])
            first = port, up
            self._answer(m, **{f"{name}_port": port})
            if len(self.out_class):
                m.submodules[f"{name}_turns"] = turns = Turns(self._network, self._classes, bounded=False)
                connect_ports(m, self, turns, ("in_port", "in_class"))
                m.d.comb += [turns.own.eq(decode(self._own("id"), self._network.m)), turns.goes_up.eq(up)]
                self._answer(m, **{f"{name}_class": turns.out_class})
        return m

    def _has_several(self, state):
        """Whether the switch has a second hop."""
        is_own = decode(self._own("id"), self._network.m)
        ids = range(self._network.m) if self._node is None else [self._node[-1]]
        return Cat(is_own[node] & holds(state, *cube) for node in ids for cube in self._several[node]).any()

    def _port(self, m, name, state, going):
        """The port by rules of the switch's id, if the packet is ``going`` on, and whether it leads to a higher id."""
        count = self._network.m
        ids = range(count) if self._node is None else [self._node[-1]]
        is_own = decode(self._own("id"), count)
        port, up = Const(0, len(self.out_port)), Const(0, 1)
        for node in ids:
            m.submodules[f"{name}_id_{node}"] = logic = RuleLogic(
                self._rules[name][node], self._inputs, len(self.out_port), self._rising(node)
            )
            m.d.comb += logic.state.eq(state)
            port = port | Mux(is_own[node] & going, logic.out_port, 0)
            up = up | is_own[node] & logic.up
        return port, up
