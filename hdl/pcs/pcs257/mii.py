"""Four words to a scrambled block of 257 bits and back, in a cycle each way."""

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...logic import count
from ...stream import stage
from ..scrambler import descramble, scramble
from ..words import mii
from ..words_in import take_words
from ..words_out import give_words
from .packer import Packer257, Unpacker257

__all__ = ["Mii257Rx", "Mii257Tx", "received257_layout", "sum_header"]


def sum_header(block):
    """Bits 0..4 of a block, summed with bits 8..12: without it long gaps would send the same flags again and again.

    Once more undoes it.
    """
    return Cat(block[:5] ^ block[8:13], block[5:])


def received257_layout():
    """Layout of what comes from the line: ``block`` (257 bits, as sent); ``bad``: a code around it could not correct it;
    ``fault``: there is no lock."""
    return data.StructLayout({"block": 257, "bad": 1, "fault": 1})


class Mii257Tx(wiring.Component):
    """Four words to a block: 64b/66b, 256b/257b, then the scrambler over the 256 bits. Latency 1 cycle, one block a cycle.

    Clause 91 scrambles 64b/66b blocks and recodes them without their headers; here the whole body, flags included, is
    scrambled behind the recoding, as Clause 119 does (both from memory). Bits 0..4 are summed with bits 8..12 at the end.

    Members
    -------
    i : In(stream of mii(4))
        Word 0 is the first. One that may not follow the one before it is sent as errors.
    o : Out(stream of 257 bits)
        Bit 0 is sent first. Holds while it is not taken.
    """

    latency = 1

    i: In(stream.Signature(mii(4)))
    o: Out(stream.Signature(257))

    def elaborate(self, platform):
        m = Module()
        m.submodules.packer = packer = Packer257()
        taken = stage(m, self.i, self.o)
        take_words(m, taken, self.i.payload, [packer])
        scrambled = scramble(m, taken, packer.body_bits)
        with m.If(taken):
            m.d.sync += self.o.payload.eq(sum_header(Cat(packer.is_data, scrambled)))
        return m


class Mii257Rx(wiring.Component):
    """A block to four words. Latency 1 cycle, one block a cycle.

    If the block is ``bad`` all four words become errors, and so do those of the block after it, whose first bits the
    descrambler sums with wrong ones. A word that is not valid, or may not follow the one before it, becomes an error. With
    ``fault`` every word is two local fault ordered sets.

    Parameters
    ----------
    counter_width : int
        Bits of the counters, which stay at their greatest value.

    Members
    -------
    i : In(stream of received257_layout())
    o : Out(stream of mii(4))
    clear : In(1)
        Sets the counters to 0.
    blocks, errored_blocks : Out(counter_width)
        Without ``fault``: all blocks; those of which one word or more became an error.
    """

    latency = 1

    def __init__(self, counter_width=32):
        super().__init__(
            {
                "i": In(stream.Signature(received257_layout())),
                "o": Out(stream.Signature(mii(4))),
                "clear": In(1),
                "blocks": Out(counter_width),
                "errored_blocks": Out(counter_width),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.unpacker = unpacker = Unpacker257()
        came = self.i.payload
        block = sum_header(came.block)
        taken = stage(m, self.i, self.o)
        m.d.comb += [unpacker.is_data.eq(block[0]), unpacker.body_bits.eq(descramble(m, taken, block[1:]))]
        given, read, kinds = self.o.payload, unpacker.words, unpacker.kinds
        words_out = give_words(m, taken, given, read, kinds, (), came.bad, came.fault)
        counts = taken & ~came.fault
        count(m, self, blocks=counts, errored_blocks=counts & ~words_out.good.all())
        return m
