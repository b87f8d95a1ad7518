"""The picture of an expansion: the network after it, with the cables that are kept, moved to other ports, removed and added.

A ring DSN and a DSN-F are a circle of supernodes; layers of a DSN-F lie further out. A grid DSN is drawn as rows and columns.
"""

import math

from dsnswitch.net.files.svg import GREY, INK, add, picture, text_of

__all__ = ["growth_picture"]

#: Colour, width and dashes of the cables of each kind of change, in the order in which they are drawn.
STYLES = {
    "keep": ("#94a3b8", 0.8, None),
    "add": ("#15803d", 1.2, None),
    "replug": ("#1d4ed8", 1.8, None),
    "remove": ("#c81e1e", 1.4, "5 3"),
}

#: Units between switches on the circle, between layers, and between supernodes of a grid; margins.
PITCH, LAYER, CELL, HEAD, SIDE = 11, 44, 96, 150, 30


class _Circle:
    def __init__(self, fields):
        self.supernodes, self.ids = fields["x"], fields["id"]
        self.inner = max(170, self.supernodes * (self.ids + 1) * PITCH / (2 * math.pi))
        self.middle = self.inner + fields.get("layer", 1) * LAYER + SIDE
        self.width = self.height = 2 * self.middle

    def spot(self, switch):
        *layer, x, own = switch
        angle = 2 * math.pi * (x + (own + 0.5 - self.ids / 2) / (self.ids + 1)) / self.supernodes
        radius = self.inner + sum(layer) * LAYER
        return self.middle + radius * math.sin(angle), self.middle - radius * math.cos(angle)

    @staticmethod
    def straight(a, b):
        """Whether a local link or layer link is a straight line; the link that closes a local ring would cover the others."""
        return abs(a[-1] - b[-1]) < 2

    def pull(self, a, b):
        """Control point of a curve: towards the middle of the circle, more so for a long cable."""
        share = 0.15 + 0.5 * min(1, math.dist(a, b) / (2 * self.inner))
        return tuple((1 - share) * (u + v) / 2 + share * self.middle for u, v in zip(a, b))


class _Rows:
    def __init__(self, fields):
        self.ids = fields["id"]
        self.width, self.height = (2 * SIDE + CELL * (fields[name] + 0.5) for name in "xy")

    def spot(self, switch):
        x, y, own = switch
        angle = 2 * math.pi * (own + 0.5) / self.ids
        radius = 0.3 * CELL if self.ids > 1 else 0
        centre = (SIDE + CELL * (at + 0.75) for at in (x, y))
        return tuple(at + radius * turn for at, turn in zip(centre, (math.sin(angle), -math.cos(angle))))

    @staticmethod
    def straight(a, b):
        """Local links are straight lines."""
        return True

    def pull(self, a, b):
        """Control point of a curve. It is off the straight line, because that line passes over other supernodes."""
        (ax, ay), (bx, by) = a, b
        return (ax + bx) / 2 - 0.12 * (by - ay), (ay + by) / 2 - 0.12 * abs(bx - ax)


def growth_picture(plan):
    """The picture of an expansion as SVG text.

    Every cable is one ``path`` with ``data-change`` (``keep``, ``replug``, ``remove``, ``add``) and ``data-link``, the numbers of
    its switches after the expansion. Old switches are filled dots, new ones are rings.

    Parameters
    ----------
    plan : Expansion
        A plan of :func:`dsnswitch.net.plan.expand`.
    """
    after = plan.after
    fields = {field.name: field.size for field in after.fields}
    layout = (_Rows if "y" in fields else _Circle)(fields)
    title = f"{plan.before.spelling} grows to {after.spelling}"
    root = picture(round(max(layout.width, 460)), round(layout.height + HEAD), title)
    add(root, "text", title, x=SIDE, y=34, font_size=20, font_weight="bold", fill=INK)
    cables = _cables(plan)
    _legend(root, plan, cables)
    body = add(root, "g", transform=f"translate(0,{HEAD})")
    outer = [index for index, field in enumerate(after.fields) if field.name in ("x", "y")]
    for change, (colour, width, dashes) in STYLES.items():
        group = add(body, "g", fill="none", stroke=colour, stroke_width=width, stroke_dasharray=dashes or "none")
        for ends in cables[change]:
            a, b = map(layout.spot, ends)
            line = all(ends[0][index] == ends[1][index] for index in outer) and layout.straight(*ends)
            points = [a, b] if line else [a, layout.pull(a, b), b]
            text = [f"{x:.1f},{y:.1f}" for x, y in points]
            d = f"M{text[0]}L{text[1]}" if line else f"M{text[0]}Q{text[1]} {text[2]}"
            add(group, "path", data_change=change, data_link=" ".join(str(after.number(end)) for end in ends), d=d)
    _dots(body, plan, layout)
    return text_of(root)


def _cables(plan):
    """``{change: ends of each cable}``, all as addresses after the expansion."""
    after = plan.after
    remove = [(plan.moved[link.source], plan.moved[link.target]) for link in plan.remove]
    kinds = {
        "add": [(link.source, link.target) for link in plan.add],
        "replug": [(new.source, new.target) for _, new in plan.replug],
    }
    changed = {(link.source, link.port) for link in [*plan.add, *(new for _, new in plan.replug)]}
    keep = [(link.source, link.target) for link in after.links() if (link.source, link.port) not in changed]
    return {"keep": keep, **kinds, "remove": remove}


def _legend(root, plan, cables):
    texts = {
        "keep": "cables that stay",
        "replug": "cables that move to another port",
        "remove": "cables to remove",
        "add": "cables to add",
    }
    for row, (change, text) in enumerate(texts.items()):
        colour, width, dashes = STYLES[change]
        y = 60 + 20 * row
        add(root, "path", d=f"M{SIDE},{y}h44", stroke=colour, stroke_width=2 * width, stroke_dasharray=dashes or "none")
        add(root, "text", f"{len(cables[change])} {text}", x=SIDE + 56, y=y + 5, font_size=14, fill=INK)
    new = plan.after.nodes - plan.before.nodes
    text = f"{plan.before.nodes} old switches (filled), {new} new switches (rings)"
    add(root, "text", text, x=SIDE, y=145, font_size=14, fill=GREY)


def _dots(body, plan, layout):
    old = set(plan.moved.values())
    filled = add(body, "g", fill=INK)
    rings = add(body, "g", fill="#ffffff", stroke=STYLES["add"][0], stroke_width=1.4)
    for switch in plan.after.switches():
        x, y = layout.spot(switch)
        add(filled if switch in old else rings, "circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=3.2)
