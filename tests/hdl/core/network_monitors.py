"""Monitors of arbiters and allocators of several virtual networks (:class:`Monitor`)."""

from amaranth.hdl import Cat, Mux, Signal
from amaranth.lib import data
from proofs.monitor import Monitor, several

from dsnswitch.hdl.core.network_arbiter import NetworkArbiter
from dsnswitch.hdl.core.output_port import Allocator

from .allocator_monitors import AllocatorMonitor, of_source
from .arbiter_monitors import before_of, nobody_twice, order_faults, passed_over


def of_inputs(bits, inputs):
    """Those of ``bits`` that belong to ``inputs``."""
    return Cat(bits[one] for one in inputs)


class NetworkArbiterMonitor(Monitor):
    """At most one grant, to one that asked, one if any asks; in each virtual network the bound of its own arbiter holds.

    A virtual network in which an input asks is passed over by each other one at most once. The environment is that of
    :class:`ArbiterMonitor`; an input waits for channels of its virtual network only.
    """

    def __init__(self, inputs, channels, speculative=False, kind=NetworkArbiter):
        unit = kind(inputs, channels, speculative)
        count, self.channels = sum(map(len, inputs)), sum(map(len, channels))
        self.waits = Signal(data.ArrayLayout(self.channels, count))
        self.opens = Signal(self.channels)
        more = [unit.unconfirmed] if speculative else []
        super().__init__(unit, [self.waits.as_value(), self.opens, unit.keep, *more])
        self.count, self.speculative = count, speculative

    def watch(self, m):
        unit, count, grant = self.unit, self.count, self.unit.grant
        asks_now = Signal.like(self.waits)
        asked = Signal.like(self.waits)
        waited = Signal.like(self.waits)
        kept = Signal(count)
        unconfirmed = Signal(count)
        last = Signal(count)
        last_now = Signal(count)
        m.d.comb += [asks_now[one].eq(self.waits[one] & self.opens) for one in range(count)]
        m.d.comb += [unit.request[c].eq(Cat(one[c] for one in asks_now)) for c in range(self.channels)]
        m.d.comb += last_now.eq(Mux(unit.chose, grant, last))
        m.d.sync += [
            asked.eq(asks_now),
            waited.eq(self.waits),
            kept.eq(unit.keep),
            last.eq(last_now),
            unconfirmed.eq(unit.unconfirmed if self.speculative else 0),
        ]
        asks = Cat(one.any() for one in asked)
        faults = [
            several(grant),
            several(last_now),
            (grant & (~Mux(kept.any(), kept, asks) | unconfirmed)).any(),
            (asks.any() | kept.any()) & ~grant.any() & ~((asks | kept) & unconfirmed).any(),
            unit.chose != (asks.any() & ~kept.any()),
        ]
        rules = [~unit.keep.any() | (unit.keep == last_now), *(~several(one) for one in self.waits)]
        for number, (arbiter, inputs, channels) in enumerate(zip(unit.arbiters, unit.inputs, unit.channels)):
            own_last = Signal(len(inputs), name=f"own_last_{number}")
            own_last_now = Signal(len(inputs), name=f"own_last_now_{number}")
            m.d.comb += own_last_now.eq(Mux(arbiter.chose, arbiter.grant, own_last))
            m.d.sync += own_last.eq(own_last_now)
            faults.append((of_inputs(last, inputs) & ~own_last).any())
            faults += order_faults(arbiter, own_last_now)
            faults += passed_over(m, arbiter, [of_inputs(waited[one], channels) for one in inputs])
            rules += [~of_inputs(self.waits[one], sorted({*range(self.channels)} - {*channels})).any() for one in inputs]
        asking = Cat(of_inputs(asks, inputs).any() & unit.chose for inputs in unit.inputs)
        given = Cat(of_inputs(grant, inputs).any() for inputs in unit.inputs)
        faults += nobody_twice(m, unit.order, range(len(unit.inputs)), asking, given)
        return faults, rules


