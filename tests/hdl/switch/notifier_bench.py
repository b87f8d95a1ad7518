"""A host and a core at the two sides of a notifier, in Amaranth's simulator, compared with the golden model in each cycle."""

import random
from collections import Counter, defaultdict, deque

from dsnswitch.gen.fields import fields
from dsnswitch.hdl.core.packet import Header, flit_layout
from dsnswitch.hdl.switch.notifier import NOTICE_COUNTERS, NoticeFormat, Notifier
from dsnswitch.sim.golden.core.core import Flit, HeaderFormat


def bits_of(layout, first=0):
    """``{name: bits}`` of the fields of a layout that begins at bit ``first``."""
    return {field["name"]: [first + bit for bit in field["bits"]] for field in fields(layout)}


class NoticeModel:
    """Compares the flits between core and host 0 with the rules. It raises AssertionError for every broken rule.

    Call :meth:`to_host` before :meth:`to_core` for flits of the same cycle.

    Parameters
    ----------
    header : HeaderFormat
    content : dict
        ``{name: (first bit, last bit)}`` of the content of a notice.
    source : dict
        ``{header field: value}`` of the source of a notice: the switch and its host 0.
    space : int
        Notices that can wait.
    """

    def __init__(self, header, content, source, space):
        self.header, self.content, self.source, self.space = header, content, source, space
        #: Notices that have not gone to the core, and flits of the host that have not, by channel.
        self.pending, self.from_host = deque(), defaultdict(deque)
        self._dropping, self._inside = set(), set()
        self.notices = self.unreported_packets = self.lost_notices = 0

    def notice(self, word):
        """The flit of the notice about the packet whose first flit has the data ``word``."""
        values = self.header.read(word)
        own = {
            name.replace("destination", "source").replace("source", "destination", 1): value
            for name, value in values.items()
            if name.startswith("source")
        }
        found = self.header.pack(own | self.source | {"flags.notice": 1, "length": 1})
        payload = word >> self.header.fields["check"][1] + 1
        for name, (low, high) in self.content.items():
            found |= ((payload if name == "payload" else values[name]) & (1 << high - low + 1) - 1) << low
        return Flit(found, 1, 1, 0)

    def to_host(self, channel, flit):
        """The flit that the host receives when the core sends ``flit`` on ``channel``: the same one, or None."""
        if flit.head:
            self._dropping.discard(channel)
            values = self.header.read(flit.data)
            if values["flags.undeliverable"] and self._is_consumed(flit.data, values):
                self._dropping.add(channel)
        return None if channel in self._dropping else flit

    def _is_consumed(self, word, values):
        if values["flags.notice"]:
            self.lost_notices += 1
            return True
        if len(self.pending) == self.space:
            self.unreported_packets += 1
            return False
        self.notices += 1
        self.pending.append(self.notice(word))
        return True

    def host_sends(self, channel, flit):
        """Record a flit of the host."""
        self.from_host[channel].append(flit)

    def to_core(self, channel, flit):
        """Check a flit that goes to the core; whether it is a notice."""
        queue = self.from_host[channel]
        if queue and queue[0] == flit:
            queue.popleft()
            (self._inside.discard if flit.tail else self._inside.add)(channel)
            return False
        assert channel == 0, f"flit {flit} goes to channel {channel} of the core"
        assert channel not in self._inside, f"flit {flit} cuts a packet of the host"
        assert self.pending, f"flit {flit} goes to the core, and no notice is pending"
        expected = self.pending.popleft()
        assert flit == expected, f"notice {flit} goes to the core, not {expected}"
        return True


class Sender:
    """Sends packets on channels in turn, with credits, and with gaps."""

    def __init__(self, rng, channels, depth, share):
        self.rng, self.share = rng, share
        self.queues, self.credits = [deque() for _ in range(channels)], [depth] * channels

    def next(self):
        """``(channel, flit)`` to send now, or None."""
        able = [v for v, queue in enumerate(self.queues) if queue and self.credits[v]]
        if not able or self.rng.random() >= self.share:
            return None
        channel = self.rng.choice(able)
        self.credits[channel] -= 1
        return channel, self.queues[channel].popleft()


