"""Measures a network under load: warm-up until the latency is stable, measurement, saturation, completion of an exchange."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dsnswitch.net.files.options import Measurement
from dsnswitch.sim.network.compile.generate import COPIES
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import SimulationError, Statistics
from dsnswitch.sim.network.engine.traffic import mean_length
from dsnswitch.sim.network.workload.patterns import senders

__all__ = ["CHUNK", "Completed", "Measured", "Rules", "Saturation", "complete", "measure", "saturation", "slowest", "together"]

#: Cycles between two looks at a point; every window is a multiple of it.
CHUNK = 100

#: Batches of a measurement, and Student's t for 95 % with one degree of freedom less.
BATCHES, STUDENT = 10, 2.262

#: Greatest change of the accepted load of a saturated network that has warmed up.
STEADY = 0.02

#: Loads that run at once in the search for saturation, at most.
MOST_TOGETHER = 8

#: Cycles without progress of a trace of which packets wait, or of packets after the last ones of a measurement.
MOST_DRAIN = 100_000


@dataclass(frozen=True, kw_only=True)
class Rules(Measurement):
    """When a point is stable, how long it is measured, and when it counts as saturated.

    *Warm-up* goes on in windows, and the time since the start is divided into three equal parts. It ends, after three windows
    at the earliest, when

    - the mean latency of the last part differs from that of the middle part by at most ``tolerance``, and
    - ``accepted`` of the flits that were offered in these two parts arrived, or were lost: losses do not saturate a network.

    The latency is that of the packets that arrive in a part, tail, with the source queue. A window has as many cycles as
    ``packets`` packets take at the offered load, 500 to 2,000 cycles. A point is *saturated* if two windows in sequence have a
    mean latency above ``limit`` and accept less than ``accepted``, or if the warm-up has not ended after ``warm_up`` cycles, or
    if less than ``accepted`` arrives during the measurement. A saturated point warms up until the accepted load of the last part
    differs from that of the middle part by at most 2 %; its latencies are those of the packets that arrive, and grow with the
    time of the run.

    The number of packets in flight fluctuates also in a stable network. So four standard deviations of it are not missed in
    comparisons of accepted with offered flits: it is a Poisson variable with the mean of Little's law, packets per cycle times
    mean latency.

    *Measurement* takes ``cycles`` cycles, then the traffic goes on until all packets that were offered in this time have arrived.
    """

    tolerance: float = 0.05
    accepted: float = 0.98
    packets: int = 2000


@dataclass
class Measured:
    """A measured point."""

    statistics: Statistics
    saturated: bool
    #: Cycles before the measurement.
    warm_up: int
    #: Mean latencies, tail with source queue, of the packets that arrived in each tenth of the measurement.
    batches: list[float]
    #: Which hosts send. Loads are means over these.
    senders: np.ndarray

    @property
    def offered(self) -> float:
        """Offered load: flits per sending host and cycle."""
        return self.statistics.offered_flits / max(1, self.statistics.cycles * int(self.senders.sum()))

    @property
    def accepted(self) -> float:
        """Accepted load: flits per sending host and cycle."""
        return self.statistics.delivered_flits / max(1, self.statistics.cycles * int(self.senders.sum()))

    @property
    def confidence(self) -> float:
        """Half of the 95 % confidence interval of the mean latency, by batch means; NaN if a batch has no packet."""
        return STUDENT * float(np.std(self.batches, ddof=1)) / math.sqrt(len(self.batches))


@dataclass
class _Watch:
    """A point on its way: what it counted at the last window, and the windows so far."""

    window: int
    most: int
    last: tuple = (0, 0, 0, 0)
    windows: list = field(default_factory=list)
    phase: str = "warm-up"
    since: int = 0
    due: int = 0
    saturated: bool = False
    warm: int = 0
    batches: list = field(default_factory=list)
    result: Any = None


@dataclass(frozen=True)
class _Window:
    """What happened in one window."""

    cycles: int
    offered: int
    ended: int
    packets: int
    latency: float

    def accepts(self, share, length):
        """Whether enough of the offered flits arrived, or were lost."""
        if not self.packets:
            return not self.offered
        in_flight = self.packets / self.cycles * self.latency
        return self.ended >= share * self.offered - (2 + 4 * math.sqrt(in_flight)) * length


def _joined(windows):
    packets = sum(window.packets for window in windows)
    return _Window(
        sum(window.cycles for window in windows),
        sum(window.offered for window in windows),
        sum(window.ended for window in windows),
        packets,
        sum(window.latency * window.packets for window in windows if window.packets) / max(1, packets),
    )


def measure(
    engine: Engine, rules: Rules | None = None, watch: Callable = lambda cycle: None, drain: bool = True, events: Sequence = ()
) -> list[Measured]:
    """The :class:`Measured` of each point of an engine that has not run yet. A point's result does not depend on the other ones.

    ``watch`` is called with the number of the cycle from time to time. ``events`` are ``(cycle, function)``: the function is
    called with the engine at the beginning of this cycle, and lets a link fail, for example. With ``drain``, the traffic stops at
    the end, and everything must arrive; packets of a saturated point that wait in the long source queues are taken back.
    """
    rules = rules or Rules()
    longest = engine.core.manifest["parameters"]["packet"]
    found = []
    for number, point in enumerate(engine.points):
        sending = senders(point, engine.core.present)
        load = np.broadcast_to(np.asarray(point.load, float), sending.shape)[sending].sum()
        cycles = rules.packets * mean_length(point, longest) / load if load else 2000
        window = min(max(-(-math.ceil(cycles) // CHUNK) * CHUNK, 500), 2000)
        found.append(_Watch(window, rules.warm_up or 20 * window, due=window))
        engine.start_measuring(number)
    left = sorted(events, key=lambda event: event[0])
    while active := [one for one in found if one.phase != "done"]:
        while left and left[0][0] <= engine.cycle:
            left.pop(0)[1](engine)
        cycle = min([one.due for one in active] + [event[0] for event in left[:1]])
        engine.run(cycle - engine.cycle)
        watch(engine.cycle)
        for number, one in enumerate(found):
            if one.phase != "done" and one.due == engine.cycle:
                _advance(engine, number, one, rules, mean_length(engine.points[number], longest))
    if drain:
        engine.drain(MOST_DRAIN, [number for number, one in enumerate(found) if one.saturated])
    return [
        Measured(one.result, one.saturated, one.warm, one.batches, senders(point, engine.core.present))
        for one, point in zip(found, engine.points)
    ]


def _advance(engine, number, one, rules, length):
    """Take the next step with a point whose window, batch or measurement ends in this cycle."""
    now, statistics = engine.cycle, engine.statistics(number)
    counts = (
        statistics.offered_flits,
        statistics.delivered_flits + statistics.lost_flits,
        statistics.measured,
        statistics.sums["queued_tail"],
    )
    offered, ended, packets, total = (new - old for new, old in zip(counts, one.last))
    span = rules.cycles // BATCHES if one.phase == "measuring" else one.window
    window = _Window(span, offered, ended, packets, total / packets if packets else math.nan)
    one.last = counts
    if one.phase == "warm-up":
        one.windows.append(window)
        _warm(engine, number, one, rules, length)
        one.due = now + (rules.cycles // BATCHES if one.phase == "measuring" else one.window)
    elif one.phase == "measuring":
        one.batches.append(window.latency)
        one.due = now + span
        if now - one.since >= rules.cycles:
            engine.stop_measuring(number)
            whole = _Window(rules.cycles, counts[0], counts[1], counts[2], counts[3] / max(1, counts[2]))
            one.saturated |= not whole.accepts(rules.accepted, length)
            one.phase, one.due, one.since = "draining", now + CHUNK, now
            one.result = engine.statistics(number)
            if one.saturated or not one.result.missing or engine.points[number].blocked is not None:
                one.phase = "done"
    else:
        one.due, one.result = now + CHUNK, statistics
        if not statistics.missing:
            one.phase = "done"
        elif now - one.since >= MOST_DRAIN:
            raise SimulationError(
                f"Cycle {now}: {statistics.missing} packets of point {number} have not arrived {MOST_DRAIN} cycles after the"
                " measurement",
                now,
                number,
                None,
            )


def _warm(engine, number, one, rules, length):
    """Decide at the end of a window whether the warm-up has ended."""
    third = len(one.windows) // 3
    ready = third > 0
    middle, last = (_joined(one.windows[-2 * third : -third]), _joined(one.windows[-third:])) if ready else (None, None)
    two = one.windows[-2:]
    if len(two) == 2 and all(window.latency > rules.limit and not window.accepts(rules.accepted, length) for window in two):
        one.saturated = True
    if ready and one.saturated:
        ready = abs(last.ended - middle.ended) <= STEADY * middle.ended
    elif ready:
        ready = abs(last.latency - middle.latency) <= rules.tolerance * middle.latency
        ready = ready and _joined([middle, last]).accepts(rules.accepted, length)
    late = one.window * len(one.windows) >= one.most
    one.saturated |= late and not ready
    if ready or late:
        one.phase, one.warm, one.since, one.last = "measuring", engine.cycle, engine.cycle, (0, 0, 0, 0)
        engine.start_measuring(number)


@dataclass
class Saturation:
    """Loads at which a network saturates, in flits per sending host and cycle."""

    #: Accepted load at an offered load of 1: sources always have a packet. With bursts, at the greatest load that they offer.
    over: float
    #: Greatest offered load of which :attr:`Rules.accepted` is accepted with a mean latency, tail with source queue, of at most
    #: :attr:`Rules.limit`; found by dividing the interval from 0 to the greatest load until it is ``2 * precision`` long.
    stable: float
    precision: float
    #: ``[(load, accepted, mean latency, whether it is stable)]`` by load.
    tried: list[tuple]
    #: Share of its load that the slowest 2 % of the sources get accepted at an offered load of 1, relative to ``over``.
    slowest: float


def together(nodes: int, threads: int = 1) -> int:
    """Number of points of a network of ``nodes`` switches that an engine runs at little more than the cost of one."""
    return max(min(COPIES // nodes, MOST_TOGETHER), threads, 1)


def saturation(
    make: Callable,
    at_once: int,
    rules: Rules | None = None,
    precision: float = 0.005,
    watch: Callable = lambda cycle: None,
    greatest: float = 1.0,
) -> Saturation:
    """Find the :class:`Saturation` of a network.

    ``make`` returns an engine for a list of loads, of which ``at_once`` run at once (:func:`together`). Sources offer at most
    ``greatest``.
    """
    rules = rules or Rules()

    def run(loads):
        return measure(make(loads), rules, watch)

    (full,) = run([greatest])
    low, high, tried = 0.0, greatest, []

    def record(load, found):
        mean = found.statistics.mean("queued_tail")
        stable = not found.saturated and mean <= rules.limit
        tried.append((load, found.accepted, mean, stable))
        return stable

    if record(greatest, full):
        low = greatest
    while high - low > 2 * precision:
        loads = [low + (high - low) * step / (at_once + 1) for step in range(1, at_once + 1)]
        stable = [record(load, found) for load, found in zip(loads, run(loads), strict=True)]
        first = stable.index(False) if False in stable else len(loads)
        low, high = [low, *loads][first], [*loads, high][first]
    return Saturation(full.accepted, low if low == greatest else (low + high) / 2, precision, sorted(tried), slowest(full))


def slowest(found: Measured, share: float = 0.02) -> float:
    """Mean load of the slowest sources of a :class:`Measured` relative to that of all; ``share`` of them, at least one."""
    loads = np.sort(found.statistics.source_flits[found.senders].astype(float))
    return float(loads[: max(1, int(len(loads) * share))].mean() / loads.mean()) if loads.sum() else math.nan


@dataclass
class Completed:
    """An exchange or a trace that has ended."""

    #: From the first packet's entry into its source queue until the last tail is at the output of the last core.
    cycles: int
    statistics: Statistics
    senders: np.ndarray


def complete(engine: Engine, watch: Callable = lambda cycle: None) -> list[Completed]:
    """Run an engine that has not run yet until the traces of all its points have arrived."""
    traces = [np.asarray(point.trace).reshape(-1, 4) for point in engine.points]
    end = max(int(trace[:, 0].max()) for trace in traces)
    engine.start_measuring()
    while (
        engine.cycle <= end
        or any(engine.queued(point) + engine.in_flight(point) for point in range(len(traces)))
        or not engine.cycle
    ):
        engine.run(CHUNK)
        watch(engine.cycle)
    engine.stop_measuring()
    engine.drain(MOST_DRAIN)
    found = []
    for number, trace in enumerate(traces):
        last = int(engine.delivered(number)["tail"].max(initial=0)) or engine.cycle
        found.append(
            Completed(
                last - int(trace[:, 0].min()), engine.statistics(number), senders(engine.points[number], engine.core.present)
            )
        )
    return found