class NetworkAllocatorMonitor(AllocatorMonitor):
    """As :class:`AllocatorMonitor`, and: no flit leaves on a channel of another virtual network than its input channel's."""

    def __init__(self, shape, speculative=False, kind=Allocator):
        super().__init__(shape, len(shape.sources), speculative, kind)
        self.shape = shape
        self.inputs += [self.unit.service.as_value()] if shape.free_weights else []

    def other_channels(self, v):
        """The output's channels of other virtual networks than that of input ``v``."""
        own = next(number for number in range(self.shape.virtual_networks) if v in self.shape.sources_of(number))
        return sorted({*range(self.port.channels)} - {*self.port.shares[own].range})

    def watch(self, m):
        faults, rules = super().watch(m)
        for v in range(self.sources):
            request = of_source(self.unit.requests, v)
            rules.append(~of_inputs(request.entry.channel, self.other_channels(v)).any())
            faults.append(self.unit.grant[v] & of_inputs(self.unit.sent, self.other_channels(v)).any())
        return faults, rules


class NetworkWaitingMonitor(NetworkAllocatorMonitor):
    """As :class:`WaitingMonitor`, in each virtual network."""

    def __init__(self, shape, kind=Allocator):
        super().__init__(shape, kind=kind)
        self.inputs.append(self.unit.stall)

    def watch(self, m):
        unit = self.unit
        # Its faults are not inductive.
        _, rules = super().watch(m)
        last, last_now = self.keep_heads(m, rules)
        faults = [(unit.preferred & ~last_now).any(), several(last_now)]
        for v in range(self.sources):
            faults += [of_inputs(bits[v], self.other_channels(v)).any() for bits in (self.holds, self.waits)]
        arbiters = unit.arbiter
        for number, (arbiter, inputs, channels) in enumerate(zip(arbiters.arbiters, arbiters.inputs, arbiters.channels)):
            own_last = Signal(len(inputs), name=f"own_last_{number}")
            own_last_now = Signal(len(inputs), name=f"own_last_now_{number}")
            m.d.comb += own_last_now.eq(Mux(arbiter.chose, arbiter.grant, own_last))
            m.d.sync += own_last.eq(own_last_now)
            faults += [*order_faults(arbiter, own_last_now), (of_inputs(last, inputs) & ~own_last).any()]
            for c, orders in zip(channels, arbiter.group_orders):
                holders = Cat(self.holds[one][c] for one in inputs)
                faults += [several(holders), holders.any() != unit.held[c]]
                # The packet that holds a channel was the last to be granted on it.
                given = arbiter.channel[channels.index(c)] & arbiter.grant.any()
                served = arbiter.of_groups(arbiter.grant) & given.replicate(len(arbiter.groups))
                at_end = arbiter.of_groups(holders)
                faults += [at_end[one] & first for (one, _), first in before_of(orders, served).items()]
            waits = [of_inputs(self.waits[one], channels) for one in inputs]
            faults += passed_over(m, arbiter, waits, of_inputs(self.heads, inputs), 1)
        return faults, rules


class ServiceMonitor(Monitor):
    """A virtual network that always asks is passed over a bounded number of times by each other one of its level.

    No virtual network of a lower level than one that asks is granted, also if it was to be kept. Every grant is a choice, as of
    packets of one flit: longer ones take the budgets of others sooner. Inputs of the others ask as they like.
    """

    def __init__(self, inputs, channels, asking, weights=(), levels=(), unit=1, kind=NetworkArbiter):
        unit_of_weight, self.asking = unit, asking
        self.levels = levels or [0] * len(inputs)
        unit = kind(inputs, channels, weights=weights, levels=levels, unit=unit_of_weight)
        super().__init__(unit, [unit.request.as_value()])
        #: Most choices of each other virtual network of the level.
        self.most = [weight * unit_of_weight + unit.grace + 1 for weight in weights] or [1] * len(inputs)

    def watch(self, m):
        unit = self.unit
        asks = Cat(
            Cat(of_inputs(unit.request[c], inputs) for c in channels).any()
            for inputs, channels in zip(unit.inputs, unit.channels)
        )
        asked = Signal(len(unit.inputs))
        m.d.sync += asked.eq(asks)
        granted = Cat(of_inputs(unit.grant, inputs).any() for inputs in unit.inputs)
        faults, own = [several(unit.grant), asked.any() & ~unit.grant.any()], self.levels[self.asking]
        for number, level in enumerate(self.levels):
            higher = [other for other, above in enumerate(self.levels) if above > level]
            faults.append(granted[number] & Cat(asked[other] for other in higher).any())
            if number == self.asking or level != own:
                continue
            passed = Signal(range(self.most[number] + 2), name=f"passed_{number}")
            passed_now = Signal(range(self.most[number] + 2), name=f"passed_now_{number}")
            m.d.comb += passed_now.eq(Mux(granted[self.asking], 0, passed + granted[number]))
            m.d.sync += passed.eq(passed_now)
            faults.append(passed_now > self.most[number])
        rules = [asks[self.asking], ~unit.keep.any()]
        rules += [~asks[number] for number, level in enumerate(self.levels) if level > own]
        return faults, rules


