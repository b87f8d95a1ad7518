"""SECDED encoder and decoder side by side."""

from ...logic import Beside
from .decoder import SecdedDecoder
from .encoder import SecdedEncoder
from .parameters import SecdedCode

__all__ = ["Secded"]


class Secded(Beside):
    """SECDED encoder and decoder in one module, independent of each other. One word per cycle in each direction.

    Parameters
    ----------
    code : SecdedCode
        The code.
    stages : int
        Latency of each side in cycles, 0 or 1.
    position : str
        Form of the decoder's output ``position``.

    Members
    -------
    encoder, decoder
        Ports of :class:`~.encoder.SecdedEncoder` and :class:`~.decoder.SecdedDecoder`.
    """

    def __init__(self, code: SecdedCode, stages=0, position="onehot"):
        self.latency = stages
        super().__init__(encoder=SecdedEncoder(code, stages), decoder=SecdedDecoder(code, stages, position))
