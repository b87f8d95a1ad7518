"""256b/260b transmitter and receiver."""

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.numbers import count
from dsnswitch.hdl.pcs.block_lock import BlockLock
from dsnswitch.hdl.pcs.layouts import COUNTER_BITS, mii
from dsnswitch.hdl.pcs.pcs260.framing import CONTROL, DATA, HeaderDecoder
from dsnswitch.hdl.pcs.pcs260.protected import LiteralPacker, LiteralUnpacker, ProtectedPacker, ProtectedUnpacker
from dsnswitch.hdl.pcs.scrambler import descramble, scramble
from dsnswitch.hdl.pcs.words import WordsOut, take_words
from dsnswitch.hdl.stream.stage import stage

#: Packer of each format.
FORMATS = {"protected": ProtectedPacker, "literal": LiteralPacker}


class Pcs260Tx(wiring.Component):
    """256b/260b transmitter: converts four MII words to a scrambled block. Latency 1 cycle, one block per cycle.

    A word that may not follow the word before it (IEEE 802.3 Figure 49-16) is sent as an error.

    Parameters
    ----------
    layout : str
        ``protected`` or ``literal``.

    Members
    -------
    - i (In(stream of mii(4))): The words; word 0 is sent first.
    - o (Out(stream of 260 bits)): Bits 0..3 are the header, which is not scrambled; bits 4..259 are the body. Bit 0 is sent
      first. The payload holds its value until it is accepted.
    """

    latency = 1

    def __init__(self, layout="protected"):
        if layout not in FORMATS:
            raise ValueError(f"256b/260b format must be one of {', '.join(FORMATS)}, not {layout!r}")
        self._layout = layout
        super().__init__({"i": In(stream.Signature(mii(4))), "o": Out(stream.Signature(260))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.packer = packer = FORMATS[self._layout]()
        taken = stage(m, self.i, self.o)
        take_words(m, taken, self.i.payload, [packer])
        scrambled = scramble(m, taken, packer.body_bits)
        with m.If(taken):
            m.d.sync += self.o.payload.eq(Cat(Mux(packer.is_data, DATA, CONTROL), scrambled))
        return m


#: Unpacker of each format.
UNPACKERS = {"protected": ProtectedUnpacker, "literal": LiteralUnpacker}


def received_layout():
    """Layout of a received block: ``block`` (260 bits as sent), ``bad`` (the FEC decoder could not correct it)."""
    return data.StructLayout({"block": 260, "bad": 1})


class Pcs260Rx(wiring.Component):
    """256b/260b receiver: converts a scrambled block to four words. Latency 1 cycle, one block per cycle.

    One wrong bit of the header or of a protected field is corrected; with two, all four words become errors. They also become
    errors in a ``bad`` block and in the block after it, whose first bits the descrambler sums with bits of the bad block. A
    word that may not follow the word before it becomes an error. Without lock every word is two local fault ordered sets.

    Parameters
    ----------
    layout : str
        ``protected`` or ``literal``.
    settle : int
        Blocks in the pipeline before this component when ``slip`` is 1 (:class:`BlockLock`).

    Members
    -------
    - i (In(stream of received_layout())): The block.
    - o (Out(stream of mii(4))): The words; word 0 was sent first.
    - locked, slip (Out(1)): Block lock, by the header; the boundary must move by one bit.
    - clear (In(1)): Sets the counters to 0.
    - blocks, header_errors, corrected_blocks, errored_blocks (Out(32)): Counted while locked: all blocks; blocks with a wrong
      bit in the header; blocks with a corrected field or header; blocks of which at least one word became an error.
    """

    latency = 1

    def __init__(self, layout="protected", settle=0):
        if layout not in UNPACKERS:
            raise ValueError(f"256b/260b format must be one of {', '.join(UNPACKERS)}, not {layout!r}")
        self._layout, self._lock = layout, BlockLock(settle)
        counters = ("blocks", "header_errors", "corrected_blocks", "errored_blocks")
        super().__init__(
            {
                "i": In(stream.Signature(received_layout())),
                "o": Out(stream.Signature(mii(4))),
                "locked": Out(1),
                "slip": Out(1),
                "clear": In(1),
                **{name: Out(COUNTER_BITS) for name in counters},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.header_decoder = header = HeaderDecoder()
        m.submodules.unpacker = unpacker = UNPACKERS[self._layout]()
        m.submodules.lock = lock = self._lock
        block = self.i.payload.block
        taken = stage(m, self.i, self.o)
        m.d.comb += [
            header.header.eq(block[:4]),
            unpacker.is_data.eq(header.is_data),
            unpacker.body_bits.eq(descramble(m, taken, block[4:])),
            lock.test.eq(taken),
            lock.valid.eq(header.exact),
            self.locked.eq(lock.locked),
            self.slip.eq(lock.slip),
        ]
        m.submodules.words_out = words_out = WordsOut()
        m.d.comb += [
            words_out.taken.eq(taken),
            words_out.read.eq(unpacker.words),
            words_out.kinds.eq(unpacker.kinds),
            words_out.doubtful.eq(header.bad | unpacker.bad),
            words_out.spoils.eq(self.i.payload.bad),
            words_out.fault.eq(~lock.locked),
        ]
        with m.If(taken):
            m.d.sync += self.o.payload.eq(words_out.words)
        counts = taken & lock.locked
        count(
            m,
            self,
            blocks=counts,
            header_errors=counts & ~header.exact,
            corrected_blocks=counts & (~words_out.bad & (unpacker.corrected | ~header.exact)),
            errored_blocks=counts & ~words_out.good.all(),
        )
        return m
