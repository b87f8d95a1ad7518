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

from dsnswitch.lab.synth import constant_calls, simulation
from dsnswitch.lab.synth.elaborate import READ, READERS, SLANG, YOSYS
from dsnswitch.lab.synth.refusal import CONSTRUCT, reason
from dsnswitch.net.messages import UsageError

#: Most attempts to read sources with slang: what it refuses in one may hide what it refuses in another.
ATTEMPTS = 8

#: What slang says of loops.
LIMIT = "unroll limit"

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
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment, cwd=folder, **texts) as process:
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
    return yosys("dsnswitch.lab.synth.yosys", [[step] if isinstance(step, str) else list(step) for step in steps], folder)


def session():
    """``(design, run)``: a new design, and a function that runs a pass on it.

    ``run(command, *words)``: ``command`` is fixed text, which is split at its spaces; ``words`` are passed unchanged.
    """
    from pyosys import libyosys as ys

    design = ys.Design()

    def run(command, *words):
        ys.Pass.call(design, [*command.split(), *map(str, words)])

    return design, run


def process_source(job, source, watch=lambda stage: None) -> str:
    """Log of a job that reads ``source``. If slang refuses files of plain Verilog, the other readers read them."""
    readers = READERS if source.foreign else (YOSYS,)
    if any(file.endswith((".sv", ".svh")) for file in job["files"]):
        readers = readers[:1]
    refusals = []
    for reader in readers:
        read = _process_slang if reader == SLANG else process
        try:
            return read(job | {"reader": reader}, source.top, watch)
        except _Unread as error:
            refusals.append(error)
    raise refusals[0]


def _process_slang(job, top, watch):
    """The result of :func:`process` with slang, which is tried again without what it refuses and synthesis ignores.

    Raises :class:`UsageError` if the other readers need not be tried.
    """
    undo: list = []
    folder = job["folder"]
    for _ in range(ATTEMPTS):
        try:
            return process(job, top, watch)
        except _Unread as error:
            refusal = error
        text = str(refusal)
        if undo and LIMIT not in text:
            # An argument is no constant, or the table stands where no declaration may.
            constant_calls.restore(undo)
            undo = []
            continue
        final = simulation.failed_check(folder) or simulation.event(folder)
        if final:
            raise UsageError(f"Yosys cannot synthesize {top}: {final}")
        # Yosys' own reader has no such limit, and takes minutes where slang takes seconds. It ignores messages of elaboration.
        if (LIMIT in text and job.get("unrolled")) or " encountered: " in text:
            raise UsageError(text)
        if LIMIT in text:
            undo = constant_calls.tables(folder)
            job = job | {"unrolled": True}
            continue
        # What the next attempt does otherwise, and the condition.
        changes = {
            # slang has read the instance that checks names of parameters, and they exist.
            "checked": bool(re.search("interface port '.*' not connected", text)),
            # It stops at a message of elaboration, but says where it is if it only reads.
            "messages": CONSTRUCT in text,
            "delays": simulation.delays(folder),
        }
        new = {key: True for key, needed in changes.items() if needed and not job.get(key)}
        if not constant_calls.arrays(folder) and not simulation.blank(folder) and not new:
            break
        job = job | new
    raise refusal


class _Unread(UsageError):
    """A reader refuses the sources."""


def process(job, top, watch=lambda stage: None) -> str:
    """Log of :mod:`passes` with ``job``; the message of an error has the name ``top``."""
    done = yosys("dsnswitch.lab.synth.passes", job, watch=watch)
    if not done.returncode:
        return done.stdout
    if re.search(r"Found \d+ SCCs but expected 0", done.stdout + done.stderr):
        raise UsageError(f"{top} has a combinational loop")
    kind = UsageError if READ in done.stdout else _Unread
    text = reason(done.stdout, done.stderr, job.get("files", ()), done.returncode)
    raise kind(f"Yosys cannot synthesize {top}: {text}")


if __name__ == "__main__":
    _, run = session()
    for step in json.loads(sys.argv[1]):
        run(*step)
