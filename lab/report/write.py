"""Writes the folder of the report."""

import base64
import json
import statistics
from dataclasses import asdict
from pathlib import Path

from dsnswitch.gen.version import __version__
from dsnswitch.gen.writing import write_files
from dsnswitch.lab.layout.measured import DESIGNS, PATH, PICTURE_FILE, heads, load, rows, sentences, stale
from dsnswitch.lab.layout.report import conditions
from dsnswitch.lab.pictures.blocks import SWITCH
from dsnswitch.lab.pictures.diagram import diagram
from dsnswitch.lab.report.page import aligned_table, converted, html, markdown, template
from dsnswitch.lab.report.tables import table_area_plot, table_delay_plot
from dsnswitch.net.files.plotting import new_figure, svg
from dsnswitch.net.messages import UsageError

__all__ = ["area_plot", "delay_plot", "nodes_plot", "layout_pages", "write"]

# Plots of the evidence.


#: Style of each curve: attribute of the evidence, label, colour, marker.
CURVES = (
    ("universal", "DSN, universal", "#0b5394", "o"),
    ("specialised", "DSN, one node's", "#38761d", "s"),
    ("tables", "ternary table, m + 2 log N entries", "#990000", "^"),
    ("tori", "3-D torus, dimension order", "#7f6000", "v"),
)

NO_WIRES = "model cells, no wires"


def _figure(title):
    return new_figure(f"{title} ({NO_WIRES})")


def _curves(axes, evidence, key):
    for name, label, colour, marker in CURVES:
        points = getattr(evidence, name)
        axes.plot(list(points), [entry[key] for entry in points.values()], color=colour, marker=marker, label=label)
    levels = list(evidence.universal)
    axes.set_xticks(levels, [f"{p}\n{8 * 4**p:,}" for p in levels])
    axes.set_xlabel("P, and nodes of the network")


def area_plot(evidence):
    """Plot of the area against P."""
    figure, axes = _figure("Area of route logic")
    _curves(axes, evidence, "area")
    axes.set_yscale("log")
    axes.set_ylabel("NAND2 equivalents (flip-flops counted)")
    axes.set_ylim(top=100_000)
    axes.legend(loc="upper left", fontsize=9)
    return svg(figure)


def delay_plot(evidence):
    """Plot of the delay from the packet's inputs against P."""
    figure, axes = _figure("Delay from destination to port")
    _curves(axes, evidence, "delay")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("FO4")
    axes.legend(loc="lower right", fontsize=9)
    return svg(figure)


def nodes_plot(evidence):
    """Plot of the delays of the specialised logic over the nodes of 8 x 8 x 8, compared with a torus."""
    figure, axes = _figure("Specialised logic over the nodes of an 8 x 8 x 8 network")
    groups = (("DSN", evidence.nodes, "#38761d"), ("torus", evidence.places, "#7f6000"))
    for row, (_, entries, colour) in enumerate(groups):
        delays = sorted(entry["delay"] for entry in entries)
        axes.plot(delays, [row] * len(delays), "|", color=colour, markersize=22)
        axes.plot([statistics.mean(delays)], [row], "o", color="black", markersize=7)
    axes.axvline(evidence.tori[3]["delay"], color="#7f6000", linestyle="--")
    axes.text(evidence.tori[3]["delay"], 1.42, "torus, universal ", color="#7f6000", fontsize=9, ha="right")
    axes.set_yticks([0, 1], [name for name, _, _ in groups])
    axes.set_ylim(-0.6, 1.6)
    axes.set_xlim(left=0)
    axes.set_xlabel("FO4; a stroke a node, the dot their mean")
    return svg(figure)


# The report's page on layouts: Markdown with the recorded figures, and HTML that contains the picture.


def layout_pages(root):
    """``{name: contents}`` of the page and its picture, with the figures of the repository ``root``.

    If there are no figures, the page names the command that measures them.
    """
    layouts, picture = load(root / PATH), root / PICTURE_FILE
    try:
        body = rows(layouts)
        compared = sentences(layouts)
    except UsageError as error:
        text = f"# dsnswitch: layouts\n\n{error}\n"
        return {"layouts.md": text, "layouts.html": converted(text, "dsnswitch: layouts")}
    text = template("layouts.md.jinja").render(
        table=aligned_table,
        generator=f"dsnswitch {__version__}",
        heads=heads(),
        rows=body,
        sentences=compared,
        conditions=conditions(),
        stale=", ".join(DESIGNS[name][0] for name in stale(layouts)),
    )
    html = converted(text, "dsnswitch: layouts")
    pages = {"layouts.md": text, "layouts.html": html}
    if picture.exists():
        image = picture.read_bytes()
        data = base64.b64encode(image).decode()
        pages["layouts.html"] = html.replace('src="layouts.png"', f'src="data:image/png;base64,{data}"')
        pages["layouts.png"] = image
    return pages


def write(evidence, folder, root="."):
    """Write ``index.html``, ``report.md``, the plots and ``evidence.json`` to ``folder``; returns the page's path.

    A second page, ``layouts.html`` and ``layouts.md``, has the figures of layouts that the repository ``root`` has.

    Raises
    ------
    UsageError
        If the folder cannot be written.
    """
    folder = Path(folder)
    plots = {
        "area": area_plot,
        "delay": delay_plot,
        "nodes": nodes_plot,
        "tables_area": table_area_plot,
        "tables_delay": table_delay_plot,
    }
    pictures = {f"{name}.svg": plot(evidence) for name, plot in plots.items()} | {"switch.svg": diagram(SWITCH)}
    text = markdown(evidence)
    files = {
        **pictures,
        "report.md": text,
        "index.html": html(text, pictures),
        "evidence.json": json.dumps(asdict(evidence), indent=1) + "\n",
        **layout_pages(Path(root)),
    }
    write_files(folder, files)
    return folder / "index.html"
