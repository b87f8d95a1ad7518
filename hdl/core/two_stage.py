"""Routing of packets from a host in two stages: over a random switch, always or by the load of the outputs (T 3.2, 3.3)."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.forwarding import Forwarding
from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.shape import CorePort, CoreShape
from dsnswitch.hdl.logic.gates import selected
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.stream.stage import delayed

#: Bits of the random number, and its first value.
RANDOM, SEED = 32, 0x2545F491


def load_width(shape):
    """Bits of the load of an output: flits on their way, and those of packets that wait in all input channels."""
    flits = max(shape.storage(port) for port in shape.ports if not port.is_host)
    return (flits + shape.packet * len(shape.sources)).bit_length()


class OutputLoad(wiring.Component):
    """The load of an output: flits sent whose credits have not returned, and a longest packet for each packet that waits for it.

    Latency 1 cycle for flits and credits, 2 cycles for packets that wait. Credits in excess leave the count at 0.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort

    Members
    -------
    - sent (In(1)): A flit leaves.
    - credit (In(channels)): Credits that return.
    - waits (In(sources)): A packet in front of each input channel waits for this output.
    - load (Out(load_width)): Registered.
    """

    def __init__(self, shape: CoreShape, port: CorePort):
        self._flits, self._packet = shape.storage(port), shape.packet
        waits = In(len(shape.sources))
        super().__init__({"sent": In(1), "credit": In(port.channels), "waits": waits, "load": Out(load_width(shape))})

    def elaborate(self, platform):
        m = Module()
        count = Signal(range(self._flits + 1))
        after = Signal(len(count) + 2)
        waiting = Signal(range(len(self.waits) + 1))
        settled = Signal.like(count)
        m.d.comb += [after.eq(count + self.sent - sum(self.credit)), settled.eq(Mux(after[-1], 0, after))]
        m.d.sync += [waiting.eq(sum(self.waits)), count.eq(settled), self.load.eq(settled + self._packet * waiting)]
        return m


class TwoStageSource(wiring.Component):
    """Forwarding of packets from a host: straight, or over a random switch with hosts. One packet per cycle.

    The latency is that of the table, with routing ``ugal`` one cycle more.

    In cycles without a packet, the table is asked for the port to a random switch. Such *candidates*, each an address and its
    ports, wait in registers until newer ones replace them, the oldest first. The random number is a xorshift of 32 bits
    (Marsaglia, 2003); addresses of each packet change it, so that ports do not draw the same switches.

    With routing ``indirect`` a packet takes the candidate. With ``ugal`` it takes the one with the least load, if ``penalty``
    times this load is below that of the straight output, and the latter is at least ``threshold`` percent of the output's
    buffer. A packet goes straight if its candidate is its destination, or the port of the candidate is dead, or the packet is
    marked ``ordered``.

    Parameters
    ----------
    shape : CoreShape

    Members
    -------
    - own, .., invalid: As of :class:`~dsnswitch.hdl.core.forwarding.Forwarding`. Outputs count in cycles after one with a packet.
    - asks (In(1)): A packet is asked about.
    - ordered (In(1)): The mark of the packet.
    - origin (In): Address of its source.
    - load (In(array of load_width)): With ``ugal``: load of each output, by the order of ``shape.ports``.
    - out_state (Out(intermediate_layout)): Of the header.
    """

    #: Members that forwarding does not have.
    MORE = ("asks", "ordered", "origin", "load")

    #: As in :class:`Forwarding`.
    bounded, clocked = True, True

    def __init__(self, shape: CoreShape, forwarding: Forwarding):
        self._shape, self._forwarding, self._by_load = shape, forwarding, shape.is_ugal
        header = Header(shape)
        self._address, state = header.switch, header.intermediate
        ports = len(forwarding.out_port)
        self._hops = {name: ports for name in ("out_port", "other_port") if len(getattr(forwarding, name))}
        loads = data.ArrayLayout(load_width(shape), len(shape.ports))
        more = {"asks": In(1), "ordered": In(1), "origin": In(header.address), **({"load": In(loads)} if self._by_load else {})}
        members = {name: member for name, member in forwarding.signature.members.items() if name != "out_state"}
        super().__init__({**members, **more, "out_state": Out(state.size)})

    @property
    def latency(self):
        """Cycles from the destination to the outputs."""
        return self._forwarding.latency + self._by_load

    def elaborate(self, platform):
        m = Module()
        m.submodules.forwarding = inner = self._forwarding
        members = inner.signature.members
        connect_ports(m, self, inner, [name for name, member in members.items() if member.flow == In and name != "dst"])
        names, latency = list(self._address.members), inner.latency
        draw = self._draw(m)
        target = Signal(self._address, name="target")
        for name in names:
            field = Signal(len(draw[name]), name=f"field_{name}")
            m.d.comb += [
                field.eq(Mux(self.asks, getattr(self.dst, name), draw[name])),
                getattr(inner.dst, name).eq(field),
                target[name].eq(delayed(m, f"target_{name}", field, latency)),
            ]
        has_port = inner.out_port.any()
        best = self._best(m, self._candidates(m, delayed(m, "asks_later", self.asks, latency), has_port, target), target)
        may = best["usable"] & has_port & ~delayed(m, "in_order", self.ordered, latency)
        if self._by_load:
            load, low = self._straight(inner.out_port)
            takes = self._later(m, "may", may & ~low) & (
                self._later(m, "best_cost", best["cost"]) < self._later(m, "straight_load", load)
            )
        else:
            takes = may
        taken = Signal()
        m.d.comb += [
            taken.eq(takes),
            self.out_state.eq(Mux(taken, Cat(Const(1, 1), self._later(m, "best_address", best["address"])), 0)),
        ]
        for name, member in members.items():
            if member.flow == Out and name != "out_state" and len(getattr(inner, name)):
                answer = self._later(m, f"straight_{name}", getattr(inner, name))
                if name in self._hops:
                    answer = Mux(taken, self._later(m, f"best_{name}", best[name]), answer)
                elif name in ("out_class", "other_class"):
                    # One-hot: a packet begins in the first class.
                    answer = Const(1, len(answer))
                m.d.comb += getattr(self, name).eq(answer)
        return m

    def _draw(self, m):
        """A random address; it may be that of no switch."""
        state = Signal(RANDOM, init=SEED)
        mixed = state
        for shift in (13, -17, 5):
            mixed = mixed ^ ((mixed << shift)[:RANDOM] if shift > 0 else mixed >> -shift)
        brought = Cat(*(getattr(self.dst, name) for name in self._address.members), self.origin.as_value())
        m.d.sync += state.eq(mixed[:RANDOM] ^ Mux(self.asks, brought[:RANDOM], 0))
        return data.View(self._address, state[: self._address.size])

    def _candidates(self, m, is_packet, has_port, target):
        """The registers of the candidates: the answer for a random switch goes to each in turn."""
        inner, count = self._forwarding, self._shape.candidates if self._by_load else 1
        layout = data.StructLayout({"valid": 1, "address": self._address, **self._hops})
        arrives = Signal()
        turn = Signal(count, init=1)
        m.d.comb += arrives.eq(has_port & ~is_packet)
        if count > 1:
            with m.If(arrives):
                m.d.sync += turn.eq(turn.rotate_left(1))
        held = []
        for number in range(count):
            held.append(one := Signal(layout, name=f"candidate_{number}"))
            with m.If(arrives & turn[number]):
                m.d.sync += [
                    one.valid.eq(1),
                    one.address.eq(target),
                    *(one[name].eq(getattr(inner, name)) for name in self._hops),
                ]
        return held

    def _best(self, m, held, target):
        """The usable candidate with the least load, of equal ones the first."""
        best = None
        for number, one in enumerate(held):
            usable = Signal(name=f"usable_{number}")
            differs = (one.address.as_value() ^ target.as_value()).any()
            m.d.comb += usable.eq(one.valid & differs & ~(one.out_port & self._forwarding.dead).any())
            mine = {"usable": usable, "address": one.address.as_value(), **{name: one[name] for name in self._hops}}
            if self._by_load:
                cost = Signal(load_width(self._shape) + self._shape.penalty.bit_length(), name=f"cost_{number}")
                m.d.comb += cost.eq(self._load_of(one.out_port) * self._shape.penalty)
                mine["cost"] = cost
            if best is None:
                best = mine
                continue
            better = Signal(name=f"better_{number}")
            m.d.comb += better.eq(usable & (~best["usable"] | (cost < best["cost"])))
            best = {name: Mux(better, mine[name], value) for name, value in best.items()}
        return best

    def _load_of(self, port):
        """The load of an output of the network, one-hot."""
        places = [(place, one.index) for place, one in enumerate(self._shape.ports) if not one.is_host]
        return selected([port[index] for _, index in places], [self.load[place] for place, _ in places])

    def _straight(self, port):
        """The load of the output of the straight route, and whether it is below the threshold."""
        load, low = self._load_of(port), []
        for place, one in enumerate(self._shape.ports):
            if not one.is_host:
                least = -(-self._shape.threshold * self._shape.storage(one) // 100)
                low.append(port[one.index] & (self.load[place] < least))
        return load, Cat(low).any()

    def _later(self, m, name, value):
        """``value``, which is registered where loads are compared."""
        return delayed(m, name, value, int(self._by_load))
