"""Choice of the source: signs of the shortest shortcuts of a packet from a host, by the load of the outputs."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.packet import Header, flit_layout
from dsnswitch.hdl.core.shape import CorePort, CoreShape
from dsnswitch.hdl.logic.gates import decode
from dsnswitch.hdl.routing.contract import OWN, AddressSignature
from dsnswitch.hdl.routing.minimal import RuleLogic, digit_codes, distances, holds


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


class SourceChoice(wiring.Component):
    """Writes the signs of digits into headers from a host (:meth:`Digits.chosen`). Latency 1 cycle, one flit per cycle.

    The source takes the signs whose first hop leaves by the output with the least load; without load, those of a shortest path.
    Packets that are marked ``ordered`` always take the latter.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The host's port.

    Members
    -------
    - own (In(AddressSignature)): Own address: static.
    - valid, flit (In): A flit arrives from the host.
    - load (In(array of load_width)): Load of each output, by the order of ``shape.ports``.
    - to_valid, to_flit (Out): The same in the next cycle. Of a head, the signs and the check bits are changed.
    """

    def __init__(self, shape: CoreShape, port: CorePort):
        self._shape, self._digits = shape, shape.relation.digits
        self._header = Header(shape)
        super().__init__(
            {
                "own": In(AddressSignature(shape.network.fields if shape.node is None else (), OWN)),
                "valid": In(port.channels),
                "flit": In(flit_layout(shape)),
                "load": In(data.ArrayLayout(load_width(shape), len(shape.ports))),
                "to_valid": Out(port.channels),
                "to_flit": Out(flit_layout(shape)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        digits, layout = self._digits, self._header.layout
        header = data.View(layout, self.flit.data[: layout.size])
        dst = lambda name: header.destination[name]  # noqa: E731
        *ways, target = distances(m, self._shape.network, self._own, dst)
        widths = [width for width in digits.distances.sign_widths if width]
        is_own = decode(self._own("id"), self._shape.network.fields[-1].size)
        plain = Cat(*ways, target)
        preferred = self._rules(m, "preferred", is_own, digits.preference, plain, digits.options)
        turn = Signal(2 * len(ways))
        with m.If(self.valid.any() & self.flit.head):
            m.d.sync += turn.eq(turn + 1)
        # For each dimension, signs of both options.
        signs = [[_option_signs(way, option, width) for option in (0, 1)] for way, width in zip(ways, widths)]
        costs = []
        for option in range(digits.options):
            bits = [both[option >> place & 1][0] for place, both in enumerate(signs)]
            state = Cat(digit_codes(self._shape.network, self._own, dst, bits))
            port = self._rules(m, f"choice_{option}", is_own, digits.decisions.rules, state, len(digits.dsn.ports))
            costs.append(self._cost(m, option, port, preferred[option], self._offer(option, is_own, plain)))
        chosen = Signal(range(digits.options))
        m.d.comb += chosen.eq(Mux(header.flags.ordered, _number(preferred), _least(costs, turn)[1]))
        others = Mux(preferred.bit_select(chosen, 1), 0, turn[len(ways) :])
        found = Cat(
            Mux(bit, backward, forward) ^ (Mux(bit, late, early) & other.replicate(len(early)))
            for bit, other, ((forward, early), (backward, late)) in zip(chosen, others, signs)
        )
        m.d.sync += self.to_valid.eq(self.valid)
        self._write(m, header, found)
        return m

    def _own(self, name):
        """Own address field ``name``."""
        fields = self._shape.network.fields
        place, field = next((place, field) for place, field in enumerate(fields) if field.name == name)
        if self._shape.node is not None:
            return Const(self._shape.node[place], field.width)
        return getattr(self.own, name) if field.width else Const(0, 0)

    def _rules(self, m, name, is_own, rules, state, ports):
        """What the rules of the switch's id choose, one-hot."""
        found = Const(0, ports)
        for node, own_rules in enumerate(rules):
            if self._shape.node is None or self._shape.node[-1] == node:
                m.submodules[f"{name}_id_{node}"] = logic = RuleLogic(own_rules, len(state), ports, set())
                m.d.comb += logic.state.eq(state)
                found = found | Mux(is_own[node], logic.out_port, 0)
        return found

    def _offer(self, option, is_own, state):
        """Whether routes of an option turn seldom enough."""
        found = []
        for node, offers in enumerate(self._digits.offers):
            found += [is_own[node] & holds(state, *cube) for cube in offers[option]]
        return Cat(found).any()

    def _cost(self, m, option, port, is_preferred, is_offered):
        """The load of the first output; the lowest bit says that it is loaded, or not preferred. All ones if not offered."""
        load = Signal(load_width(self._shape), name=f"load_{option}")
        cost = Signal(len(load) + 2, name=f"cost_{option}")
        value = Const(0, len(load))
        for place, one in enumerate(self._shape.ports):
            if not one.is_host:
                value = value | Mux(port[one.index], self.load[place], 0)
        m.d.comb += [
            load.eq(value),
            cost.eq(Cat(load.any() | ~is_preferred, load) | (~is_offered).replicate(len(cost))),
        ]
        return cost

    def _write(self, m, header, chosen):
        """Register the flit, with the signs ``chosen`` in its header if it is a head. The check bits follow the register."""
        layout = self._header.layout
        signs = Signal(len(chosen))
        held = Signal(flit_layout(self._shape), name="held")
        changed = Signal(len(chosen))
        begin = layout["flags"].offset + layout["flags"].shape["signs"].offset
        m.d.comb += signs.eq(Mux(self.flit.head, chosen, header.flags.signs))
        m.d.sync += [
            held.eq(self.flit),
            held.data[begin : begin + len(signs)].eq(signs),
            changed.eq(signs ^ header.flags.signs),
        ]
        change = [None] * self._header.code.k
        change[begin : begin + len(signs)] = changed
        first, width = layout["check"].offset, layout["check"].width
        m.d.comb += [
            self.to_flit.eq(held),
            self.to_flit.data[first : first + width].eq(held.data[first : first + width] ^ self._header.sums(change)),
        ]


def _option_signs(distance, option, width):
    """``(signs, others)``: the signs of an option (:func:`option_sign`), and which of them may be inverted."""
    rest, signs, others, first = distance, [], [], Const(0, 1)
    for _ in range(width):
        signs.append(Mux(first, rest[1:2], option) & rest[0])
        others.append(first & rest[0])
        first = first | rest[0]
        rest = (rest[1:] + signs[-1])[: len(rest) - 1]
    return Cat(signs), Cat(others)


def _number(bits):
    """The number of the bit that is set."""
    width = max(1, (len(bits) - 1).bit_length())
    return Cat(Cat(bit for number, bit in enumerate(bits) if number >> place & 1).any() for place in range(width))


def _least(costs, turn):
    """``(cost, number)`` of the least of several values; of equals, the first after flipping bits of the number by ``turn``."""
    if len(costs) == 1:
        return costs[0], Const(0, 1)
    half = len(costs) // 2
    bit = half.bit_length() - 1
    (low, low_number), (high, high_number) = (_least(part, turn) for part in (costs[:half], costs[half:]))
    takes_high = (high < low) | (high == low) & turn[bit]
    number = Mux(takes_high, high_number, low_number)
    return Mux(takes_high, high, low), Cat(number, takes_high) if half > 1 else takes_high
