"""Writes the folder of the report."""

import json
from dataclasses import asdict
from pathlib import Path

from dsnswitch.gen.writing import write_files
from dsnswitch.lab.pictures.blocks import SWITCH
from dsnswitch.lab.pictures.diagram import diagram
from dsnswitch.lab.report.layouts import layout_pages
from dsnswitch.lab.report.page import html, markdown
from dsnswitch.lab.report.plots import area_plot, delay_plot, nodes_plot
from dsnswitch.lab.report.table_comparison import table_area_plot, table_delay_plot

__all__ = ["write"]


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
