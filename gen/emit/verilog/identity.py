"""Equality of components: two that are equal become the same module, so only one of them is converted.

Amaranth takes most of the time of an emission to convert fragments. A switch core of 9 ports has 321 components and 26 different
modules.
"""

from collections.abc import Mapping, Set

from amaranth.hdl import ShapeCastable, Signal, Value, ValueCastable
from amaranth.lib import wiring

__all__ = ["identity"]

#: Attributes in which Amaranth notes where an object was made and whether it was elaborated.
_NOTES = "_MustUse__"


def identity(component):
    """A hashable value that is equal for components that become the same module, or None if that cannot be known.

    It consists of the type and all attributes of the component: numbers and texts, immutable objects that have a hash, and
    collections of these. Of a signal only shape and initial value count. Components are determined by these values, because
    a constructor keeps in attributes all that ``elaborate`` uses.
    """
    try:
        return _of(component)
    except TypeError:
        return None


def _of(value):
    if isinstance(value, wiring.Component):
        attributes = ((name, item) for name, item in vars(value).items() if not name.startswith(_NOTES))
        return type(value), tuple((name, _of(item)) for name, item in attributes)
    if isinstance(value, wiring.Signature):
        # A signature may have parameters that its members do not show, such as the size of a ring.
        more = ((name, _of(item)) for name, item in vars(value).items() if not name.startswith("_Signature__"))
        return type(value), tuple((name, _member(member)) for name, member in value.members.items()), tuple(more)
    if isinstance(value, wiring.PureInterface | wiring.FlippedInterface):
        return _of(value.signature)
    if isinstance(value, Signal):
        return Signal, repr(value.shape()), value.init
    if isinstance(value, Value):
        raise TypeError("Expressions cannot be compared")
    return _collected(value)


def _member(member):
    inner = (repr(member.shape), repr(member.init)) if member.is_port else _of(member.signature)
    return member.flow, tuple(member.dimensions), inner


def _collected(value):
    if isinstance(value, Mapping):
        return Mapping, tuple((_of(key), _of(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return type(value), tuple(map(_of, value))
    if isinstance(value, Set):
        return Set, frozenset(map(_of, value))
    if isinstance(value, ValueCastable):
        return ValueCastable, repr(value.shape()), _of(value.as_value())
    if isinstance(value, ShapeCastable):
        return ShapeCastable, repr(value)
    hash(value)
    return value
