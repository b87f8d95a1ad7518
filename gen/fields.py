"""Fields of structures, as manifests list them and as emitted modules have ports for them."""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Shape, Signal
from amaranth.lib import data


def fields(layout) -> list[dict]:
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


def bits_by_field(shape) -> Any:
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


@dataclass(frozen=True)
class Field:
    """A field of a structure: its path, the port that an emitted module has for it, and its bits ``[(start, stop)]``."""

    path: tuple
    port: str
    places: list


def structures_of(members) -> Any:
    """``{port: [Field]}`` of the ports that are structures; ``members`` is ``{port: (member, value)}``.

    A field whose name is that of another port has the ending ``_field``.
    """
    found = {}
    for name, (member, _) in members.items():
        places = bits_by_field(member.shape)
        if () not in places:
            ports = {path: "_".join((name, *path)) for path in places}
            found[name] = [Field(path, port + "_field" * (port in members), places[path]) for path, port in ports.items()]
    return found


def signals_of(fields, name=None) -> Any:
    """``({port: signal}, whole)``: a new signal for each of ``fields``, and the structure that they form.

    A signal has the name of the port, or, for a structure ``name`` of an instance, the name of its field in Amaranth's RTLIL.
    """
    found, pieces = {}, {}
    for field in fields:
        own = "__".join((name, *field.path)) if name else field.port
        signal = found[field.port] = Signal(sum(stop - start for start, stop in field.places), name=own)
        end = 0
        for start, stop in field.places:
            pieces[start] = signal[end : end + stop - start]
            end += stop - start
    return found, Cat(pieces[start] for start in sorted(pieces))
