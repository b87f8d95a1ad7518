"""Several equal units that take turns."""

from amaranth.hdl import Module, Mux, Signal

__all__ = ["choose", "turn"]


def turn(m: Module, moved, count, name):
    """Index of the unit whose turn it is, from 0: the next of ``count`` where ``moved``, behind the last the first."""
    index = Signal(range(count), name=name)
    if count > 1:
        with m.If(moved):
            m.d.sync += index.eq(Mux(index == count - 1, 0, index + 1))
    return index


def choose(values, index):
    """``values[index]``."""
    chosen = values[-1]
    for place in range(len(values) - 2, -1, -1):
        chosen = Mux(index == place, values[place], chosen)
    return chosen
