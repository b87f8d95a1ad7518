"""Draws any network whose switches have places (:meth:`Network.place`) as an SVG picture."""

import math
from itertools import cycle

from dsnswitch.net.messages import UsageError
from dsnswitch.net.svg import COLOURS, GREY, INK, add, picture, text_of

#: Most switches that are drawn, units between two columns, and radius of a switch.
MAX_PLACED, PITCH, RADIUS = 4096, 44.0, 7.0


class Drawing:
    """A picture with a title, a legend ``{text: attributes of a sample line}``, and ``pitch`` units between two columns.

    ``root`` is the picture, ``body`` its group for links and switches, ``spots`` ``{switch: (x, y)}`` in this group.
    """

    def __init__(self, network, title, legend, pitch=PITCH):
        places = {at: network.place(at) for at in network.switches()}
        least = [min(axis) for axis in zip(*places.values())]

        def spot(place):
            return tuple(pitch * (1 + value - low) for value, low in zip(place, least))

        self._network, self._pitch = network, pitch
        self._middle = None if network.middle is None else spot(network.middle)
        self.spots = {at: spot(place) for at, place in places.items()}
        width, height = (max(axis) + pitch for axis in zip(*self.spots.values()))
        head = 50 + 20 * len(legend)
        self.root = picture(round(max(width, 460)), round(height + head), title)
        add(self.root, "text", title, x=30, y=34, font_size=18, font_weight="bold", fill=INK)
        for row, (text, look) in enumerate(legend.items()):
            add(self.root, "path", d=f"M30,{60 + 20 * row}h44", **look | {"stroke_width": 3})
            add(self.root, "text", text, x=86, y=65 + 20 * row, font_size=14, fill=INK)
        self.body = add(self.root, "g", transform=f"translate(0,{head})")

    def link(self, parent, source, target, **marks):
        """Draw a link: a straight line between neighbouring places, else a curve, which does not pass over other switches."""
        (ax, ay), (bx, by) = a, b = sorted((self.spots[source], self.spots[target]))
        far, bend = math.dist(a, b), 0
        middle = (ax + bx) / 2, (ay + by) / 2
        if far > 1.2 * self._pitch and self._middle is None:
            bend = 0.2
        elif far > 1.2 * self._pitch:
            pull = 0.15 + 0.5 * min(1, far / (2 * math.dist(a, self._middle)))
            middle = tuple((1 - pull) * at + pull * centre for at, centre in zip(middle, self._middle))
        control = middle[0] + bend * (by - ay), middle[1] - bend * (bx - ax)
        numbers = " ".join(str(self._network.number(end)) for end in (source, target))
        d = "M{:.1f},{:.1f}Q{:.1f},{:.1f} {:.1f},{:.1f}".format(*a, *control, *b)
        add(parent, "path", d=d, data_link=numbers, **marks)

    def switches(self, some, radius=RADIUS, **look):
        """Draw switches as circles."""
        dots = add(self.body, "g", **look)
        for x, y in map(self.spots.get, some):
            add(dots, "circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=radius)


def draw(network):
    """The network as the text of an SVG file, with a colour for each kind and level of links."""
    if network.hosts or network.place(next(iter(network.switches()))) is None:
        raise UsageError(f"SVG pictures need a network whose switches have places, not {network.spelling}; try dot")
    if network.nodes > MAX_PLACED:
        raise UsageError(f"SVG pictures go up to {MAX_PLACED} switches, not {network.nodes}")
    links = [
        (link, network.ports[link.port].kind, network.level(link.source, link.port), network.span(link.source, link.port))
        for link in network.links()
    ]
    colours, found, legend = cycle(COLOURS), {}, {}
    for kind, level, span in sorted({row[1:] for row in links}, key=lambda row: (row[0], row[1] or 0)):
        found[kind, level] = {"stroke": GREY if kind == "local" else next(colours)}
        legend[kind if level is None else f"{kind}, level {level}, length {span}"] = found[kind, level]
    title = f"{network.title[0].upper()}{network.title[1:]}, {len(links)} links"
    drawing = Drawing(network, title, legend)
    lines = add(drawing.body, "g", fill="none", stroke_width=1.2)
    for link, kind, level, _ in links:
        marks = {"data_kind": kind} | ({} if level is None else {"data_level": level})
        drawing.link(lines, link.source, link.target, **marks, **found[kind, level])
    drawing.switches(network.switches(), fill=INK)
    return text_of(drawing.root)
