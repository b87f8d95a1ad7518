"""The symbol of a block: a box with inputs on the left and outputs on the right."""

from dsnswitch.net.files.svg import EDGE, GREY, INK, SHELL, add, picture, text_of

__all__ = ["symbol"]

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
