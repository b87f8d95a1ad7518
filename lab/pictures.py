"""Pictures of the docs that are not plots: block diagrams, layouts of words and headers, the symbols of blocks."""

from dataclasses import dataclass

from dsnswitch.net.svg import BLUE, EDGE, GREEN, GREY, INK, RED, SHELL, add, picture, text_of


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


def _ring(name, y):
    """Boxes and arrows of one dimension of the route logic."""
    boxes = (
        Box(170, y, 130, 50, (f"Distance {name}", "thermometer code"), BLUE),
        Box(170, y + 64, 130, 50, (f"Direction {name}", "2 f > n"), BLUE),
        Box(340, y + 20, 130, 70, (f"Jump node {name}", "leading one forward,", "trailing one back"), BLUE),
        Box(510, y + 20, 130, 70, ("L-routing", "local hop to the", "jump node"), GREEN),
        Box(340, y + 100, 130, 34, (f"Zero checker {name}",), BLUE),
    )
    arrows = (
        Arrow(((110, y + 25), (168, y + 25)), f"dst_{name}", (106, y + 18)),
        Arrow(((140, y + 25), (140, y + 89), (168, y + 89))),
        Arrow(((300, y + 25), (320, y + 25), (320, y + 45), (338, y + 45))),
        Arrow(((300, y + 89), (320, y + 89), (320, y + 65), (338, y + 65))),
        Arrow(((470, y + 55), (508, y + 55))),
        Arrow(((640, y + 55), (690, y + 55))),
        Arrow(((140, y + 89), (140, y + 117), (338, y + 117))),
        Arrow(((470, y + 117), (690, y + 117)), "done", (650, y + 111)),
    )
    return boxes, arrows


_X, _Y = _ring("x", 20), _ring("y", 180)

ROUTER = Diagram(
    880,
    460,
    "Route logic of a DSN switch (dissertation, Fig. 4.4)",
    (
        *_X[0],
        *_Y[0],
        Box(340, 350, 300, 60, ("L-routing", "local hop to the destination's id"), GREEN),
        Box(692, 30, 90, 390, ("Selection", "x, then y,", "then the", "destination's", "id"), RED),
    ),
    (
        *_X[1],
        *_Y[1],
        Arrow(((110, 380), (338, 380)), "dst_id", (106, 373)),
        Arrow(((640, 380), (690, 380))),
        Arrow(((782, 160), (850, 160)), "out_port", (790, 152)),
        Arrow(((782, 220), (850, 220)), "out_class", (790, 212)),
        Arrow(((782, 280), (850, 280)), "arrived", (790, 272)),
        Arrow(((782, 340), (850, 340)), "invalid", (790, 332)),
    ),
    (
        (
            20,
            445,
            "Terms that follow from the switch's own address alone are computed in parallel, off the packet's path.",
        ),
    ),
)

LIGHT_LINK = Diagram(
    900,
    230,
    "The light link: 256b/260b and SECDED(270,260), two cycles each way",
    (
        Box(90, 30, 210, 70, ("PCS transmitter", "classify, lay out, scramble,", "4-bit header"), BLUE),
        Box(360, 30, 170, 70, ("SECDED encoder", "10 check bits"), GREEN),
        Box(600, 20, 110, 190, ("Line", "270 bits", "per cycle")),
        Box(360, 130, 170, 70, ("SECDED decoder", "corrects 1, detects 2"), GREEN),
        Box(90, 130, 210, 70, ("PCS receiver", "lock, descramble,", "read the fields"), BLUE),
    ),
    (
        Arrow(((20, 65), (88, 65)), "4 words", (22, 57)),
        Arrow(((300, 65), (358, 65)), "260", (315, 57)),
        Arrow(((530, 65), (598, 65)), "270", (548, 57)),
        Arrow(((600, 165), (532, 165)), "270", (548, 157)),
        Arrow(((360, 165), (302, 165)), "260", (315, 157)),
        Arrow(((90, 165), (22, 165)), "4 words", (22, 157)),
    ),
    ((730, 60, "1 cycle per box."), (730, 80, "A word has 8 octets and"), (730, 96, "8 control bits (XGMII).")),
)

