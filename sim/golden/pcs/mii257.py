"""Model of 256b/257b between MII words and scrambled blocks, bit by bit."""

from dsnswitch.sim.golden.pcs import pcs66, pcs257
from dsnswitch.sim.golden.pcs.carry import Carry
from dsnswitch.sim.golden.pcs.mii import ERRORS, FAULT


def _sum(bits):
    """Bits 0..4 summed with bits 8..12."""
    return [bit ^ other for bit, other in zip(bits[:5], bits[8:13])] + bits[5:]


class Transmitter:
    """Converts four words to a block."""

    def __init__(self, carry=None):
        self._carry = carry or Carry()

    def step(self, words):
        """The block of four words, 257 bits as an integer."""
        is_data, body = pcs257.compress([pcs66.encode_word(self._carry.follow(word)) for word in words])
        pcs66.scramble(body, self._carry.bits)
        return pcs257.number_of(_sum([int(is_data), *body]))


class Receiver:
    """Converts a block to four words, with counters."""

    def __init__(self, carry=None):
        self._carry = carry or Carry()
        self.blocks = self.errored_blocks = 0

    def step(self, block, bad=False, fault=False):
        """The four words of a block. ``bad``: the FEC decoder could not correct it; ``fault``: there is no lock."""
        is_data, *body = _sum(pcs257.bits_of(block, 257))
        pcs66.descramble(body, self._carry.bits)
        bad, self._carry.spoiled = bad or self._carry.spoiled, bad
        if fault:
            self._carry.state = "INIT"
            return [FAULT] * 4
        words = [pcs66.payload_word(*block) or ERRORS for block in pcs257.expand(bool(is_data), body)]
        words = [self._carry.follow(ERRORS if bad else word) for word in words]
        self.blocks += 1
        self.errored_blocks += ERRORS in words
        return words
