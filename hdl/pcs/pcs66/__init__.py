"""64b/66b (IEEE 802.3 Clause 49, and 82 for one lane): one MII word per block of 66 bits."""

from .rx import Pcs66Rx
from .tx import Pcs66Tx
from .word_decoder import WordDecoder
from .word_encoder import WordEncoder

__all__ = ["Pcs66Rx", "Pcs66Tx", "WordDecoder", "WordEncoder"]
