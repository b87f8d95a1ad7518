"""The transmitter of a fabric link: its units and itself alone, compared with models in every cycle."""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.line.line_format import NUMBER_BITS, Kind, hello_layout, link_word_layout
from dsnswitch.hdl.port.session import END_TAG
from dsnswitch.hdl.port.transmitter import Numbers, SenderArbiter, Skid, Transmitter

from ..compared import compare, packed
from .receiver_models import ANSWER
from .transmitter_models import NUMBERS, Counted, Grants, Sent, Waits

PLAIN = {"block": "fabric-port", "topology": "torus:5", "flit": 200, "packet": 5, "depth": 8, "channels": "dim0=2/1"}
PLAIN |= {"virtual_networks": 2}
VALUES = PLAIN | {"virtual_networks": 1, "channels": "dim0=2", "retry": True, "round_trip": 24}
FIELDS = {name: (field.offset, field.width) for name, field in link_word_layout()}


def test_counts_are_not_exact_while_flits_are_sent_again(simulate):
    """Kind, number and mark of blocks with urgent counts, while three flits wait to be sent again, and after them.

    The number is that of the next flit on the line.
    """
    unit = Transmitter(build(VALUES).shape)
    found = {"again": [], "after": []}

    def word(ctx):
        bits = ctx.get(unit.block.link_word)
        return tuple(bits >> low & (1 << width) - 1 for low, width in map(FIELDS.get, ("kind", "number", "exact")))

    async def bench(ctx):
        for member in ("active", "taken", "ready", "seen"):
            ctx.set(getattr(unit, member), 1)
        await ctx.tick()
        for place in range(3):
            ctx.set(unit.valid, 1)
            ctx.set(unit.flit, {"data": place, "head": place == 0, "tail": place == 2})
            await ctx.tick()
        ctx.set(unit.valid, 0)
        await ctx.tick().repeat(3)
        ctx.set(unit.answered, 1)
        ctx.set(unit.its_answer, {"accepted": 0, "request": 1})
        await ctx.tick()
        ctx.set(unit.answered, 0)
        ctx.set(unit.urgent, 1)
        for name in found:
            # Urgent counts go before flits that are sent again.
            await ctx.tick().repeat(3)
            for _ in range(3):
                found[name].append(word(ctx))
                await ctx.tick()
            ctx.set(unit.urgent, 0)
            await ctx.tick().repeat(8)
            ctx.set(unit.urgent, 1)

    simulate(unit, bench, clocked=True)
    assert found == {"again": [(Kind.CREDIT, 0, 0)] * 3, "after": [(Kind.CREDIT, 3, 1)] * 3}


def test_a_tail_ends_its_packet(simulate):
    """A packet of two flits, then a flit without a head on the same channel, which is dropped."""
    unit = Transmitter(build(PLAIN).shape)
    flits, found = [(1, 0), (0, 1), (0, 1)], []

    async def bench(ctx):
        for member in ("active", "taken", "ready", "seen"):
            ctx.set(getattr(unit, member), 1)
        await ctx.tick()
        for cycle in range(8):
            ctx.set(unit.valid, cycle < len(flits))
            if cycle < len(flits):
                ctx.set(unit.flit, dict(zip(("head", "tail"), flits[cycle])))
            found.extend(name for name in ("sent", "dropped") if ctx.get(getattr(unit, name)))
            await ctx.tick()

    simulate(unit, bench, clocked=True)
    assert found == ["sent", "sent", "dropped"]


class Stalled:
    """A sender that stops three cycles after a stall, and a line that pauses at times."""

    def __init__(self):
        self.stalls, self.often = [0, 0, 0], 0.7

    def next(self, rng):
        """Whether the sender may send, and the line takes."""
        if rng.random() < 0.05:
            self.often = rng.choice((0.1, 0.5, 0.9, 1))
        return not self.stalls[0] and rng.random() < 0.9, rng.random() < self.often


class SkidInputs(Waits):
    def __init__(self, unit, inserting):
        super().__init__()
        self.width, self.inserting, self.sender = unit, inserting, Stalled()

    def inputs(self, rng):
        sends, takes = self.sender.next(rng)
        values = {name: rng.randrange(1 << self.width) for name in ("entry", "inserted")} | {"valid": sends}
        values["pop"] = takes and not self.outside and (sends or bool(self.entries))
        return values | {"inserts": self.inserting and rng.random() < 0.3}

    def cycle(self, **inputs):
        shown = super().cycle(**inputs)
        self.sender.stalls = [*self.sender.stalls[1:], shown["stall"]]
        return shown


