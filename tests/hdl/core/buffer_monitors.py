"""Monitors of credits and of the buffers of input channels (:class:`Monitor`)."""

from amaranth.hdl import Cat, Const, Mux, Signal
from amaranth.lib import data
from proofs.monitor import Monitor

from dsnswitch.hdl.core.input_channel import ChannelBuffer, PooledChannelBuffer
from dsnswitch.hdl.core.output_port import CreditCounter, PoolCounter
from dsnswitch.hdl.core.shared_buffer import SharedBuffer

#: A flit with its tag, as short as it can be.
LAYOUT = data.StructLayout({"flit": data.StructLayout({"data": 3, "head": 1}), "tag": 1, "drop": 1})


class CreditMonitor(Monitor):
    """The comparisons are those of the credits that are left, the flit of this cycle included; both are 0 after a stall."""

    def __init__(self, depth, packet, kind=CreditCounter):
        unit = kind(depth, packet)
        super().__init__(unit, [unit.sent, unit.credit, unit.stall])
        self.depth, self.packet = depth, packet

    def watch(self, m):
        unit, depth = self.unit, self.depth
        out = Signal(range(depth + 2))
        now = Signal(range(depth + 2))
        could = Signal(init=1)
        stalled = Signal()
        m.d.comb += now.eq(out + unit.sent)
        m.d.sync += [out.eq(now - unit.credit), could.eq(now < depth), stalled.eq(unit.stall)]
        faults = [
            unit.left + out != depth,
            unit.late("any") != ((now < depth) & ~stalled),
            unit.late("packet") != ((now + self.packet <= depth) & ~stalled),
        ]
        # A flit is sent if there was a credit for it in the cycle before; a credit comes back if one is out.
        return faults, [~unit.sent | could, ~unit.credit | now.any()]


class BufferMonitor(Monitor):
    """The RAM holds what it has words for, nothing is lost, and flits leave in order. Only confirmed flits count."""

    def __init__(self, depth, speculative=False, kind=ChannelBuffer):
        unit = kind(LAYOUT, depth, speculative)
        self.confirmed = unit.confirmed if speculative else Const(1, 1)
        super().__init__(unit, [unit.valid, unit.entry.as_value(), unit.pop, *([unit.confirmed] if speculative else [])])
        self.depth = depth

    def watch(self, m):
        unit, depth = self.unit, self.depth
        held = Signal(range(depth + 1))
        came = Signal(3)
        left = Signal(3)
        comes = unit.valid & self.confirmed
        m.d.sync += [held.eq(held + comes - unit.pop), came.eq(came + comes), left.eq(left + unit.pop)]
        self.level_faults = [
            unit.level > unit.words,
            held != unit.level + unit.front_valid + unit.second_valid,
            # Why that is so.
            unit.filled != unit.level.any(),
            (unit.level >= 2) & ~unit.second_valid,
            (unit.level >= 3) & ~unit.front_valid,
        ]
        rules = [~comes | (held < depth), ~unit.pop | unit.front_valid, ~comes | (unit.entry.flit.data == came)]
        return self.level_faults + self.order_faults(unit, left), rules

    def order_faults(self, unit, left):
        """Nothing about the contents of the RAM: induction knows them not."""
        return []


class OrderMonitor(BufferMonitor):
    """As :class:`BufferMonitor`, and the flit in front is the one whose turn it is. For a bounded number of cycles."""

    def order_faults(self, unit, left):
        return [unit.front_valid & (unit.front.flit.data != left)]


class TagMonitor(BufferMonitor):
    """The tag in front is that of the head that came last and was confirmed."""

    def __init__(self, depth, kind=ChannelBuffer):
        super().__init__(depth, True, kind)

    def order_faults(self, unit, left):
        return []

    def watch(self, m):
        unit = self.unit
        faults, rules = super().watch(m)
        # The environment: heads come to an empty buffer only.
        tag = Signal.like(unit.front.tag)
        with m.If(unit.valid & self.confirmed & unit.entry.flit.head):
            m.d.sync += tag.eq(unit.entry.tag)
        empty = ~unit.front_valid & ~unit.second_valid & ~unit.filled
        return [*faults, unit.front.tag != tag], [*rules, ~unit.valid | ~self.confirmed | ~unit.entry.flit.head | empty]


