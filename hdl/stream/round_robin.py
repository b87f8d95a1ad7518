"""Round-robin use of several equal units."""

from amaranth.hdl import Module, Mux, Signal

__all__ = ["choose", "turn"]


def turn(m: Module, moved, count, name):
    """Index of the unit whose turn it is, 0 after reset. It advances in a cycle with ``moved``, from ``count - 1`` to 0."""
    index = Signal(range(count), name=name)
    if count > 1:
        with m.If(moved):
            m.d.sync += index.eq(Mux(index == count - 1, 0, index + 1))
    return index


def choose(values, index):
    """Multiplexer: ``values[index]``."""
    chosen = values[-1]
    for number in range(len(values) - 2, -1, -1):
        chosen = Mux(index == number, values[number], chosen)
    return chosen
