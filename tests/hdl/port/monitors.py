"""Monitors of the units of the fabric port: each states a property of its unit (:class:`Monitor`)."""

from amaranth.hdl import Mux, Signal
from proofs.monitor import Monitor

from dsnswitch.hdl.port.credits import BufferLevel, CreditLedger, PoolLevel
from dsnswitch.hdl.port.receiver import PacketGuard, Receiver
from dsnswitch.hdl.port.transmitter import Skid


class LedgerMonitor(Monitor):
    """Each flit that the core has sent is in flight, or its credit is owed, or on its way; whatever the line reports."""

    def __init__(self, depth, kind=CreditLedger):
        unit = kind(depth, (2 * depth).bit_length())
        super().__init__(unit, [unit.active, unit.sent, unit.dropped, unit.update, unit.freed])
        self.depth = depth

    def watch(self, m):
        unit, depth = self.unit, self.depth
        # Flits for which the core has no credit.
        out = Signal(range(depth + 2))
        comes = Signal()
        m.d.comb += comes.eq(unit.sent | unit.dropped)
        m.d.sync += out.eq(out + comes - unit.credit)
        faults = [unit.flight + unit.owed + unit.credit != out, out > depth]
        rules = [~(unit.sent & unit.dropped), ~unit.sent | unit.active, ~comes | (out < depth)]
        return faults, rules


class ReportMonitor(LedgerMonitor):
    """With true reports, no flit that is on its way counts as freed."""

    def __init__(self, depth, kind=CreditLedger):
        super().__init__(depth, kind)
        self.frees = Signal()
        self.inputs.append(self.frees)

    def watch(self, m):
        unit, frees = self.unit, self.frees
        _, rules = super().watch(m)
        freed = Signal.like(unit.count)
        m.d.sync += freed.eq(freed + frees)
        with m.If(~unit.active):
            m.d.sync += freed.eq(0)
        on_the_way = (unit.count - freed)[: len(freed)]
        return [on_the_way > unit.flight], [*rules, ~frees | on_the_way.any() & unit.active, unit.freed == freed]


class LevelMonitor(Monitor):
    """The buffer never holds more than it can, and ``space`` is 1 if it can take a flit; whatever the line reports."""

    def __init__(self, depth, kind=BufferLevel):
        unit = kind(depth, (2 * depth).bit_length())
        super().__init__(unit, [unit.active, unit.delivered, unit.credit, unit.update, unit.sent])
        self.depth = depth

    def watch(self, m):
        unit, depth = self.unit, self.depth
        held = Signal(range(depth + 2))
        allowed = Signal(init=1)
        m.d.sync += [held.eq(held + unit.delivered - unit.credit), allowed.eq(unit.space)]
        faults = [
            held > depth,
            unit.level != held,
            # What makes it impossible.
            allowed & (held >= depth),
        ]
        return faults, [~unit.delivered | allowed, ~unit.credit | (held + unit.delivered).any()]


class PoolLevelMonitor(Monitor):
    """Channels never hold more flits beyond their reserves than the pool has, and the count of these flits is right."""

    def __init__(self, channels, reserved, pool, kind=PoolLevel):
        unit = kind(channels, pool)
        super().__init__(unit, [unit.delivered, unit.credit])
        self.reserved, self.pool = reserved, pool

    def watch(self, m):
        unit, reserved = self.unit, self.reserved
        faults, rules, used = [], [~(unit.delivered & (unit.delivered - 1)).any()], []
        for v in range(len(unit.delivered)):
            level = BufferLevel(reserved + self.pool, 4, reserved)
            m.submodules[f"level_{v}"] = level
            allowed = Signal(name=f"allowed_{v}", init=1)
            m.d.comb += [level.delivered.eq(unit.delivered[v]), level.credit.eq(unit.credit[v])]
            m.d.comb += [getattr(unit, name)[v].eq(getattr(level, name)) for name in ("full", "above", "nearly")]
            m.d.sync += allowed.eq(level.space & unit.space[v])
            rules += [~level.delivered | allowed, ~level.credit | (level.level.any() | level.delivered)]
            used.append(Mux(level.level > reserved, level.level - reserved, 0))
            # What makes an overflow impossible.
            faults.append(allowed & (level.level >= reserved) & (unit.used >= self.pool))
        return [sum(used) > self.pool, unit.used != sum(used), *faults], rules


