"""256b/257b (IEEE 802.3 Clause 91): four 64b/66b blocks in 257 bits, and back; the same from and to words."""

from .pcs import Pcs257Rx, Pcs257Tx
from .transcoder import Compressor, Expander
from .words import Mii257Rx, Mii257Tx

__all__ = ["Compressor", "Expander", "Mii257Rx", "Mii257Tx", "Pcs257Rx", "Pcs257Tx"]
