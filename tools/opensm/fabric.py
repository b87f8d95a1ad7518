"""A simulated InfiniBand fabric: ibsim simulates switches and adapters, and the usual tools manage it."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import count, product
from pathlib import Path

from dsnswitch.net.messages import UsageError
from tools.opensm import levels

#: Where Debian has the tools of administrators.
PATH = f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin"

#: Debian package of each tool that is needed.
TOOLS = {"ibsim": "ibsim-utils", "opensm": "opensm", "ibnetdiscover": "infiniband-diags"}

#: Maximum seconds of a tool; each takes less than one in the fabrics of tests.
MOST_SECONDS = 60

#: Most nodes, switches and ports that ibsim simulates.
_SIZES = ("-N", "8192", "-S", "2048", "-P", "65536")

_number = count()


def missing():
    """A sentence about the tools that this machine has not; empty if it has all."""
    absent = {tool: package for tool, package in TOOLS.items() if not shutil.which(tool, path=PATH)}
    return absent and f"needs {', '.join(absent)} (Debian: apt-get install {' '.join(absent.values())})"


class Fabric:
    """A simulated fabric of a subnet as ``ibnetdiscover`` prints it; a context that ends the simulation.

    Its files are in ``folder``. A tool that takes more than ``seconds`` has failed.
    """

    def __init__(self, folder, subnet, seconds=MOST_SECONDS):
        self._folder, self._seconds = folder, seconds
        (folder / "simulated").write_text(subnet)
        # OpenSM writes each line of its log at once.
        (folder / "opensm.conf").write_text("force_log_flush TRUE\n")
        name = f"dsnswitch-{os.getpid()}-{next(_number)}"
        self._env = os.environ | {"PATH": PATH, "IBSIM_SOCKNAME": name, "OSM_TMP_DIR": ".", "OSM_CACHE_DIR": "."}

    def __enter__(self):
        self._log = (self._folder / "ibsim.log").open("w+")
        self._sim = subprocess.Popen(
            ["ibsim", *_SIZES, "-s", "simulated"],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            text=True,
            env=self._env,
            cwd=self._folder,
        )
        try:
            self._wait(self._sim, "ibsim.log", "simulator ready")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error):
        self._sim.kill()
        self._sim.communicate()
        self._log.close()

    def _wait(self, process, log, words):
        """Wait until a process has written ``words`` to its log; one that ends before, or takes too long, has failed."""
        end, path, said = time.monotonic() + self._seconds, self._folder / log, ""
        while words not in said:
            over = process.poll() is not None or time.monotonic() > end
            said = path.read_text() if path.exists() else ""
            if over and words not in said:
                raise UsageError(f"{log} has no {words!r} and ends in {' '.join(said[-200:].split())}")
            time.sleep(0.01)

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
            timeout=self._seconds,
            env=self._env | ({"SIM_HOST": host} if host else {}),
            cwd=self._folder,
        )
        if done.returncode:
            raise UsageError(f"{words[0]} has failed: {done.stderr or done.stdout}")
        return done.stdout

    def manage(self, *options):
        """Let OpenSM configure the fabric once. It writes its tables to ``opensm-lfts.dump``, whose text is returned."""
        with self.managed(*options):
            return self.dump("lfts")

    @contextmanager
    def managed(self, *options):
        """Let OpenSM configure and manage the fabric until the context ends; the processor seconds that it took."""
        (self._folder / "opensm.log").unlink(missing_ok=True)
        words = ["ibsim-run", "opensm", "-F", "opensm.conf", "-f", "opensm.log", "-D", "0x43", "--dump_files_dir", ".", *options]
        with subprocess.Popen(
            list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self._env, cwd=self._folder
        ) as process:
            try:
                self._wait(process, "opensm.log", "SUBNET UP")
                # The fields after the name of the program: user and system time.
                ticks = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
                yield sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
            finally:
                process.terminate()

    def dump(self, name):
        """The text that OpenSM dumped last under a name, such as ``lfts``."""
        return (self._folder / f"opensm-{name}.dump").read_text()

    def log(self):
        """The log of OpenSM."""
        return (self._folder / "opensm.log").read_text()

    def levels(self, guids):
        """The service level of the path from each of the ports with these GUIDs to each: rows of a list.

        It is that of OpenSM's answers, which must manage the fabric.
        """
        return json.loads(self.run(sys.executable, levels.__file__, *map(hex, guids)))

    def reached(self, lids):
        """``{(LID, LID): LID at which a packet from the first to the second ends}``, None if it is lost. Ends the simulation."""
        pairs = list(product(lids, repeat=2))
        self._sim.communicate("".join(f"Route {a} {b}\n" for a, b in pairs) + "quit\n", timeout=self._seconds)
        answers = (self._folder / "ibsim.log").read_text().split("sim> ")[1:-1]
        ends = [re.search(r'^To node "[^"]*" port \d+ lid (\d+)$', answer, re.M) for answer in answers]
        return {pair: end and int(end[1]) for pair, end in zip(pairs, ends, strict=True)}
