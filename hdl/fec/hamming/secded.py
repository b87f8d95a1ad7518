"""SECDED encoder and decoder beside each other."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out, connect, flipped

from .decoder import SecdedDecoder
from .encoder import SecdedEncoder
from .parameters import SecdedCode

__all__ = ["Secded"]


class Secded(wiring.Component):
    """Both sides of a code in one module. One word a cycle each way.

    Parameters
    ----------
    code : SecdedCode
    stages : int
        Latency of each side in cycles, 0 or 1.
    position : str
        As the decoder's.

    Members
    -------
    encoder, decoder
        Ports of :class:`~.encoder.SecdedEncoder` and :class:`~.decoder.SecdedDecoder`.
    """

    def __init__(self, code: SecdedCode, stages=0, position="onehot"):
        self._parts = {
            "encoder": SecdedEncoder(code, stages),
            "decoder": SecdedDecoder(code, stages, position),
        }
        self._stages = stages
        super().__init__({name: Out(part.signature) for name, part in self._parts.items()})

    @property
    def latency(self):
        """Cycles through either side."""
        return self._stages

    def elaborate(self, platform):
        m = Module()
        for name, part in self._parts.items():
            m.submodules[name] = part
            connect(m, flipped(getattr(self, name)), part)
        return m
