"""Credits of a fabric link: what is in flight, what the buffers hold, and when counts are reported."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import DETAILS_CODE
from dsnswitch.hdl.logic.gates import decode, equals, selected
from dsnswitch.hdl.port.shape import FabricShape


class CreditLedger(wiring.Component):
    """Turns the receiver's count of freed flits into credit pulses for the core. Latency 3 cycles from report to pulse.

    The count is absolute, modulo ``2**width``, so a lost report is repaired by the next. A report that claims more flits than
    are in flight is ignored. Each flit that the core sent is in flight, or its credit is owed or returned: none is counted
    twice or forgotten.

    Parameters
    ----------
    depth : int
        Flits of the receiver's buffer.
    width : int
        Bits of a count; ``2**width > 2 * depth``.

    Members
    -------
    - active: The receiver accepts flits. While 0, both counts are 0, and credits of flits in flight are returned.
    - sent, dropped: A flit of the core enters the line, is dropped. Never both; ``sent`` only while ``active``.
    - update, freed: The receiver reports how many flits have left its buffer. In the cycle after a report another is ignored.
    - credit: A credit for the core; registered.
    - count: Flits sent since ``active`` rose; registered.
    """

    def __init__(self, depth, width):
        #: Flits in flight, credits owed.
        self.flight = Signal(range(depth + 1))
        self.owed = Signal(range(depth + 1))
        super().__init__(
            {
                **{name: In(1) for name in (("active", "sent", "dropped", "update"))},
                "freed": In(width),
                "credit": Out(1),
                "count": Out(width),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # Flits that the report frees, and what was reported before.
        advance = Signal.like(self.count)
        last = Signal.like(self.count)
        compares = Signal()
        believed = Signal()
        returned = Signal.like(self.flight)
        gives = Signal()
        m.d.comb += [
            believed.eq(compares & (advance <= self.flight)),
            returned.eq(Mux(self.active, Mux(believed, advance, 0), self.flight)),
            gives.eq(self.owed.any()),
        ]
        m.d.sync += [
            advance.eq(self.freed - last),
            compares.eq(self.update & ~compares & self.active),
            self.flight.eq(self.flight + self.sent - returned),
            self.owed.eq(self.owed + returned + self.dropped - gives),
            self.credit.eq(gives),
        ]
        with m.If(~self.active):
            m.d.sync += [self.count.eq(0), last.eq(0)]
        with m.Else():
            m.d.sync += [self.count.eq(self.count + self.sent), last.eq(last + returned)]
        return m


class CreditCheck(wiring.Component):
    """Compares the level of the core's buffers, as credits state it, with the buffers themselves.

    If the core says for ``PERIOD`` cycles that its buffers are empty, and no flit and no credit passes meanwhile, every credit
    has returned. If credits are missing then, the core has lost them. Each virtual network has a check of its own.

    Members
    -------
    - buffers_empty: The core's buffers of all channels of the virtual network hold no flit.
    - moves: A flit enters the core, or a credit returns.
    - credits_home: Credits of all flits have returned.
    - lost: Credits are lost: one pulse.
    """

    #: Cycles, more than a flit or a credit is on its way in the core.
    PERIOD = 64

    buffers_empty: In(1)
    moves: In(1)
    credits_home: In(1)
    lost: Out(1)

    def elaborate(self, platform):
        m = Module()
        quiet = Signal(range(self.PERIOD + 1))
        done = Signal()
        m.d.comb += [done.eq(quiet == self.PERIOD), self.lost.eq(done & ~self.credits_home)]
        with m.If(~self.buffers_empty | self.moves | self.credits_home | done):
            m.d.sync += quiet.eq(0)
        with m.Else():
            m.d.sync += quiet.eq(quiet + 1)
        return m


class BufferLevel(wiring.Component):
    """Counts the flits in the buffer of one channel, and those that have left it. Registered.

    The sender's count of sent flits includes those that were lost on the line. A report of it corrects the count of freed flits,
    so that the credits of lost flits return. ``space`` stops flits that the buffer cannot hold, whatever arrives.

    Parameters
    ----------
    depth : int
        Flits of the buffer.
    width : int
        Bits of a count.
    reserved : int
        With a pool: flits that are reserved for the channel. 0 without.

    Members
    -------
    - active: The link is open. While 0, the count of freed flits is 0.
    - delivered: A flit enters the buffer; only if ``space`` was 1 in the cycle before.
    - credit: A flit has left the buffer.
    - lost: The buffer is empty, whatever credits have returned.
    - update, sent: The sender reports how many flits it has sent, all of them before the last ``delivered``.
    - space, empty: The buffer can hold one more flit, with the one that is ``delivered`` now; it holds none.
    - full, above, nearly: With ``reserved``, as :class:`PoolLevel` has them.
    - freed: Flits that have left the buffer or were lost.
    """

    def __init__(self, depth, width, reserved=0):
        self._depth, self._reserved = depth, reserved
        #: Flits in the buffer.
        self.level = Signal(range(depth + 1))
        inputs = ("active", "delivered", "credit", "lost", "update")
        super().__init__(
            {
                **{name: In(1) for name in inputs},
                "sent": In(width),
                "space": Out(1),
                "empty": Out(1),
                "freed": Out(width),
                **(dict.fromkeys(("full", "above", "nearly"), Out(1)) if reserved else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        level, depth = self.level, self._depth
        after = Signal.like(level)
        corrected = Signal.like(self.freed)
        corrects = Signal()
        m.d.comb += [
            after.eq(level + self.delivered - (self.credit & (level.any() | self.delivered))),
            self.empty.eq(~level.any() & ~self.delivered),
            self.space.eq((level < depth - 1) | (level == depth - 1) & ~self.delivered),
        ]
        if reserved := self._reserved:
            m.d.comb += [
                self.full.eq(level >= reserved),
                self.above.eq(level > reserved),
                self.nearly.eq(self.full | (level == reserved - 1) & self.delivered),
            ]
        m.d.sync += [level.eq(Mux(self.lost, 0, after)), corrected.eq(self.sent - after), corrects.eq(self.update & self.active)]
        with m.If(~self.active):
            m.d.sync += self.freed.eq(0)
        with m.Elif(corrects):
            m.d.sync += self.freed.eq(corrected + self.credit)
        with m.Else():
            m.d.sync += self.freed.eq(self.freed + self.credit)
        return m


class PoolLevel(wiring.Component):
    """Counts the flits of all channels beyond their reserves, so that the shared RAM of a port never gets too many.

    Members
    -------
    - delivered, credit (In(channels)): A flit enters the buffer of a channel, has left it.
    - full, above (In(channels)): The channel holds at least its reserve of flits, more than that.
    - nearly (In(channels)): It will hold at least its reserve with the flit that is delivered now.
    - lost (In(1)): All buffers are empty.
    - space (Out(channels)): One more flit of the channel fits into its reserve, or into the pool.
    """

    def __init__(self, channels, pool):
        self._pool = pool
        #: Flits of the pool that are in use.
        self.used = Signal(range(pool + 1))
        names = ("delivered", "credit", "full", "above", "nearly")
        super().__init__({**dict.fromkeys(names, In(channels)), "lost": In(1), "space": Out(channels)})

    def elaborate(self, platform):
        m = Module()
        takes = Signal()
        fits = Signal()
        m.d.comb += [
            takes.eq((self.delivered & self.full).any()),
            fits.eq((self.used < self._pool - 1) | (self.used == self._pool - 1) & ~takes),
            self.space.eq(~self.nearly | fits.replicate(len(self.space))),
        ]
        more = (self.delivered & ~self.credit & self.full).any()
        fewer = sum(self.credit & ~self.delivered & self.above)
        m.d.sync += self.used.eq(Mux(self.lost, 0, self.used + more - fewer))
        return m


class Reports(wiring.Component):
    """Chooses the counts of the next block, and decides when counts are urgent. Registered.

    Tables and entries go through the channels in turn. Counts are urgent if a quarter of a buffer has become free since the last
    details, of any channels, or since they were sent with a head, or if none have been sent for :attr:`PERIOD` cycles. In the
    second case two blocks with details follow each other, so that the counts of sent flits are exact in the second.

    Members
    -------
    - active: This end accepts flits.
    - sent, freed: Counts of each channel.
    - counts_sent, entry_sent: A block with details, with the entry has been sent.
    - urgent: Send details before the next flit.
    - entry, entry_freed: A channel and its count of freed flits.
    - first, details: First channel of the details, and the details: for each channel the counts of freed and of sent flits.
    """

    #: Cycles without details after which they are urgent.
    PERIOD = 1024

    def __init__(self, shape: FabricShape):
        self._shape = shape
        self._waited = Signal(range(self.PERIOD + 1), name="waited")
        counts = data.ArrayLayout(shape.count_width, shape.channels)
        super().__init__(
            {
                **{name: In(1) for name in ("active", "counts_sent", "entry_sent")},
                "sent": In(counts),
                "freed": In(counts),
                "urgent": Out(1),
                "entry": Out(5),
                "entry_freed": Out(14),
                "first": Out(5),
                "details": Out(DETAILS_CODE.k),
            }
        )

    def elaborate(self, platform):
        m = Module()
        shape = self._shape
        turn = Signal(range(max(shape.channels, 2)))
        group = Signal(range(max(len(shape.groups), 2)))
        with m.If(self.entry_sent):
            m.d.sync += turn.eq(Mux(turn == shape.channels - 1, 0, turn + 1))
        with m.If(self.counts_sent & ~self._waited[-1]):
            m.d.sync += group.eq(Mux(group == len(shape.groups) - 1, 0, group + 1))
        counts = [Cat(self.freed[v], self.sent[v]) for v in range(shape.channels)]
        chosen = decode(group, len(shape.groups)) if len(shape.groups) > 1 else Const(1, 1)
        details = [Cat(counts[first : first + shape.per_block]) for first in shape.groups]
        m.d.comb += [
            self.entry.eq(turn),
            self.entry_freed.eq(selected(decode(turn, shape.channels), [*self.freed])),
            self.first.eq(selected(chosen, [Const(first, 5) for first in shape.groups])),
            self.details.eq(selected(chosen, details)),
        ]
        self._hurry(m, turn)
        return m

    def _hurry(self, m, turn):
        """Decide when details are urgent."""
        shape = self._shape
        # The transmitter has the entry in a register.
        entered = Signal.like(turn)
        m.d.sync += entered.eq(turn)
        many = Signal(shape.channels)
        quarter = max(shape.core.depth // 4, 1)
        for v in range(shape.channels):
            reported = Signal(shape.count_width, name=f"reported_{v}")
            news = Signal(shape.count_width, name=f"news_{v}")
            reports = self.counts_sent | self.entry_sent & equals(entered, v)
            with m.If(reports | ~self.active):
                m.d.sync += reported.eq(self.freed[v])
            m.d.comb += news.eq(self.freed[v] - reported)
            m.d.sync += many[v].eq((news >= quarter) & ~reports)
        waited = self._waited
        pair = Signal()
        m.d.comb += self.urgent.eq(many.any() & self.active | waited[-1] | pair)
        with m.If(self.counts_sent):
            m.d.sync += [waited.eq(0), pair.eq(waited[-1])]
        with m.Elif(~waited[-1]):
            m.d.sync += waited.eq(waited + 1)
