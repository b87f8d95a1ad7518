"""Budgets in ``constraints/budgets.toml``: a ceiling for the area and the period of each block of the suite.

A figure may exceed its ceiling by :data:`TOLERANCE`. ``python -m tools budget --lower`` lowers ceilings. They are raised by hand
only, with a ``reason`` next to the figure. Targets limit a figure of one block by that of another.
"""

import json

from dsnswitch.gen.config import build
from dsnswitch.lab.synth.library import MODEL
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import read_toml

#: Share by which a figure may exceed its ceiling.
TOLERANCE = 0.02

#: Figures that have a ceiling, with their units.
KEYS = {"area": "GE", "period": "FO4"}

_TABLE = {"block": "baseline-tcam", "action": 4}
_TORUS = {"block": "baseline-torus", "sizes": "8x8x8"}

#: Targets: a figure, a block, its greatest quotient, and the block that it is divided by. The routing logic has at most the
#: delay of a table of the dissertation's size (1.02 of it at P = 4; in OSU 0.18 um it is faster, 0.97), and a tenth of its
#: area. With P the delay grows less than linearly, and the area of the fastest netlist like P log P.
TARGETS = (
    ("delay", {"p": 3}, 1, _TABLE | {"entries": 14, "key": 9}),
    ("delay", {"p": 4}, 1.03, _TABLE | {"entries": 16, "key": 11}),
    ("area", {"p": 3}, 0.1, _TABLE | {"entries": 14, "key": 9}),
    ("area", {"p": 4}, 0.1, _TABLE | {"entries": 16, "key": 11}),
    ("delay", {"p": 3, "node": "3,5,7"}, 1, _TORUS),
    ("delay", {"p": 4}, 1.54, {"p": 2}),
    ("area", {"p": 8}, 5.2, {"p": 2}),
)


def missed_targets(store):
    """A line for each of :data:`TARGETS` that the figures in ``store`` miss. Targets without figures are left out."""
    known, lines = store.blocks.get(MODEL.name, {}), []
    for key, ours, limit, theirs in TARGETS:
        name, other = (build(values).name for values in (ours, theirs))
        if name in known and other in known and known[name][key] > limit * known[other][key]:
            lines.append(f"{name}: {key} is {known[name][key] / known[other][key]:.3f} of {other}, more than {limit}")
    return lines


def load(path):
    """Budgets of the file at ``path``: ``{block: {"area": .., "period": .., "reason": ..}}``.

    Raises :class:`UsageError` if it cannot be read, is malformed, or contains anything but ceilings.
    """
    budgets = read_toml(path, "Budget file")
    for name, ceilings in budgets.items():
        for key in KEYS:
            value = ceilings.get(key) if isinstance(ceilings, dict) else None
            # The last condition refuses NaN, because every comparison with NaN is false.
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < float("inf"):
                raise UsageError(f"Budget file {path}: {name} needs a number for {key}, not {value!r}")
        for key in ceilings:
            if key not in (*KEYS, "reason"):
                raise UsageError(f"Budget file {path}: {name} has an unknown key {key!r}")
    return budgets


def violations(figures, budgets):
    """A line for each figure that has no ceiling, or exceeds it by more than :data:`TOLERANCE`."""
    lines = []
    for entry in figures:
        ceilings = budgets.get(entry["name"])
        if ceilings is None:
            lines.append(f"{entry['name']} has no budget")
            continue
        for key, unit in KEYS.items():
            if entry[key] > ceilings[key] * (1 + TOLERANCE):
                share = entry[key] / ceilings[key] - 1
                lines.append(f"{entry['name']}: {key} {entry[key]:.2f} {unit} passes its ceiling {ceilings[key]} by {share:.1%}")
    lines += [f"{name} has a budget and is not measured" for name in budgets.keys() - {e["name"] for e in figures}]
    return lines


def lowered(figures, budgets):
    """``budgets`` with every ceiling lowered to the figure in ``figures`` if that is lower, and with new blocks added."""
    result = {}
    for entry in figures:
        old = budgets.get(entry["name"], {})
        result[entry["name"]] = old | {key: round(min(entry[key], old.get(key, entry[key])), 2) for key in KEYS}
    return result


def render(budgets):
    """TOML text of ``budgets``."""
    head = "# Ceilings of area (GE) and period (FO4) in the model library; `make stale` allows 2 % above.\n"
    head += "# They go down by `python -m tools budget --lower`, and up only by hand, with a reason.\n"
    blocks = []
    for name, ceilings in budgets.items():
        lines = [f"{key} = {ceilings[key]}" for key in KEYS]
        if "reason" in ceilings:
            lines.append(f"reason = {json.dumps(ceilings['reason'])}")
        blocks.append("\n".join([f"[{name}]", *lines]))
    return head + "\n" + "\n\n".join(blocks) + "\n"