class NotifierBench:
    """Random packets in both directions. ``lazy``: the share of cycles in which core and host return credits.

    ``step``: what the counters add per event.
    """

    def __init__(self, shape, space, *, seed=1, lazy=0.5, share=1.0, step=1):
        self.shape, self.rng, self.lazy, self.step = shape, random.Random(seed), lazy, step
        port = next(port for port in shape.ports if port.is_host)
        self.unit, self.channels = Notifier(shape, port, space), port.channels
        header = Header(shape)
        self.header = HeaderFormat(bits_of(header.layout), header.code.columns, shape.packet)
        self.model = NoticeModel(
            self.header, bits_of(NoticeFormat(shape).layout, header.width), {"source.x": 2, "source.id": 1}, space
        )
        self.core, self.host = (Sender(self.rng, self.channels, shape.depth, share) for _ in range(2))
        self.held = {"core": Counter(), "host": Counter()}
        self.at_host, self.sent_notices, self.cycle, self.cleared = [], 0, 0, Counter()

    def packet(self, length, **flags):
        """Flits of a random packet with ``flags`` in its header."""
        rng = self.rng
        values = {"destination.x": rng.randrange(3), "destination.id": rng.randrange(3), "source.x": rng.randrange(3)}
        values |= {"source.id": rng.randrange(3), "length": length, "hops": rng.randrange(4)}
        values |= {f"{end}.host": rng.randrange(2) for end in ("destination", "source") if f"{end}.host" in self.header.fields}
        values |= {f"flags.{name}": value for name, value in flags.items()}
        words = [rng.getrandbits(self.shape.flit) for _ in range(length)]
        top = self.header.fields["check"][1] + 1
        words[0] = self.header.pack(values) | words[0] >> top << top
        return [Flit(word, int(i == 0), int(i == length - 1), 0) for i, word in enumerate(words)]

    def queue(self, sender, packets):
        """Give each packet to a random channel of a sender."""
        for packet in packets:
            self.rng.choice(sender.queues).extend(packet)

    async def run(self, ctx, cycles=4000):
        """Run until nothing is under way, at most ``cycles`` cycles."""
        self.ctx, unit = ctx, self.unit
        ctx.set(unit.own_address, 2 | 1 << 2)
        for _ in range(cycles):
            clears = self.rng.random() < 0.02
            ctx.set(unit.clear, clears)
            self.cleared = self._events() if clears else self.cleared
            self._put(unit.core.tx, self.core.next())
            self._put(unit.host.rx, self.host.next(), self.model.host_sends)
            for name, link in (("host", unit.host.tx), ("core", unit.core.rx)):
                able = [v for v in range(self.channels) if self.held[name][v] and self.rng.random() < self.lazy]
                ctx.set(link.credit, sum(1 << v for v in able))
                self.held[name].subtract(able)
            self._check()
            for sender, link in ((self.core, unit.core.tx), (self.host, unit.host.rx)):
                credits = ctx.get(link.credit)
                for v in range(self.channels):
                    sender.credits[v] += credits >> v & 1
            await ctx.tick()
            self._count()
            self.cycle += 1
            if self._finished():
                return
        raise TimeoutError(f"Flits are under way after {cycles} cycles")

    def _put(self, link, sent, record=None):
        channel, flit = sent or (0, Flit(0, 0, 0, 0))
        self.ctx.set(link.valid, 1 << channel if sent else 0)
        self.ctx.set(link.flit, flit_layout(self.shape).const(flit._asdict()))
        if sent and record:
            record(channel, flit)

    def _get(self, link):
        valid, flit = self.ctx.get(link.valid), self.ctx.get(link.flit)
        assert valid.bit_count() <= 1
        return (valid.bit_length() - 1, Flit(*(flit[name] for name in Flit._fields))) if valid else None

    def _check(self):
        came, left, injected = (self._get(link) for link in (self.unit.core.tx, self.unit.host.tx, self.unit.core.rx))
        passes = came and self.model.to_host(*came)
        assert left == ((came[0], passes) if passes else None), f"cycle {self.cycle}: {left} leaves, not {passes}"
        if left:
            self.held["host"][left[0]] += 1
            self.at_host.append(left[1])
        if injected:
            self.held["core"][injected[0]] += 1
            assert self.held["core"][injected[0]] <= self.shape.depth, "the core's buffer overflows"
            self.sent_notices += self.model.to_core(*injected)

    def _finished(self):
        senders = (self.core, self.host)
        waiting = any(any(s.queues) or any(n != self.shape.depth for n in s.credits) for s in senders)
        return not (waiting or self.model.pending or any(self.model.from_host.values()))

    def _events(self):
        return {name: getattr(self.model, name) for name in NOTICE_COUNTERS}

    def _count(self):
        """Compare the counters with the events since the last clear."""
        found, events = self.ctx.get(self.unit.counts), self._events()
        wanted = {name: (events[name] - self.cleared[name]) * self.step & 0xFFFFFFFF for name in NOTICE_COUNTERS}
        assert {name: found[name] for name in NOTICE_COUNTERS} == wanted, self.cycle

    def counts(self):
        """``{counter: value}`` of the model."""
        assert self.sent_notices == self.model.notices
        return self._events()
