"""256b/257b (IEEE 802.3 Clause 91): four 64b/66b blocks in 257 bits, and back."""

from .pcs import Pcs257Rx, Pcs257Tx
from .transcoder import Compressor, Expander

__all__ = ["Compressor", "Expander", "Pcs257Rx", "Pcs257Tx"]
