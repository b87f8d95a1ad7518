"""What a transmitter or receiver knows from one block to the next, whatever the format of the blocks."""

from . import pcs66
from .mii import ERRORS, kind, type_of

__all__ = ["Carry"]


class Carry:
    """State of the sequence of words, the last 58 scrambled bits, and whether the block before was bad."""

    def __init__(self):
        self.state, self.bits, self.spoiled = "INIT", [0] * 58, False

    def follow(self, word):
        """The word, or errors if it may not follow the one before it."""
        self.state = pcs66.sequence([kind(type_of(word))], self.state)[0]
        return ERRORS if self.state == "E" else word
