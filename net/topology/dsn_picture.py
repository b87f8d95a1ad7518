"""Draws a whole DSN as an SVG picture. All links are dark enough for print; some are bolder, so that they are easy to follow.

Each link is one element with ``data-kind``, ``data-link`` (the numbers of its nodes) and, for a shortcut, ``data-level``.
"""

import cmath
import math
import xml.etree.ElementTree as ET
from collections import namedtuple

from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.supernode import K4x2

#: Largest network that is drawn, and the largest network whose supernodes are labelled with coordinates, in supernodes.
MAX_SUPERNODES, MAX_LABELLED = 1024, 300

INK, GREY, SHELL, EDGE = "#1e293b", "#64748b", "#f4f6fa", "#cbd5e1"

#: Legend samples: an arc, a track around the end, a straight line.
ARC, TRACK, LINE = "q32,-24 64,0", "v-8q0,-8 8,-8h48q8,0 8,8v8", "m0,-6h64"


#: A link as it is drawn: ``kind`` is local, x or y; ``level`` is None for a local link.
_Link = namedtuple("_Link", "source target kind level")


def _links(dsn):
    """Every link of the network as a :data:`_Link`."""
    return [_Link(link.source, link.target, dsn.ports[link.port].kind, dsn.level(link.source, link.port)) for link in dsn.links()]


def _local_links(supernode):
    """Links inside a supernode as sorted pairs of ids."""
    ports = range(len(supernode.port_names))
    pairs = {tuple(sorted((node, supernode.neighbour(node, port)))) for node in range(supernode.m) for port in ports}
    return sorted(pairs)


def _shade(stops, level, levels):
    """Colour of ``level`` of ``levels``, interpolated between the stops."""
    stops = [bytes.fromhex(stop) for stop in stops.split()]
    at = (len(stops) - 1) * (level - 1) / max(levels - 1, 1)
    low = min(int(at), len(stops) - 2)
    return "#" + bytes(round(a + (b - a) * (at - low)) for a, b in zip(*stops[low : low + 2])).hex()


def _number(value):
    return f"{round(value, 2) + 0:.10g}"  # + 0 turns -0.0 into 0


def _add(parent, tag, text=None, **attributes):
    """Append an element; ``_`` in an attribute's name stands for ``-``, and None leaves the attribute out."""
    given = {name.replace("_", "-"): value for name, value in attributes.items() if value is not None}
    element = ET.SubElement(parent, tag, {k: v if isinstance(v, str) else _number(v) for k, v in given.items()})
    element.text = text
    return element


def _strokes(parent, colour, width, kind=None, tag="g", **look):
    """A line or a group of them; y shortcuts are dashed."""
    look["stroke_dasharray"] = "7 4" if kind == "y" else None
    return _add(parent, tag, fill="none", stroke=colour, stroke_width=width, **look)


def _circle(count, radius, turn=0.0):
    """``count`` points on a circle, clockwise from the top."""
    angles = [2 * math.pi * i / count + turn for i in range(count)]
    return [(radius * math.sin(angle), -radius * math.cos(angle)) for angle in angles] if count > 1 else [(0.0, 0.0)]


def _shape(supernode):
    """Position of every id inside a supernode, within -1..1."""
    if isinstance(supernode, K4x2):
        # Two mirrored squares, turned slightly, so that the links between i and 7 - i do not overlap.
        left = [(x - 0.57, y) for x, y in reversed(_circle(4, 0.46, math.radians(63)))]
        return left + [(-x, y) for x, y in reversed(left)]
    return _circle(supernode.m, 0.9)


def _dot(shape, most):
    """Radius of a node's dot in the units of ``shape``: ``most``, or less if nodes are close together."""
    return min([most, *(0.36 * math.dist(a, b) for i, a in enumerate(shape) for b in shape[:i])])


