"""The receiver of a fabric link: its units and itself, compared with models in every cycle; without lock it accepts nothing."""

from functools import reduce
from operator import xor

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.line.line_format import DETAILS_CODE, FIRST, LINK_CODE, Kind, constant_word
from dsnswitch.hdl.port.receiver import ControlCheck, PacketGuard, Receiver

from ..compared import compare, packed
from .receiver_models import LINK, Checked, Guard, Received, checked

PLAIN = {"block": "fabric-port", "topology": "torus:5", "flit": 200, "packet": 5, "depth": 8, "channels": "dim0=2/1"}
PLAIN |= {"virtual_networks": 2}
VALUES = PLAIN | {"retry": True, "round_trip": 24}
#: Only one virtual network can speculate.
EARLY = VALUES | {"virtual_networks": 1, "channels": "dim0=1", "speculate": "on"}


class GuardInputs(Guard):
    """A packet goes on only if it lacks flits; bad tails are given as they are asked for."""

    ends = 0

    def inputs(self, rng):
        v, some = rng.randrange(len(self.left)), 1 << len(self.left)
        values = {"breaks": rng.randrange(some) & rng.randrange(some), "space": rng.randrange(some), "free": rng.random() < 0.5}
        if rng.random() < 0.3:
            values["breaks"] = 0
        if self.ends:
            return values | {"valid": self.ends, "tail": 1}
        values["head"] = not self.left[v] or rng.random() < 0.1
        values["valid"] = 0 if rng.random() < 0.2 else 1 << v
        return values | {"tail": rng.random() < 0.1, "refused": rng.random() < 0.1, "length": rng.randrange(1, 8)}

    def cycle(self, **inputs):
        shown = super().cycle(**inputs)
        self.ends = shown["ends"]
        return shown


def wrong(rng, bits, width, checks):
    """The same with up to three wrong bits, often of the last ``checks``."""
    places = [rng.choice((rng.randrange(width), width - 1 - rng.randrange(checks))) for _ in range(rng.choice((0, 0, 1, 2, 3)))]
    return reduce(xor, (1 << place for place in places), bits)


def control_body(rng, link):
    """The body of a block of control with a link word, and with details."""
    details = wrong(rng, checked(DETAILS_CODE, rng.getrandbits(DETAILS_CODE.k)), DETAILS_CODE.n, DETAILS_CODE.r)
    words = (details >> 48 * word & (1 << 48) - 1 for word in range(3))
    noise = sum(rng.getrandbits(16) << 64 * word for word in range(4))
    return noise | link << 16 | sum(word << 64 * place + 16 for place, word in enumerate(words, 1))


class CheckInputs(Checked):
    def inputs(self, rng):
        link = wrong(rng, checked(LINK_CODE, rng.getrandbits(LINK_CODE.k)), LINK_CODE.n, LINK_CODE.r)
        return {"plain": control_body(rng, link), "is_control": rng.random() < 0.9}


