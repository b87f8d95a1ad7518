"""Register stage between two streams."""

from amaranth.hdl import Module, Signal

__all__ = ["stage"]


def stage(m: Module, i, o):
    """Handshake of a stage with a registered output: latency 1 cycle, one transfer per cycle.

    The stage accepts a transfer when its register is empty or is read in the same cycle. The caller computes the payload: it
    must set ``o.payload`` (in ``m.d.sync``) in every cycle in which the returned signal is 1.

    Parameters
    ----------
    m : Module
        Module of the stage.
    i, o : stream interfaces
        Input stream, as its consumer sees it, and output stream.

    Returns
    -------
    Signal
        1 in a cycle in which the stage accepts a transfer.
    """
    taken = Signal()
    m.d.comb += [i.ready.eq(o.ready | ~o.valid), taken.eq(i.valid & i.ready)]
    with m.If(i.ready):
        m.d.sync += o.valid.eq(i.valid)
    return taken