class GrantInputs(Grants):
    def inputs(self, rng):
        often = {"active": 0.95, "waits": 0.9, "again": 0.1, "bad": 0.3, "urgent": 0.2, "restarts": 0.1, "taken": 0.8}
        return {name: rng.random() < often.get(name, 0.4) for name in (*often, "head", "tail")} | {
            "channel": 1 << rng.randrange(3)
        }


class NumberInputs(Counted):
    def inputs(self, rng):
        values = {"new_head": rng.random() < 0.9}
        if self.retries:
            values |= {name: rng.random() < 0.5 for name in ("leaves", "restarts", "answered")} | {"active": rng.random() < 0.8}
            values |= {name: rng.randrange(NUMBERS) for name in ("target", "following")}
        return values


class TransmitterInputs(Sent):
    """Packets of all channels, and times in which the link is not open."""

    def __init__(self, shape):
        super().__init__(shape)
        self.sender, self.left, self.hello, self.closed = Stalled(), [0] * shape.channels, 0, 9
        self.pause = 0
        self.hellos = hello_layout(self.several)

    def inputs(self, rng):
        shape, (sends, takes) = self.shape, self.sender.next(rng)
        values = {"taken": takes, "urgent": rng.random() < 0.1, "valid": 0, "flit": 0}
        if sends:
            v = rng.randrange(shape.channels)
            head = not self.left[v]
            self.left[v] = self.left[v] - 1 if self.left[v] else rng.choice((0, 1, 2))
            tail = not self.left[v]
            marks = {"head": head, "tail": tail, "bad": tail and rng.random() < 0.1, "data": rng.getrandbits(shape.core.flit)}
            values |= {"valid": 1 << v, "flit": packed(self.layout, **marks)}
        # The fields of a hello are constant, but for those of a virtual network.
        if not self.closed and not self.hello_now:
            self.hello = rng.getrandbits(self.hellos.size)
        elif self.several:
            for name in ("channels", "depth", "virtual_network"):
                field = self.hellos[name]
                ones = (1 << field.width) - 1
                self.hello = self.hello & ~(ones << field.offset) | (rng.getrandbits(field.width) & ones) << field.offset
        if self.closed:
            self.closed -= 1
        elif rng.random() < 0.02:
            # The last hello is just before the link opens, or earlier.
            self.closed, self.pause = rng.randint(2, 20), rng.choice((0, 1))
        bits = {"entry": 5, "entry_freed": 14, "first": 5, "details": 2 * shape.count_width * shape.per_block, "tag": END_TAG}
        values |= {name: rng.getrandbits(width) for name, width in (bits | {"answer": NUMBER_BITS + 1}).items()}
        replays = self.replays
        accepted = replays.oldest + rng.choice((0, replays.level, rng.randint(0, replays.level)))
        request = replays.request ^ (rng.random() < 0.1)
        values["its_answer"] = packed(ANSWER, accepted=accepted % NUMBERS, request=request)
        values |= {name: rng.random() < 0.5 for name in ("ready", "seen", "answered")}
        says_hello = self.closed > self.pause
        return values | {"says_hello": says_hello, "active": not self.closed, "hello": self.hello}

    def cycle(self, **inputs):
        shown = super().cycle(**inputs)
        self.sender.stalls = [*self.sender.stalls[1:], shown["stall"]]
        return shown


@pytest.mark.parametrize("inserting", [False, True])
def test_flits_wait_in_order(simulate, inserting):
    compare(simulate, Skid(8, 3, inserting), lambda: SkidInputs(8, inserting))


def test_senders_are_granted_in_turn(simulate):
    compare(simulate, SenderArbiter(3), GrantInputs, 600)


@pytest.mark.parametrize("values", [PLAIN, VALUES], ids=["plain", "retry"])
def test_numbers_have_their_check_bits(simulate, values):
    unit = Numbers(build(values).shape)
    compare(simulate, unit, lambda: NumberInputs(values is VALUES), 600, resets=0.005)


@pytest.mark.parametrize("values", [PLAIN, VALUES], ids=["plain", "retry"])
def test_flits_become_blocks(simulate, values):
    shape = build(values).shape
    compare(simulate, Transmitter(shape), lambda: TransmitterInputs(shape), 600, resets=0.005)
