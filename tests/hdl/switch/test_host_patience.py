"""Patience with a host, on Amaranth's simulator, against its golden model, and in every cycle against an exact one."""

import random

import pytest

from dsnswitch.hdl.core.packet import flit_layout
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.switch import host_patience
from dsnswitch.hdl.switch.host_patience import HostPatience
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.core.core import Flit

from ..compared import compare, packed

PACKET, BITS = 3, 6


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Timers of a few bits, which all count."""
    monkeypatch.setattr(host_patience, "PATIENCE", BITS)


def shape_of(depth):
    """Host ports have two channels."""
    return CoreShape(parse_network("torus:2"), flit=32, packet=PACKET, depth=depth, spread=(("host", 2),))


class PatienceModel:
    """Checks one channel between a core and a host, cycle by cycle. It raises AssertionError for every broken rule.

    A packet is dropped if the host has taken nothing for ``patience`` cycles, or if the core has more credits than the host has
    space. All of its flits are dropped, or none.

    Parameters
    ----------
    depth : int
        Flits of the host's buffer.
    patience : int
        Cycles; 0: no packet is dropped.
    """

    def __init__(self, depth, patience):
        self._depth, self._patience = depth, patience
        self.held = self.waited = self.passed = self.dropped = 0
        self.credits, self._drops = depth, False

    def cycle(self, sent, passes, taken, credit):
        """One cycle.

        Parameters
        ----------
        sent : Flit or None
            The flit from the core.
        passes : bool
            The host gets a flit.
        taken : bool
            The host returns a credit.
        credit : bool
            The core gets a credit.
        """
        expired = self._patience and self.waited >= self._patience
        if sent and sent.head:
            self._drops = bool(expired or self.credits > self._depth - self.held)
            self.dropped += self._drops
            self.passed += not self._drops
        assert passes == bool(sent and not self._drops), f"{sent}: {'passed on' if passes else 'dropped'}"
        self.waited = 0 if taken or not self.held else self.waited + 1
        self.held += passes - taken
        self.credits += credit - bool(sent)
        assert 0 <= self.held <= self._depth, f"the host holds {self.held} flits"
        assert 0 <= self.credits <= self._depth, f"the core has {self.credits} credits"


def run(simulate, depth, patience, phases, seed=1):
    """Random packets on two channels through ``phases`` of ``(cycles, share of cycles in which each channel of the host takes)``.

    Returns ``[[(passed, dropped) of each channel] after each phase]``.
    """
    shape = shape_of(depth)
    unit, rng = HostPatience(shape, shape.ports[-1]), random.Random(seed)
    models = [PatienceModel(depth, patience) for _ in range(2)]
    left, counts = [0, 0], []

    async def bench(ctx):
        untaken = 0
        ctx.set(unit.patience, patience)
        for cycles, takes in phases:
            for _ in range(cycles):
                # The core: the rest of a packet, or a new one if there are credits for a longest packet.
                able = [v for v in (0, 1) if left[v] or models[v].credits >= PACKET]
                channel = rng.choice(able) if able and rng.random() < 0.9 else None
                flit = None
                if channel is not None:
                    head = not left[channel]
                    left[channel] = rng.randint(1, PACKET) - 1 if head else left[channel] - 1
                    flit = Flit(rng.getrandbits(32), int(head), int(not left[channel]), 0)
                    ctx.set(unit.core.tx.flit, flit._asdict())
                ctx.set(unit.core.tx.valid, 0 if flit is None else 1 << channel)
                taken = [models[v].held and rng.random() < takes[v] for v in (0, 1)]
                ctx.set(unit.host.tx.credit, taken[0] | taken[1] << 1 if any(taken) else 0)
                await ctx.delay(0)
                passes, credit = ctx.get(unit.host.tx.valid), ctx.get(unit.core.tx.credit)
                untaken += ctx.get(unit.untaken)
                for v, model in enumerate(models):
                    model.cycle(flit if v == channel else None, bool(passes >> v & 1), taken[v], credit >> v & 1)
                await ctx.tick()
            assert untaken == sum(model.dropped for model in models)
            counts.append([(model.passed, model.dropped) for model in models])

    simulate(unit, bench, clocked=True)
    return counts


@pytest.mark.parametrize("depth", [3, 4, 6, 11])
def test_a_host_that_takes_nothing(simulate, depth):
    """One channel stops: its packets are dropped after a while, until the host takes again. The other channel goes on."""
    slow = (0.5, 0.5)
    before, stopped, again = run(simulate, depth, 40, [(2000, slow), (1000, (0.5, 0)), (2000, slow)])
    assert [dropped for _, dropped in before] == [0, 0]
    (_, none), (passed, dropped) = stopped
    assert none == 0
    assert passed <= before[1][0] + depth
    # The core sends all the time.
    assert dropped > 50
    (_, none), (more, last) = again
    assert none == 0
    assert last <= dropped + depth + PACKET
    assert more > passed + 200


def test_without_patience_packets_wait(simulate):
    stopped, again = run(simulate, 6, 0, [(3000, (0, 0)), (1000, (0.5, 0.5))])
    assert all(passed <= 6 and not dropped for passed, dropped in stopped)
    assert all(passed > 100 and not dropped for passed, dropped in again)


class Channel:
    """Credits of the core and flits of the host. With more credits than the host has space, the core has a loan."""

    def __init__(self, depth):
        self.depth, self.credits, self.held, self.waited = depth, depth, 0, 0
        self.expired = self.drops = False

    def cycle(self, arrives, head, returned, patience):
        """``(a flit passes, the core gets a credit)``"""
        space, expired = self.depth - self.held, self.expired
        lent = self.credits > space
        if arrives and head:
            self.drops = expired or lent
        passes = arrives and not self.drops
        taken = bool(returned and (self.held or passes))
        lends = expired and self.credits < PACKET
        credit = self.credits < space or (taken and not lent) or lends
        self.waited = 0 if taken or not self.held or not patience else self.waited + 1
        self.expired = self.waited > 0 and (expired or self.waited >= patience)
        self.held += passes - taken
        self.credits += credit - bool(arrives)
        assert 0 <= self.held <= self.depth
        assert 0 <= self.credits <= self.depth
        return passes, credit


class Exact:
    """Two channels whose host takes flits for a while, now and then, or not, and returns a credit too many."""

    def __init__(self, depth):
        self.layout = flit_layout(shape_of(depth))
        self.channels = [Channel(depth) for _ in range(2)]
        self.left, self.takes, self.patience = [0, 0], [1, 1], 5

    def inputs(self, rng):
        if rng.random() < 0.01:
            self.patience = rng.choice((0, 1, 2, 5, 17, 40, 63))
        for v in range(2):
            if rng.random() < 0.015:
                self.takes[v] = rng.choice((0, 0, 0.1, 0.3, 1))
        able = [v for v in (0, 1) if self.left[v] or self.channels[v].credits >= PACKET]
        v = rng.choice(able) if able and rng.random() < 0.9 else None
        flit = {"data": rng.getrandbits(32), "head": rng.getrandbits(1), "bad": rng.getrandbits(1)}
        if v is not None:
            flit["head"] = int(not self.left[v])
            self.left[v] = (self.left[v] or rng.randint(1, PACKET)) - 1
            flit["tail"] = int(not self.left[v])
        credit = sum((rng.random() < share) << v for v, share in enumerate(self.takes))
        values = {"patience": self.patience, "core__tx__valid": 0 if v is None else 1 << v, "host__tx__credit": credit}
        values |= {"core__tx__flit": packed(self.layout, **flit), "host__stall": rng.getrandbits(1)}
        values |= {f"host__rx__{name}": rng.getrandbits(size) for name, size in (("valid", 2), ("flit", 35))}
        return values | {"core__rx__credit": rng.getrandbits(2)}

    def cycle(self, patience, core__tx__valid, core__tx__flit, host__tx__credit, **others):
        head = self.layout.from_bits(core__tx__flit).head
        passes, credits = 0, 0
        for v, channel in enumerate(self.channels):
            valid, credit = channel.cycle(core__tx__valid >> v & 1, head, host__tx__credit >> v & 1, patience)
            passes, credits = passes | valid << v, credits | credit << v
        shown = {"host__tx__valid": passes, "host__tx__flit": core__tx__flit, "core__tx__credit": credits}
        ways = (("host", "core", ("rx__valid", "rx__flit", "stall")), ("core", "host", ("rx__credit",)))
        shown |= {f"{there}__{name}": others[f"{here}__{name}"] for here, there, names in ways for name in names}
        return shown | {"untaken": bool(core__tx__valid and head and not passes)}


def test_every_cycle(simulate):
    """Packets are dropped again and again, for patiences of any length."""
    shape = shape_of(6)
    compare(simulate, HostPatience(shape, shape.ports[-1]), lambda: Exact(6), 4000, resets=0.002)
