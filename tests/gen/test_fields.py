"""Places of the fields of structures, as Amaranth defines them."""

from amaranth.hdl import Shape
from amaranth.lib import data

from dsnswitch.gen.fields import bits_by_field

PAIR = data.StructLayout({"low": 3, "high": data.StructLayout({"flag": 1, "number": 5})})
ROWS = data.StructLayout({"rows": data.ArrayLayout(PAIR, 4), "list": data.ArrayLayout(2, 3), "nothing": 0})


def places(value, path=()):
    """Paths of the fields with a bit of 1 in a constant; indices of arrays of structures are omitted."""
    layout = value.shape() if isinstance(value, data.Const) else None
    if isinstance(layout, data.StructLayout):
        return [found for name, _ in layout for found in places(value[name], (*path, name))]
    if isinstance(layout, data.ArrayLayout) and isinstance(layout.elem_shape, data.Layout):
        return [found for place in range(layout.length) for found in places(value[place], path)]
    bits = value.as_bits() if layout else value
    return [path] if bits else []


def test_every_bit_is_in_its_field():
    for layout in (PAIR, ROWS, data.ArrayLayout(PAIR, 2)):
        found = bits_by_field(layout)
        expected = {}
        for bit in range(Shape.cast(layout).width):
            [path] = places(layout.from_bits(1 << bit))
            expected.setdefault(path, []).append(bit)
        assert expected == {path: [bit for pair in pairs for bit in range(*pair)] for path, pairs in found.items()}


def test_a_shape_without_fields():
    assert bits_by_field(7) == {(): [(0, 7)]}
    assert bits_by_field(data.ArrayLayout(2, 3)) == {(): [(0, 2), (2, 4), (4, 6)]}
    assert bits_by_field(0) == {}
