"""A whole fabric port with retransmission whose line has blocks as they are. The other end is written in plain Python."""

import random
from collections import deque

from amaranth.hdl import Cat, Module, Mux

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.packet import Header, flit_layout
from dsnswitch.hdl.line.light import LightLineRx, LineEncoder
from dsnswitch.hdl.line.line_format import DETAILS_CODE, FIRST, LINK_CODE, NUMBER_BITS, Kind, hello_layout
from dsnswitch.hdl.port import port
from dsnswitch.hdl.port.port import COUNTERS, FabricPort, status_layout
from dsnswitch.hdl.port.session import DIFFERENCES, State
from dsnswitch.hdl.port.shape import VERSION

from ..compared import assign, joined, packed, pins
from .receiver_models import ANSWER, LINK, checked, is_word, marks_of
from .session_model import tag_of

#: That of test_retry.py.
VALUES = {"block": "fabric-port", "topology": "ring:5:ring-3", "packet": 33, "depth": 160, "flit": 64}
VALUES |= {"retry": True, "detect": True}
#: Cycles that a count takes from the core to the line, and from the line to credits.
LATE = 8
NUMBERS = 1 << NUMBER_BITS
CYCLES = 400


class BareTx(LineEncoder):
    """Words are blocks: ``is_data`` and ``carries``, then the flit, or the link word and what follows it."""

    def elaborate(self, platform):
        m = Module()
        rest = Cat(self.link_word, Mux(self.carries, self.flit[:184], self.details))
        word = Cat(self.is_data, self.carries, Mux(self.is_data, self.flit, rest))
        m.d.comb += self.taken.eq(1)
        m.d.sync += [self.o.valid.eq(1), self.o.payload.eq(word)]
        return m


class BareRx(LightLineRx):
    """Words are blocks: the body, ``is_data`` and ``no_start``."""

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [Cat(self.plain, self.is_data, self.no_start).eq(self.i.payload), self.valid.eq(self.i.valid)]
        m.d.comb += self.locked.eq(1)
        m.d.sync += self.framed.eq(1)
        return m


class Packets:
    """Random packets on channels in turn, within credits: ``able``."""

    def __init__(self, rng, shape):
        self.rng, self.shape, self.header = rng, shape, Header(shape.core)
        self.left, self.able, self.current = [0] * shape.channels, list(shape.depths), None

    def next(self):
        """``(channel, data, whether it is a head, a tail)``, or None without credits."""
        rng, able = self.rng, [v for v, credits in enumerate(self.able) if credits]
        if not able:
            return None
        v = self.current if self.current in able and rng.random() < 0.8 else rng.choice(able)
        head = not self.left[v]
        if head:
            self.left[v] = rng.choice((1, 2, 3, 5, 9))
        data = self.head(self.left[v]) if head else rng.getrandbits(self.shape.core.flit)
        self.left[v] -= 1
        self.able[v] -= 1
        self.current = v if self.left[v] else None
        return v, data, head, not self.left[v]

    def head(self, length):
        """The data of a head of this length, with its check bits."""
        header, field = self.header, self.header.layout["length"]
        bits = self.rng.getrandbits(header.code.k) & ~((1 << field.width) - 1 << field.offset) | length << field.offset
        return self.rng.getrandbits(self.shape.core.flit) >> header.width << header.width | checked(header.code, bits)