class FreeServiceMonitor(Monitor):
    """As :class:`ServiceMonitor`, with levels, and weights up to ``most``, that change in any cycle.

    One virtual network always asks, and none of a higher level does. When a level changes, the count of those that pass it begins
    anew.
    """

    def __init__(self, inputs, channels, asking, most, kind=NetworkArbiter):
        unit = kind(inputs, channels, is_free=True)
        super().__init__(unit, [unit.request.as_value(), unit.service.as_value()])
        self.asking, self.most, self.numbers = asking, most, range(len(inputs))

    def watch(self, m):
        unit, bound = self.unit, self.most + self.unit.grace + 1
        weights, levels = ([unit.service[name][n] for n in self.numbers] for name in ("weights", "levels"))
        asks = [
            Cat(of_inputs(unit.request[c], inputs) for c in channels).any()
            for inputs, channels in zip(unit.inputs, unit.channels)
        ]
        changed = Signal()
        before = Signal.like(unit.service.levels.as_value())
        m.d.sync += before.eq(unit.service.levels.as_value())
        m.d.comb += changed.eq(unit.service.levels.as_value() != before)
        granted = [of_inputs(unit.grant, inputs).any() for inputs in unit.inputs]
        # A state of the arbiter with weights up to ``most`` has no greater budgets.
        faults = [several(unit.grant), *(left > self.most for left in unit.left)]
        for number in self.numbers:
            passable = Signal(name=f"passable_{number}")
            higher = [asks[other] & (levels[other] > levels[number]) for other in self.numbers]
            m.d.sync += passable.eq(Cat(higher).any())
            faults.append(granted[number] & passable)
            if number == self.asking:
                continue
            passed = Signal(range(bound + 2), name=f"passed_{number}")
            passed_now = Signal(range(bound + 2), name=f"passed_now_{number}")
            m.d.comb += passed_now.eq(Mux(granted[self.asking] | changed, 0, passed + granted[number]))
            m.d.sync += passed.eq(passed_now)
            faults.append(passed_now > bound)
        rules = [asks[self.asking], ~unit.keep.any(), *(weight <= self.most for weight in weights)]
        rules += [~one | (levels[self.asking] >= level) for one, level in zip(asks, levels)]
        return faults, rules


class LevelMonitor(Monitor):
    """A virtual network of the highest level that asks is granted, and not one of a lower level that is to be kept."""

    def __init__(self, inputs, channels, levels, kind=NetworkArbiter):
        unit = kind(inputs, channels, levels=levels)
        super().__init__(unit, [unit.request.as_value(), unit.keep])
        self.levels = levels

    def watch(self, m):
        unit = self.unit
        asks = Signal(len(unit.inputs))
        asked = Signal(len(unit.inputs))
        m.d.comb += asks.eq(
            Cat(
                Cat(of_inputs(unit.request[c], inputs) for c in channels).any()
                for inputs, channels in zip(unit.inputs, unit.channels)
            )
        )
        m.d.sync += asked.eq(asks)
        granted = Cat(of_inputs(unit.grant, inputs).any() for inputs in unit.inputs)
        faults = [several(unit.grant), asked.any() & ~unit.grant.any()]
        for number, level in enumerate(self.levels):
            higher = Cat(asked[other] for other, above in enumerate(self.levels) if above > level)
            faults.append(granted[number] & higher.any())
        # What is kept asks, too.
        keeps = Cat(of_inputs(unit.keep, inputs).any() for inputs in unit.inputs)
        return faults, [~several(unit.keep), ~(keeps & ~asks).any()]
