"""Output port: allocator, credits, and the crossbar's column with the output register."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.arbiter import MatrixArbiter
from dsnswitch.hdl.core.network_arbiter import NetworkArbiter, service_layout
from dsnswitch.hdl.core.packet import flit_layout, fronts_layout, requests_layout
from dsnswitch.hdl.core.ring_pause import RingPause
from dsnswitch.hdl.core.shape import CorePort, CoreShape
from dsnswitch.hdl.logic.gates import bitwise_mux
from dsnswitch.hdl.logic.wiring import connect_ports


class CreditCounter(wiring.Component):
    """Counts the free flits of the receiver's buffer, and compares the count before it is needed.

    The comparisons ask whether the count suffices for one flit (``any``), for a longest packet without the spare (``packet``),
    and, with a spare, for one flit without it (``single``). Each is registered twice: with the flit that is sent now, if there
    is one, and without it.

    Parameters
    ----------
    depth : int
        Credits after reset.
    packet : int
        Flits of the longest packet; 1 to ``depth``.
    spare : int
        Those of the credits that are for flits of a pool, which other channels may take, or for packets that go on in a ring.

    Members
    -------
    - sent: A flit is on its way to the output register.
    - credit: The receiver has freed one flit.
    - stall: The link cannot take flits now. From the next cycle on, all comparisons are 0.
    - any_passed, any_reached, ..: Each comparison if a flit is sent now, and if none is.
    """

    def __init__(self, depth, packet, spare=0):
        self._depth = depth
        #: The count, without the flit that is sent now.
        self.left = Signal(range(depth + 1), init=depth)
        bounds = {"any": 1, "packet": spare + packet} | ({"single": spare + 1} if spare else {})
        self._bounds = bounds
        members = dict.fromkeys(("sent", "credit", "stall"), In(1))
        for name, bound in bounds.items():
            members |= {f"{name}_passed": Out(1, init=depth > bound), f"{name}_reached": Out(1, init=depth >= bound)}
        super().__init__(members)

    @property
    def early(self):
        """``{"any": (any_passed, any_reached), ..}``"""
        return {name: (getattr(self, f"{name}_passed"), getattr(self, f"{name}_reached")) for name in self._bounds}

    def late(self, name):
        """The comparison ``name``, which waits for ``sent``."""
        return Mux(self.sent, *self.early[name])

    def elaborate(self, platform):
        m = Module()
        left = self.left
        after = Signal(range(self._depth + 1))
        # One credit more than the receiver has is an error of the receiver; the count stays where it is.
        full = Signal(init=1)
        up = Signal()
        m.d.comb += [
            up.eq(self.credit & ~(full & ~self.sent)),
            after.eq(Mux(self.sent, Mux(up, left, left - 1), Mux(up, left + 1, left))),
        ]
        m.d.sync += [left.eq(after), full.eq(after == self._depth)]
        for name, (passed, reached) in self.early.items():
            bound = self._bounds[name]
            m.d.sync += reached.eq((after >= bound) & ~self.stall)
            if bound < self._depth:
                m.d.sync += passed.eq((after > bound) & ~self.stall)
        return m


class PoolCounter(wiring.Component):
    """Decides at an output which channels may begin a packet in the shared buffer of the receiver. Decisions are registered.

    The receiver keeps ``reserved`` flits for each channel; beyond them, channels share a pool. A head *claims* a longest packet,
    or one flit if it is the tail too, and a shorter packet gives the rest back at its tail. So what a channel claims is at least
    what the receiver holds of it, and all flits of a packet that has begun have a place. A channel that claims more than its
    reserve uses the pool. A packet may begin by the pool if the pool has a longest packet left, and its channel then uses at most
    ``limit`` flits of it. The count of the pool is one cycle old, so no packet asks by the pool while a head may pass and in
    the cycle after one: with packets of three flits and more this costs nothing.

    Freedom from deadlock: a channel that holds nothing may always begin a packet without the pool, as ``reserved`` is at least a
    longest packet (:class:`CoreShape`). So the channel dependencies are those of separate buffers of ``reserved`` flits.

    Parameters
    ----------
    channels, packet, reserved, pool, limit : int

    Members
    -------
    - sent (In(channels)): A flit leaves on this channel; one-hot or 0.
    - tail (In(1)): It is the last of its packet.
    - held (In(channels)): A packet has begun on the channel; the flit that leaves is none of a new one.
    - chose (In(1)): The flit that leaves may be a head. Early, unlike ``sent``.
    - credit (In(channels)): Credits that return.
    - stall (In(1)): The link cannot take flits. From the next cycle on ``fits`` is 0.
    - fits (Out(channels)): A packet may begin on the channel by the pool.
    """

    def __init__(self, channels, packet, reserved, pool, limit):
        self._packet, self._reserved, self._pool, self._limit = packet, reserved, pool, limit
        #: What each channel claims, less ``reserved``.
        most = (reserved + pool).bit_length() + 1
        self.claims = [Signal(signed(most), init=-reserved, name=f"claim_{c}") for c in range(channels)]
        #: Flits of a packet that has begun which have not left.
        self.rests = [Signal(range(packet), name=f"rest_{c}") for c in range(channels)]
        #: Flits of the pool that are in use.
        self.used = Signal(range(pool + 1))
        members = dict.fromkeys(("sent", "held", "credit"), In(channels))
        members |= dict.fromkeys(("tail", "chose", "stall"), In(1))
        super().__init__(members | {"fits": Out(channels)})

    def elaborate(self, platform):
        m = Module()
        packet = self._packet
        used = self.used
        begins = Signal()
        recent = Signal()
        room = Signal(init=1)
        has = Signal()
        m.d.comb += [
            begins.eq((self.sent & ~self.held).any()),
            used.eq(sum(Mux(claim[-1], 0, claim[:-1]) for claim in self.claims)),
            has.eq(room & ~self.chose & ~recent),
        ]
        # Compared before it is needed.
        m.d.sync += [recent.eq(begins), room.eq(used <= self._pool - packet)]
        for c, (claim, rest) in enumerate(zip(self.claims, self.rests)):
            head = Signal(name=f"head_{c}")
            change = Signal(signed(packet.bit_length() + 1), name=f"change_{c}")
            fits = Signal(name=f"fits_{c}", init=1)
            m.d.comb += [
                head.eq(self.sent[c] & ~self.held[c]),
                change.eq(Mux(head, Mux(self.tail, 1, packet), Mux(self.sent[c] & self.tail, 1 - rest, 0))),
                self.fits[c].eq(fits & has),
            ]
            # A credit too many is an error of the receiver and is ignored.
            m.d.sync += claim.eq(claim + change - (self.credit[c] & (self.sent[c] | (claim != -self._reserved))))
            m.d.sync += fits.eq((claim <= self._limit - packet) & ~self.stall)
            with m.If(self.sent[c]):
                m.d.sync += rest.eq(Mux(self.tail, 0, Mux(head, packet - 1, rest - 1)))
        return m


class Allocator(wiring.Component):
    """Grants one output port to input channels. The grant is registered: it moves a flit in the next cycle.

    A packet holds its output *channel* from its head to its tail. The port follows the packet that used it last, as long as
    that packet has a flit and a credit; otherwise the :class:`MatrixArbiter` chooses.

    A head is eligible if its channel is free and has credits for a whole packet, or for one flit if the packet has a single one
    and no longer one waits for the channel. A flit of another packet is eligible if there is a credit. While a head is eligible
    it waits for other packets as in :class:`MatrixArbiter`.

    On which channel a flit passes is known late. With packets of several flits, no request waits for that (:meth:`_early`): it
    is known a cycle before if the port goes on with a packet. When the arbiter has chosen, the flit that passes counts as one on
    every channel, and no head is eligible on a channel that packets of several flits waited for. If that has denied one, and the
    arbiter has chosen again, no head is eligible on any channel; so the arbiter soon chooses among all. Where packets have one
    flit, the arbiter chooses in each cycle, so requests wait for the channel.

    An output in a ring with bubbles (:meth:`CoreShape.ring_sources`) takes a head that goes on in the ring as soon as there is a
    credit; its other flits follow as credits come. A head that enters the ring needs one credit more than elsewhere: so there is
    a place for each flit of a packet that has begun to enter, and one more that no such packet takes. Packets of the ring pause
    as in :class:`RingPause`.

    Parameters
    ----------
    shape : CoreShape
    port : CorePort
        The output.
    sources : int
        Input channels.
    speculative : bool

    Members
    -------
    - requests: What the next flit of each input channel asks for, as :func:`requests_layout` has it.
    - front: The flit in front of each input channel, as :func:`fronts_layout` has it.
    - unconfirmed (In(sources)): With ``speculative``: the flit that asks does not count, as in :class:`MatrixArbiter`.
    - credit: Credits that the receiver returns.
    - stall: The link cannot take flits now: from the next cycle on nothing is granted, and the last flit leaves two cycles
      later.
    - ends (In(sources)): The next flit is known to be a tail, if it belongs to the packet in front.
    - grant: One-hot or 0, registered: the input channel whose flit passes now.
    - sent: The channel on which it leaves; one-hot or 0.
    - service (In(service_layout)): With free weights, as of :class:`NetworkArbiter`.
    - above, below (In): With ages: the ranks of the input channels, as :class:`MatrixArbiter` has them.
    - resume (In(1)): In a ring with bubbles, as of :class:`RingPause`.
    - free: With adaptive routing: a channel, registered, that no packet holds and that has credits for a longest packet.
    """

    def __init__(self, shape: CoreShape, port: CorePort, sources: int, speculative=False):
        # Not the port: allocators of ports with equally many channels and flits are equal, but those of rings with bubbles.
        self._shape, self._channels, self._speculative = shape, port.channels, speculative
        #: Of each channel the source whose packets go on in the ring; none without bubbles.
        self.ring = shape.ring_sources(port)
        #: Of each virtual network: its channels, most flits of one, those of them in the pool, and flits of the pool.
        self._shares = [
            (list(share.range), shape.most(port, number), shape.limit_of(port, number), shape.pool_of(port, number))
            for number, share in enumerate(port.shares)
        ]
        #: Channels that a packet holds.
        self.held = Signal(port.channels)
        #: Sources that are granted, or were when the link paused: after a pause, the port goes on with its packet.
        self.preferred = Signal(sources)
        #: What chooses among the input channels.
        self.arbiter = self._arbiter(sources)
        self._has_levels = bool(shape.priorities) or shape.free_weights
        pairs = self.arbiter.signature.members["above"].shape if shape.age else 0
        super().__init__(
            {
                "requests": In(requests_layout(sources, port.channels)),
                "front": In(fronts_layout(sources, port.channels)),
                **({"unconfirmed": In(sources)} if speculative else {}),
                "credit": In(port.channels),
                "stall": In(1),
                "grant": Out(sources),
                "sent": Out(port.channels),
                "ends": In(sources),
                **({"resume": In(1)} if self.ring else {}),
                **({"free": Out(port.channels)} if shape.is_adaptive else {}),
                **({"service": In(service_layout(shape.virtual_networks))} if shape.free_weights else {}),
                **(dict.fromkeys(("above", "below"), In(pairs)) if shape.age else {}),
            }
        )

    def _arbiter(self, sources):
        """What chooses among ``sources`` input channels."""
        shape, ranked = self._shape, bool(self._shape.age)
        if shape.virtual_networks == 1:
            return MatrixArbiter(sources, self._channels, self._speculative, ranked=ranked)
        inputs = [shape.sources_of(number) for number in range(shape.virtual_networks)]
        channels = [channels for channels, *_ in self._shares]
        service = {"weights": shape.weights, "levels": shape.priorities, "unit": shape.packet}
        service["is_free"] = shape.free_weights
        return NetworkArbiter(inputs, channels, self._speculative, ranked=ranked, **service)

    def elaborate(self, platform):
        m = Module()
        shape, sources, channels = self._shape, len(self.grant), self._channels
        m.submodules.arbiter = arbiter = self.arbiter
        if shape.age:
            connect_ports(m, self, arbiter, ("above", "below"))
        if self._speculative:
            m.d.comb += arbiter.unconfirmed.eq(self.unconfirmed)
        if shape.free_weights:
            m.d.comb += arbiter.service.eq(self.service)
        moved = Signal(sources)
        tails = Signal()
        m.d.comb += [
            self.grant.eq(arbiter.grant),
            moved.eq(self.grant & ~self.front.drop),
            self.sent.eq(self._channels_of(moved)),
            tails.eq((moved & self.front.tail).any()),
        ]
        # Those that a packet still holds after the flit that passes now.
        held = self.held
        still_held = Signal(channels)
        m.d.comb += still_held.eq(Mux(tails, held & ~self.sent, held | self.sent))
        m.d.sync += held.eq(still_held)
        early = self._credits(m)
        by_pool = self._by_pool(m, arbiter, tails, held)
        free_now = Signal(channels)
        m.d.comb += free_now.eq(~still_held & (bitwise_mux(self.sent, *early["packet"]) | by_pool))
        if shape.is_adaptive:
            m.d.sync += self.free.eq(free_now)
        if shape.packet > 1:
            goes_on = self._goes_on(m, arbiter, early)
            new_head, single_head, ring_head = self._early(m, arbiter, early, held, by_pool)
        else:
            goes_on = [Const(0, sources)] * channels
            new_head = single_head = free_now
            ring_head = ~still_held & bitwise_mux(self.sent, *early["any"])
        if self.ring:
            ring_head &= ~self._pauses(m, moved, held)
        for c in range(channels):
            begins = Signal(data.StructLayout({"waiting": sources, "entry": sources}), name=f"begins_{c}")
            for name in ("waiting", "entry"):
                start = self.requests[name]
                able = Signal(sources, name=f"able_{name}_{c}")
                able_now = bitwise_mux(start.single, single_head[c], new_head[c])
                if self.ring:
                    able_now |= Mux(ring_head[c], 1 << self.ring[c], 0)
                m.d.comb += [able.eq(able_now), begins[name].eq(start.taken & start.head & start.channel[c] & able)]
            m.d.comb += arbiter.request[c].eq(begins.waiting | begins.entry | goes_on[c])
        return m

    def _pauses(self, m, moved, held):
        """The channels on which no packet of the ring may begin now."""
        m.submodules.ring_pause = pause = RingPause(self._channels)
        starts = self.requests.waiting, self.requests.entry
        for c, source in enumerate(self.ring):
            others = ~Const(1 << source, len(moved))
            m.d.comb += [
                pause.asks[c].eq(reduce(or_, (one.taken & one.head & one.channel[c] & others for one in starts)).any()),
                pause.goes_on[c].eq(moved[source]),
            ]
        m.d.comb += [pause.begins.eq(self.sent & ~held), pause.resume.eq(self.resume)]
        return pause.pauses

    def _channels_of(self, sources):
        """The channels on which the flits in front of ``sources`` leave."""
        return Cat((sources & channel).any() for channel in self.front.channel)

    def _credits(self, m):
        """``{comparison: (passed, reached)}`` of :class:`CreditCounter`, one bit per channel."""
        counters = []
        for channels, depth, limit, _ in self._shares:
            for c in channels:
                m.submodules[f"credits_{c}"] = counter = CreditCounter(depth, self._shape.packet, 1 if self.ring else limit)
                m.d.comb += [counter.sent.eq(self.sent[c]), counter.credit.eq(self.credit[c]), counter.stall.eq(self.stall)]
                counters.append(counter.early)
        found = {}
        # A channel without a pool asks for one flit as for any flit.
        for name in {name: None for early in counters for name in early}:
            passed = Signal(self._channels, name=f"{name}_passed")
            reached = Signal(self._channels, name=f"{name}_reached")
            both = zip(*(early.get(name, early["any"]) for early in counters))
            m.d.comb += [to.eq(Cat(bits)) for to, bits in zip((passed, reached), both)]
            found[name] = passed, reached
        return found

    def _by_pool(self, m, arbiter, tails, held):
        """The channels on which a packet may begin by the pool of the receiver. Each virtual network has a share of its own."""
        shape, fits = self._shape, []
        for number, (channels, _, limit, flits) in enumerate(self._shares):
            if not flits:
                fits.append(Const(0, len(channels)))
                continue
            pool = PoolCounter(len(channels), shape.packet, shape.depth, flits, limit)
            m.submodules[f"pool_{number}" if len(self._shares) > 1 else "pool"] = pool
            own = slice(channels[0], channels[-1] + 1)
            m.d.comb += [
                pool.sent.eq(self.sent[own]),
                pool.tail.eq(tails),
                pool.held.eq(held[own]),
                pool.chose.eq(arbiter.chose),
                pool.credit.eq(self.credit[own]),
                pool.stall.eq(self.stall),
            ]
            fits.append(pool.fits)
        return fits[0] if len(fits) == 1 else Cat(fits)

    def _goes_on(self, m, arbiter, early):
        """For each channel the sources whose next flit goes on with a packet on it and has a credit.

        The port stays with the source that it has granted.
        """
        found = [Signal(len(self.grant), name=f"goes_on_{c}") for c in range(self._channels)]
        for goes_on, channel, passed, reached in zip(found, self.front.channel, *early["any"]):
            # On the channel of a packet no other one passes.
            m.d.comb += goes_on.eq(self.requests.body & channel & bitwise_mux(self.grant, passed, reached))
        # The flit after a tail is a head and does not go on, so a tail ends the preference.
        self._prefer(m)
        m.d.comb += arbiter.keep.eq(self.preferred & reduce(or_, found))
        return found

    def _prefer(self, m):
        """Drive :attr:`preferred`."""
        if self._channels == 1:
            # No other packet may begin, in a pause either.
            m.d.comb += self.preferred.eq(self.grant)
            return
        paused = Signal()
        waiting = Signal(len(self.grant))
        m.d.comb += self.preferred.eq(self.grant | waiting)
        # In a pause nothing is granted.
        m.d.sync += [paused.eq(self.stall), waiting.eq(Mux(paused, self.preferred, 0))]

    def _early(self, m, arbiter, early, held, by_pool):
        """``(new_head, single_head, ring_head)``: the channels on which a head is eligible, and one of a single flit; with
        bubbles also one that goes on in the ring, else None.
        """
        channels = self._channels
        freed = Signal(channels)
        is_freed = Signal(channels)
        is_free = Signal(channels)
        long_waits = Signal(channels)
        sends = Signal(channels)
        packet_fits = Signal(channels)
        single_fits = Signal(channels)
        may_begin = Signal(channels)
        new_head = Signal(channels)
        single_head = Signal(channels)
        denied = Signal(channels)
        some_denied = Signal()
        ending = Signal(len(self.grant))
        m.d.comb += ending.eq(arbiter.keep & self.ends)
        m.d.sync += [freed.eq(self._channels_of(ending)), some_denied.eq(denied.any())]
        # Single flits must not use up again and again the credits that a longer packet waits for.
        longs = []
        for name in ("waiting", "entry"):
            start = self.requests[name]
            long = Signal(len(self.grant), name=f"long_head_{name}")
            m.d.comb += long.eq(start.taken & start.head & ~start.single)
            longs.append([long & channel for channel in start.channel])
        m.d.sync += long_waits.eq(reduce(or_, (Cat(bits.any() for bits in asks) for asks in longs)))
        chose = arbiter.chose.replicate(channels)
        m.d.comb += [
            # A flit that did not count has freed nothing.
            is_freed.eq(Mux(self._kept(arbiter), freed, 0) if self._speculative or self._has_levels else freed),
            is_free.eq(~held | is_freed),
            sends.eq(chose | is_freed),
            packet_fits.eq(bitwise_mux(sends, *early["packet"]) | by_pool),
            single_fits.eq(bitwise_mux(sends, *early.get("single", early["any"])) | by_pool),
            may_begin.eq(is_free & ~(chose & (long_waits | some_denied.replicate(channels)))),
            # It can begin in a cycle after no choice.
            denied.eq(is_free & long_waits & chose & early["packet"][1]),
            new_head.eq(may_begin & packet_fits),
            single_head.eq(may_begin & bitwise_mux(long_waits, packet_fits, single_fits)),
        ]
        if self._has_levels:
            m.d.comb += may_begin.eq(is_free & ~(chose & (long_waits | self._denied_by_level(m, denied))))
        if not self.ring:
            return new_head, single_head, None
        ring_waits = Signal(channels)
        ring_head = Signal(channels)
        m.d.sync += ring_waits.eq(reduce(or_, (Cat(bits[source] for bits, source in zip(asks, self.ring)) for asks in longs)))
        m.d.comb += [
            ring_head.eq(may_begin & bitwise_mux(sends, *early["any"])),
            denied.eq(is_free & chose & (long_waits & early["packet"][1] | ring_waits & early["any"][1])),
        ]
        return new_head, single_head, ring_head

    def _kept(self, arbiter):
        """Whether what was to be kept has been granted: a flit that did not count, or that a higher level passed, was not."""
        return self.grant.any() & ~arbiter.chose if self._has_levels else self.grant.any()

    def _denied_by_level(self, m, denied):
        """By channel: a head of its level or a higher one was denied in the cycle before. Lower ones keep none from beginning."""
        if self._shape.free_weights:
            return self._denied_by_free_level(m, denied)
        bits = {}
        for level in sorted(set(self._shape.priorities)):
            bits[level] = Signal(name=f"some_denied_{level}")
            own = [share for share, other in zip(self._shares, self._shape.priorities) if other >= level]
            m.d.sync += bits[level].eq(Cat(denied[c] for channels, *_ in own for c in channels).any())
        return Cat(bits[level] for (channels, *_), level in zip(self._shares, self._shape.priorities) for _ in channels)

    def _denied_by_free_level(self, m, denied):
        """The same if levels are inputs."""
        levels, bits = [self.service.levels[number] for number in range(len(self._shares))], []
        of_networks = [Cat(denied[c] for c in channels).any() for channels, *_ in self._shares]
        for number, (channels, *_) in enumerate(self._shares):
            some_denied = Signal(name=f"some_denied_{number}")
            counts = [other == number or level >= levels[number] for other, level in enumerate(levels)]
            m.d.sync += some_denied.eq(Cat(one & bit for one, bit in zip(of_networks, counts)).any())
            bits += [some_denied] * len(channels)
        return Cat(bits)


class CrossbarColumn(wiring.Component):
    """The crossbar's column of one output: AND-OR over the input channels, and the output register. Latency 1 cycle.

    Members
    -------
    - grant: One-hot or 0.
    - sent: Channel of the flit, one-hot or 0.
    - front: In(array of flit_layout)
    - valid, flit: The flit, registered; the flit's bits mean nothing without ``valid``.
    """

    def __init__(self, shape: CoreShape, port: CorePort, sources: int):
        self._shape = shape
        super().__init__(
            {
                "grant": In(sources),
                "sent": In(port.channels),
                "front": In(data.ArrayLayout(flit_layout(shape), sources)),
                "valid": Out(port.channels),
                "flit": Out(flit_layout(shape)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        taken = []
        for v, (bit, front) in enumerate(zip(self.grant, self.front)):
            taken.append(Signal(flit_layout(self._shape).size, name=f"taken_{v}"))
            m.d.comb += taken[-1].eq(Mux(bit, front, 0))
        flit = Signal(flit_layout(self._shape), reset_less=True)
        m.d.sync += [self.valid.eq(self.sent), flit.as_value().eq(reduce(or_, taken))]
        m.d.comb += self.flit.eq(flit)
        return m