class Other:
    """The other end: what it sends, and what it thinks of the blocks that arrive. ``ends``: of the port, and of this end."""

    def __init__(self, rng, shape, ends):
        self.rng, self.shape, self.ends, self.packets = rng, shape, ends, Packets(rng, shape)
        lower = ends[0][::-1] < ends[1][::-1]
        self.tags = tag_of(ends[0], lower), tag_of(ends[1], not lower)
        self.heard, self.number, self.waiting, self.out, self.frame, self.resumed, self.cuts = False, 0, None, None, None, 0, 0
        channels = shape.channels
        #: Flits of each channel that this end has sent, received, and taken from its buffers; what it knows of the port's.
        self.sent, self.came, self.freed, self.known = ([0] * channels for _ in range(4))
        #: The port's core: flits to it, flits from it by channel, and how many have left its buffers.
        self.to_core, self.from_core, self.left = deque(), [deque() for _ in range(channels)], [0] * channels
        #: What these counts were in the last cycles, and what this end has reported.
        self.recent, self.reported = deque(maxlen=LATE), [0] * channels
        #: The reports that count, and when the last did.
        self.time, self.counted, self.when = 0, [0] * channels, [0] * channels

    def hello(self, end):
        """The details of a hello of an end."""
        shape = self.shape
        sizes = {"version": VERSION, "flit": shape.core.flit, "channels": shape.channels, "depth": shape.depth}
        sizes |= {"packet": shape.core.packet, "replay": shape.replay, "address": end[0], "port": end[1], "fresh": 1}
        return packed(hello_layout(), **sizes)

    def control(self, kind, rest, **fields):
        """A control block whose body has ``rest`` after the link word: details, or a flit."""
        link = checked(LINK_CODE, packed(LINK, kind=kind, ready=1, number=self.number % NUMBERS, **fields))
        if kind == Kind.HEAD:
            body = self.noise() | rest << FIRST
        else:
            bits = checked(DETAILS_CODE, rest)
            body = sum((bits >> 48 * word & (1 << 48) - 1) << 64 * word + 80 for word in range(3))
        return body | link << 16 | (kind not in (Kind.HEAD, Kind.RESUME)) << 257

    def noise(self):
        """Bits of a body beyond the flit."""
        return self.rng.getrandbits(120) << 136

    def counts(self, kind, **fields):
        """A block with the counts of this end."""
        width = self.shape.count_width
        details = joined((width, count % (1 << width)) for pair in zip(self.freed, self.sent) for count in pair)
        answer, tag = packed(ANSWER, accepted=sum(self.came) % NUMBERS), self.tags[1] if kind == Kind.CREDIT else 0
        fields |= {"single": tag & 1, "channel": tag >> 1 & 31} if kind == Kind.CREDIT else {}
        for v in range(self.shape.channels):
            self.report(v)
        return self.control(kind, details, exact=1, freed=answer | tag >> 6 << 10, **fields)

    def report(self, v):
        """Note what a block reports of a channel. A report just after another does not count."""
        self.reported[v] = self.freed[v]
        if self.time > self.when[v] + 1:
            self.when[v], self.counted[v] = self.time, self.freed[v]

    def sends(self, is_up, quiet=False):
        """The next block."""
        rng = self.rng
        self.time += 1
        if not is_up:
            return self.control(Kind.HELLO, self.hello(self.ends[1]), seen=self.heard)
        flit = self.waiting = self.waiting or self.packets.next()
        if quiet or flit is None or rng.random() < 0.15:
            self.out = None
            return self.counts(Kind.CREDIT)
        v, data, head, tail = flit
        if head and (opened := [one for one, left in enumerate(self.packets.left) if left and one != v]) and rng.random() < 0.3:
            return self.cut(opened[0])
        if not head and self.out != v:
            self.out = v
            return self.counts(Kind.RESUME, channel=v)
        self.waiting, self.out = None, v
        self.to_core.append((v, data, head, tail, 0))
        return self.sent_head(v, data, tail) if head else self.sent_data(v, data)

    def sent_data(self, v, data):
        self.number += 1
        self.sent[v] += 1
        return self.noise() | data << FIRST | 1 << 256

    def sent_head(self, v, data, tail):
        entry = self.rng.randrange(self.shape.channels)
        self.report(entry)
        data ^= marks_of(self.packets.header.code, v)
        freed = self.freed[entry] % (1 << self.shape.count_width)
        block = self.control(Kind.HEAD, data, channel=v, single=tail, entry=entry, freed=freed)
        self.number += 1
        self.sent[v] += 1
        return block

    def cut(self, v):
        """A head on a channel whose packet is open ends this packet as bad, and is lost."""
        self.cuts, self.out, self.packets.left[v] = self.cuts + 1, v, 0
        self.packets.able[v] -= 1
        self.to_core.append((v, None, 0, 1, 1))
        return self.sent_head(v, self.packets.head(1), 1)

    def hears(self, word):
        """Compare a block of the port with what its core has sent, and its counts with what they were a few cycles ago."""
        is_data, carries, rest = word & 1, word >> 1 & 1, word >> 2
        if is_data:
            self.arrives(self.frame, rest)
            return
        assert is_word(LINK_CODE, rest & (1 << 48) - 1)
        link, details = LINK.from_bits(rest & (1 << 48) - 1), rest >> 48 & (1 << 144) - 1
        assert carries == (link.kind == Kind.HEAD)
        if link.kind == Kind.HELLO:
            self.heard = True
            assert details == checked(DETAILS_CODE, self.hello(self.ends[0]))
            return
        if not self.heard:
            return  # The block after the reset.
        assert link.number == sum(self.came) % NUMBERS
        self.frame = None if link.kind == Kind.CREDIT else link.channel
        if link.kind == Kind.HEAD:
            self.knows(link.entry, link.freed)
            self.arrives(self.frame, rest >> 48 ^ marks_of(self.packets.header.code, self.frame))
            return
        assert is_word(DETAILS_CODE, details)
        self.resumed += link.kind == Kind.RESUME
        answer = ANSWER.from_bits(link.freed % 1024)
        assert not answer.request
        assert answer.accepted in {sum(sent) % NUMBERS for sent, *_ in self.recent}
        if link.kind == Kind.CREDIT:
            assert link.single | link.channel << 1 | link.freed >> 10 << 6 == self.tags[0]
        width = self.shape.count_width
        for v in range(self.shape.channels):
            freed, sent = (details >> 2 * width * v + low & (1 << width) - 1 for low in (0, width))
            assert sent in {came[v] % (1 << width) for _, came, _ in self.recent}
            self.knows(v, freed)

    def knows(self, v, freed):
        """The port reports how many flits have left its core's buffer."""
        most = 1 << self.shape.count_width
        assert freed in {left[v] % most for *_, left in self.recent}
        news = (freed - self.known[v]) % most
        if news < most // 2:
            self.known[v] += news
            self.packets.able[v] += news

    def arrives(self, v, rest):
        assert self.from_core[v].popleft() == rest & (1 << self.shape.core.flit) - 1
        self.came[v] += 1


