"""Parts of the notifier, each alone: what core and host see in every cycle of random traffic."""

import random

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.switch.notifier import CreditReturn, NoticeFormat, NoticeInjector, NoticeWriter
from dsnswitch.sim.golden.core.core import Flit, HeaderFormat

from .notifier_bench import NoticeModel, bits_of
from .test_notices import shape

DEPTH = 4
#: Two virtual networks with two channels and one.
SHAPE = shape(virtual_networks=2, spread=(("host", (2, 1)),), depth=DEPTH)

#: Two with one channel each.
NARROW = {"block": "switch-core", "topology": "ring:1:ring-3", "routing": "detour", "flit": 64, "packet": 2, "depth": 4}
NARROW |= {"virtual_networks": 2}


def host_of(shape):
    """The first host port."""
    return next(port for port in shape.ports if port.is_host)


PORT = host_of(SHAPE)
CHANNELS = PORT.channels


class Packets:
    """Flits of random packets of one to three flits on all channels, whose headers are any bits."""

    def __init__(self, rng, shape):
        self._rng, self._width, self._left = rng, shape.flit, [0] * host_of(shape).channels

    def next(self, channel):
        left = self._left[channel] or self._rng.choice((1, 1, 2, 3))
        head, self._left[channel] = not self._left[channel], left - 1
        return Flit(self._rng.getrandbits(self._width), int(head), int(left == 1), self._rng.getrandbits(1))


def put(ctx, link, channel, flit):
    ctx.set(link.valid, 0 if channel is None else 1 << channel)
    ctx.set(link.flit, flit._asdict())


def seen(ctx, link):
    """``(channel, flit)`` on a link, or None."""
    valid, flit = ctx.get(link.valid), ctx.get(link.flit)
    return (valid.bit_length() - 1, Flit(*(flit[name] for name in Flit._fields))) if valid else None


def test_credit_return(simulate):
    """Two sources, and pauses: every credit returns once, at most one per cycle."""
    unit, rng = CreditReturn(DEPTH), random.Random(1)

    async def bench(ctx):
        owed = full = 0
        for cycle in range(400):
            busy, held = (0.9, 0.6) if cycle // 40 % 2 else (0.4, 0.2)
            earned = [int(rng.random() < busy) for _ in range(2)]
            earned = earned if owed + sum(earned) <= DEPTH else [0, int(owed < DEPTH)]
            hold = int(rng.random() < held)
            ctx.set(unit.earned, earned[0] | earned[1] << 1)
            ctx.set(unit.hold, hold)
            owed += sum(earned)
            full += owed == DEPTH
            returned = int(owed > 0 and not hold)
            owed -= returned
            await ctx.tick()
            assert ctx.get(unit.credit) == returned, cycle
        assert full > 20

    simulate(unit, bench, clocked=True)


def test_writer(simulate):
    """Packets with any marks, with and without space: what leaves, which notice is written, and all credits."""
    unit, rng = NoticeWriter(SHAPE, PORT), random.Random(2)
    header = Header(SHAPE)
    golden = HeaderFormat(bits_of(header.layout), header.code.columns, SHAPE.packet)
    model = NoticeModel(golden, bits_of(NoticeFormat(SHAPE).layout, header.width), {"source.x": 2, "source.id": 1}, 0)
    packets, credits = Packets(rng, SHAPE), [DEPTH] * CHANNELS

    async def bench(ctx):
        held, owed = [0] * CHANNELS, [0] * CHANNELS
        ctx.set(unit.own_address, 2 | 1 << 2)
        for cycle in range(1500):
            able = [v for v in range(CHANNELS) if credits[v]]
            channel = rng.choice(able) if able and rng.random() < 0.9 else None
            flit = Flit(rng.getrandbits(SHAPE.flit), 1, 1, 0) if channel is None else packets.next(channel)
            put(ctx, unit.flits, channel, flit)
            space = rng.getrandbits(1)
            ctx.set(unit.space, space)
            returned = [int(held[v] and rng.random() < 0.4) for v in range(CHANNELS)]
            ctx.set(unit.o.credit, sum(bit << v for v, bit in enumerate(returned)))
            model.space = len(model.pending) + space
            before = model.notices, model.unreported_packets, model.lost_notices
            passes = None if channel is None else model.to_host(channel, flit)
            events = [now - then for now, then in zip((model.notices, model.unreported_packets, model.lost_notices), before)]
            assert seen(ctx, unit.o) == (passes and (channel, passes)), cycle
            assert [ctx.get(event) for event in (unit.written, unit.unreported, unit.lost)] == events, cycle
            if events[0]:
                assert ctx.get(unit.notice) == model.pending.pop().data
            for v in range(CHANNELS):
                held[v] += (passes is not None and v == channel) - returned[v]
                owed[v] += returned[v] + (v == channel and passes is None)
            if channel is not None:
                credits[channel] -= 1
            back = [int(number > 0) for number in owed]
            await ctx.tick()
            assert ctx.get(unit.flits.credit) == sum(bit << v for v, bit in enumerate(back)), cycle
            for v, bit in enumerate(back):
                owed[v] -= bit
                credits[v] += bit
        assert min(model.notices, model.unreported_packets, model.lost_notices) > 50

    simulate(unit, bench, clocked=True)


