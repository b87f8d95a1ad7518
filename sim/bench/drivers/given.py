"""What a run gives its bench: parameters, the manifest of the top under test, a seed. They are empty in another process."""

import json
import os
import random
from pathlib import Path
from types import SimpleNamespace

PARAMETERS = json.loads(os.environ.get("DSNSWITCH_BENCH", "{}"))
MANIFEST = json.loads(Path(PARAMETERS["manifest"]).read_text(encoding="utf-8")) if "manifest" in PARAMETERS else {}
SEED, STALL = PARAMETERS.get("seed", 1), PARAMETERS.get("stall", 0.3)
RANDOM = random.Random(SEED)
#: Bits of each port of the top; outputs with one bit per port of a switch, for what happens to packets.
WIDTHS = {port["name"]: port["width"] for port in MANIFEST.get("ports", ())}
EVENTS = [port["name"] for port in MANIFEST.get("ports", ()) if port["role"] == "packet-event"]


def code_of(stated):
    """A code that a manifest states, as the golden models take it."""
    field = SimpleNamespace(m=stated.get("m"), polynomial=stated.get("polynomial"))
    return SimpleNamespace(**stated | {"r": stated["n"] - stated["k"], "field": field})
