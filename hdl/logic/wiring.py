"""Connections between components: ports of equal names, and components side by side in one top."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out, connect, flipped


def connect_ports(m: Module, source, sink, names):
    """Drive each port of ``sink`` in ``names`` from the port of ``source`` with the same name.

    It connects a component's own inputs to those of a submodule, or a submodule's outputs to the component's own. A name can
    be that of a group of ports with one direction: then ``source`` can have more members than ``sink``.
    """
    for name in names:
        driver, driven, member = getattr(source, name), getattr(sink, name), sink.signature.members[name]
        if member.is_signature:
            connect_ports(m, driver, driven, member.signature.members)
        else:
            m.d.comb += driven.eq(driver)


class Beside(wiring.Component):
    """Components side by side in one top: they share nothing but the clock.

    The ports of a component keep their names, after its own name: output ``o`` of component ``tx`` is ``tx_o``.

    Parameters
    ----------
    parts : Component
        The components, by name.
    """

    def __init__(self, **parts):
        self._parts = parts
        super().__init__({name: Out(part.signature) for name, part in parts.items()})

    def elaborate(self, platform):
        m = Module()
        for name, part in self._parts.items():
            m.submodules[name] = part
            connect(m, flipped(getattr(self, name)), part)
        return m