def test_blocks_and_flits(simulate, monkeypatch):
    """Packets both ways; every count, answer and credit in time; heads that are lost; both hellos, and what the status shows."""
    monkeypatch.setitem(port.LINES, "light", (BareTx, BareRx))
    shape, rng = build(VALUES).shape, random.Random(1)
    unit = FabricPort(shape, wait=8, patience=64)
    ends = [(rng.getrandbits(64), rng.getrandbits(8)) for _ in range(2)]
    other, packets, status = Other(rng, shape, ends), Packets(rng, shape), status_layout()
    into, out = pins(unit)
    channels, layout = range(shape.channels), flit_layout(shape.core)

    def given_to(own, payload):
        pairs = (("own", own), ("peer", ends[1]))
        given = {f"{side}_{name}": value for side, end in pairs for name, value in zip(("address", "port"), end)}
        return given | {"i__payload": payload, "i__valid": 1, "o__ready": 1, "core__rx__credit": 0, "core__tx__valid": 0}

    async def wrong_hellos(ctx):
        """All bits of address and number are those of neither end."""
        inverted = [(address ^ (1 << 64) - 1, number ^ 255) for address, number in ends]
        before = Other(rng, shape, inverted)
        for number in range(40):
            given = given_to(inverted[0] if number < 34 else ends[0], before.sends(False))
            assign(ctx, [into[name] for name in given], given.values())
            if ctx.get(unit.o.valid) and number < 34:
                before.hears(ctx.get(unit.o.payload))
            await ctx.tick()
        assert ctx.get(unit.status.state) == State.MISMATCH
        differs = sum(1 << bit for bit, name in enumerate(DIFFERENCES) if name in ("address", "port"))
        assert ctx.get(unit.status.mismatch) == differs
        assert ctx.get(out["status"]) >> status["peer"].offset & (1 << 128) - 1 == before.hello(inverted[1])

    async def bench(ctx):
        await wrong_hellos(ctx)
        is_up, cycle, stalls = False, 0, [0, 0, 0]
        held, returned, reports = [0] * len(channels), [0] * len(channels), deque(maxlen=20)
        while cycle < CYCLES:
            cycle += is_up
            quiet = cycle > CYCLES - 60
            given = given_to(ends[0], other.sends(is_up, quiet))
            given["core__tx__flit"] = rng.getrandbits(len(into["core__tx__flit"]))
            if is_up and not stalls[0] and not quiet and rng.random() < 0.8 and (flit := packets.next()):
                v, data, head, tail = flit
                given |= {"core__tx__valid": 1 << v, "core__tx__flit": packed(layout, data=data, head=head, tail=tail)}
                other.from_core[v].append(data)
            for v in channels:
                if held[v] and rng.random() < 0.5:
                    held[v] -= 1
                    other.left[v] += 1
                    given["core__rx__credit"] |= 1 << v
                if other.came[v] > other.freed[v] and rng.random() < 0.5:
                    other.freed[v] += 1
            assign(ctx, [into[name] for name in given], given.values())
            found = {name: ctx.get(signal) for name, signal in out.items()}
            other.recent.append((list(other.sent), list(other.came), list(other.left)))
            if found["o__valid"]:
                other.hears(found["o__payload"])
            if valid := found["core__rx__valid"]:
                v, data, head, tail, bad = other.to_core.popleft()
                flit = layout.from_bits(found["core__rx__flit"])
                assert (valid, flit.head, flit.tail, flit.bad) == (1 << v, head, tail, bad)
                assert data is None or flit.data == data
                held[v] += 1
            reports.append(list(other.counted))
            for v in channels:
                credit = found["core__tx__credit"] >> v & 1
                packets.able[v] += credit
                returned[v] += credit
                assert reports[0][v] <= returned[v] <= other.reported[v]
            stalls = [*stalls[1:], found["core__stall"]]
            is_up = is_up or ctx.get(unit.status.state) == State.UP
            await ctx.tick()
        shown = status.from_bits(found["status"])
        assert (shown.state, shown.mismatch) == (State.UP, 0)
        assert shown.peer.as_value().value == other.hello(ends[1])
        wanted = {"bad_packets": other.cuts, "lost_packets": other.cuts, "resumed": other.resumed}
        assert {name: shown[name] for name in COUNTERS} == dict.fromkeys(COUNTERS, 0) | wanted
        assert min(other.cuts, other.resumed, *other.came) > 3
        assert not any(other.from_core)

    simulate(unit, bench, clocked=True)
