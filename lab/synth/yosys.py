"""Runs pyosys in a separate process, because it ends the process on an error, prints a lot, and its names depend on its history.

No text becomes part of a Yosys script. A command is a list of words, which the passes receive unchanged (:func:`session`), so a
name cannot start another command. Our own files have fixed names in the folder in which the passes run, so no command contains
the name of a temporary folder.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from dsnswitch.lab.synth.elaborate import READ, READERS, YOSYS
from dsnswitch.net.messages import UsageError

#: Start of a line of the log that names the work that begins there.
STAGE = "@@ stage: "


def yosys(module, job, folder=None, watch=lambda stage: None):
    """Run ``module``, which uses pyosys, as a program; ``job`` is passed as JSON on its command line.

    It has one thread, because with more threads the names that passes create differ from run to run. The working directory is
    ``folder``, by default the caller's. abc's files are in the working directory, too, because their names are passed to a shell
    without quotes. ``watch`` is called with each stage that the program's log names (:data:`STAGE`).

    The result is the finished process, a ``subprocess.CompletedProcess`` with its output as text.
    """
    environment = os.environ | {"YOSYS_MAX_THREADS": "1", "TMPDIR": "."}
    command = [sys.executable, "-P", "-m", module, json.dumps(job)]
    lines = []
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        texts = {"text": True, "errors": "replace"}
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, env=environment, cwd=folder, **texts
        ) as process:
            for line in process.stdout:
                lines.append(line)
                if line.startswith(STAGE):
                    watch(line.removeprefix(STAGE).strip())
        errors.seek(0)
        return subprocess.CompletedProcess(command, process.returncode, "".join(lines), errors.read())


def commands(steps, folder):
    """Run ``steps`` in ``folder``.

    A step is a fixed text, or a tuple of a fixed text and further words that are passed unchanged.
    """
    return yosys(
        "dsnswitch.lab.synth.yosys", [[step] if isinstance(step, str) else list(step) for step in steps], folder
    )


def session():
    """``(design, run)``: a new design, and a function that runs a pass on it.

    ``run(command, *words)``: ``command`` is fixed text, which is split at its spaces; ``words`` are passed unchanged.
    """
    from pyosys import libyosys as ys

    design = ys.Design()

    def run(command, *words):
        ys.Pass.call(design, [*command.split(), *map(str, words)])

    return design, run


def process_source(job, source, watch=lambda stage: None):
    """Log of a job that reads ``source``. If slang refuses files of plain Verilog, the other readers read them."""
    readers = READERS if source.foreign else (YOSYS,)
    if any(file.endswith((".sv", ".svh")) for file in job["files"]):
        readers = readers[:1]
    refusals = []
    for reader in readers:
        try:
            return process(job | {"reader": reader}, source.top, watch)
        except _Unread as error:
            # Yosys' own reader has no such limit, and takes minutes where slang takes seconds.
            if "unroll limit" in str(error):
                raise
            refusals.append(error)
    raise refusals[0]


class _Unread(UsageError):
    """A reader refuses the sources."""


def process(job, top, watch=lambda stage: None):
    """Log of :mod:`passes` with ``job``; the message of an error has the name ``top``."""
    done = yosys("dsnswitch.lab.synth.passes", job, watch=watch)
    if not done.returncode:
        return done.stdout
    text = done.stdout + done.stderr
    if re.search(r"Found \d+ SCCs but expected 0", text):
        raise UsageError(f"{top} has a combinational loop")
    errors = re.findall(r"^(.*?)ERROR: ?(?:.*ERROR:)?(.*)", text, re.MULTILINE)
    lines = done.stderr.strip().splitlines() or ["no message"]
    reason = "".join(errors[0]) if errors else lines[-1]
    # Names of the job's own files mean nothing to the user.
    reason = re.sub(r"^.*\bparameters\.sv:\d+: ", "", reason)
    reason = re.sub(r" \[-W.*\]$", "", reason)
    reason = re.sub(r"^.*\bsource_(\d+)\.sv", lambda match: Path(job["files"][int(match[1])]).name, reason)
    kind = UsageError if READ in text else _Unread
    raise kind(f"Yosys cannot synthesize {top}: {reason}")


if __name__ == "__main__":
    _, run = session()
    for step in json.loads(sys.argv[1]):
        run(*step)
