"""The parts of a block's area: each module in its top, mapped alone."""

import re
import tempfile
from collections import Counter
from pathlib import Path

from dsnswitch.lab.synth.library import MODEL
from dsnswitch.lab.synth.source import Source
from dsnswitch.net.unwatched import unwatched

__all__ = ["EFFORT", "breakdown", "instances"]

#: Scripts to try for each module. Large modules get no more in the recipe either.
EFFORT = 2


def instances(text, top):
    """``{module: number}`` of the instances in module ``top`` of emitted Verilog."""
    body = re.search(rf"^module {re.escape(top)} .*?^endmodule", text, re.MULTILINE | re.DOTALL)[0]
    modules = set(re.findall(r"^module (\S+)", text, re.MULTILINE))
    names = re.findall(r"^  (\S+) \S+ \($", body, re.MULTILINE)
    return Counter(name for name in names if name in modules)


def breakdown(design, measure, library=MODEL, bar=unwatched):
    """Area and number of each module that a :class:`Design` has in its top.

    The sum is not the area of the whole: the mapper also works across modules, and buffers between them are in none.

    Parameters
    ----------
    design : Design
    measure : callable
        :func:`measure_source`.
    bar : callable
        ``bar(items, label)`` returns an iterator over ``items``, which may show progress.

    Returns
    -------
    dict
        ``{module: {"number": of instances, "area": of one, "period": of one}}``; names are without that of the top.
    """
    text, top = design.verilog(), design.about["top"]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "design.v")
        path.write_text(text, encoding="utf-8")
        for module, number in bar(sorted(instances(text, top).items()), "modules"):
            figures = measure(Source((path,), module, ()), library, effort=EFFORT)
            one = {key: round(figures[key], 2) for key in ("area", "period")}
            found[module.removeprefix(f"{top}_")] = {"number": number, **one}
    return found
