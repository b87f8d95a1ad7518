"""The generated page about the packet header and the notice: pictures and tables of the layouts in the gateware."""

from dsnswitch.gen.config import build
from dsnswitch.gen.fields import fields
from dsnswitch.hdl.switch.notifier import NoticeFormat
from dsnswitch.lab.pictures.blocks import header_picture

__all__ = ["header_page", "header_svg", "notice_svg"]

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


def _notice():
    """Fields of the content of a notice, from the first bit after its header."""
    return [(field["name"], *field["bits"]) for field in fields(NoticeFormat(_layout()[1].shape).layout)]


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
field `host`; with several layers the header has a field `layer`.

## Notice

The block `switch` reports a packet that it cannot deliver by a [notice](detours.md#notices), a packet of one flit with the
header bit `flags.notice`. These fields follow its header; bit 0 is the first bit after the header:

![Fields of a notice](pictures/switch-notice.svg)

| first bit | bits | field | meaning |
|---|---|---|---|
{_rows(_notice(), NOTICE_MEANING)}
"""