class Injection:
    """The rules of the injector: free entries of channel 0, the flit that waits, and credits that are on their way."""

    def __init__(self, port):
        self._first = port.shares[0].range
        self.free, self.keeps, self.waiting, self.inside = DEPTH, False, None, False
        self.owed = [0] * port.channels

    def step(self, came, notice, credits):
        """``came``: ``(channel, flit)`` or None. Returns what goes to the core, if it is the notice, and credits of the host."""
        resumes = self.waiting is not None and (self.waiting[0] or self.free)
        held = notice is not None and self.waiting is not None
        taken = notice is not None and self.waiting is None and self.free and not (self.keeps or self.inside)
        sent = None
        if resumes:
            sent, self.waiting = self.waiting, None
        elif taken:
            sent = 0, notice
        elif came and (came[0] or self.free):
            sent, came = came, None
        if came:
            assert self.waiting is None, "two flits wait"
            self.waiting = came
        back = []
        for v, credit in enumerate(credits):
            # The credit of the entry that a notice has taken is kept.
            self.owed[v] += credit and not (v == 0 and self.keeps)
            back.append(int(self.owed[v] and not (held if v in self._first else held and resumes)))
            self.owed[v] -= back[v]
        if taken or credits[0]:
            self.keeps = taken
        if sent and not sent[0]:
            self.inside = not sent[1].tail
        self.free += credits[0] - bool(sent and not sent[0])
        return sent, taken, back


@pytest.mark.parametrize("make", [lambda: SHAPE, lambda: build(NARROW).shape], ids=["three-channels", "two-channels"])
def test_injector(simulate, make):
    """A host that often sends in every cycle, a core that is often full, and notices at any time."""
    shape, rng = make(), random.Random(3)
    unit, model, count = NoticeInjector(shape, host_of(shape)), Injection(host_of(shape)), host_of(shape).channels
    packets, width = Packets(rng, shape), NoticeFormat(shape).width

    async def bench(ctx):
        able, core, sent, notice, waits, notices = [DEPTH] * count, [0] * count, None, None, 0, 0
        for cycle in range(2500):
            sends, returns = ((0.5, 0.5), (1, 0.4), (0.7, 0.15), (1, 1))[cycle // 100 % 4]
            assert seen(ctx, unit.o) == sent, cycle
            if sent:
                core[sent[0]] += 1
            if notice is None and rng.random() < 0.3:
                notice = Flit(rng.getrandbits(width), 1, 1, 0)
            ctx.set(unit.pending, notice is not None)
            ctx.set(unit.notice, notice.data if notice else rng.getrandbits(width))
            channels = [v for v in range(count) if able[v]]
            channel = rng.choice((channels[0], *channels)) if channels and rng.random() < sends else None
            came = None if channel is None else (channel, packets.next(channel))
            put(ctx, unit.flits, channel, came[1] if came else Flit(rng.getrandbits(shape.flit), 1, 0, 1))
            credits = [int(core[v] and rng.random() < returns) for v in range(count)]
            ctx.set(unit.o.credit, sum(bit << v for v, bit in enumerate(credits)))
            sent, taken, back = model.step(came, notice, credits)
            waits += model.waiting is not None
            assert ctx.get(unit.taken) == bool(taken), cycle
            if taken:
                notice, notices = None, notices + 1
            if came:
                able[channel] -= 1
            await ctx.tick()
            assert ctx.get(unit.flits.credit) == sum(bit << v for v, bit in enumerate(back)), cycle
            for v in range(count):
                core[v] -= credits[v]
                able[v] += back[v]
        assert min(waits, notices) > 100

    simulate(unit, bench, clocked=True)
