"""SECDED encoder and decoder side by side."""

from dsnswitch.hdl.fec.secded.decoder import SecdedDecoder
from dsnswitch.hdl.fec.secded.encoder import SecdedEncoder
from dsnswitch.hdl.fec.secded.parameters import SecdedCode
from dsnswitch.hdl.logic.wiring import Beside

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
        Ports of :class:`SecdedEncoder` and :class:`SecdedDecoder`.
    """

    def __init__(self, code: SecdedCode, stages=0, position="onehot"):
        self.latency = stages
        super().__init__(encoder=SecdedEncoder(code, stages), decoder=SecdedDecoder(code, stages, position))
