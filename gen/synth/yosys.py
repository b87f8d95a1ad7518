"""pyosys in a process of its own: it ends the process on an error, prints much, and its names depend on its history.

No text becomes part of a Yosys script. A command is a list of words, which the passes receive as they are (:func:`session`),
so a name cannot start another command. Files of our own have fixed names in the folder in which the passes run, so no name of
a temporary folder is in a command either.
"""

import json
import os
import subprocess
import sys

__all__ = ["commands", "session", "yosys"]


def yosys(module, job, folder=None):
    """Run ``module``, which uses pyosys, as a program with ``job`` as JSON on its command line.

    On one thread: with more, passes name what they create in an order that changes from run to run. The working directory is
    ``folder``, by default the caller's. abc's files go to the working directory too: a shell gets their names unquoted.

    Returns
    -------
    subprocess.CompletedProcess
        With its output as text.
    """
    environment = os.environ | {"YOSYS_MAX_THREADS": "1", "TMPDIR": "."}
    command = [sys.executable, "-P", "-m", module, json.dumps(job)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, cwd=folder)


def commands(steps, folder):
    """Run ``steps`` in ``folder``: each is a fixed text of words, or a tuple of one and words that are passed as they are."""
    return yosys(
        "dsnswitch.gen.synth.yosys", [[step] if isinstance(step, str) else list(step) for step in steps], folder
    )


def session():
    """``(design, run)``: a new design, and a function that runs a pass on it.

    ``run(command, *words)``: ``command`` is text of our own, divided at its spaces; ``words`` are passed as they are.
    """
    from pyosys import libyosys as ys

    design = ys.Design()

    def run(command, *words):
        ys.Pass.call(design, [*command.split(), *map(str, words)])

    return design, run


if __name__ == "__main__":
    _, run = session()
    for step in json.loads(sys.argv[1]):
        run(*step)
