"""Registers for static terms, and selections in them."""

from amaranth.hdl import Mux, Signal, ValueCastable

__all__ = ["connect_later", "later", "looked_up"]


def later(m, value, name):
    """``value`` one cycle later, of the same shape."""
    shape = value.shape() if isinstance(value, ValueCastable) else len(value)
    register = Signal(shape, name=name, reset_less=True)
    m.d.sync += register.eq(value)
    return register


def connect_later(m, source, sink, prefix):
    """Connect the members of ``sink`` to those of ``source`` one cycle later. Names of registers begin with ``prefix``."""
    signature = source.signature
    for (path, _, driver), (_, _, member) in zip(signature.flatten(source), signature.flatten(sink)):
        m.d.comb += member.eq(later(m, driver, "_".join([prefix, *map(str, path), "r"])))


def looked_up(row, index):
    """Bit ``index`` of ``row`` as a tree of multiplexers; any bit for an index beyond the end."""
    bits = list(row)
    for select in index:
        bits += bits[-1:] if len(bits) % 2 else []
        bits = [Mux(select, odd, even) for even, odd in zip(bits[::2], bits[1::2])]
    return bits[0]
