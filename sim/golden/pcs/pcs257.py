"""Model of 256b/257b (IEEE 802.3 Clause 91) on lists of bits: it removes and inserts the bits that the clause names."""

from dsnswitch.sim.golden.pcs import pcs66
from dsnswitch.sim.golden.pcs.mii import ERRORS, FAULT, LANES
from dsnswitch.sim.golden.pcs.pcs66 import CONTROL, DATA, Carry

INVALID = 0b11


def bits_of(number, width):
    """Bits of an integer, lowest first."""
    digits = format(number & (1 << width) - 1, f"0{width}b").encode()
    return [digit & 1 for digit in reversed(digits[:width])]


def number_of(bits):
    """Integer of bits, lowest first."""
    return int(bytes([ord("0") | bit for bit in reversed(bits)]) or b"0", 2)


def compress(blocks):
    """``(is data, 256 bits)`` of four blocks ``(header, payload)``."""
    payload = [bit for _, number in blocks for bit in bits_of(number, 64)]
    headers = [header for header, _ in blocks]
    if all(header == DATA for header in headers):
        return True, payload
    if any(header not in (CONTROL, DATA) for header in headers):
        flags, first = [1, 1, 1, 1], 0
    else:
        flags = [int(header == DATA) for header in headers]
        first = flags.index(0)
    del payload[64 * first + 4 : 64 * first + 8]
    return False, flags + payload


def expand(is_data, body):
    """Four blocks of the result of :func:`compress`, which may have wrong bits."""
    if is_data:
        return [(DATA, number_of(body[64 * place : 64 * place + 64])) for place in range(4)]
    flags, payload = body[:4], body[4:]
    if flags == [1, 1, 1, 1]:
        return [(INVALID, number_of((payload + [0] * 4)[64 * place : 64 * place + 64])) for place in range(4)]
    first = flags.index(0)
    low = number_of(payload[64 * first : 64 * first + 4])
    high = [byte >> 4 for byte in LANES if byte & 0xF == low]
    payload[64 * first + 4 : 64 * first + 4] = bits_of(high[0] if high else 0, 4)
    headers = [DATA if flag else CONTROL for flag in flags]
    if not high:
        headers[first] = INVALID
    return [(headers[place], number_of(payload[64 * place : 64 * place + 64])) for place in range(4)]


def _sum(bits):
    """Bits 0..4 summed with bits 8..12."""
    return [bit ^ other for bit, other in zip(bits[:5], bits[8:13])] + bits[5:]


def transmit(blocks, state=None):
    """The 257 bits of four blocks as an integer, with bits 8..12 added to bits 0..4; scrambled if there is a ``state``."""
    is_data, body = compress(blocks)
    if state:
        pcs66.scramble(body, state)
    return number_of(_sum([int(is_data), *body]))


def receive(block, state=None):
    """The four blocks of 257 bits."""
    is_data, *body = _sum(bits_of(block, 257))
    if state:
        pcs66.descramble(body, state)
    return expand(bool(is_data), body)


class Transmitter:
    """Converts four words to a block."""

    def __init__(self, carry=None):
        self._carry = carry or Carry()

    def step(self, words):
        """The block of four words, 257 bits as an integer."""
        return transmit([pcs66.encode_word(self._carry.follow(word)) for word in words], self._carry.bits)


class Receiver:
    """Converts a block to four words, with counters."""

    def __init__(self, carry=None):
        self._carry = carry or Carry()
        self.blocks = self.errored_blocks = 0

    def step(self, block, bad=False, fault=False):
        """The four words of a block. ``bad``: the FEC decoder could not correct it; ``fault``: there is no lock."""
        blocks = receive(block, self._carry.bits)
        bad, self._carry.spoiled = bad or self._carry.spoiled, bad
        if fault:
            self._carry.state = "INIT"
            return [FAULT] * 4
        words = [pcs66.payload_word(*block) or ERRORS for block in blocks]
        words = [self._carry.follow(ERRORS if bad else word) for word in words]
        self.blocks += 1
        self.errored_blocks += ERRORS in words
        return words
