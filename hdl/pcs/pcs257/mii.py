"""256b/257b transmitter and receiver between MII words and scrambled blocks of 257 bits."""

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.counter import count
from dsnswitch.hdl.pcs.layouts import mii
from dsnswitch.hdl.pcs.pcs257.packer import Packer257, Unpacker257
from dsnswitch.hdl.pcs.receive_words import give_words
from dsnswitch.hdl.pcs.scrambler import descramble, scramble
from dsnswitch.hdl.pcs.transmit_words import take_words
from dsnswitch.hdl.stream.stage import stage

__all__ = ["Mii257Rx", "Mii257Tx", "received257_layout", "sum_header"]


def sum_header(block):
    """The block with bits 8..12 added to bits 0..4. Without this sum, long gaps would send the same flags in every block.

    The function is its own inverse.
    """
    return Cat(block[:5] ^ block[8:13], block[5:])


def received257_layout():
    """Layout of a received block: ``block`` (257 bits as sent), ``bad`` (the FEC decoder failed on it), ``fault`` (no lock)."""
    return data.StructLayout({"block": 257, "bad": 1, "fault": 1})


class Mii257Tx(wiring.Component):
    """Transmitter: converts four words to a scrambled block of 257 bits. Latency 1 cycle, one block per cycle.

    The words become 64b/66b blocks and these a 256b/257b block, whose body is then scrambled. Clause 91 scrambles the
    64b/66b blocks before the transcoding; here the whole body, flags included, is scrambled after it, as in Clause 119
    (both from memory). At the end, bits 8..12 are added to bits 0..4.

    Members
    -------
    i : In(stream of mii(4))
        The words; word 0 is sent first. A word that may not follow the word before it is sent as eight errors.
    o : Out(stream of 257 bits)
        The block; bit 0 is sent first. The payload holds its value until it is accepted.
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
    """Receiver: converts a scrambled block of 257 bits to four words. Latency 1 cycle, one block per cycle.

    If a block is ``bad``, its four words and those of the next block become errors, because the descrambler sums bits
    of the bad block with the first bits of the next block. A word that is invalid, or may not follow the word before
    it, becomes an error. With ``fault`` every word is two local fault ordered sets.

    Parameters
    ----------
    counter_width : int
        Bits of the counters, which saturate.

    Members
    -------
    i : In(stream of received257_layout())
        The block.
    o : Out(stream of mii(4))
        The words; word 0 was sent first.
    clear : In(1)
        Sets the counters to 0.
    blocks, errored_blocks : Out(counter_width)
        Counted without ``fault``: all blocks; blocks of which at least one word became an error.
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