class ReceiverInputs(Received):
    """Mostly packets of all channels, whose flits come in order."""

    def inputs(self, rng):
        shape, header = self.shape, self.header
        is_data, kind = rng.random() < 0.5, rng.choice((*Kind, *[Kind.HEAD] * 4, *[Kind.RESUME] * 2, 6))
        active = rng.random() < 0.92
        if (self.bad or not active) and rng.random() < 0.6:
            # A head that must not be accepted.
            is_data, kind = False, Kind.HEAD
        expected = self.order.accepts.expected if shape.replay else rng.getrandbits(9)
        number = expected if rng.random() < 0.95 else rng.getrandbits(9)
        channel = rng.randrange(shape.channels if rng.random() < 0.9 else 32)
        # Heads of channels without a packet, and other blocks of those with one.
        if fitting := [v for v, left in enumerate(self.guard.left) if (kind == Kind.HEAD) != (left > 0)]:
            channel = rng.choice(fitting) if rng.random() < 0.8 else channel
        fields = {name: rng.getrandbits(1) for name in ("ready", "seen", "exact")} | {"single": rng.random() < 0.15}
        link = packed(LINK, kind=kind, channel=channel, number=number, freed=rng.getrandbits(14), **fields)
        link = checked(LINK_CODE, link)
        link = wrong(rng, link, LINK_CODE.n, LINK_CODE.r) if rng.random() < 0.05 else link
        plain = rng.getrandbits(256) if is_data else control_body(rng, link)
        if not is_data and kind == Kind.HEAD:
            names, length = header.layout.from_bits(rng.getrandbits(header.code.k)), rng.randint(1, shape.core.packet)
            first = header.layout["length"].offset
            bits = names.as_value().value & ~(7 << first) | length << first
            bits = checked(header.code, bits)
            bits = wrong(rng, bits, header.code.n, header.code.r) if rng.random() < 0.07 else bits
            flit = self.flit_data((rng.getrandbits(184) >> header.width << header.width | bits) << FIRST, False, channel)
            plain = flit << FIRST | plain & (1 << FIRST) - 1
        bad = rng.random() < 0.08
        values = {"valid": rng.random() < 0.85, "is_data": is_data, "plain": plain, "bad": bad}
        values["no_start"] = (kind not in (Kind.HEAD, Kind.RESUME, Kind.ABORT)) ^ (rng.random() < 0.03)
        if shape.speculates:
            exact = rng.random() < 0.7 and not bad
            noise = 0 if exact else 1 << rng.randrange(256) | 1 << rng.choice((16, 17, 18, rng.randrange(256)))
            values |= {"exact": exact, "early_plain": plain ^ noise, "early_data": is_data ^ (not exact and rng.random() < 0.2)}
        values = {f"line__{name}": value for name, value in values.items()}
        space = (1 << shape.channels) - 1
        space &= rng.choice((space, space, space, rng.getrandbits(shape.channels)))
        values |= {"active": active, "space": space, "reported": rng.random() < 0.2}
        return values | {"locked": rng.random() < 0.98, "may_be_noise": rng.random() < 0.3}


@pytest.mark.parametrize("values", ["PLAIN", "VALUES", "EARLY"])
def test_blocks_become_flits(simulate, values):
    shape = build(globals()[values]).shape
    compare(simulate, Receiver(shape), lambda: ReceiverInputs(shape), 600, resets=0.005)


def test_packets_end_with_their_last_flit(simulate):
    compare(simulate, PacketGuard(3, 3), lambda: GuardInputs(3), 1000)


def test_link_words_and_details_are_checked(simulate):
    compare(simulate, ControlCheck(), CheckInputs)


def present(ctx, unit, **word):
    """A control block with the link word."""
    ctx.set(unit.line.valid, 1)
    ctx.set(unit.line.plain, constant_word(**word).value << 16)
    ctx.set(unit.line.no_start, word["kind"] != Kind.HEAD)


def test_blocks_without_lock(simulate):
    """A head is not accepted in three cycles without lock, nor in the first with it: the descrambler sums the block before."""
    unit, found = Receiver(build(VALUES).shape), []

    async def bench(ctx):
        ctx.set(unit.active, 1)
        ctx.set(unit.space, 1)
        await ctx.tick()
        present(ctx, unit, kind=Kind.HEAD, single=1)
        for cycle in range(5):
            ctx.set(unit.locked, cycle >= 3)
            await ctx.tick()
            found.append(ctx.get(unit.into))

    simulate(unit, bench, clocked=True)
    assert found == [0, 0, 0, 0, 1]


def test_requests_without_lock(simulate):
    """Whether a request is urgent at some time after a flit was found missing: with lock, without, and with it again."""
    unit, found = Receiver(build(VALUES).shape), []

    async def bench(ctx):
        ctx.set(unit.active, 1)
        ctx.set(unit.locked, 1)
        await ctx.tick().repeat(2)
        present(ctx, unit, kind=Kind.CREDIT, number=5)
        await ctx.tick()
        ctx.set(unit.line.valid, 0)
        for locked in (1, 0, 1):
            ctx.set(unit.locked, locked)
            seen = 0
            for _ in range(8):
                await ctx.tick()
                seen |= ctx.get(unit.urgent)
            found.append(seen)

    simulate(unit, bench, clocked=True)
    assert found == [1, 0, 1]