class _Grid:
    """Supernodes as boxes in rows and columns.

    Forward shortcuts are arcs. Those that wrap around are angular tracks outside the arcs.
    """

    title, heads = "Grid DSN {} x {}, {} supernodes", ("x shortcuts, along rows", "y shortcuts, along columns")
    legend = (("forward", ARC), ("forward, around the end", TRACK), ("local link", LINE))
    note = ("All links are drawn; those of row 0,", "column 0 and supernode 0,0 are bolder.")
    shades = ("7f0d1c c81e1e c2410c", "064e3b 0f766e 15803d")  # x and y, from level 1, the longest, to level p
    half, gap, weight, faint_weight, type_size = (50, 40), 66, 2.6, 0.9, 15

    def __init__(self, dsn, shape):
        self.dsn = dsn
        self.faint = 0.75
        self.unit = min(44 / max(0.5, *(abs(x) for x, _ in shape)), 25 / max(0.5, *(abs(y) for _, y in shape)))
        # Lowest arc, highest arc, first and last track above a row. Row 0 uses the whole margin, and so does column 0.
        tracks = [min(8 * 2**levels, 400) for levels in dsn.levels]
        self.bands = [((12, 34, 40, 58), (26, 96, 112, 112 + track)) for track in tracks]
        self.margin = [142 + track if n > 1 else 50 for track, n in zip(reversed(tracks), reversed(dsn.sizes))]
        self.width, self.height = (at + half + 40 for at, half in zip(self.centre(n - 1 for n in dsn.sizes), self.half))

    def centre(self, position):
        return tuple(m + half + at * (2 * half + self.gap) for m, at, half in zip(self.margin, position, self.half))

    def node(self, position, spot):
        x, y = self.centre(position)
        return x + spot[0] * self.unit, y - 7 + spot[1] * self.unit

    def strong(self, link):
        return link.source["yx".index(link.kind)] == 0 if link.level else not any(link.source[:-1])

    def route(self, link, a, b):
        dsn, axis = self.dsn, "xy".index(link.kind)
        levels, n, s, length = dsn.levels[axis], dsn.sizes[axis], link.source[axis], dsn.length(axis, link.level)
        low, high, first, last = self.bands[axis][self.strong(link)]
        side = self.centre(link.source[:-1])[1 - axis] - self.half[1 - axis]
        turn = slice(None, None, -1 if axis else 1)  # a column is a row, transposed
        (ax, ay), (bx, by) = a[turn], b[turn]
        if s + length < n:
            crest = side - low - (high - low) * (levels - link.level) / max(levels - 1, 1)
            lever = (8 * crest - ay - by) / 6  # control points of a cubic curve that peaks at the crest
            steps = [("M", (ax, ay)), ("C", (ax, lever), (bx, lever), (bx, by))]
        else:
            # One track for each shortcut that wraps around: a level of length l has l of each set. Longer spans are outside.
            sets = len(dsn.supernode.starts)
            rank = sets * ((2**levels - 2 * length) + s - (n - length)) + link.source[-1] * sets // dsn.m
            lane = side - first - (last - first) * rank / max(sets * (2**levels - 1) - 1, 1)
            r = min(14, (side - lane) / 2, abs(ax - bx) / 2)
            steps = [("M", (ax, ay)), ("L", (ax, lane + r)), ("Q", (ax, lane), (ax - r, lane))]
            steps += [("L", (bx + r, lane)), ("Q", (bx, lane), (bx, lane + r)), ("L", (bx, by))]
        return [(command, *(point[turn] for point in points)) for command, *points in steps]

    def shell(self, parent, position):
        (x, y), (w, h) = self.centre(position), self.half
        _add(parent, "rect", x=x - w, y=y - h, width=2 * w, height=2 * h, rx=10, stroke=None if any(position) else GREY)
        return x, y + h - 7


