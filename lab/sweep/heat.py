"""Heat map: the picture of a topology with its links coloured by load."""

import xml.etree.ElementTree as ET
from collections import defaultdict

from dsnswitch.net.svg import INK, add
from dsnswitch.net.topology.network import named

__all__ = ["COLOURS", "colour", "heat_map", "link_loads", "plain_picture"]

#: Colours from load 0 to the top of the scale, at equal distances.
COLOURS = ("#dbe4ee", "#fcd34d", "#f97316", "#c81e1e", "#4c0519")

#: Least width of a link.
THIN = 2

_SVG = "http://www.w3.org/2000/svg"


def colour(share) -> str:
    """Colour of a share 0..1 of the scale, as ``#rrggbb``; greater ones have that of 1."""
    place = min(max(share, 0), 1) * (len(COLOURS) - 1)
    low = min(int(place), len(COLOURS) - 2)
    ends = [[int(COLOURS[index][at : at + 2], 16) for at in (1, 3, 5)] for index in (low, low + 1)]
    return "#" + "".join(f"{round(a + (b - a) * (place - low)):02x}" for a, b in zip(*ends))


def link_loads(network, loads):
    """``{(number, number): flits per cycle}`` of the pairs of linked switches, lower number first: the busiest direction.

    ``loads`` are those of a row, in the order of the links of a result: every switch's links by port.
    """
    found, left = defaultdict(float), iter(loads)
    for switch in network.switches():
        for _, end in network.links_of(switch):
            pair = tuple(sorted((network.number(switch), network.number(end[0]))))
            found[pair] = max(found[pair], next(left))
    return found


def plain_picture(network):
    """The picture of a network as an element, without legend; ``[(element, pair)]`` of its links."""
    root = ET.fromstring(named(network.picture)(network))
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
    root.set("xmlns", _SVG)
    left, top, width, height = map(float, root.get("viewBox").split())
    kept = ("title", "desc", "rect")
    first = True
    for child in list(root):
        if child.tag == "text" and first:
            first = False
        elif child.tag not in kept and child.find(".//*[@data-link]") is None:
            root.remove(child)
            if child.tag == "g":
                # The legend of a DSN is a panel at the right.
                width = float(child.get("transform").partition("(")[2].partition(",")[0])
    root.find("rect").set("height", str(height + 70))
    root.set("viewBox", f"{left:g} {top:g} {width:g} {height + 70:g}")
    for key in ("width", "height", "role"):
        root.attrib.pop(key, None)
    for group in root.iter("g"):
        if group.find("./*[@data-link]") is not None:
            for key in ("opacity", "stroke-dasharray"):
                group.attrib.pop(key, None)
            group.set("stroke-width", f"{max(THIN, float(group.get('stroke-width')))}")
    links = [
        (element, tuple(sorted(map(int, element.get("data-link").split())))) for element in root.iterfind(".//*[@data-link]")
    ]
    return root, links


def heat_map(network, loads, title, top) -> str:
    """SVG text of a network with a point's loads of links; the scale ends at ``top`` flits per cycle."""
    root, links = plain_picture(network)
    found = link_loads(network, loads)
    _, _, width, height = map(float, root.get("viewBox").split())
    head = root.find("text")
    size = min(float(head.get("font-size")), 1.8 * (width - 2 * float(head.get("x"))) / len(title))
    root.find("title").text = head.text = title
    head.set("font-size", f"{size:.1f}")
    for element, pair in links:
        element.set("stroke", colour(found[pair] / top))
        element.set("data-load", f"{found[pair]:.4f}")
        add(element, "title", f"{found[pair]:.3f} flits per cycle")
    scale = add(root, "g", transform=f"translate(30,{height - 45:g})", font_size=14, fill=INK)
    step = (width - 60) / 40
    for index in range(40):
        add(scale, "rect", x=f"{index * step:.2f}", y=0, width=f"{step + 0.3:.2f}", height=12, fill=colour(index / 39))
    for share, anchor in ((0, "start"), (0.5, "middle"), (1, "end")):
        text = f"{share * top:g}" + (" flits per cycle" if share == 1 else "")
        add(scale, "text", text, x=f"{share * (width - 60):.1f}", y=30, text_anchor=anchor)
    return ET.tostring(root, encoding="unicode") + "\n"
