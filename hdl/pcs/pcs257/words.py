"""Four words to a scrambled block of 257 bits and back, in a cycle each way."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...logic import count, stage
from ..scrambler import TAPS, Descrambler, Scrambler
from ..sequencer import state_layout
from ..words import mii
from ..words_in import WordsIn
from ..words_out import WordsOut
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
        m.submodules.words_in = words_in = WordsIn()
        m.submodules.packer = packer = Packer257()
        m.submodules.scrambler = scrambler = Scrambler(256)
        state = Signal(state_layout(), init={"idle": 1})
        sent = Signal(TAPS[1])
        m.d.comb += [
            words_in.words.eq(self.i.payload),
            words_in.previous.eq(state),
            packer.words.eq(self.i.payload),
            packer.types.eq(words_in.types),
            packer.good.eq(words_in.good),
            scrambler.plain.eq(packer.body),
            scrambler.previous.eq(sent),
        ]
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += [
                state.eq(words_in.latest),
                sent.eq(scrambler.latest),
                self.o.payload.eq(sum_header(Cat(packer.is_data, scrambler.scrambled))),
            ]
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
        m.submodules.descrambler = descrambler = Descrambler(256)
        m.submodules.unpacker = unpacker = Unpacker257()
        m.submodules.words_out = words_out = WordsOut()
        block = sum_header(self.i.payload.block)
        state = Signal(state_layout(), init={"idle": 1})
        received = Signal(TAPS[1])
        spoiled = Signal()
        m.d.comb += [
            descrambler.scrambled.eq(block[1:]),
            descrambler.previous.eq(received),
            unpacker.is_data.eq(block[0]),
            unpacker.body.eq(descrambler.plain),
            words_out.read.eq(unpacker.words),
            words_out.kinds.eq(unpacker.kinds),
            words_out.bad.eq(self.i.payload.bad | spoiled),
            words_out.fault.eq(self.i.payload.fault),
            words_out.previous.eq(state),
        ]
        taken = stage(m, self.i, self.o)
        with m.If(taken):
            m.d.sync += [
                received.eq(descrambler.latest),
                spoiled.eq(self.i.payload.bad),
                state.eq(words_out.latest),
                self.o.payload.eq(words_out.words),
            ]
        counts = taken & ~self.i.payload.fault
        count(m, self, blocks=counts, errored_blocks=counts & ~words_out.good.all())
        return m
