"""Registers for static terms. They have no reset, because their inputs do not change while packets flow."""

from amaranth.hdl import Signal, ValueCastable

__all__ = ["connect_later", "later"]


def later(m, value, name):
    """``value`` one cycle later, of the same shape."""
    shape = value.shape() if isinstance(value, ValueCastable) else len(value)
    register = Signal(shape, name=name, reset_less=True)
    m.d.sync += register.eq(value)
    return register


def connect_later(m, source, sink):
    """Connect the members of ``sink`` to those of ``source`` one cycle later."""
    for name in source.signature.members:
        m.d.comb += getattr(sink, name).eq(later(m, getattr(source, name), f"{name}_r"))
