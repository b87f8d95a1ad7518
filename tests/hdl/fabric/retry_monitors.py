"""Monitors of retransmission: the replay buffer alone, and with the receiver's side and a line that loses blocks."""

from amaranth.hdl import Signal
from proofs.monitor import Monitor

from dsnswitch.hdl.fabric.acceptance import Acceptance
from dsnswitch.hdl.fabric.replay_buffer import ReplayBuffer

#: A small buffer: flits, bits of an entry, round trip, bits of a number.
SMALL = (4, 4, 2, 3)


class PointerMonitor(Monitor):
    """The buffer never overflows, what it gives was sent and is in it, and it fails only without progress; for all reports."""

    def __init__(self, kind=ReplayBuffer, sizes=SMALL):
        unit = kind(*sizes)
        super().__init__(
            unit, [unit.active, unit.sent, unit.entry, unit.update, unit.accepted, unit.asks, unit.round_trip]
        )
        self.depth = sizes[0]

    def watch(self, m):
        unit = self.unit
        # New flits of the session, with a bit more than a number has.
        came = Signal(len(unit.number) + 1)
        new = Signal()
        m.d.comb += new.eq(unit.sent & ~unit.replaying)
        m.d.sync += came.eq(came + new)
        with m.If(~unit.active):
            m.d.sync += came.eq(0)
        left = (came - unit.number)[: len(unit.number)]
        oldest = Signal.like(unit.oldest)
        was_active = Signal()
        m.d.sync += [oldest.eq(unit.oldest), was_active.eq(unit.active)]
        faults = [
            unit.level >= self.depth,
            (unit.oldest + unit.level)[: len(unit.number)] != came[: len(unit.number)],
            unit.replaying & (~left.any() | (left >= self.depth)),
            ~unit.replaying & left.any(),
            # What makes it impossible: a restart is from a flit that is in the buffer.
            unit.restarts & ((came - unit.target)[: len(unit.number)] >= self.depth),
            unit.restarts & (unit.target == came[: len(unit.number)]),
            unit.restarts & (unit.target != unit.oldest),
            ~unit.full & (unit.level >= self.depth - 1),
            # A report of an accepted flit does not end the session.
            unit.failed & was_active & (unit.oldest != oldest),
        ]
        return faults, [~unit.sent | unit.active & (unit.replaying | ~unit.full)]


class ReplayMonitor(PointerMonitor):
    """A flit that is given again is the one of its number."""

    def watch(self, m):
        unit = self.unit
        came = Signal(len(unit.entry))
        m.d.sync += came.eq(came + (unit.sent & ~unit.replaying))
        with m.If(~unit.active):
            m.d.sync += came.eq(0)
        faults, rules = super().watch(m)
        wrong = unit.replaying & (unit.front[: len(unit.number)] != unit.number)
        return [*faults, wrong], [*rules, unit.entry == came]


class LineMonitor(Monitor):
    """Both ends with a line that loses any block both ways, and flits that are undone: every flit counts once, in order."""

    def __init__(self, kind=ReplayBuffer, other=Acceptance, sizes=SMALL):
        depth, width, round_trip, number = sizes
        unit = kind(*sizes)
        self.far = other(depth, round_trip, number)
        self.sends, self.lost, self.wrong_flit, self.unheard = (Signal() for _ in range(4))
        super().__init__(unit, [self.sends, self.lost, self.wrong_flit, self.unheard])
        self.width, self.round_trip = width, round_trip

    def watch(self, m):
        unit, far = self.unit, self.far
        m.submodules.far = far
        came = Signal(self.width)
        # The block on the line: a flit or none, and the number of the next flit before it.
        carries = Signal()
        number = Signal.like(unit.number)
        load = Signal(self.width)
        arrives = Signal()
        took = Signal()
        count = Signal(self.width)
        before = Signal(self.width)
        in_order = Signal()
        usable = Signal()
        valid = Signal()
        m.d.sync += valid.eq(1)
        m.d.comb += [
            unit.active.eq(1),
            unit.round_trip.eq(self.round_trip),
            far.round_trip.eq(self.round_trip),
            unit.sent.eq(self.sends & (unit.replaying | ~unit.full)),
            unit.entry.eq(came),
            far.active.eq(1),
            usable.eq(valid & ~self.lost),
            in_order.eq(number == far.expected),
            far.undone.eq(took & self.wrong_flit),
            arrives.eq(usable & carries & in_order & ~far.undone),
            far.taken.eq(arrives),
            # As in the gateware, but without the cycle that the check of a link word takes.
            far.missing.eq(usable & ~in_order | far.undone),
            far.found.eq(usable & in_order & ~far.undone),
            far.reported.eq(0),
        ]
        m.d.sync += [
            carries.eq(unit.sent),
            number.eq(unit.number),
            load.eq(unit.front),
            came.eq(came + (unit.sent & ~unit.replaying)),
            took.eq(arrives),
            unit.update.eq(~self.unheard),
            unit.accepted.eq(far.accepted),
            unit.asks.eq(far.asks),
        ]
        with m.If(~unit.replaying):
            m.d.sync += load.eq(came)
        with m.If(far.undone):
            m.d.sync += count.eq(before)
        with m.Elif(arrives):
            m.d.sync += [count.eq(count + 1), before.eq(count)]
        acknowledged = (far.accepted - unit.oldest)[: len(unit.number)]
        faults = [
            arrives & (load != count),
            # A flit that is acknowledged is not needed again.
            acknowledged > unit.level,
        ]
        return faults, []


class RequestMonitor(Monitor):
    """A request is urgent at once, and again a round trip after it was sent, as long as it stands."""

    def __init__(self, kind=Acceptance, sizes=SMALL):
        depth, _, self.round_trip, number = sizes
        unit = kind(depth, self.round_trip, number)
        super().__init__(unit, [unit.taken, unit.undone, unit.missing, unit.found, unit.reported])

    def watch(self, m):
        unit = self.unit
        silent = Signal(range(self.round_trip + 4))
        m.d.comb += [unit.active.eq(1), unit.round_trip.eq(self.round_trip)]
        with m.If(~unit.asks | unit.urgent | unit.reported):
            m.d.sync += silent.eq(0)
        with m.Else():
            m.d.sync += silent.eq(silent + 1)
        return [silent > self.round_trip + 2], [~(unit.taken & unit.undone)]
