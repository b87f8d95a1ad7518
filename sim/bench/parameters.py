"""What a bench is told: the JSON value that the runner put into the environment."""

import json
import os
from pathlib import Path

__all__ = ["load", "load_manifest"]


def load():
    """Parameters of this run, as a dictionary."""
    return json.loads(os.environ["DSNSWITCH_BENCH"])


def load_manifest():
    """Manifest of the top under test, from the path in the parameter ``manifest``."""
    return json.loads(Path(load()["manifest"]).read_text(encoding="utf-8"))
