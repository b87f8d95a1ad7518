"""Picture of the packet header of a switch core, to scale in bits."""

from dsnswitch.net.files.svg import BLUE, EDGE, GREEN, GREY, INK, RED, SHELL, add, picture, text_of

__all__ = ["header_picture"]

LEFT, BIT, TOP, HEIGHT = 20, 20, 44, 34
COLOURS = {"destination": BLUE, "source": SHELL, "check": GREEN}


def header_picture(fields, title):
    """SVG text of the fields ``[(name, first bit, last bit)]``, with bit 0 on the left."""
    bits = fields[-1][2] + 1
    root = picture(2 * LEFT + BIT * bits, TOP + HEIGHT + 60, title)
    add(root, "text", title, x=LEFT, y=20, font_size=13, font_weight="bold", fill=INK)
    for index, (name, first, last) in enumerate(fields):
        x, width = LEFT + BIT * first, BIT * (last - first + 1)
        colour = COLOURS.get(name.partition(".")[0], RED)
        add(root, "rect", x=x, y=TOP, width=width, height=HEIGHT, fill=colour, stroke=EDGE)
        add(root, "text", str(first), x=x + 2, y=TOP - 5, font_size=10, fill=GREY)
        short = name.rpartition(".")[2]
        fits = width > 7 * len(short)
        # The name of a narrow field is below the field. Names of neighbours alternate between two heights.
        y = TOP + 22 if fits else TOP + HEIGHT + 30 + 15 * (index % 2)
        add(root, "text", short, x=x + width / 2, y=y, font_size=12, text_anchor="middle", fill=INK)
    for group in ("destination", "source"):
        ends = [bit for name, *bits in fields if name.startswith(group) for bit in bits]
        if not ends:
            continue
        middle = LEFT + BIT * (min(ends) + max(ends) + 1) / 2
        add(root, "text", group, x=middle, y=TOP + HEIGHT + 15, font_size=12, text_anchor="middle", fill=GREY)
    return text_of(root)
