"""Fields of structures, as manifests list them."""

from amaranth.hdl import Shape
from amaranth.lib import data


def fields(layout):
    """Name, first bit and last bit of every field of a layout; the names of nested fields are joined by dots."""
    found = []
    for name, field in layout:
        shape = field.shape
        if isinstance(shape, data.Layout):
            found += [
                {"name": f"{name}.{inner['name']}", "bits": [field.offset + bit for bit in inner["bits"]]}
                for inner in fields(shape)
            ]
        else:
            found.append({"name": str(name), "bits": [field.offset, field.offset + field.width - 1]})
    return found


def bits_by_field(shape):
    """``{path: [(first bit, bit after the last)]}`` of the fields of a structure, or of an array of structures.

    A field of an array of structures consists of the fields of all elements. A shape without structures has one path, ``()``.
    Fields without bits are omitted.
    """
    found = {}
    if isinstance(shape, data.StructLayout):
        for name, field in shape:
            for path, places in bits_by_field(field.shape).items():
                found[str(name), *path] = [(field.offset + start, field.offset + stop) for start, stop in places]
    elif isinstance(shape, data.ArrayLayout):
        width = Shape.cast(shape.elem_shape).width
        for path, places in bits_by_field(shape.elem_shape).items():
            starts = range(0, shape.length * width, width)
            found[path] = [(first + start, first + stop) for first in starts for start, stop in places]
    elif width := Shape.cast(shape).width:
        found[()] = [(0, width)]
    return found
