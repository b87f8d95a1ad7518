"""Patience with a host, on Amaranth's simulator, against its golden model."""

import random

import pytest

from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.switch.host_patience import HostPatience
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.golden.core.core import Flit

PACKET = 3


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
    shape = CoreShape(parse_network("torus:2"), flit=32, packet=PACKET, depth=depth, spread=(("host", 2),))
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


@pytest.mark.parametrize("seed", range(4))
def test_a_slow_host(simulate, seed):
    """Host and patience are about equally fast, so that packets are dropped again and again."""
    [found] = run(simulate, 5, 6, [(4000, (0.15, 0.1))], seed)
    assert all(passed > 100 and dropped > 100 for passed, dropped in found)
