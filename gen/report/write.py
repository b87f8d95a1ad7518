"""Writes the report's folder."""

import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path

from ..errors import UsageError
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
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".dsnswitch-") as stage:
            for name, content in files.items():
                Path(stage, name).write_text(content, encoding="utf-8")
            for name in files:
                os.replace(Path(stage, name), folder / name)
    except OSError as error:
        raise UsageError(f"Output folder {folder} cannot be written: {error.strerror}") from None
    return folder / "index.html"
