"""Equality of components. Equal components become the same module, so only one of them is converted.

Most of the time of an emission is Amaranth's elaboration and conversion. A switch core of 9 ports has 321 components, but only 26
different modules.
"""

from collections.abc import Mapping, Set

from amaranth.hdl import ShapeCastable, Signal, Value, ValueCastable
from amaranth.lib import wiring

__all__ = ["identity"]

#: Prefix of the attributes in which Amaranth records where an object was made and whether it was elaborated.
_NOTES = "_MustUse__"


def identity(component):
    """A hashable value that is equal for components that become the same module, or None if equality cannot be decided.

    It consists of the type and all attributes of the component: numbers and strings, immutable objects that have a hash, and
    collections of these. A signal is represented by its shape and initial value. These values determine a component, because a
    constructor keeps everything that ``elaborate`` uses in attributes.
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
    if isinstance(getattr(value, "signature", None), wiring.Signature):
        # An interface, whatever its class: streams have a class of their own.
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
