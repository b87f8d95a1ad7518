"""One register stage between two streams."""

from amaranth.hdl import Module, Signal

__all__ = ["stage"]


def stage(m: Module, i, o):
    """Handshake of a stage whose output is registered: latency 1 cycle, one transfer a cycle.

    ``i`` and ``o`` are streams (``i`` as its consumer sees it). The stage takes a transfer when its register is empty or is
    being emptied. Returns a signal that is 1 in the cycle in which it does: the user sets ``o.payload`` then.
    """
    taken = Signal()
    m.d.comb += [i.ready.eq(o.ready | ~o.valid), taken.eq(i.valid & i.ready)]
    with m.If(i.ready):
        m.d.sync += o.valid.eq(i.valid)
    return taken
