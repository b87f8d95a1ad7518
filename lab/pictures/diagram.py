"""Block diagrams: boxes with a few lines of text, and arrows between them."""

from dataclasses import dataclass

from dsnswitch.net.files.svg import EDGE, GREY, INK, SHELL, add, picture, text_of


@dataclass(frozen=True)
class Box:
    """A box with its upper left corner at ``(x, y)``; the first line of text is bold."""

    x: int
    y: int
    width: int
    height: int
    lines: tuple
    colour: str = "#f4f6fa"


@dataclass(frozen=True)
class Arrow:
    """A line through ``points`` with a head at the last one, and a label at ``at``."""

    points: tuple
    label: str = ""
    at: tuple = (0, 0)
    dashed: bool = False


@dataclass(frozen=True)
class Diagram:
    """A block diagram: its boxes and arrows."""

    width: int
    height: int
    title: str
    boxes: tuple
    arrows: tuple
    notes: tuple = ()


def diagram(found):
    """SVG text of the :class:`Diagram` ``found``."""
    root = picture(found.width, found.height, found.title)
    marker = add(
        add(root, "defs"), "marker", id="head", viewBox="0 0 8 8", refX=7, refY=4, markerWidth=7, markerHeight=7
    )
    marker.set("orient", "auto")
    add(marker, "path", d="M0,0L8,4L0,8z", fill=INK)
    for arrow in found.arrows:
        points = " ".join(f"{x},{y}" for x, y in arrow.points)
        line = add(root, "polyline", points=points, fill="none", stroke=INK, stroke_width=1.5, marker_end="url(#head)")
        if arrow.dashed:
            line.set("stroke-dasharray", "5 4")
        if arrow.label:
            add(root, "text", arrow.label, x=arrow.at[0], y=arrow.at[1], font_size=12, fill=GREY)
    for box in found.boxes:
        add(root, "rect", x=box.x, y=box.y, width=box.width, height=box.height, rx=5, fill=box.colour, stroke=EDGE)
        top = box.y + box.height / 2 - 8 * (len(box.lines) - 1) + 5
        for index, line in enumerate(box.lines):
            look = {"font_weight": "bold", "font_size": 14} if index == 0 else {"font_size": 12}
            add(root, "text", line, x=box.x + box.width / 2, y=top + 16 * index, text_anchor="middle", fill=INK, **look)
    for x, y, text in found.notes:
        add(root, "text", text, x=x, y=y, font_size=12, fill=GREY)
    return text_of(root)


# The symbol of a block: a box with inputs on the left and outputs on the right.


#: Height of a port's line, width of a character, margin between the box and the edge of the picture.
LINE, CHARACTER, MARGIN = 20, 7, 36


def symbol(top, ports):
    """SVG text of a block called ``top``; ``ports`` are dictionaries with ``name``, ``direction`` and ``width``."""
    sides = [[port for port in ports if port["direction"] == way] for way in ("input", "output")]
    longest = [max((len(port["name"]) for port in side), default=0) for side in sides]
    width = 2 * MARGIN + max(CHARACTER * (sum(longest) + 8), 8 * len(top) + 2 * LINE)
    height = LINE * (max(map(len, sides)) + 3)
    root = picture(width, height, f"Ports of {top}")
    add(root, "rect", x=MARGIN, y=8, width=width - 2 * MARGIN, height=height - 16, rx=5, fill=SHELL, stroke=EDGE)
    add(root, "text", top, x=width / 2, y=8 + LINE, font_size=13, font_weight="bold", fill=INK, text_anchor="middle")
    for left, side in zip((True, False), sides):
        for row, port in enumerate(side):
            _port(root, port, left, width, LINE * (row + 2.5))
    return text_of(root)


def _port(root, port, left, width, y):
    inner, outer = (MARGIN, 0) if left else (width - MARGIN, width)
    wide = port["width"] > 1
    add(root, "line", x1=outer, y1=y, x2=inner, y2=y, stroke=INK, stroke_width=2.5 if wide else 1)
    step, anchor = (6, "start") if left else (-6, "end")
    add(root, "text", port["name"], x=inner + step, y=y + 4, font_size=12, fill=INK, text_anchor=anchor)
    if wide:
        add(root, "text", str(port["width"]), x=MARGIN / 2 if left else width - MARGIN / 2, y=y - 4, font_size=10, fill=GREY,
            text_anchor="middle")  # fmt: skip
