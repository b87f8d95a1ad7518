"""Bench of the switch core: every head gets its share of its output channel, whatever others ask for.

In an *episode* every input channel sends without end, each in its own way, and every receiver frees flits at a rate of its own.

Parameters: ``manifest`` (path); ``own`` (switch); ``episodes``, ``cycles`` of each; ``seed``.
"""

import random
from collections import Counter, deque

import cocotb

from dsnswitch.sim.bench.core_bench import channels, set_up
from dsnswitch.sim.bench.drivers.given import PARAMETERS, SEED

#: Least share of an input channel that always has a packet for the same output channel, relative to the even share.
LEAST = 1 / 4
#: Packets on an output channel from which on shares are compared, and those of one input channel.
COUNTED, EACH = 100, 4


class Habits:
    """How one input channel sends: its outputs, the lengths of its packets, its gaps, and perhaps its one output channel."""

    def __init__(self, traffic, rng, number, channel, crowded):
        self._traffic, self._rng, self._source = traffic, rng, (number, channel)
        outputs = traffic.outputs(number)
        self._outputs = [output for output in outputs if output in crowded] or outputs
        if rng.random() < 0.7:
            self._outputs = [rng.choice(self._outputs)]
        longest = traffic.longest
        self._lengths = rng.choice(((1,), (1,), (longest,), (1, longest), range(1, longest + 1)))
        self.gap = rng.choice((0, 0, 0, 0.3, 0.8))
        #: The output channel of all its packets, or None.
        self.way = None
        if len(self._outputs) == 1 and rng.random() < 0.7:
            self.way = traffic.way(number, channel, self.packet())

    def packet(self):
        """The next packet."""
        number, channel = self._source
        length = self._rng.choice(self._lengths)
        if self.way and (found := self._traffic.packet_by(number, self.way, length, channel)):
            return found
        return self._traffic.packet(number, self._rng.choice(self._outputs), length, channel=channel)


async def episode(dut, seed):
    """``(model, {(input channel, output channel): packets}, {input channel with one output channel and no gaps: it})``"""
    traffic, model, core = set_up(dut, seed)
    rng = random.Random(seed)
    await core.start(traffic)
    targets = list(traffic.targets)
    crowded = targets if rng.random() < 0.3 else rng.sample(targets, min(rng.choice((1, 2, 3)), len(targets)))
    habits = {(number, v): Habits(traffic, rng, number, v, crowded) for number, v in channels()}
    for receiver in core.receivers:
        receiver.stalls = [rng.choice((0, 0, 0.2, 0.6, 0.9)) for _ in receiver.full]
    given = Counter()
    model.began = lambda source, way, _: given.update([(source, way)])
    for _ in range(PARAMETERS["cycles"]):
        for (number, v), habit in habits.items():
            queue = core.senders[number].queues[v]
            while len(queue) < 2 and rng.random() >= habit.gap:
                queue.append(deque(habit.packet()))
        await core.step()
    return model, given, {source: habit.way for source, habit in habits.items() if habit.way and not habit.gap}


@cocotb.test()
async def shares(dut):
    """The model counts the packets that pass a head on its channel; here each input channel that never stops gets its share."""
    compared = 0
    for number in range(PARAMETERS["episodes"]):
        model, given, steady = await episode(dut, SEED + 1000 * number)
        for source, way in steady.items():
            counts = [count for (_, to), count in given.items() if to == way]
            if sum(counts) < max(COUNTED, EACH * len(counts)):
                continue
            compared += 1
            share = given[source, way] * len(counts) / sum(counts)
            assert share >= LEAST, f"episode {number}: {source} gets {share:.3f} of its even share of {way}"
        dut._log.info("episode %d: %d packets, overtaken %d times", number, model.packets, model.most_overtaken)
    assert compared, "no shares were compared"
