"""Generated parts of the page on layouts, and of their paragraph on the page on figures."""

from dsnswitch.lab.docs.markdown import paragraph, table
from dsnswitch.lab.layout.flow import DENSITIES, TOLERANCE
from dsnswitch.lab.layout.measured import DESIGNS, PATH, comparison, delay, heads, load, rows, sentences
from dsnswitch.lab.layout.parasitics import VIA_RESISTANCE
from dsnswitch.lab.layout.timing import DRIVER, LOAD
from dsnswitch.lab.layout.tools import LAYERS


def _layouts(store):
    """Figures of layouts, from the file in the folder of ``store``."""
    return load(store.path.with_name(PATH.rpartition("/")[2]))


def layouts(store):
    """The table of all designs."""
    return table(heads(), rows(_layouts(store)))


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
    added = {name: _added(found, name) for name in DESIGNS}
    low, high = min(added, key=added.get), max(added, key=added.get)
    return paragraph(
        f"Wires add {added[low]:.0f} % ({DESIGNS[low][0]}) to {added[high]:.0f} % ({DESIGNS[high][0]}) to the delay."
    )


def summary(store):
    """The paragraph of docs/figures.md."""
    found = _layouts(store)
    routes = {nodes: comparison(found, f"universal-{nodes}", f"tcam-{nodes}") for nodes in (512, 2048)}
    torus, decoder = comparison(found, "universal-512", "torus"), comparison(found, "secded-decoder", "hsiao-decoder")
    slower = {name: _added(found, name) for name in ("universal-512", "universal-2048", "tcam-512", "tcam-2048")}
    return paragraph(
        "**With wires.** Placed and routed in OSU 0.18 um, the universal logic has "
        f"{routes[512][1]:.2f} times the delay of a table of the dissertation's size at 512 nodes, and {routes[2048][1]:.2f} "
        f"times at 2,048 nodes. The same cells, drivers and loads without wires give {routes[512][0]:.2f} and "
        f"{routes[2048][0]:.2f}: wires add {slower['tcam-512']:.0f} and {slower['tcam-2048']:.0f} % to the delay of the table, "
        f"and {slower['universal-512']:.0f} and {slower['universal-2048']:.0f} % to that of the logic. The logic has "
        f"{torus[1]:.2f} times the delay of our own torus logic ({torus[0]:.2f} without wires), and the SECDED decoder "
        f"{decoder[1]:.2f} times the delay of a decoder of a Hsiao code ({decoder[0]:.2f} without wires). The picture shows "
        "three layouts at the same scale. [layout.md](layout.md) has all figures."
    )


def _added(found, name):
    """Percent that wires add to the delay."""
    return 100 * (delay(found, name, "wired") / delay(found, name, "bare") - 1)


PARTS = {"layouts": layouts, "layout-verdict": verdict, "layout-conditions": conditions, "layout-spread": spread}

#: Parts of docs/figures.md.
FIGURES_PARTS = {"layout-summary": summary}
