"""Generated parts of the page on layouts."""

from dsnswitch.lab.layout.flow import DENSITIES, TOLERANCE
from dsnswitch.lab.layout.parasitics import VIA_RESISTANCE
from dsnswitch.lab.layout.timing import DRIVER, LOAD
from dsnswitch.lab.layout.tools import LAYERS
from tools.docs.markdown import paragraph, table
from tools.layouts import DESIGNS, HEADS, PATH, delay, load, rows, sentences


def _layouts(store):
    """Figures of layouts, from the file in the folder of ``store``."""
    return load(store.path.with_name(PATH.rpartition("/")[2]))


def layouts(store):
    """The table of all designs."""
    return table(HEADS, rows(_layouts(store)))


def verdict(store):
    """Comparisons with wires included."""
    return "\n".join(paragraph(f"- {sentence}", "  ") for sentence in sentences(_layouts(store)))


def conditions(store):
    """Conditions of the figures."""
    tried = ", ".join(f"{density:g}" for density in DENSITIES)
    found = _layouts(store)
    lower = [DESIGNS[name][0] for name in DESIGNS if len(found.of(name)["densities"]) > 1]
    all_first = f"All designs were routed at {DENSITIES[0]:g}."
    needed = f"These designs needed less than {DENSITIES[0]:g}: {', '.join(lower)}." if lower else all_first
    return paragraph(
        f"A {DRIVER} drives every input, and every output drives {1000 * LOAD:.1f} fF, four inputs of INVX1. Signals use "
        f"{LAYERS} metal layers. The placement density (cell area / row area) is the highest of {tried} at which every net can "
        f"be routed. {needed} A via has {VIA_RESISTANCE:g} ohm. The delay without wires, drivers and loads is within "
        f"{100 * TOLERANCE:g} % of OpenSTA's delay of the mapped netlist; otherwise the command ends with an error."
    )


def spread(store):
    """How much wires add."""
    found = _layouts(store)
    added = {name: 100 * (delay(found, name, "wired") / delay(found, name, "bare") - 1) for name in DESIGNS}
    low, high = min(added, key=added.get), max(added, key=added.get)
    return paragraph(
        f"Wires add {added[low]:.0f} % ({DESIGNS[low][0]}) to {added[high]:.0f} % ({DESIGNS[high][0]}) to the delay."
    )


PARTS = {"layouts": layouts, "layout-verdict": verdict, "layout-conditions": conditions, "layout-spread": spread}
