"""256b/257b (IEEE 802.3 Clause 91): transcoding of four 64b/66b blocks to 257 bits and back, and the same for MII words."""

from .mii import Mii257Rx, Mii257Tx
from .pcs import Pcs257Rx, Pcs257Tx
from .transcoder import Compressor, Expander

__all__ = ["Compressor", "Expander", "Mii257Rx", "Mii257Tx", "Pcs257Rx", "Pcs257Tx"]
