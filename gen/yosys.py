"""pyosys in a process of its own: it ends the process on an error, prints much, and its names depend on its history."""

import os
import subprocess
import sys

__all__ = ["yosys"]


def yosys(*arguments):
    """Run ``python *arguments``, a script that uses pyosys, and return the completed process with its text.

    On one thread: with more, passes name what they create in an order that changes from run to run.
    """
    environment = os.environ | {"YOSYS_MAX_THREADS": "1"}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment)
