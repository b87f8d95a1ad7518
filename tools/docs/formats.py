"""Whole generated pages: the protected format of 256b/260b, packet header and notice."""

from dsnswitch.gen.config import build
from dsnswitch.gen.fields import fields as layout_fields
from dsnswitch.hdl.fec.crc32c import BITS
from dsnswitch.hdl.pcs.characters import BLOCK_TYPES, SHORT_CODES, type_byte
from dsnswitch.hdl.pcs.pcs260.framing import ERROR_WORD, LAYOUTS, arguments, fields
from dsnswitch.hdl.switch.end_to_end import CheckFormat
from dsnswitch.hdl.switch.notifier import NoticeFormat
from dsnswitch.net.svg import BLUE, EDGE, GREEN, GREY, INK, RED, SHELL, add, picture, text_of
from tools.docs.markdown import paragraph, table

_CHARACTERS = {0x07: "idle", 0x06: "low power idle", 0xFE: "error"}


def protected_format():
    """Markdown of the page ``docs/pcs260-protected.md``."""
    codes = ", ".join(f"{_CHARACTERS.get(octet, f'{octet:02x}')} {code:x}" for octet, code in SHORT_CODES.items())
    return f"""# Protected format of 256b/260b: tables

This page specifies the blocks of the protected format for those who build another transmitter or receiver.
[pcs.md](pcs.md) explains the format. `make pages` writes this page from `hdl/pcs/pcs260/framing.py`.

## Fields

A field has four bits of information, n. It is sent as the octet with low nibble n:

{table(["n", *(f"{n:x}" for n in range(16))], [["octet", *(f"{type_byte(n):02x}" for n in range(16))]])}

The next table gives the information of fields 1, 2 and 3 of each word.

- p is the position of the word in the block, 0..3.
- d is the number of data words that follow the word, up to the next word that is not data or the end of the block.
- o0 and o4 are 0 for a sequence ordered set (9c) in that lane, and 1 for a signal ordered set (5c).

No other values exist. A block with another value is in error, and so is a block whose words do not fill it.

{table(["word", "lanes 0..7", "field 1", "field 2", "field 3"], [_information(name) for name in LAYOUTS])}

## Slots

The table gives octets 0..7 of the slot of each word.

- F1, F2 and F3 are fields.
- D0 to D7 is the octet of that lane.
- C67 has the codes of the control characters in lanes 6 (low nibble) and 7. A point stands for no lane.
- An octet marked - is sent as 0 and ignored by the receiver.

{table(["word", *map(str, range(8))], [[name, *octets] for name, octets in LAYOUTS.items()])}

{paragraph(f"The codes of control characters are: {codes}. Any other code makes the word an error.")}
"""


def _information(name):
    lanes = next((kind.lanes for kind in BLOCK_TYPES if kind.name == name), "error")
    options = list(arguments(name))
    columns = []
    for number in range(3):
        values = [fields(name, **one)[number : number + 1] for one in options]
        columns.append(_formula(name, options, [value for (value,) in values]) if all(values) else "")
    return ["E, error" if name == ERROR_WORD else name, lanes, *columns]


def _formula(name, options, values):
    """A formula for ``values``: the sum of a constant and a multiple of each argument."""
    first, letters = options[0], {"data": "d", "place": "p", "set0": "o0", "set4": "o4"}
    by_argument = {tuple(one.items()): value for one, value in zip(options, values)}
    weights = {key: by_argument.get(tuple((first | {key: 1}).items()), values[0]) - values[0] for key in letters}
    assert values == [values[0] + sum(weights[key] * one[key] for key in letters) for one in options], name
    parts = [letters[key] if weight == 1 else f"{weight} {letters[key]}" for key, weight in weights.items() if weight]
    return " + ".join([str(values[0])] * (values[0] > 0 or not parts) + parts)


#: Purpose of each field of the header. An address consists of several fields.
MEANING = {
    "destination": "switch that the packet goes to",
    "source": "switch that it comes from",
    "flags.by_table": "the packet follows tables from here on",
    "flags.detour": "header bits of detours ([detours.md](detours.md)), 0 from and to a host",
    "flags.undeliverable": "no detour is left, and the packet goes to host 0 of the switch where it is",
    "flags.notice": "a switch reports a packet that could not be delivered ([detours.md](detours.md#notices))",
    "length": "flits of the packet, the head included",
    "hops": "switches that the packet has passed; a packet with the greatest value is dropped",
    "check": "check bits over all other fields",
}

#: Purpose of each field of a notice.
NOTICE_MEANING = {
    "destination": "address that the packet could not reach",
    "length": "flits of the packet",
    "payload": "bits that followed the header in the packet's first flit, as many as fit, up to 64",
}