class _Ring:
    """Supernodes as discs on a circle of a fixed size, clockwise from the top.

    Shortcuts are curved, so that diameters do not all meet in the centre.
    """

    title, heads = "Ring DSN of {} {} supernodes", ("Shortcuts",)
    legend, note = (("local link", LINE),), ("All links are drawn;", "those of supernode 0 are bolder.")
    shades = ("6d28d9 2563eb 0f766e a16207 dc2626",)  # one kind of shortcut, so hues can distinguish levels
    radius, weight, faint_weight = 460, 3, 0.9

    def __init__(self, dsn, shape):
        self.n = dsn.sizes[0]
        self.disc = min(46.0, 0.4 * 2 * math.pi * self.radius / self.n)
        self.unit = 0.85 * self.disc
        self.type_size = max(5.0, min(20.0, 0.9 * self.disc))
        self.faint = 0.75 if self.n <= 100 else max(0.3, 0.75 - self.n / 1000)
        self.middle = self.radius + self.disc + 60
        self.width = self.height = 2 * self.middle

    def node(self, position, spot, radius=radius):
        angle = 2 * math.pi * position[0] / self.n
        turned = complex(self.unit * spot[0], self.unit * spot[1] - radius) * cmath.rect(1, angle)  # discs turn along
        return self.middle + turned.real, self.middle + turned.imag

    def strong(self, link):
        return 0 in (link.source[0], link.target[0])

    def route(self, link, a, b):
        pull = 0.4 * min(1, (3 * self.disc + math.dist(a, b)) / self.radius)
        x, y = ((1 - pull) * (p + q) / 2 + pull * self.middle for p, q in zip(a, b))
        return [("M", a), ("Q", (x - 0.13 * (b[1] - a[1]), y + 0.13 * (b[0] - a[0])), b)]

    def shell(self, parent, position):
        x, y = self.node(position, (0, 0))
        _add(parent, "circle", cx=x, cy=y, r=self.disc)
        x, y = self.node(position, (0, 0), self.radius + self.disc + 18)
        return x, y + 0.35 * self.type_size


def _sample(panel, y, text, line, colour=GREY, kind=None):
    _strokes(panel, colour, 3.5, kind, "path", d=f"M2,{_number(y)}{line}", stroke_linecap="round")
    _add(panel, "text", text, x=84, y=y, font_size=19)


def _panel(dsn, shape, layout, colours):
    """The close-up of a supernode and the legend, and their height."""
    panel = ET.Element("g", fill=INK)
    head = {"x": 0, "font_size": 22, "font_weight": "bold"}
    _add(panel, "text", "Supernode " + dsn.supernode.name, y=0, **head)
    down = 150 * max(0.25, *(abs(v) for _, v in shape))
    at = [(165 + 150 * u, 42 + down + 150 * v) for u, v in shape]
    for a, b in _local_links(dsn.supernode):
        _strokes(panel, GREY, 2, None, "line", x1=at[a][0], y1=at[a][1], x2=at[b][0], y2=at[b][1])
    r = 150 * _dot(shape, 0.115)
    ids = _add(panel, "g", text_anchor="middle", font_size=1.1 * r, fill="#ffffff")
    for number, (x, y) in enumerate(at):
        _add(ids, "circle", cx=x, cy=y, r=r, fill=INK)
        _add(ids, "text", str(number), x=x, y=y + 0.39 * r)
    y = 2 * down + 67
    for kind, k in colours:
        length, y = dsn.length("xy".index(kind), k), y + (30 if k > 1 else 78)
        if k == 1:
            _add(panel, "text", layout.heads["xy".index(kind)], y=y - 30, **head)
        leaves, enters = ("/".join(str((at + k - end) % dsn.m) for at in dsn.supernode.starts) for end in (1, 0))
        text = f"level {k}: {length} supernode{'s'[: length > 1]}, id {leaves} to {enters}"
        _sample(panel, y, text, ARC, colours[kind, k], kind)
    for row, (text, line) in enumerate(layout.legend):
        _sample(panel, y + 48 + 30 * row, text, line)
    y += 60 + 30 * len(layout.legend)
    for row, text in enumerate(layout.note):
        _add(panel, "text", text, x=0, y=y + 24 * row, font_size=17, fill=GREY)
    return panel, y + 38