STRICT_LINK = Diagram(
    1090,
    250,
    "The strict link: 256b/257b and RS(528,514)",
    (
        Box(90, 30, 180, 70, ("PCS transmitter", "256b/257b, scrambler"), BLUE),
        Box(330, 30, 140, 70, ("Gearbox", "257 to 160 bits")),
        Box(530, 30, 180, 70, ("RS encoder", "14 parity symbols"), GREEN),
        Box(790, 20, 110, 200, ("Line", "160 bits", "per cycle")),
        Box(610, 140, 140, 70, ("RS decoder", "up to 7 symbols"), GREEN),
        Box(450, 140, 120, 70, ("Hold", "until the verdict")),
        Box(290, 140, 120, 70, ("Gearbox", "160 to 257")),
        Box(90, 140, 160, 70, ("PCS receiver", "descrambler"), BLUE),
    ),
    (
        Arrow(((20, 65), (88, 65)), "4 words", (22, 57)),
        Arrow(((270, 65), (328, 65)), "257", (288, 57)),
        Arrow(((470, 65), (528, 65)), "160", (488, 57)),
        Arrow(((710, 65), (788, 65)), "160", (738, 57)),
        Arrow(((790, 175), (752, 175))),
        Arrow(((610, 175), (572, 175))),
        Arrow(((450, 175), (412, 175))),
        Arrow(((290, 175), (252, 175))),
        Arrow(((90, 175), (22, 175)), "4 words", (22, 167)),
    ),
    ((915, 60, "A codeword is 33 words:"), (915, 78, "20 blocks of 257 bits"), (915, 96, "and 140 bits of parity.")),
)

FORWARDING = Diagram(
    820,
    260,
    "Forwarding: the algorithm, a table, and the choice between them",
    (
        Box(150, 30, 190, 60, ("Route logic", "no table"), BLUE),
        Box(150, 130, 120, 60, ("Key", "absolute, relative,", "folded")),
        Box(310, 130, 160, 60, ("Table", "longest prefix or direct"), GREEN),
        Box(540, 30, 140, 160, ("Selector", "by mode, header bit,", "dead ports"), RED),
    ),
    (
        Arrow(((60, 60), (148, 60)), "destination", (60, 52)),
        Arrow(((110, 60), (110, 160), (148, 160))),
        Arrow(((270, 160), (308, 160))),
        Arrow(((470, 160), (538, 160)), "action", (484, 152)),
        Arrow(((340, 60), (538, 60)), "port, arrived, invalid", (370, 52)),
        Arrow(((610, 240), (610, 192)), "mode, packet_table, dead", (620, 230), True),
        Arrow(((680, 60), (780, 60)), "out_port", (690, 52)),
        Arrow(((680, 95), (780, 95)), "arrived", (690, 87)),
        Arrow(((680, 130), (780, 130)), "invalid", (690, 122)),
        Arrow(((680, 165), (780, 165)), "no_route, by_table", (690, 157)),
    ),
)

SWITCH_CORE = Diagram(
    900,
    300,
    "The switch core: two cycles from input to output",
    (
        Box(100, 40, 130, 70, ("Arrival", "checks, hop count", "one per port")),
        Box(100, 150, 130, 60, ("Routing", "port and class"), BLUE),
        Box(280, 40, 150, 70, ("Input channel", "RAM and front register", "one per channel"), GREEN),
        Box(480, 150, 150, 80, ("Allocator", "credits, held channels,", "matrix arbiter", "one per output"), RED),
        Box(672, 40, 146, 70, ("Crossbar column", "AND-OR, register", "one per output")),
    ),
    (
        Arrow(((20, 75), (98, 75)), "rx.flit", (30, 67)),
        Arrow(((230, 75), (278, 75))),
        Arrow(((165, 110), (165, 148))),
        Arrow(((230, 180), (260, 180), (260, 95), (278, 95)), "tag", (234, 172)),
        Arrow(((430, 75), (670, 75)), "front", (540, 67)),
        Arrow(((355, 110), (355, 190), (478, 190)), "requests", (380, 182)),
        Arrow(((630, 190), (745, 190), (745, 112)), "grant", (650, 182)),
        Arrow(((555, 230), (555, 260), (330, 260), (330, 112)), "grant: the front leaves", (360, 252)),
        Arrow(((818, 75), (884, 75)), "tx.flit", (828, 67)),
        Arrow(((880, 215), (632, 215)), "tx.credit", (820, 207)),
        Arrow(((278, 55), (255, 55), (255, 20), (20, 20)), "rx.credit", (30, 14)),
    ),
    (
        (
            20,
            290,
            "Cycle 1 ends in the front register and in the grant; cycle 2 in the register of the crossbar column.",
        ),
    ),
)

