"""Draws a whole DSN-F as an SVG picture: layer 0 as a ring with its shortcuts inside, the other layers around it.

Each link is one element with ``data-kind``, ``data-link`` (the numbers of its nodes) and, for a shortcut, ``data-level``.
"""

import math
import xml.etree.ElementTree as ET

from dsnswitch.net.errors import UsageError
from dsnswitch.net.files.dsn_picture import MAX_SUPERNODES
from dsnswitch.net.topology.dsn_f import DsnF

__all__ = ["draw_dsn_f"]

INK, GREY = "#1e293b", "#64748b"
#: Colours of shortcuts, from level 1, the longest.
LEVELS = ("#6d28d9", "#2563eb", "#0f766e", "#a16207", "#dc2626")
COLOURS = {"local": INK, "layer": GREY}
LEAST_RADIUS, STEP, MARGIN, LEGEND = 230.0, 34.0, 60.0, 330.0


def draw_dsn_f(network: DsnF):
    """The network as the text of an SVG file.

    Supernodes are on a circle, clockwise from the top. A switch of a higher layer is farther out than the one below it.

    Raises
    ------
    UsageError
        If there are more than :data:`MAX_SUPERNODES` supernodes.
    """
    count = network.base.supernodes
    if count > MAX_SUPERNODES:
        raise UsageError(f"SVG pictures go up to {MAX_SUPERNODES} supernodes, not {count}")
    inner = max(LEAST_RADIUS, count * network.p * 14 / (2 * math.pi))
    middle = inner + STEP * network.layers + MARGIN
    links = list(network.links())
    title = f"DSN-F of {network.n} switches: {network.layers} layers of {count} supernodes, {len(links)} links"
    root = ET.Element("svg", {"font-family": "sans-serif"}, xmlns="http://www.w3.org/2000/svg", role="img")
    root.set("viewBox", f"0 0 {2 * middle + LEGEND:.10g} {2 * middle + 70:.10g}")
    ET.SubElement(root, "title").text = title
    ET.SubElement(root, "rect", width="100%", height="100%", fill="#ffffff")
    ET.SubElement(root, "text", x="30", y="44", fill=INK, **{"font-size": "24", "font-weight": "bold"}).text = title

    def spot(switch):
        layer, x, node = switch
        angle = 2 * math.pi * (x + 0.66 * (node - (network.p - 1) / 2) / network.p) / count
        radius = inner + STEP * layer
        return middle + radius * math.sin(angle), middle + 60 - radius * math.cos(angle)

    body = ET.SubElement(root, "g", fill="none")
    for link in links:
        kind, level = network.ports[link.port].kind, network.level(link.source, link.port)
        a, b = spot(link.source), spot(link.target)
        look = {"stroke": COLOURS.get(kind) or _shade(level), "stroke-width": "1.2" if kind == "local" else "1.6"}
        marks = {"data-kind": kind, "data-link": f"{network.number(link.source)} {network.number(link.target)}"}
        if level is not None:
            marks["data-level"] = str(level)
        ET.SubElement(body, "path", d=_path(a, b, (middle, middle + 60), kind), **look, **marks)
    dots = ET.SubElement(root, "g", fill=INK)
    for switch in network.switches():
        x, y = spot(switch)
        ET.SubElement(dots, "circle", cx=f"{x:.2f}", cy=f"{y:.2f}", r="4")
    _legend(root, network, 2 * middle + 10)
    ET.indent(root, "")
    return ET.tostring(root, encoding="unicode") + "\n"


def _shade(level):
    return LEVELS[(level - 1) % len(LEVELS)]


def _path(a, b, centre, kind):
    """A shortcut bends toward the centre; a local link that closes a ring of three or more bends outward."""
    start, end = (f"{x:.2f},{y:.2f}" for x, y in (a, b))
    if kind == "layer":
        return f"M{start}L{end}"
    pull = -0.06 if kind == "local" else 0.2 + 0.5 * min(1.0, math.dist(a, b) / (2 * math.dist(a, centre)))
    control = ",".join(f"{(1 - pull) * (p + q) / 2 + pull * c:.2f}" for p, q, c in zip(a, b, centre))
    return f"M{start}Q{control} {end}"


def _legend(root, network, left):
    """Samples of every kind of link."""
    lengths = [network.length(0, level) for level in range(1, network.p + 1)]
    rows = [(f"level {k}: {n} supernode{'s'[: n > 1]}", _shade(k)) for k, n in enumerate(lengths, 1)]
    rows += [("local link", INK), ("link between layers", COLOURS["layer"])]
    for row, (text, colour) in enumerate(rows):
        y = f"{120 + 30 * row}"
        ET.SubElement(
            root, "line", x1=f"{left:.10g}", x2=f"{left + 44:.10g}", y1=y, y2=y, stroke=colour, **{"stroke-width": "3"}
        )
        label = ET.SubElement(
            root, "text", x=f"{left + 56:.10g}", y=f"{126 + 30 * row}", fill=INK, **{"font-size": "18"}
        )
        label.text = text
