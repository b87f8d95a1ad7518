"""Runs the points of a sweep that are not stored: on Dask, in groups that share an engine, and refines ranges of loads."""

import logging
import os
import warnings
from collections import defaultdict
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dsnswitch.gen.cli.cores import kept_manifest
from dsnswitch.lab.sweep import work
from dsnswitch.lab.sweep.plan import core_key
from dsnswitch.lab.sweep.store import core_fingerprint, point_hash
from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.experiment.measure import together

__all__ = ["Sweep", "local", "remote"]

#: Seconds that the connection to a scheduler may take, and that of a worker on this machine, which may be busy.
PATIENCE, SLOW = 20, 120

#: Seconds without a result after which it is checked whether there are workers.
QUIET = 3


class _Inline:
    """Runs every task at once in this process.

    ``submit`` starts a task, ``share`` returns what tasks take instead of a value that several of them need, and ``is_idle`` says
    that no worker can take a task.
    """

    is_idle = False

    workers = 1

    def share(self, value):
        return value

    def submit(self, task, *words):
        found = Future()
        try:
            found.set_result(task(*words))
        except Exception as error:
            found.set_exception(error)
        return found


class _Dask:
    """As :class:`_Inline`, on the workers of a Dask client. If a worker dies, its tasks and shared values are made again."""

    def __init__(self, client):
        self._client, self._executor = client, client.get_executor(pure=False)

    def _count(self):
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    @property
    def workers(self):
        return max(1, self._count())

    @property
    def is_idle(self):
        return not self._count()

    def share(self, value):
        return self._client.submit(work.same, value, pure=False)

    def submit(self, task, *words):
        return self._executor.submit(task, *words)


@contextmanager
def local(workers=None):
    """An executor on this machine: Dask workers, each a process with one thread; without any, this process."""
    if workers == 0:
        yield _Inline()
        return
    import dask
    from distributed import LocalCluster

    count = workers or os.cpu_count() or 1
    with (
        dask.config.set({"distributed.comm.timeouts.connect": f"{SLOW}s"}),
        LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            preload=[work.__name__],
        ) as cluster,
        remote(cluster) as executor,
    ):
        yield executor


@contextmanager
def remote(address):
    """An executor on the workers of an existing Dask scheduler."""
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(f"Scheduler {address} cannot be reached: {error}") from None
    with client:
        warnings.filterwarnings("ignore", "Sending large graph")
        yield _Dask(client)


def _first(pending, executor, tell):
    """The futures that have ended, at least one. ``tell`` is called when workers are missing, and when they are there again."""
    was_idle = False
    while not (done := wait(pending, QUIET, FIRST_COMPLETED).done):
        if was_idle != executor.is_idle:
            was_idle = not was_idle
            tell("The scheduler has no workers: waiting for the first one" if was_idle else "The scheduler has workers")
    return done


@dataclass
class _Progress:
    """What is known of a curve."""

    rows: dict = field(default_factory=dict)
    hashes: dict = field(default_factory=dict)
    asked: set = field(default_factory=set)
    errors: dict = field(default_factory=dict)
    shared: object = None


class Sweep:
    """A plan on its way: ``states`` have the rows, hashes and errors of each curve by load.

    ``new`` is the number of points that were measured, and not taken from the store.
    """

    def __init__(self, plan, store):
        self.plan, self.store, self.new = plan, store, 0
        self.states = [_Progress() for _ in plan.curves]
        self._fingerprints = {}
        self._cores = {core_key(curve): curve.experiment.core for curve in plan.curves}
        for key, values in self._cores.items():
            if manifest := kept_manifest(values):
                self._fingerprints[key] = core_fingerprint(manifest)
        self._ready = self._missing()

    def _missing(self):
        """``[(curve number, load)]`` to be measured next, of cores that are known. Stored points are taken from the store."""
        found = []
        for number, (curve, state) in enumerate(zip(self.plan.curves, self.states)):
            core = self._fingerprints.get(core_key(curve))
            fresh = core is not None
            while fresh:
                fresh = [load for load in curve.refined(state.rows)[0] if load not in state.asked]
                state.asked.update(fresh)
                for load in fresh:
                    state.hashes[load] = point_hash(core, curve, load)
                    if row := self.store.get(state.hashes[load]):
                        state.rows[load] = row
                    else:
                        found.append((number, load))
        return found

    @property
    def kept(self) -> int:
        """Number of points that are stored."""
        return sum(len(state.rows) - len(state.errors) for state in self.states)

    @property
    def complete(self) -> bool:
        """Whether every point is stored, so that nothing is left to do."""
        return len(self._fingerprints) == len(self._cores) and not self._ready

    def points(self, executor, threads=1, tell=lambda text: None) -> Any:
        """Measure what is missing; yields ``(curve, load)`` of each new point. ``tell`` is called when there are no workers."""
        ready, pending, compiled, held = self._ready, {}, set(), defaultdict(list)
        self._ready = []
        for key in self._cores.keys() - self._fingerprints.keys():
            pending[executor.submit(work.prepared, self._cores[key])] = key
        while True:
            for number, load in ready:
                held[core_key(self.plan.curves[number])].append((number, load))
            for key in list(held):
                if key in compiled:
                    self._submit(executor, held.pop(key), threads, pending)
                elif key not in pending.values():
                    pending[executor.submit(work.prepared, self._cores[key])] = key
            if not pending:
                return
            for future in _first(pending, executor, tell):
                about = pending.pop(future)
                if isinstance(about, list):
                    yield from self._finish(about, future)
                else:
                    compiled.add(about)
                    self._fingerprints[about] = future.result()
            ready = self._missing()

    def _submit(self, executor, pairs, threads, pending):
        """Start tasks: points of one core, one network and one length share an engine."""
        alike = defaultdict(list)
        for number, load in pairs:
            curve = self.plan.curves[number]
            alike[curve.rules, bool(curve.experiment.loads), curve.experiment.network.spelling].append((number, load))
        for (rules, _, _), some in alike.items():
            nodes = self.plan.curves[some[0][0]].experiment.network.nodes
            size = min(together(nodes, threads), -(-len(some) // executor.workers))
            for first in range(0, len(some), size):
                group = some[first : first + size]
                shared = [self._shared(executor, number) for number, _ in group]
                loads = [load for _, load in group]
                pending[executor.submit(work.measured, shared, loads, rules, threads)] = group

    def _shared(self, executor, number):
        state = self.states[number]
        if state.shared is None:
            state.shared = executor.share(self.plan.curves[number].experiment)
        return state.shared

    def _finish(self, group, future):
        """Store the rows of a task."""
        error = future.exception()
        if isinstance(error, UsageError):
            raise error
        rows = [f"{type(error).__name__}: {error}"] * len(group) if error else future.result()
        for (number, load), row in zip(group, rows):
            curve, state = self.plan.curves[number], self.states[number]
            if isinstance(row, str):
                state.errors[load], state.rows[load] = row, None
            else:
                state.rows[load] = row
                self.store.put(state.hashes[load], curve, row)
                self.new += 1
            yield curve, load