SWITCH = Diagram(
    860,
    330,
    "The switch: four cycles from codeword in to codeword out",
    (
        Box(170, 40, 130, 70, ("Fabric port", "codewords, flits", "one per line"), GREEN),
        Box(370, 40, 130, 160, ("Switch core", "routing, buffers,", "allocation,", "crossbar"), BLUE),
        Box(570, 40, 130, 70, ("Fabric port", "flits, codewords", "one per line"), GREEN),
        Box(370, 240, 330, 50, ("Registers", "status, counters, tables, ports that are down"), RED),
    ),
    (
        Arrow(((30, 60), (168, 60)), "<port>_i: codewords", (34, 52)),
        Arrow(((300, 60), (368, 60)), "1 cycle", (312, 52)),
        Arrow(((500, 60), (568, 60)), "2 cycles", (510, 52)),
        Arrow(((700, 60), (840, 60)), "<port>_o: codewords", (704, 52)),
        Arrow(((568, 95), (502, 95)), "stall", (518, 88)),
        Arrow(((368, 95), (302, 95)), "credits", (312, 88)),
        Arrow(((235, 130), (235, 112)), "peer_address, peer_port", (170, 144), True),
        Arrow(((675, 110), (675, 132)), "locked, slip", (636, 146)),
        Arrow(((600, 110), (600, 238)), "status", (560, 222)),
        Arrow(((30, 175), (368, 175)), "host_<n>_rx: flits", (34, 167)),
        Arrow(((500, 175), (840, 175)), "host_<n>_tx: flits", (704, 167)),
        Arrow(((400, 222), (400, 202)), "own address", (322, 222), True),
        Arrow(((435, 200), (435, 238)), "events", (440, 222)),
        Arrow(((488, 240), (488, 202)), "tables", (492, 222)),
        Arrow(((30, 265), (368, 265)), "apb", (34, 257)),
    ),
    ((20, 320, "The other cycle is in the fabric port of the output. Between host ports a packet takes 2 cycles."),),
)


# Picture of the packet header of a switch core, to scale in bits.

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


# Layouts of words on the line: fields of 256b/260b blocks, of codewords and of the fabric link, to scale in bits.

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

WORDS_LEFT, WIDTH, STEP, WORD_HEIGHT = 20, 840, 84, 34


def words():
    """SVG text of the blocks and codewords of all links."""
    return _drawn(ROWS, "Blocks and codewords on the line")


def fabric_words():
    """SVG text of the blocks of the fabric link."""
    return _drawn(FABRIC_ROWS, "Blocks of the fabric link, 256 bits each")


def _drawn(rows, about):
    root = picture(WORDS_LEFT * 2 + WIDTH, STEP * len(rows) + 10, about)
    for place, (title, unit, fields) in enumerate(rows):
        y, at = 28 + STEP * place, 0
        total = sum(size for _, size, _ in fields)
        add(root, "text", title, x=WORDS_LEFT, y=y - 8, font_size=13, font_weight="bold", fill=INK)
        for label, size, colour in fields:
            x, width = WORDS_LEFT + WIDTH * at / total, WIDTH * size / total
            add(root, "rect", x=round(x, 2), y=y, width=round(width, 2), height=WORD_HEIGHT, fill=colour, stroke=EDGE)
            if width > 7 * len(label):
                middle = round(x + width / 2, 2)
                add(root, "text", label, x=middle, y=y + 22, font_size=12, text_anchor="middle", fill=INK)
            at += size
        add(
            root,
            "text",
            f"0, sent first; {total} {unit}",
            x=WORDS_LEFT,
            y=y + WORD_HEIGHT + 14,
            font_size=11,
            fill=GREY,
        )
    return text_of(root)


def pictures():
    """``{file name: SVG text}`` of every picture. Every run returns the same text."""
    return {
        "router-logic.svg": diagram(ROUTER),
        "light-link.svg": diagram(LIGHT_LINK),
        "strict-link.svg": diagram(STRICT_LINK),
        "forwarding.svg": diagram(FORWARDING),
        "switch-core.svg": diagram(SWITCH_CORE),
        "switch.svg": diagram(SWITCH),
        "words.svg": words(),
        "fabric-words.svg": fabric_words(),
    }
