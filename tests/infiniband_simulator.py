"""An InfiniBand fabric in tests: ibsim simulates switches and adapters, and the usual tools manage it."""

import os
import re
import shutil
import subprocess
import time
from itertools import count, product

#: Where Debian has the tools of administrators.
PATH = f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin"

#: Debian package of each tool that tests need.
TOOLS = {"ibsim": "ibsim-utils", "opensm": "opensm", "ibnetdiscover": "infiniband-diags"}

#: Maximum seconds of a tool; each takes less than one.
MOST_SECONDS = 60

_number = count()


def missing():
    """A sentence about the tools that this machine has not; empty if it has all."""
    absent = {tool: package for tool, package in TOOLS.items() if not shutil.which(tool, path=PATH)}
    return absent and f"needs {', '.join(absent)} (Debian: apt-get install {' '.join(absent.values())})"


class Fabric:
    """A simulated fabric of a subnet as ``ibnetdiscover`` prints it; a context that ends the simulation."""

    def __init__(self, folder, subnet):
        self._folder = folder
        (folder / "simulated").write_text(subnet)
        name = f"dsnswitch-{os.getpid()}-{next(_number)}"
        self._env = os.environ | {"PATH": PATH, "IBSIM_SOCKNAME": name, "OSM_TMP_DIR": ".", "OSM_CACHE_DIR": "."}

    def __enter__(self):
        self._log = (self._folder / "ibsim.log").open("w+")
        self._sim = subprocess.Popen(
            ["ibsim", "-s", "simulated"],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            text=True,
            env=self._env,
            cwd=self._folder,
        )
        end = time.monotonic() + MOST_SECONDS
        while "simulator ready" not in self._said():
            assert self._sim.poll() is None, self._said()
            assert time.monotonic() < end, self._said()
            time.sleep(0.01)
        return self

    def __exit__(self, *error):
        self._sim.kill()
        self._sim.communicate()
        self._log.close()

    def _said(self):
        return (self._folder / "ibsim.log").read_text()

    def run(self, *words, host=None, messages=False):
        """Standard output of a tool, which must succeed, with its ``messages`` on standard error if wanted.

        ``host`` is the node where it runs.
        """
        error = subprocess.STDOUT if messages else subprocess.PIPE
        done = subprocess.run(
            ["ibsim-run", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=error,
            text=True,
            timeout=MOST_SECONDS,
            env=self._env | ({"SIM_HOST": host} if host else {}),
            cwd=self._folder,
        )
        assert done.returncode == 0, (words, done)
        return done.stdout

    def manage(self, *options):
        """Let OpenSM configure the fabric once. It writes its tables to ``opensm-lfts.dump``, whose text is returned."""
        self.run("opensm", "--once", "-f", "opensm.log", "-D", "0x43", "--dump_files_dir", ".", *options)
        assert "SUBNET UP" in (self._folder / "opensm.log").read_text()
        return (self._folder / "opensm-lfts.dump").read_text()

    def reached(self, lids):
        """``{(LID, LID): LID at which a packet from the first to the second ends}``, None if it is lost. Ends the simulation."""
        pairs = list(product(lids, repeat=2))
        self._sim.communicate("".join(f"Route {a} {b}\n" for a, b in pairs) + "quit\n", timeout=MOST_SECONDS)
        answers = self._said().split("sim> ")[1:-1]
        ends = [re.search(r'^To node "[^"]*" port \d+ lid (\d+)$', answer, re.M) for answer in answers]
        return {pair: end and int(end[1]) for pair, end in zip(pairs, ends, strict=True)}
