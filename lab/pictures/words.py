"""Layouts of words on the line: fields of 256b/260b blocks, of codewords and of the fabric link, to scale in bits."""

from dsnswitch.net.files.svg import BLUE, EDGE, GREEN, GREY, INK, RED, SHELL, add, picture, text_of

__all__ = ["fabric_words", "words"]

#: Rows of the picture: title, unit, then fields (label, size, colour). A row is drawn to its own scale.
ROWS = (
    (
        "256b/260b, four words of data",
        "bits",
        (("0101", 4, RED), *((f"word {word}", 64, BLUE) for word in range(4))),
    ),
    (
        "256b/260b, protected format: end of a frame, control, start of the next, one word of data (an example)",
        "bits",
        (
            ("1010", 4, RED),
            *(("field", 8, RED), ("octets", 56, BLUE)),
            *(("field", 8, RED), ("control", 56, SHELL)),
            *(("field", 8, RED), ("octets", 56, BLUE)),
            ("word", 64, BLUE),
        ),
    ),
    ("Codeword of SECDED(270,260)", "bits", (("256b/260b block", 260, BLUE), ("10", 10, GREEN))),
    (
        "Codeword of RS(528,514): 20 blocks of 257 bits and 14 symbols of parity",
        "symbols of 10 bits",
        (("20 blocks of 257 bits", 514, BLUE), ("14", 14, GREEN)),
    ),
)

#: The same for the fabric link, without header and check bits.
_LINK = (("T7/set", 16, RED), ("link word", 48, GREEN))
FABRIC_ROWS = (
    (
        "Start block: the head of a packet (word 0, a link word; word 1, a start; 184 bits of the head flit)",
        "bits",
        (*_LINK, ("S0", 8, RED), ("head flit: header, payload", 184, BLUE)),
    ),
    (
        "Data block: a flit of 256 bits, from bit 72 on",
        "bits",
        (("bits 184..255", 72, BLUE), ("bits 0..183", 184, BLUE)),
    ),
    (
        "Resume: the data blocks that follow are for the packet of another channel; abort: the packet of a channel is bad",
        "bits",
        (
            *_LINK,
            ("S0", 8, RED),
            ("", 8, SHELL),
            *(("details", 48, GREY), ("", 16, SHELL)) * 2,
            ("details", 48, GREY),
        ),
    ),
    (
        "Credit and hello: four words of two ordered sets each; the first is T7 if a frame is open",
        "bits",
        (*_LINK, *(("set", 16, RED), ("details", 48, GREY)) * 3),
    ),
)

LEFT, WIDTH, STEP, HEIGHT = 20, 840, 84, 34


def words():
    """SVG text of the blocks and codewords of all links."""
    return _drawn(ROWS, "Blocks and codewords on the line")


def fabric_words():
    """SVG text of the blocks of the fabric link."""
    return _drawn(FABRIC_ROWS, "Blocks of the fabric link, 256 bits each")


def _drawn(rows, about):
    root = picture(LEFT * 2 + WIDTH, STEP * len(rows) + 10, about)
    for place, (title, unit, fields) in enumerate(rows):
        y, at = 28 + STEP * place, 0
        total = sum(size for _, size, _ in fields)
        add(root, "text", title, x=LEFT, y=y - 8, font_size=13, font_weight="bold", fill=INK)
        for label, size, colour in fields:
            x, width = LEFT + WIDTH * at / total, WIDTH * size / total
            add(root, "rect", x=round(x, 2), y=y, width=round(width, 2), height=HEIGHT, fill=colour, stroke=EDGE)
            if width > 7 * len(label):
                middle = round(x + width / 2, 2)
                add(root, "text", label, x=middle, y=y + 22, font_size=12, text_anchor="middle", fill=INK)
            at += size
        add(root, "text", f"0, sent first; {total} {unit}", x=LEFT, y=y + HEIGHT + 14, font_size=11, fill=GREY)
    return text_of(root)
