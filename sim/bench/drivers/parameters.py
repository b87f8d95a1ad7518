"""Parameters of a bench: the JSON value that the runner puts into the environment."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

__all__ = ["code_of", "load", "load_manifest"]


def load():
    """Parameters of this run, as a dictionary."""
    return json.loads(os.environ["DSNSWITCH_BENCH"])


def load_manifest():
    """Manifest of the top under test, from the path in the parameter ``manifest``."""
    return json.loads(Path(load()["manifest"]).read_text(encoding="utf-8"))


def code_of(manifest):
    """The SECDED code that a manifest states, as the golden model takes it."""
    code = manifest["code"]
    return SimpleNamespace(n=code["n"], k=code["k"], r=code["n"] - code["k"], columns=code["columns"])