def draw(dsn):
    """The network ``dsn`` as the text of an SVG file: a grid as rows and columns of supernodes, a ring as a circle.

    Raises :class:`UsageError` if ``dsn`` has more than :data:`MAX_SUPERNODES` supernodes.
    """
    if dsn.supernodes > MAX_SUPERNODES:
        raise UsageError(f"SVG pictures go up to {MAX_SUPERNODES} supernodes, not {dsn.supernodes}")
    shape = _shape(dsn.supernode)
    layout = (_Ring if len(dsn.sizes) == 1 else _Grid)(dsn, shape)
    every_link = _links(dsn)
    axes = list(zip(dsn.dimensions, dsn.levels, layout.shades))
    colours = {(kind, k): _shade(shades, k, p) for kind, p, shades in axes for k in range(1, p + 1)}
    title = layout.title.format(*dsn.sizes, dsn.supernode.name) + f": {dsn.nodes} nodes, {len(every_link)} links"
    panel, tall = _panel(dsn, shape, layout, colours)
    scale = max(0.8, layout.height / max(950, tall + 60), layout.width / 3500)  # the legend keeps its share of the page
    left, top = max(layout.width, 520 * scale) + 30 * scale, 80 * scale
    width, height = left + 440 * scale, top + max(layout.height, scale * (tall + 80))
    root = ET.Element("svg", {"font-family": "sans-serif"}, xmlns="http://www.w3.org/2000/svg", role="img")
    root.set("viewBox", f"0 0 {_number(width)} {_number(height)}")
    _add(root, "title", title)
    _add(root, "desc", " ".join(layout.note))
    _add(root, "rect", width=width, height=height, fill="#ffffff")
    _add(root, "text", title, x=36 * scale, y=56 * scale, font_size=32 * scale, font_weight="bold", fill=INK)
    panel.set("transform", f"translate({_number(left)},{_number(top + 50 * scale)}) scale({_number(scale)})")
    root.append(panel)
    body = _add(root, "g", transform=f"translate(0,{_number(top)})")
    shells = _add(body, "g", fill=SHELL, stroke=EDGE, stroke_width=layout.unit / 35)
    labels = {position: layout.shell(shells, position) for position in dict.fromkeys(link.source[:-1] for link in every_link)}
    groups = {}
    for strong in (False, True):
        opacity, wide, thin = (
            (1, layout.weight, layout.unit / 26) if strong else (layout.faint, layout.faint_weight, layout.unit / 36)
        )
        for (kind, k), colour in colours.items():
            groups[kind, k, strong] = _strokes(body, colour, wide, kind, opacity=opacity)
        groups["local", None, strong] = _strokes(body, INK if strong else GREY, thin)
    for link in every_link:
        ends = link.source, link.target
        a, b = (layout.node(position, shape[node]) for *position, node in ends)
        steps = layout.route(link, a, b) if link.level else [("M", a), ("L", b)]
        d = "".join(c + " ".join(f"{_number(x)},{_number(y)}" for x, y in points) for c, *points in steps)
        numbers = " ".join(str(dsn.number(end)) for end in ends)
        group = groups[link.kind, link.level, layout.strong(link)]
        _add(group, "path", data_kind=link.kind, data_level=link.level, data_link=numbers, d=d)
    dots, r = _add(body, "g", fill=INK), layout.unit * _dot(shape, 0.085)
    names = _add(body, "g", text_anchor="middle", fill=GREY, font_size=layout.type_size)
    for position, (x, y) in labels.items():
        for cx, cy in (layout.node(position, spot) for spot in shape):
            _add(dots, "circle", cx=cx, cy=cy, r=r)
        if dsn.supernodes <= MAX_LABELLED:
            _add(names, "text", ",".join(map(str, position)), x=x, y=y)
    ET.indent(root, "")
    return ET.tostring(root, encoding="unicode") + "\n"
