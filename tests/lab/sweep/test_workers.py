"""Workers of Dask: a local cluster, an existing scheduler, a worker that dies."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from dsnswitch.lab.sweep.table import read_sweep

pytest.importorskip("distributed")

#: Points that take a second or two each.
LONG = """
topology = "torus:4"
flit = 32
cycles = 20000
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


def stored(folder):
    return len(list((folder / "results").glob("*.json")))


def test_a_local_cluster(ring, tmp_path):
    """Two processes give the same points as this one."""
    texts = []
    for workers in (2, 0):
        words = [*SWEEP, ring, "--out", tmp_path / str(workers), "--workers", str(workers)]
        done = subprocess.run(words, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        texts.append((tmp_path / str(workers) / "sweep.json").read_text())
    assert texts[0] == texts[1]
    assert [one.points for one in read_sweep(tmp_path / "2")[1]] == [
        one.points for one in read_sweep(tmp_path / "0")[1]
    ]


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
        sweep = start(*SWEEP, tmp_path / "s.toml", "--out", out, "--scheduler", address)
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


def test_no_scheduler(ring, tmp_path):
    words = [*SWEEP, ring, "--out", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:1"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("dsnswitch: error: Scheduler tcp://127.0.0.1:1 cannot be reached")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