def _layout():
    block = build({"block": "switch-core", "p": 3, "routing": "detour"})
    return [(field["name"], *field["bits"]) for field in block.interface()[1]["header"]], block


def header_svg():
    """The picture of the packet header of 8 x 8 x 8, with detours."""
    return header_picture(_layout()[0], "Packet header of the 8 x 8 x 8 DSN, in the lowest bits of a head flit")


#: Pixels of the picture of a header: margin on the left, width of a bit, margin at the top, height of a field.
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


def _notice():
    """Fields of the content of a notice, from the first bit after its header."""
    return [(field["name"], *field["bits"]) for field in layout_fields(NoticeFormat(_layout()[1].shape).layout)]


def notice_svg():
    """The picture of the content of a notice of 8 x 8 x 8."""
    return header_picture(_notice(), "Notice of the 8 x 8 x 8 DSN, after the header of its flit")


def _rows(layout, meaning):
    """Lines of a table of fields."""
    return "\n".join(
        f"| {first} | {last - first + 1} | `{name}` | {meaning.get(name) or meaning[name.partition('.')[0]]} |"
        for name, first, last in layout
    )


def header_page():
    """The page with the tables of header and notice of 8 x 8 x 8, with detours, as Markdown."""
    layout, block = _layout()
    code = block.interface()[1]["code"]
    return f"""# Packet header

Every packet begins with a header, which says where the packet goes and how long it is. You need this page if a host makes its
own headers. The example is the 8 x 8 x 8 DSN with detours (`--routing detour`): the header is the lowest {layout[-1][2] + 1}
bits of the head flit, and the other bits of this flit are payload. Without detours, `flags.detour` has one bit, which a
core passes on unchanged, and `flags.undeliverable` and `flags.notice` do not exist. This page is generated
from the layout of the gateware. The manifest of a core lists the fields of its own header.

![Fields of the header](pictures/switch-header.svg)

| first bit | bits | field | meaning |
|---|---|---|---|
{_rows(layout, MEANING)}

The check bits are those of a code of distance 4, ({code["n"]},{code["k"]}), with columns of odd weight: a header with up to
three wrong bits is never accepted. A field with one possible value has no bits. With several host ports both addresses have a
field `host`; with several layers the header has a field `layer`, with several [virtual
networks](switch.md#virtual-networks) a field `virtual_network`, and with `--age` a field `age`
([switch.md](switch.md#how-it-works)). With `--adaptive` it has `flags.ordered`: a host sets this bit in packets that must stay in
order. With `--digits` it has `flags.digits`, which each switch writes ([minimal.md](minimal.md)), and with routing `indirect`
or `ugal` also `flags.ordered`, and `flags.intermediate` ([two-stage.md](two-stage.md)).

## Notice

The block `switch` reports a packet that it cannot deliver by a [notice](detours.md#notices), a packet of one flit with the
header bit `flags.notice`. These fields follow its header; bit 0 is the first bit after the header:

![Fields of a notice](pictures/switch-notice.svg)

| first bit | bits | field | meaning |
|---|---|---|---|
{_rows(_notice(), NOTICE_MEANING)}

## End-to-end check

{_check(block.shape)}
"""


def _check(shape):
    """Where the end-to-end check is, and what it covers, with the bits of this example."""
    form = CheckFormat(shape)
    skipped = ", ".join(f"`{name}`" for name in form.uncovered)
    text = (
        f"The switch of the source writes a check of {BITS} bits over whatever the last flit of a packet has there, and the "
        "switch of the destination [tests it](switch.md#end-to-end-check). The check is the CRC-32C (polynomial 0x1EDC6F41, as "
        f"in iSCSI, RFC 3720) of all flits, bit 0 of the head first, without the highest {BITS} bits of the last flit. In the "
        f"head, bits from {form.head} on are 0, because a line does not carry them, and the fields that change on the way "
        f"({skipped}; where a header has them, also `flags.digits`, `flags.intermediate` and `age`) count as 0, as does the "
        "check of a packet of one flit. The entry `end_to_end` of the manifest lists them for a switch."
    )
    places = (
        f"With flits of {shape.flit} bits, the check is in bits {form.last} to {form.last + BITS - 1} of the last flit. In a "
        f"packet of one flit it is in bits {form.single} to {form.single + BITS - 1}. Its lowest byte is first, so that a host "
        "can compute it over the bytes of a packet with any CRC-32C. If a flit has no space for header, content of a notice and "
        "check, packets of one flit have no check; the entry `end_to_end` of the manifest says so for a switch."
    )
    return f"{paragraph(text)}\n\n{paragraph(places)}"
