"""SVG elements that all pictures use."""

import xml.etree.ElementTree as ET
from typing import Any

INK, GREY, EDGE, SHELL = "#1e293b", "#64748b", "#94a3b8", "#f4f6fa"
BLUE, GREEN, RED = "#dbeafe", "#dcfce7", "#fee2e2"

#: Colours of kinds of links other than local ones, which are grey. All are dark enough for print.
COLOURS = ("#b3202c", "#137a54", "#1d4ed8", "#a16207", "#7e22ce", "#0f766e")


def picture(width, height, title) -> Any:
    """An empty picture with a white background and an accessible title."""
    root = ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=str(width),
        height=str(height),
        style="font-family: Helvetica, Arial, sans-serif",
    )
    ET.SubElement(root, "title").text = title
    add(root, "rect", width=width, height=height, fill="#ffffff")
    return root


def add(parent, tag, text=None, **attributes) -> Any:
    """Append an element; ``_`` in an attribute's name stands for ``-``."""
    element = ET.SubElement(parent, tag, {name.replace("_", "-"): str(value) for name, value in attributes.items()})
    element.text = text
    return element


def text_of(root) -> str:
    """Text of the SVG file."""
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"
