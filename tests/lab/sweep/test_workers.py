"""Workers of Dask: a local cluster, an existing scheduler, a worker that dies."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from dsnswitch.lab.sweep import run as module
from dsnswitch.lab.sweep.plan import read_plan
from dsnswitch.lab.sweep.run import Sweep, _Inline, local
from dsnswitch.lab.sweep.store import Store
from dsnswitch.lab.sweep.table import read_sweep

pytest.importorskip("distributed")

#: Points of which eight share an engine.
LONG = """
topology = "torus:4"
flit = 32
cycles = 6000
load = [0.1, 0.2, 0.3, 0.4]
seed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
"""

SWEEP = (sys.executable, "-m", "dsnswitch.gen", "sweep", "run")


def wait_for(condition, seconds=300):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def dask(command):
    return sys.executable, "-m", f"distributed.cli.dask_{command}"


def start(*words):
    return subprocess.Popen([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def new_sweep(path, folder):
    (folder / "out" / "results").mkdir(parents=True)
    return Sweep(read_plan(path), Store(folder / "out"))


def stored(folder):
    return len(list((folder / "results").glob("*.json")))


def test_a_local_cluster(run, ring, tmp_path):
    """Two processes give the same points as this one."""
    texts = []
    for workers in (2, 0):
        status, _, err = run("sweep", "run", ring, "--folder", tmp_path / str(workers), "--workers", workers)
        assert (status, err) == (0, "")
        texts.append((tmp_path / str(workers) / "sweep.json").read_text())
    assert texts[0] == texts[1]
    assert [one.points for one in read_sweep(tmp_path / "2")[1]] == [one.points for one in read_sweep(tmp_path / "0")[1]]


@pytest.mark.regress
def test_a_scheduler_of_which_a_worker_dies(tmp_path):
    """All points are there at the end, although one of two workers was killed on the way."""
    place, out = tmp_path / "scheduler.json", tmp_path / "out"
    (tmp_path / "s.toml").write_text(LONG)
    quiet = ("--no-dashboard", "--scheduler-file", place)
    own = ("--nthreads", 1, "--no-nanny", "--local-directory", tmp_path)
    running = [start(*dask("scheduler"), "--port", 0, "--host", "127.0.0.1", *quiet)]
    try:
        address = wait_for(lambda: place.exists() and place.read_text() and json.loads(place.read_text())["address"])
        running += [start(*dask("worker"), *quiet, *own) for _ in range(2)]
        sweep = start(*SWEEP, tmp_path / "s.toml", "--folder", out, "--scheduler", address)
        running.append(sweep)
        wait_for(lambda: stored(out))
        at_death = stored(out)
        os.kill(running[1].pid, signal.SIGKILL)
        text, err = sweep.communicate(timeout=600)
        assert (sweep.returncode, err) == (0, "")
        assert running[2].poll() is None
    finally:
        for process in running:
            process.kill()
            process.communicate()
    assert at_death < 48
    assert "48 points, 48 of them new" in text
    _, curves = read_sweep(out)
    assert [[point["load"] for point in curve.points] for curve in curves] == [[0.1, 0.2, 0.3, 0.4]] * 12


def test_no_scheduler(run, ring, tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PATIENCE", 0.3)
        status, text, err = run("sweep", "run", ring, "--folder", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:1")
    assert (status, text) == (2, "")
    assert err.startswith("dsnswitch: error: Scheduler tcp://127.0.0.1:1 cannot be reached")
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_scheduler_without_workers(ring, tmp_path):
    """A message says that the sweep waits; with a worker it ends."""
    told, waits = [], Event()

    class Executor(_Inline):
        """Takes tasks, and ends them when there is a worker."""

        is_idle = True

        def submit(self, task, *words):
            return pool.submit(lambda: waits.wait(60) and super(Executor, self).submit(task, *words).result())

    def tell(text):
        told.append(text)
        executor.is_idle = False
        if len(told) == 2:
            waits.set()

    executor = Executor()
    with ThreadPoolExecutor() as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "QUIET", 0.05)
        found = list(new_sweep(ring, tmp_path).points(executor, tell=tell))
    assert len(found) > 8
    assert told == ["The scheduler has no workers: waiting for the first one", "The scheduler has workers"]


@pytest.mark.regress
def test_a_local_worker_dies(tmp_path):
    """A process of the local cluster is killed in the middle of a sweep: all points are there at the end."""
    (tmp_path / "s.toml").write_text(LONG)
    sweep, dead = new_sweep(tmp_path / "s.toml", tmp_path), None
    with local(2) as executor:
        workers = executor._client.run(os.getpid)
        for done, _ in enumerate(sweep.points(executor), 1):
            if done == 1:
                dead = workers.popitem()[1]
                os.kill(dead, signal.SIGKILL)
        assert dead not in executor._client.run(os.getpid).values()
    assert (done, sweep.new) == (48, 48)
    assert not any(state.errors for state in sweep.states)
    assert all(state.rows.keys() == {0.1, 0.2, 0.3, 0.4} for state in sweep.states)
