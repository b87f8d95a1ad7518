"""Runs :mod:`passes`, chooses the reader of source files, and reports errors in one line."""

import re
from pathlib import Path

from dsnswitch.lab.synth.elaborate import READ, READERS, RTLIL, YOSYS
from dsnswitch.lab.synth.yosys import yosys
from dsnswitch.net.errors import UsageError

__all__ = ["process", "process_source"]


def process_source(job, source, watch=lambda stage: None):
    """Log of a job that reads ``source``. If slang refuses files of plain Verilog, the other readers read them."""
    readers = READERS if source.foreign else (YOSYS,)
    if any(file.endswith((".sv", ".svh")) for file in job["files"]):
        readers = readers[:1]
    if any(file.endswith(".il") for file in job["files"]):
        readers = (RTLIL,)
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
