"""Codes of the lines, and how many blocks they carry. No Amaranth."""

from fractions import Fraction

from dsnswitch.hdl.fec.reed_solomon.code import NAMED, Beats, DecoderPlan, counters
from dsnswitch.hdl.fec.secded.code import SecdedCode

#: The code of the strict format in beats of 16 symbols. A beat is a word of the line.
BEATS = Beats(NAMED["rs-528-514"], 16)

#: Bits of a block of 256b/257b; data bits of a codeword, which are 20 blocks.
BLOCK, GROUP = 257, BEATS.code.k * BEATS.code.field.m
BLOCKS = GROUP // BLOCK

#: Blocks of the strict format per cycle while the line carries a word per cycle.
BLOCKS_PER_CYCLE = Fraction(BLOCKS, BEATS.count)

#: Counters of the decoder of the strict format.
STRICT_COUNTERS = counters(4)

#: The code of the light format: 10 check bits after a block of 260 bits.
CODE = SecdedCode(270, 260)

#: Codewords and words of a group of the light format, on a line of words of the strict format.
CODEWORDS, WORDS = 16, 27

#: Blocks of the light format per cycle while such a line carries a word per cycle.
LIGHT_BLOCKS_PER_CYCLE = Fraction(CODEWORDS, WORDS)


def decode_latency(unroll=1, direct=False):
    """Cycles from the first word of a codeword to its first block: decoder, store-and-forward (not if ``direct``), gearbox."""
    return DecoderPlan(BEATS, unroll).latency + (0 if direct else BEATS.count) + -(-BLOCK // BEATS.bits)
