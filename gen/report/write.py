"""Writes the report's folder."""

import json
from dataclasses import asdict
from pathlib import Path

from ..emit import write_files
from .page import html, markdown
from .plots import area_plot, delay_plot, nodes_plot

__all__ = ["write"]


def write(evidence, folder):
    """Write ``index.html``, ``report.md``, the plots and ``evidence.json`` to ``folder``; returns the page's path.

    Raises
    ------
    UsageError
        If the folder cannot be written.
    """
    folder = Path(folder)
    pictures = {"area.svg": area_plot(evidence), "delay.svg": delay_plot(evidence), "nodes.svg": nodes_plot(evidence)}
    text = markdown(evidence)
    files = {
        **pictures,
        "report.md": text,
        "index.html": html(text, pictures),
        "evidence.json": json.dumps(asdict(evidence), indent=1) + "\n",
    }
    write_files(folder, files)
    return folder / "index.html"