class EarlyMonitor(Monitor):
    """Every flit that the receiver accepts counts for the core once, in the cycle of its block or in the next, and no other does.

    As a flit is never later than the next one is early, flits stay in order.
    """

    def __init__(self, shape, kind=Receiver):
        unit = kind(shape)
        line = [getattr(unit.line, name) for name in unit.line.signature.members]
        more = [unit.locked, unit.may_be_noise, unit.reported] if shape.replay else []
        super().__init__(unit, [*line, unit.active, unit.space, *more])

    def watch(self, m):
        unit, line, early = self.unit, self.unit.line, self.unit.early
        # What counted in the cycle before for the block of that cycle.
        gone = Signal.like(early.valid)
        given = Signal.like(early.flit)
        owed = Signal()
        counts = Signal.like(early.valid)
        m.d.comb += [counts.eq(early.valid & early.confirmed.replicate(len(counts))), owed.eq(unit.into.any() & ~gone.any())]
        m.d.sync += [gone.eq(Mux(owed, 0, counts)), given.eq(early.flit)]
        now, then = early.flit.as_value(), unit.flit.as_value()
        faults = [
            owed & ((counts != unit.into) | (now != then)),
            gone.any() & ((gone != unit.into) | (given.as_value() != then)),
            # What makes it impossible.
            unit.early_flits.waits != owed,
        ]
        rules = [~line.exact | (line.early_data == line.is_data) & (line.early_plain == line.plain) & ~line.bad]
        return faults, rules


class SkidMonitor(Monitor):
    """No flit is lost and they leave in order, if the sender stops in time; flits that are inserted go before them."""

    def __init__(self, kind=Skid, inserting=False):
        unit = kind(3, 1, inserting)
        inserts = [unit.inserts, unit.inserted] if inserting else []
        super().__init__(unit, [unit.valid, unit.entry, unit.pop, *inserts])

    def watch(self, m):
        unit = self.unit
        came = Signal(3)
        left = Signal(3)
        stalls = [Signal(name=f"stall_{age}") for age in (1, 2, 3)]
        m.d.sync += [came.eq(came + unit.valid), left.eq(left + unit.pop)]
        m.d.sync += [later.eq(sooner) for sooner, later in zip([unit.stall, *stalls], stalls)]
        outside = Signal()
        m.d.sync += outside.eq(unit.inserts)
        rules = [
            ~unit.pop | unit.front_valid & ~outside,
            unit.entry == came,
            # A flit was granted two cycles ago, when the core's register had the stall of the cycle before.
            ~unit.valid | ~stalls[2],
        ]
        waits = (came - left)[:3]
        right = Mux(outside, unit.inserted, left)
        faults = [unit.level > unit.ENTRIES, unit.level != waits, (unit.front_valid | outside) & (unit.front != right)]
        return faults, rules


class GuardMonitor(Monitor):
    """A packet ends with its tail, at the latest with the last flit that its header states; bad tails leave one at a time."""

    def __init__(self, channels=2, length=3, kind=PacketGuard):
        unit = kind(channels, length)
        inputs = [unit.valid, unit.head, unit.tail, unit.length, unit.refused, unit.breaks, unit.space, unit.free]
        super().__init__(unit, inputs)

    def watch(self, m):
        unit = self.unit
        ended = Signal.like(unit.ends)
        waits = Signal.like(unit.ends)
        lacks = Signal.like(unit.ends)
        lacked = Signal.like(unit.ends)
        was_last = Signal.like(unit.ends)
        goes_on = Signal.like(unit.ends)
        m.d.comb += [
            lacks.eq(unit.is_open | unit.broken),
            goes_on.eq(unit.valid & ~(unit.head | unit.refused).replicate(len(lacks))),
        ]
        m.d.sync += [lacked.eq(lacks), was_last.eq(unit.last)]
        m.d.sync += [ended.eq(unit.ends), waits.eq(unit.broken & ~unit.ends)]
        faults = [
            (unit.ends & (unit.ends - 1)).any(),
            (unit.ends & ~unit.broken).any(),
            (unit.is_open & unit.broken).any(),
            unit.tail & (unit.valid & lacks).any(),
            (unit.last & ~lacks).any(),
            (unit.ends & ~unit.space).any(),
            unit.ends.any() & ~unit.free,
            unit.refused & (unit.valid & lacks).any(),
            # The next flit ends the packet, if it is the last that it lacks, and only then.
            (goes_on & was_last & lacks).any(),
            (goes_on & lacked & ~was_last & ~unit.tail.replicate(len(lacks)) & ~lacks).any(),
            # A broken packet stays broken until its tail.
            (waits & ~unit.broken & ~unit.valid).any(),
        ]
        # The receiver makes a bad tail of what the guard asks for.
        rules = [
            ~(unit.valid & (unit.valid - 1)).any(),
            ~ended.any() | (unit.valid == ended) & unit.tail & ~unit.head,
            ~unit.head | unit.length.any() | unit.refused,
        ]
        return faults, rules
