"""Monitors of retransmission: the replay buffer alone, and with the receiver's side and a line that loses blocks."""

from amaranth.hdl import Mux, Signal
from proofs.monitor import Monitor

from dsnswitch.hdl.port.retransmission import Acceptance, ReplayBuffer

#: A small buffer: flits, bits of an entry, bits of a number. Cycles before a request is sent again.
SMALL = (4, 4, 3)
PAUSE = 2


class PointerMonitor(Monitor):
    """The buffer never overflows, what it gives was sent and is in it, and it fails only without progress; for all reports."""

    def __init__(self, kind=ReplayBuffer, sizes=SMALL):
        unit = kind(*sizes)
        super().__init__(unit, [unit.active, unit.sent, unit.entry, unit.update, unit.accepted, unit.request])
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
    """Both ends with a line that loses any block both ways, and flits that are undone or revoked: each counts once, in order."""

    def __init__(self, kind=ReplayBuffer, other=Acceptance, sizes=SMALL):
        depth, self.width, number = sizes
        unit = kind(*sizes)
        self.far = other(depth, PAUSE, number)
        self.sends = Signal()
        self.lost = Signal()
        self.wrong_flit = Signal()
        self.unheard = Signal()
        self.doubts = Signal()
        self.fails = Signal()
        super().__init__(unit, [self.sends, self.lost, self.wrong_flit, self.unheard, self.doubts, self.fails])

    def watch(self, m):
        unit, far = self.unit, self.far
        m.submodules.far = far
        came = Signal(self.width)
        # The block on the line: a flit or none, and the number of the next flit before it.
        carries = Signal()
        number = Signal.like(unit.number)
        answered = Signal()
        load = Signal(self.width)
        arrives = Signal()
        took = Signal()
        count = Signal(self.width)
        before = Signal(self.width)
        # Without flits in doubt.
        stated = Signal(self.width)
        in_order = Signal()
        usable = Signal()
        valid = Signal()
        m.d.sync += valid.eq(1)
        m.d.comb += [
            unit.active.eq(1),
            unit.sent.eq(self.sends & (unit.replaying | ~unit.full)),
            unit.entry.eq(came),
            far.active.eq(1),
            far.doubts.eq(self.doubts),
            far.revoked.eq(self.doubts & self.fails & ~took),
            usable.eq(valid & ~self.lost & ~far.revoked),
            in_order.eq(number == far.expected),
            far.undone.eq(took & self.wrong_flit),
            arrives.eq(usable & carries & in_order & ~far.undone),
            far.taken.eq(arrives),
            # As in the gateware, but without the cycle that the check of a link word takes.
            far.missing.eq(usable & ~in_order | far.undone),
            far.none_missing.eq(usable & in_order & ~far.undone),
            far.present.eq(usable),
            far.answered.eq(answered),
            far.reported.eq(0),
        ]
        m.d.sync += [
            carries.eq(unit.sent),
            number.eq(unit.number),
            answered.eq(unit.answered),
            load.eq(unit.front),
            came.eq(came + (unit.sent & ~unit.replaying)),
            took.eq(arrives),
            unit.update.eq(~self.unheard),
            unit.accepted.eq(far.accepted),
            unit.request.eq(far.request),
        ]
        with m.If(~unit.replaying):
            m.d.sync += load.eq(came)
        with m.If(far.undone):
            m.d.sync += count.eq(before)
        with m.Elif(arrives):
            m.d.sync += [count.eq(count + 1), before.eq(count)]
        with m.Elif(far.revoked):
            m.d.sync += count.eq(stated)
        with m.If(~self.doubts):
            m.d.sync += stated.eq(Mux(far.undone, before, count))
        acknowledged = (far.accepted - unit.oldest)[: len(unit.number)]
        request = Signal()
        m.d.sync += request.eq(far.request)
        faults = [
            arrives & (load != count),
            # A request is for the flit that is expected, so that the replay begins with it.
            (far.request != request) & (far.accepted != count[: len(far.accepted)]),
            # A flit that is acknowledged is not needed again.
            acknowledged > unit.level,
        ]
        return faults, []


class ProgressMonitor(LineMonitor):
    """A line that loses nothing for a while delivers a flit in this time, whatever it has lost before."""

    #: Cycles: a round trip.
    WHILE = 6

    def watch(self, m):
        faults, rules = super().watch(m)
        whole = Signal(range(self.WHILE + 1))
        # A cycle later, flits are reported that were doubtful.
        doubted = Signal()
        m.d.sync += doubted.eq(self.doubts)
        loses = self.lost | self.wrong_flit | self.unheard | ~self.sends | self.doubts | doubted
        m.d.sync += whole.eq(Mux(loses | self.far.taken, 0, whole + 1))
        return [*faults, whole == self.WHILE], rules


class RequestMonitor(Monitor):
    """A request is urgent at once, and again a pause after it was sent, while it stands; no two are without an answer."""

    def __init__(self, kind=Acceptance, sizes=SMALL):
        unit = kind(sizes[0], PAUSE, sizes[2])
        super().__init__(
            unit, [unit.taken, unit.undone, unit.missing, unit.none_missing, unit.present, unit.answered, unit.reported]
        )

    def watch(self, m):
        unit = self.unit
        silent = Signal(range(PAUSE + 4))
        answered = Signal()
        waiting = Signal()
        request = Signal()
        late = Signal()
        changes = unit.request != request
        m.d.comb += unit.active.eq(1)
        m.d.sync += [request.eq(unit.request), late.eq(changes & ~unit.reported), waiting.eq(answered != unit.request)]
        with m.If(unit.present):
            m.d.sync += [answered.eq(unit.answered), waiting.eq(unit.answered != unit.request)]
        with m.If(~unit.asks | unit.urgent | unit.reported):
            m.d.sync += silent.eq(0)
        with m.Else():
            m.d.sync += silent.eq(silent + 1)
        return [silent > PAUSE + 2, late & ~unit.urgent, waiting & changes], [~(unit.taken & unit.undone)]
