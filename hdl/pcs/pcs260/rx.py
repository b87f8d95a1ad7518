"""256b/260b receiver."""

from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.counter import count
from dsnswitch.hdl.pcs.block_lock import BlockLock
from dsnswitch.hdl.pcs.layouts import mii
from dsnswitch.hdl.pcs.pcs260.header import HeaderDecoder
from dsnswitch.hdl.pcs.pcs260.literal import LiteralUnpacker
from dsnswitch.hdl.pcs.pcs260.protected import ProtectedUnpacker
from dsnswitch.hdl.pcs.receive_words import give_words
from dsnswitch.hdl.pcs.scrambler import descramble
from dsnswitch.hdl.stream.stage import stage
from dsnswitch.net.checks import Parameter

__all__ = ["UNPACKERS", "Pcs260Rx", "received_layout"]

#: Unpacker of each format.
UNPACKERS = {"protected": ProtectedUnpacker, "literal": LiteralUnpacker}


def received_layout():
    """Layout of a received block: ``block`` (260 bits as sent), ``bad`` (the FEC decoder could not correct it)."""
    return data.StructLayout({"block": 260, "bad": 1})


class Pcs260Rx(wiring.Component):
    """256b/260b receiver: converts a scrambled block to four words. Latency 1 cycle, one block per cycle.

    One wrong bit of the header or of a protected field is corrected; with two, all four words become errors. They also
    become errors in a ``bad`` block and in the block after it, whose first bits the descrambler sums with bits of the bad
    block. A word that may not follow the word before it becomes an error. Without lock every word is two local fault
    ordered sets.

    Parameters
    ----------
    layout : str
        ``protected`` or ``literal``.
    settle : int
        Blocks in the pipeline before this component when ``slip`` is 1 (:class:`BlockLock`).
    counter_width : int
        Bits of the counters, which saturate.

    Members
    -------
    i : In(stream of received_layout())
        The block.
    o : Out(stream of mii(4))
        The words; word 0 was sent first.
    locked, slip : Out(1)
        Block lock, by the header; the boundary must move by one bit.
    clear : In(1)
        Sets the counters to 0.
    blocks, header_errors, corrected_blocks, errored_blocks : Out(counter_width)
        Counted while locked: all blocks; blocks with a wrong bit in the header; blocks with a corrected field or header;
        blocks of which at least one word became an error.
    """

    latency = 1

    layout = Parameter("Format of 256b/260b.")

    def __init__(self, layout="protected", settle=0, counter_width=32):
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
                **{name: Out(counter_width) for name in counters},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.header_decoder = header = HeaderDecoder()
        m.submodules.unpacker = unpacker = UNPACKERS[self._layout]()
        m.submodules.lock = lock = self._lock
        block, spoils = self.i.payload.block, self.i.payload.bad
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
        doubts, given = (header.bad, unpacker.bad), self.o.payload
        words_out = give_words(m, taken, given, unpacker.words, unpacker.kinds, doubts, spoils, ~lock.locked)
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
