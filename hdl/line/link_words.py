"""Link words as sums of parts with their check bits, so that early and late parts can be added."""

from amaranth.hdl import Cat, Const

from dsnswitch.hdl.line.line_format import LINK_CODE, check_sums, link_word_layout

__all__ = ["constant_word", "link_word", "link_word_sums", "number_word"]


def constant_word(**values):
    """Link word of constant fields, the others 0, with its check bits. The code is linear, so such words can be added."""
    layout = link_word_layout()
    bits = sum(value << layout[name].offset for name, value in values.items())
    checks = sum(((bits & row).bit_count() & 1) << place for place, row in enumerate(LINK_CODE.rows))
    return Const(bits | checks << LINK_CODE.k, LINK_CODE.n)


def link_word(**values):
    """Link word of fields that are signals, the others 0, with its check bits."""
    return Cat(_fields(values), link_word_sums(**values))


def link_word_sums(**values):
    """The check bits of such a link word."""
    return check_sums(LINK_CODE, _fields(values))


def number_word(number, sums):
    """Link word of a number whose check bits are known."""
    field = link_word_layout()["number"]
    return Cat(Const(0, field.offset), number, Const(0, LINK_CODE.k - field.offset - field.width), sums)


def _fields(values):
    """Information bits of a link word with ``values``, the other fields 0."""
    parts = []
    for name, field in list(link_word_layout())[:-1]:
        value = values.get(name, Const(0, field.width))
        parts.append(Cat(value, Const(0, field.width - len(value))))
    return Cat(parts)
