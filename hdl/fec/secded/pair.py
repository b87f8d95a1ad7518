"""SECDED encoder and decoder beside each other."""

from ...logic import Beside
from .decoder import SecdedDecoder
from .encoder import SecdedEncoder
from .parameters import SecdedCode

__all__ = ["Secded"]


class Secded(Beside):
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
        self.latency = stages
        super().__init__(encoder=SecdedEncoder(code, stages), decoder=SecdedDecoder(code, stages, position))
