"""Names committed pages, files and budgets that are wrong, and figures that are stale: ``make stale``.

Mistakes are pages, generated files and budgets that contradict ``docs/figures.json`` or the code. Warnings are figures that
were measured from other RTL or by another recipe: measuring takes up to an hour, so a change in progress may have them.
"""

from pathlib import Path

from dsnswitch.lab.docs.pages import differing
from dsnswitch.lab.figures.refresh import stale_names
from dsnswitch.lab.layout import measured as layouts
from dsnswitch.lab.regenerate import generated
from dsnswitch.lab.synth import budget
from dsnswitch.lab.synth.measure import is_proved, suite

#: The file of budgets, relative to the repository.
BUDGETS = "constraints/budgets.toml"


def mistakes(root, store):
    """A line for each page, generated file and budget that does not agree with the figures in ``store``, or with the code."""
    lines = [
        f"{page}, {part}: the page states other figures; run make schemas" for page, part in differing(root, store)
    ]
    for path, text in generated().items():
        file = Path(root, path)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            lines.append(f"{path}: the code gives other contents; run make schemas")
    known = {block.name: block for block in suite()}
    figures = [entry for name, entry in store.blocks.get("model", {}).items() if name in known]
    # Blocks without recorded figures are stale.
    unmeasured = known.keys() - {entry["name"] for entry in figures}
    budgets = {name: one for name, one in budget.load(Path(root, BUDGETS)).items() if name not in unmeasured}
    lines += [
        f"{line}; mend the block, or raise the ceiling in {BUDGETS}, with a reason"
        for line in [*budget.violations(figures, budgets), *budget.missed_targets(store)]
    ]
    lines += [
        f"{entry['name']}: the recorded netlist was not proved equal to its RTL"
        for entry in figures
        if entry["equivalent"] is not (is_proved(known[entry["name"]]) or None)
    ]
    return lines


def warnings(root, store, bar):
    """A line for each recorded figure that is missing, or that belongs to other RTL or another recipe."""
    lines = [f"{line}; run make figures" for line in stale_names(store, bar)]
    recorded = layouts.load(Path(root, layouts.PATH))
    return lines + [
        f"{name} (layout): no current figures; run dsnswitch layout --all" for name in layouts.stale(recorded)
    ]
