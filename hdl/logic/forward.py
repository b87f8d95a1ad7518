"""Ports of the same name, one driven by the other."""

from amaranth.hdl import Module

__all__ = ["forward"]


def forward(m: Module, source, sink, names):
    """``sink.name`` is ``source.name`` for each of ``names``: from a component to a part of it, or from a part out."""
    m.d.comb += [getattr(sink, name).eq(getattr(source, name)) for name in names]
