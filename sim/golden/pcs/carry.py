"""State that a transmitter or receiver carries from one block to the next, the same for all formats."""

from dsnswitch.sim.golden.pcs import pcs66
from dsnswitch.sim.golden.pcs.mii import ERRORS, kind, type_of


class Carry:
    """State of the word sequence, the last 58 scrambled bits, and whether the previous block was bad."""

    def __init__(self):
        self.state, self.bits, self.spoiled = "INIT", [0] * 58, False

    def follow(self, word):
        """The word, or a word of errors if it may not follow the word before it."""
        self.state = pcs66.sequence([kind(type_of(word))], self.state)[0]
        return ERRORS if self.state == "E" else word