class SharedBufferMonitor(Monitor):
    """Channels of a port with their shared RAM: flits leave each channel in order, and none finds the RAM full.

    Flits of a channel are numbered. The environment counts as senders do: ``reserved`` flits of each channel and, beyond them,
    ``words`` in all. A flit comes two cycles after a credit at the earliest.
    """

    def __init__(self, channels, reserved, words, kind=SharedBuffer, buffer=PooledChannelBuffer):
        self.buffers = [buffer(LAYOUT, reserved, words) for _ in range(channels)]
        super().__init__(kind(LAYOUT, channels, words), [])
        self.valid = Signal(channels)
        self.pop = Signal(channels)
        self.inputs = [self.valid, self.pop]
        self.reserved, self.words = reserved, words

    def watch(self, m):
        unit, reserved = self.unit, self.reserved
        faults, used, fits = [], [], []
        entry = Signal(LAYOUT)
        for v, buffer in enumerate(self.buffers):
            m.submodules[f"buffer_{v}"] = buffer
            came = Signal(3, name=f"came_{v}")
            left = Signal(3, name=f"left_{v}")
            held = Signal(range(reserved + self.words + 1), name=f"held_{v}")
            returned = Signal(name=f"returned_{v}")
            above = Signal(range(self.words + 1), name=f"above_{v}")
            m.d.sync += [
                came.eq(came + self.valid[v]),
                left.eq(left + buffer.pop),
                returned.eq(buffer.credit),
                held.eq(held + self.valid[v] - returned),
            ]
            with m.If(self.valid[v]):
                m.d.comb += entry.flit.data.eq(came)
            m.d.comb += [
                entry.flit.head.eq(1),
                above.eq(Mux(held > reserved, held - reserved, 0)),
                buffer.valid.eq(self.valid[v]),
                buffer.entry.eq(entry),
                buffer.pop.eq(self.pop[v] & buffer.front_valid),
                unit.writes[v].eq(buffer.writes),
                unit.wants[v].eq(buffer.wants),
                unit.filled[v].eq(buffer.filled_now),
                unit.single[v].eq(buffer.single_now),
                buffer.reads.eq(unit.reads[v]),
                buffer.word.eq(unit.word),
            ]
            used.append(above)
            fits.append(self.valid[v] & (held >= reserved))
            faults += [
                buffer.front_valid & (buffer.front.flit.data != left),
                # No credit too many, and none forgotten.
                buffer.credit & ~(held - returned).any(),
                (came == left) & ~returned & ~buffer.credit & held.any() & ~buffer.owed.any(),
            ]
        m.d.comb += unit.entry.eq(entry)
        faults += [unit.writes.any() & ~unit.spare_valid, (unit.reads & ~unit.wants).any()]
        return faults, [~(self.valid & (self.valid - 1)).any(), ~Cat(fits).any() | (sum(used) < self.words)]


class PoolMonitor(Monitor):
    """Flits of all channels beyond their reserves are at most the pool, and those of one channel at most its limit.

    The counter's own state agrees with both.

    The environment begins packets that fit by the pool, or by the reserve of their channel, in the cycle before they pass.
    """

    def __init__(self, channels, packet, pool, limit, kind=PoolCounter):
        self.sizes = (packet, packet, pool, limit)
        unit = kind(channels, *self.sizes)
        super().__init__(unit, [unit.sent, unit.tail, unit.chose, unit.credit, unit.stall])

    def watch(self, m):
        unit = self.unit
        packet, reserved, pool, limit = self.sizes
        faults, uses = [], []
        rules = [~(unit.sent & (unit.sent - 1)).any(), ~(unit.sent & ~unit.held).any() | unit.chose]
        for c, (claim, rest) in enumerate(zip(unit.claims, unit.rests)):
            held = Signal(name=f"held_{c}")
            could = Signal(name=f"could_{c}", init=1)
            out = Signal(range(reserved + limit + 2), name=f"out_{c}")
            now = Signal(range(reserved + limit + 2), name=f"out_now_{c}")
            sends, head = unit.sent[c], unit.sent[c] & ~held
            m.d.comb += [unit.held[c].eq(held), now.eq(out + sends)]
            still = Mux(sends, ~unit.tail, held)
            m.d.sync += [held.eq(still), out.eq(now - unit.credit[c])]
            # By the reserve: with the flit that passes now.
            m.d.sync += could.eq(~still & ((now + packet <= reserved) | unit.fits[c]))
            # A flit whose packet would be longer than a longest one does not come; the last of such a packet is its tail.
            rules += [~head | could, ~unit.credit[c] | now.any(), ~(sends & held & (rest == 1)) | unit.tail]
            if packet == 1:
                rules.append(~sends | unit.tail)
            used = Signal(range(pool + limit + packet + 1), name=f"used_{c}")
            m.d.comb += used.eq(Mux(claim[-1], 0, claim))
            uses.append(used)
            faults += [claim + reserved != out + rest, held != rest.any(), used > limit]
        faults += [sum(uses) > pool, unit.used != sum(uses)]
        return faults, rules
