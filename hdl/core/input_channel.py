"""Input virtual channel: its buffer, and the requests of its next flit to the outputs."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.hop_choice import HopChoice, chosen, free_width
from dsnswitch.hdl.core.packet import Header, asks_layout, flit_layout, sent_layout, tagged_layout
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.stream.stage import turn


class ChannelBuffer(wiring.Component):
    """First in, first out, for ``depth`` flits. Latency 1 cycle through an empty buffer, one flit in and out per cycle.

    The oldest flit stands in the register ``front``, the one after it in the output register of the RAM (``second``). A flit
    that arrives at a buffer that is empty, or is just being emptied, goes to ``front`` and bypasses the RAM. The sender
    must hold a credit for each flit that it sends, so the buffer has no output that says that it is full.

    One bubble is possible: a flit that was written to the RAM in the cycle before needs a cycle to reach ``second``.

    Parameters
    ----------
    layout : StructLayout
        A flit with its tag (:func:`tagged_layout`).
    depth : int
        Flits, at least 2. The RAM has two words less, as ``front`` and ``second`` hold two flits; 2 at least.
    speculative : bool
        With ``confirmed``.
    header : int
        Lowest bits of the flit in ``front`` that :attr:`older` can replace; 0 for none.

    Members
    -------
    - valid, entry: A flit arrives.
    - confirmed (In(1)): With ``speculative``: it counts. Late, so only registers wait for it.
    - pop: The flit in ``front`` leaves; only while ``front_valid``.
    - front, front_valid: The oldest flit, registered. Its tag is that of its packet's head.
    - second, second_valid: The flit after it, registered.
    - filled: There are flits in the RAM, registered.
    - stays, direct: Where the flit comes from that will be in ``front`` in the next cycle: ``front`` itself, the input. If
      neither, it is ``second``, if that is valid. ``direct`` does not wait for ``confirmed``.
    - ages (In(1)), older (In(header)): With a header: if the flit in ``front`` stays, its lowest bits become ``older``.
    """

    def __init__(self, layout, depth, speculative=False, header=0):
        self._layout, self._header, self._speculative = layout, header, speculative
        self.words = max(depth - 2, 2)
        #: Flits in the RAM, without ``second``.
        self.level = Signal(range(self.words + 1))
        super().__init__(
            {
                "valid": In(1),
                **({"confirmed": In(1)} if speculative else {}),
                "entry": In(layout),
                "pop": In(1),
                "front": Out(layout),
                "front_valid": Out(1),
                "second": Out(layout),
                "second_valid": Out(1),
                "filled": Out(1),
                "stays": Out(1),
                "direct": Out(1),
                **({"ages": In(1), "older": In(header)} if header else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        filled = self.filled
        confirmed = self.confirmed if self._speculative else Const(1, 1)
        write = Signal()
        read = Signal()
        m.d.comb += [
            self.stays.eq(self.front_valid & ~self.pop),
            self.direct.eq(self.valid & ~self.stays & ~self.second_valid & ~filled),
            write.eq(self.valid & ~self.direct & confirmed),
            read.eq(filled & (~self.second_valid | ~self.stays)),
        ]
        self._keep(m, write, read)
        m.d.sync += [
            self.level.eq(self.level + write - read),
            filled.eq(Mux(write, 1, Mux(read, self.level != 1, filled))),
            self.second_valid.eq(read | self.second_valid & self.stays),
            self.front_valid.eq(self.stays | self.second_valid | self.direct & confirmed),
        ]
        coming = Signal(self._layout)
        # Without a reset: ``front_valid`` says what counts.
        oldest = Signal(self._layout, reset_less=True)
        m.d.comb += [coming.eq(Mux(self.second_valid, self.second, self.entry)), self.front.eq(oldest)]
        with m.If(~self.stays):
            m.d.sync += [oldest.flit.eq(coming.flit), oldest.drop.eq(coming.drop)]
            # Until the tail, also while no flit is there, the tag is the head's.
            with m.If(coming.flit.head & (self.second_valid | self.direct & confirmed)):
                m.d.sync += oldest.tag.eq(coming.tag)
        if self._header:
            with m.If(self.stays & self.ages):
                m.d.sync += oldest.flit.data[: self._header].eq(self.older)
        return m

    def _keep(self, m, write, read):
        """The RAM for flits that arrive (``write``) and go to ``second`` (``read``)."""
        words = memory.Memory(shape=self._layout.size, depth=self.words, init=[])
        m.submodules.words = words
        writer = words.write_port()
        reader = words.read_port()
        m.d.comb += [writer.en.eq(write), writer.data.eq(self.entry), reader.en.eq(read), self.second.eq(reader.data)]
        self._count(m, write, writer.addr, "write_word")
        self._count(m, read, reader.addr, "read_word")

    def _count(self, m, moved, address, name):
        """Drive ``address`` with a register that goes round the words of the RAM."""
        m.d.comb += address.eq(turn(m, moved, self.words, name))


class PooledChannelBuffer(wiring.Component):
    """A :class:`ChannelBuffer` for the flits that are reserved for a channel, in front of a list in the :class:`SharedBuffer`.

    A flit that arrives goes to the buffer of the channel while there is a place and its list is empty, else to the end of the
    list. The list moves on while the buffer has a place.

    The sender counts as flits of the pool what the channel holds beyond its reserve. So while the list has flits, a credit
    returns when a word of it becomes free, not when a flit leaves the buffer: then the lists never have more flits than senders
    count, and the shared RAM needs no more words than the pool has.

    Parameters
    ----------
    layout : StructLayout
    depth : int
        Flits of the channel's own buffer.

    Members
    -------
    - valid .. direct: As of :class:`ChannelBuffer`. A flit that comes from the list is ``second`` in the cycle of its coming.
    - credit (Out(1)): A place has become free for the sender.
    - filled: There are flits besides those in ``front`` and ``second``.
    - writes: The flit that arrives goes to the list.
    - wants: The list has a flit, and the channel's own buffer has a place.
    - reads: The shared RAM gives it; only with ``wants``.
    - word: In the cycle after ``reads``: that flit.
    - filled_now, single_now: The list has flits, exactly one.
    """

    def __init__(self, layout, depth, pool, speculative=False, header=0):
        self._depth, self._speculative = depth, speculative
        self._own = ChannelBuffer(layout, depth, speculative, header)
        #: Flits in the list.
        self.listed = Signal(range(pool + 1))
        #: Places of the channel's own buffer that are in use, or on their way from the list.
        self.taken = Signal(range(depth + 1))
        #: Flits that left the channel's own buffer while their places stayed counted, because the list had flits.
        self.owed = Signal(range(depth + 1))
        members = dict(self._own.signature.members) | {"credit": Out(1)}
        super().__init__(members | self.more(layout))

    @staticmethod
    def more(layout):
        """Members that lead to the shared RAM."""
        more = dict.fromkeys(("writes", "wants", "filled_now", "single_now"), Out(1))
        return more | {"reads": In(1), "word": In(layout)}

    def elaborate(self, platform):
        m = Module()
        m.submodules.own = own = self._own
        listed, taken, owed = self.listed, self.taken, self.owed
        came = Signal()
        skips = Signal()
        has_place = Signal()
        room = Signal(init=1)
        confirmed = self.confirmed if self._speculative else Const(1, 1)
        if self._speculative:
            m.d.comb += own.confirmed.eq(came | self.confirmed)
        m.d.comb += [
            has_place.eq(room | self.pop),
            skips.eq(self.valid & ~self.filled_now & ~came & has_place),
            self.writes.eq(self.valid & ~skips & confirmed),
            self.wants.eq(self.filled_now & has_place),
            self.single_now.eq(listed == 1),
            own.valid.eq(skips | came),
            own.entry.eq(Mux(came, self.word, self.entry)),
            own.pop.eq(self.pop),
            self.front.eq(own.front),
            self.front_valid.eq(own.front_valid),
            self.stays.eq(own.stays),
            self.direct.eq(own.direct & ~came),
            self.second.eq(Mux(own.second_valid, own.second, self.word)),
            self.second_valid.eq(own.second_valid | own.direct & came),
            self.filled.eq(own.filled | came | self.filled_now),
            self.credit.eq(self.reads | ~self.filled_now & ~self.writes & (self.pop | owed.any())),
        ]
        connect_ports(m, self, own, [name for name in ("ages", "older") if hasattr(self, name)])
        after = Signal.like(taken)
        m.d.comb += after.eq(taken + (skips & confirmed | self.reads) - self.pop)
        m.d.sync += [
            came.eq(self.reads),
            taken.eq(after),
            room.eq(after != self._depth),
            listed.eq(listed + self.writes - self.reads),
            self.filled_now.eq(self.writes | self.filled_now & ~(self.reads & self.single_now)),
            owed.eq(owed + self.pop - self.credit),
        ]
        return m


class InputChannel(wiring.Component):
    """Buffers the flits of one virtual channel, and requests an output one cycle before a flit can leave.

    The next flit is the one that will be in front of the buffer in the next cycle. If an output grants it, the output's
    registered grant takes it through the crossbar in that next cycle. So a flit that arrives at an empty buffer and finds
    a free output leaves one cycle after its arrival, and each cycle may move one flit. Flits to be dropped leave by themselves.

    The header of an arriving flit is checked while the flit already asks for its output. If the header is wrong, the flit may be
    granted and is dropped in the next cycle, when it is in front.

    Members
    -------
    - valid, entry: A flit arrives.
    - confirmed (In(1)): With ``speculative``: it counts, as in :class:`ChannelBuffer`.
    - begins, continues, single: If its header is right, it begins a packet; it continues one; the packet that it begins has one
      flit.
    - tail (In(1)): It is known to be a tail.
    - granted: Registered grants: the outputs that take the flit in front now; one at most.
    - free: With adaptive routing: the free channels of outputs, as of :class:`HopChoice`.
    - asks: What the next flit asks for.
    - unconfirmed (Out(1)): With ``speculative``: that flit arrives and is not confirmed: no output may grant it.
    - front: The flit in front.
    - last: The flit that will be in front is known to be a tail.
    - path: The choice of channel of its packet, whether it is a tail, whether it is dropped.
    - route: The outputs to which its packet goes, one-hot or 0.
    - waits: It is a head and stays.
    - credit: A flit leaves the buffer, or the list of its channel in a shared RAM.
    - empty: The buffer holds no flit.
    - ages (In(1)), age (Out(shape.age)): With ages: a head in front that waits becomes older; the age of the next flit if it is
      a head, else the greatest one, so that packets that have begun do not wait for older ones.
    - writes, wants, filled_now, single_now (Out(1)), reads (In(1)), word (In(tagged_layout)): With a shared RAM, as
      :class:`PooledChannelBuffer` has them.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        Where the flits arrive.
    speculative : bool
    virtual_network : int
        That of the channel.
    """

    def __init__(self, shape: CoreShape, port, speculative=False, virtual_network=0):
        self._shape, self._speculative, self._virtual_network = shape, speculative, virtual_network
        layout, pool = tagged_layout(shape), shape.pool_of(port, virtual_network)
        self._pooled = bool(pool)
        self._header = Header(shape) if shape.age else None
        header = self._header.width if shape.age else 0
        self._store = (
            PooledChannelBuffer(layout, shape.depth, pool, speculative, header)
            if pool
            else ChannelBuffer(layout, shape.most(port, virtual_network), speculative, header)
        )
        #: Members that lead to the shared RAM.
        self.shared = self._store.more(layout) if pool else {}
        super().__init__(
            {
                "valid": In(1),
                **({"confirmed": In(1), "unconfirmed": Out(1)} if speculative else {}),
                "entry": In(tagged_layout(shape)),
                "begins": In(1),
                "continues": In(1),
                "single": In(1),
                "tail": In(1),
                "granted": In(len(shape.ports)),
                **({"free": In(free_width(shape, virtual_network))} if shape.is_adaptive else {}),
                "asks": Out(asks_layout(len(shape.ports), shape.selection_width)),
                "front": Out(flit_layout(shape)),
                "last": Out(1),
                "path": Out(sent_layout(shape.selection_width)),
                "route": Out(len(shape.ports)),
                "waits": Out(1),
                "credit": Out(1),
                "empty": Out(1),
                **({"ages": In(1), "age": Out(shape.age)} if shape.age else {}),
                **self.shared,
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.store = store = self._store
        for name, member in self.shared.items():
            connect_ports(m, *((self, store) if member.flow == In else (store, self)), [name])
        front, second = store.front, store.second
        pop = Signal()
        follows = Signal()
        body = Signal()
        waiting, entry = self.asks.waiting, self.asks.entry
        m.d.comb += [
            store.valid.eq(self.valid),
            store.entry.eq(self.entry),
            pop.eq(self.granted.any() | store.front_valid & front.drop),
            store.pop.eq(pop),
            self.credit.eq(store.credit if self._pooled else pop),
            self.empty.eq(~(store.front_valid | store.second_valid | store.filled)),
            self.front.eq(front.flit),
            self.path.tail.eq(front.flit.tail),
            self.path.drop.eq(front.drop),
            self.waits.eq(store.stays & front.flit.head),
            follows.eq(~store.stays & store.second_valid),
            waiting.taken.eq(self.waits | follows & second.flit.head),
            waiting.single.eq(Mux(store.stays, front.flit.tail, second.flit.tail)),
            entry.taken.eq(store.direct & self.begins),
            # Whether an arriving flit is made a tail is known late; that it came as one is enough.
            entry.single.eq(self.single),
            entry.head.eq(self.entry.tag.route),
            entry.channel.eq(self.entry.tag.channel),
            body.eq(
                store.stays & ~front.flit.head & ~front.drop
                | follows & ~second.flit.head & ~second.drop
                | store.direct & self.continues
            ),
        ]
        if self._speculative:
            m.d.comb += [store.confirmed.eq(self.confirmed), self.unconfirmed.eq(store.direct & ~self.confirmed)]
        following = Mux(store.second_valid, second.flit.tail, self.tail)
        m.d.comb += self.last.eq(Mux(store.stays, front.flit.tail, following))
        if self._header:
            oldest = (1 << self._shape.age) - 1
            ages = [
                Mux(begins, data.View(self._header.layout, flit.data[: self._header.width]).age, oldest)
                for flit, begins in (
                    (front.flit, front.flit.head),
                    (second.flit, second.flit.head),
                    (self.entry.flit, self.begins),
                )
            ]
            header = data.View(self._header.layout, front.flit.data[: self._header.width])
            m.d.comb += [
                store.ages.eq(self.ages & front.flit.head),
                store.older.eq(self._header.older(m, header)),
                self.age.eq(Mux(store.stays, ages[0], Mux(store.second_valid, ages[1], ages[2]))),
            ]
        if self._shape.is_adaptive:
            self._choose(m, front, second, body)
        else:
            self._follow(m, front.tag.route, front.tag.channel, body)
            for name, to in (("route", waiting.head), ("channel", waiting.channel)):
                m.d.comb += to.eq(Mux(store.stays, front.tag[name], second.tag[name]))
        return m

    def _follow(self, m, route, channel, body):
        """The rest of a packet takes the output and the channel of its head."""
        m.d.comb += [
            self.path.channel.eq(channel),
            self.route.eq(route),
            self.asks.body.eq(route & body.replicate(len(self.granted))),
        ]

    def _choose(self, m, front, second, body):
        """A head that waits in the buffer asks for the hop of :class:`HopChoice`; an arriving one for its first hop."""
        # What the packet in front asked for. Without a reset: it counts with a flit only.
        route = Signal(len(self.route), reset_less=True)
        channel = Signal(len(self.path.channel), reset_less=True)
        self._follow(m, route, channel, body)
        waiting, stays = self.asks.waiting, self._store.stays
        choices = []
        for name, flit in (("front", front), ("second", second)):
            m.submodules[f"{name}_choice"] = choice = HopChoice(self._shape, self._virtual_network)
            m.d.comb += [choice.tag.eq(flit.tag), choice.free.eq(self.free)]
            choices.append(chosen(self._shape, flit.tag, choice.other, choice.shift))
        m.d.comb += [to.eq(Mux(stays, *both)) for to, both in zip((waiting.head, waiting.channel), zip(*choices))]
        begins = self.asks.entry.taken & self.confirmed if self._speculative else self.asks.entry.taken
        for register, asked, new in (
            (route, waiting.head, self.entry.tag.route),
            (channel, waiting.channel, self.entry.tag.channel),
        ):
            m.d.sync += register.eq(Mux(waiting.taken, asked, Mux(begins, new, register)))
