"""Writes the committed files that are generated, and names committed files that are wrong or stale.

``python -m tools pages`` (``make pages``) writes samples and pictures of networks and headers,
which follow from the code, and the generated parts of pages, which follow from the recorded figures. It measures nothing. Block
diagrams are not generated.

``make stale`` prints mistakes and warnings. Mistakes are pages, generated files and budgets that contradict
``docs/figures.json`` or the code. Warnings are figures that were measured from other RTL or by another recipe: measuring takes
up to an hour, so a change in progress may have them.
"""

import tempfile
from pathlib import Path

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.folder import emit
from dsnswitch.gen.writing import write_text
from dsnswitch.lab.synth.measure import is_proved, suite
from dsnswitch.net.files.export import export
from dsnswitch.net.files.parameters import network
from tools import budget, layouts
from tools.docs.formats import header_page, header_svg, notice_svg, protected_format
from tools.docs.pages import differing, rewrite
from tools.figures.kept import Kept
from tools.figures.refresh import stale_names
from tools.figures.store import PATH, load
from tools.network import plots as network_plots
from tools.network import store as networks


def generated():
    """``{path: text}`` of every generated file, relative to the repository."""
    block = build({"p": 4})
    with tempfile.TemporaryDirectory() as folder:
        constraints = emit(block, folder)[1]["sdc"].read_text(encoding="utf-8")
    return {
        "docs/pcs260-protected.md": protected_format(),
        "docs/switch-header.md": header_page(),
        "docs/pictures/switch-header.svg": header_svg(),
        "docs/pictures/switch-notice.svg": notice_svg(),
        "docs/dsn-8x8.svg": export(network({"p": 3}), "svg"),
        "docs/pictures/dsn-f-63.svg": export(network({"topology": "dsn-f:63"}), "svg"),
        f"constraints/{block.name}.sdc": constraints,
    }


def pictures(root):
    """``{path: text}`` of the plots that follow from the recorded curves of networks; none without curves."""
    curves = networks.load(Path(root, networks.PATH))
    return {path: draw(curves) for path, draw in network_plots.PICTURES.items()} if curves.curves else {}


#: The file of budgets, relative to the repository.
BUDGETS = "constraints/budgets.toml"


def mistakes(root, store):
    """A line for each page, generated file and budget that does not agree with the figures in ``store``, or with the code."""
    lines = [f"{page}, {part}: the page states other figures; run make pages" for page, part in differing(root, store)]
    for path, text in (generated() | pictures(root)).items():
        file = Path(root, path)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            lines.append(f"{path}: the code gives other contents; run make pages")
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


#: Hashes of RTL that the last check found, relative to the repository. Without the file, they are made again.
KEPT = "build/stale.json"


def warnings(root, store, bar):
    """A line for each recorded figure that is missing, or that belongs to other Verilog or another recipe."""
    kept = Kept(Path(root, KEPT))
    lines = [f"{line}; run make figures" for line in stale_names(store, bar, kept)]
    kept.write()
    recorded = layouts.load(Path(root, layouts.PATH))
    return (
        lines
        + [f"{name} (layout): no current figures; run make layouts" for name in layouts.stale(recorded)]
        + [f"{name} (network): no current curves; run make network" for name in networks.load(Path(root, networks.PATH)).stale()]
    )


def write(root):
    """Write the generated files, and the pages whose recorded figures are not those that they state; returns all paths."""
    root = Path(root)
    files = generated() | pictures(root)
    pages = rewrite(root, load(root / PATH))
    for path, text in files.items():
        write_text(root / path, text)
    return [*pages, *files]
