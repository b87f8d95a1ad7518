"""Routing of packets from a host with digits: signs of the shortest shortcuts by the load of the outputs."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.shape import CorePort, CoreShape
from dsnswitch.hdl.logic.gates import selected
from dsnswitch.hdl.routing.contract import RouteComponent
from dsnswitch.hdl.routing.digits import digit_code
from dsnswitch.hdl.routing.minimal import by_cubes, by_rules, distances, own_ids


def load_width(shape):
    """Bits of the load of an output: flits on their way in units of :func:`load_bits`, rounded down."""
    flits = max(shape.storage(port) for port in shape.ports if not port.is_host)
    return max(1, flits.bit_length() - load_bits(shape))


def load_bits(shape):
    """Exponent of the unit of a load: the greatest power of two of flits, at most half of a longest packet."""
    return max(0, shape.packet.bit_length() - 2)


class PortLoad(wiring.Component):
    """Counts the flits that an output has sent and whose credits have not returned. Latency 1 cycle.

    Credits in excess leave the count at 0.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort

    Members
    -------
    - sent (In(1)): A flit leaves.
    - credit (In(channels)): Credits that return.
    - load (Out(load_width)): The count in units of :func:`load_bits`, rounded down; registered.
    """

    def __init__(self, shape: CoreShape, port: CorePort):
        self._flits, self._unit = shape.storage(port), load_bits(shape)
        super().__init__({"sent": In(1), "credit": In(port.channels), "load": Out(load_width(shape))})

    def elaborate(self, platform):
        m = Module()
        count = Signal(range(self._flits + 1))
        after = Signal(len(count) + 2)
        m.d.comb += [after.eq(count + self.sent - sum(self.credit)), self.load.eq(count >> self._unit)]
        m.d.sync += count.eq(Mux(after[-1], 0, after))
        return m


class SourceRoute(RouteComponent):
    """Route logic of a port to a host: chooses digits as :meth:`Digits.chosen`. Latency 1 cycle, one packet per cycle.

    The source takes the option whose first hop leaves by the output with the least load; without load, that of a shortest path.
    Packets that are marked ``ordered`` always take the latter.

    Cycle 1: the digits and the first hop of each option, and the load of its output. Cycle 2: the comparison of the loads, and
    the other hop of each option, which a packet may take when it waits.

    Parameters
    ----------
    shape : CoreShape

    Members
    -------
    - own, dst, out_port, other_port, out_state, arrived, invalid: As of :class:`RouteComponent`. All classes are 0.
    - asks (In(1)): A packet is asked about: the next one that is takes turns with it.
    - ordered (In(1)): The mark of the packet.
    - load (In(array of load_width)): Load of each output, by the order of ``shape.ports``.
    """

    #: Members that no other route logic has.
    MORE = ("asks", "ordered", "load")

    def __init__(self, shape: CoreShape):
        self._shape, self._digits = shape, shape.relation.digits
        loads = data.ArrayLayout(load_width(shape), len(shape.ports))
        more = {"asks": In(1), "ordered": In(1), "load": In(loads)}
        ports, bits = len(shape.network.ports), shape.relation.digit_bits
        #: An option. The lowest bit of the cost is 0 if it is preferred and its port has no load. All are 1 if it is not offered.
        self._found = data.StructLayout({"port": ports, "digits": bits, "cost": 1 + load_width(shape)})
        super().__init__(shape.network, shape.node, more=more, out_state=bits, other_port=ports)

    @property
    def latency(self):
        """1 cycle."""
        return 1

    def elaborate(self, platform):
        m = Module()
        digits = self._digits
        *ways, target = distances(m, self._network, self._own, self._dst)
        plain = Cat(*ways, target)
        owns = own_ids(self._network, self._node, self._own("id"))
        is_outside = Signal()
        is_here = Signal()
        m.d.comb += [is_outside.eq(self._outside(m)), is_here.eq(~Cat(*ways, target ^ self._own("id")).any())]
        m.d.sync += [self.invalid.eq(is_outside), self.arrived.eq(is_here & ~is_outside)]
        turn = Signal(2 * len(ways))
        with m.If(self.asks):
            m.d.sync += turn.eq(turn + 1)
        preferred, _ = by_rules(m, "preferred", owns, digits.preference, plain, digits.options)
        found = []
        for option in range(digits.options):
            is_offered = by_cubes(owns, [offers[option] for offers in digits.offers], plain)
            first = self._candidate(m, f"first_{option}", owns, option, ways, Const(0, len(ways)), True)
            other = self._candidate(m, f"other_{option}", owns, option, ways, turn[len(ways) :], False)
            found.append(held := Signal(self._found, name=f"option_{option}"))
            m.d.sync += held.eq(Mux(preferred[option], first, other))
            with m.If(is_here | is_outside):
                m.d.sync += held.port.eq(0)
            with m.If(~is_offered):
                m.d.sync += held.cost.eq(~0)
        chosen = self._choose(m, preferred, [one.cost for one in found], turn[: len(ways)])
        last = Signal.like(target, name="destination_id")
        m.d.sync += last.eq(target)
        others, going, seconds = digits.alternatives, ~(self.arrived | self.invalid), []
        for option, one in enumerate(found):
            state = Cat(one.digits, last)
            other, _ = by_rules(m, f"second_{option}", owns, others.rules, state, len(self.out_port), going=going)
            seconds.append(Mux(by_cubes(owns, others.several, state), other, one.port))
        m.d.comb += [
            self.out_port.eq(selected(chosen, [one.port for one in found])),
            self.out_state.eq(selected(chosen, [one.digits for one in found])),
            self.other_port.eq(selected(chosen, seconds)),
        ]
        return m

    def _candidate(self, m, name, owns, option, ways, others, is_preferred):
        """Port, digits and cost of an option. A bit of ``others``: longer lengths have the other sign."""
        codes, rules, ports = [], self._digits.decisions.rules, self._shape.ports
        linked = [field.name for field in self._network.fields if field.width]
        widths = [width for width in self._digits.distances.sign_widths if width]
        for place, (field, way, width) in enumerate(zip(linked, ways, widths)):
            signs = _option_signs(way, option >> place & 1, others[place], width)
            codes.append(digit_code(self._own(field), self._dst(field), signs))
        state = Signal(self._digits.decisions.inputs, name=f"state_{name}")
        m.d.comb += state.eq(Cat(*codes, self._dst("id")))
        port, _ = by_rules(m, name, owns, rules, state, len(self.out_port))
        places = [(place, one.index) for place, one in enumerate(ports) if not one.is_host]
        load = selected([port[index] for _, index in places], [self.load[place] for place, _ in places])
        return Cat(port, *codes, load.any() if is_preferred else 1, load)

    def _choose(self, m, preferred, costs, turn):
        """The option that is taken, one-hot, in the cycle after: of equal costs, the first after flipping bits of its number by
        ``turn``.
        """
        held = {"preferred": preferred, "turned": turn, "in_order": self.ordered}
        held = {name: (Signal(len(value), name=name), value) for name, value in held.items()}
        m.d.sync += [to.eq(value) for to, value in held.values()]
        preferred, turned, in_order = (to for to, _ in held.values())
        below, options = {}, range(len(costs))
        for high in options:
            for low in range(high):
                high_first = turned[(low ^ high).bit_length() - 1]
                below[high, low] = Mux(high_first, costs[high] <= costs[low], costs[high] < costs[low])
                below[low, high] = ~below[high, low]
        least = Cat(Cat(below[one, other] for other in options if other != one).all() for one in options)
        chosen = Signal(len(costs))
        m.d.comb += chosen.eq(Mux(in_order, preferred, least))
        return chosen


def _option_signs(distance, option, other, width):
    """The signs of an option (:func:`option_sign`)."""
    rest, signs, first = distance, [], Const(0, 1)
    for _ in range(width):
        signs.append(Mux(first, rest[1:2] ^ other, option) & rest[0])
        first = first | rest[0]
        rest = (rest[1:] + signs[-1])[: len(rest) - 1]
    return signs
