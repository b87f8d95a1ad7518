"""PCS for both 256b/257b and 256b/260b. The formats share their state, so the format may change at any block."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.numbers import count
from dsnswitch.hdl.pcs.layouts import COUNTER_BITS, mii
from dsnswitch.hdl.pcs.pcs257 import Packer257, Unpacker257, sum_header
from dsnswitch.hdl.pcs.pcs260.framing import CONTROL, DATA, HeaderDecoder
from dsnswitch.hdl.pcs.pcs260.protected import ProtectedPacker, ProtectedUnpacker
from dsnswitch.hdl.pcs.scrambler import descramble, scramble
from dsnswitch.hdl.pcs.words import WordsOut, take_words
from dsnswitch.hdl.stream.stage import stage


def sent_dual_layout():
    """Layout of a block to send: ``strict`` is 1 for 256b/257b, which uses the first 257 of the 260 bits of ``block``."""
    return data.StructLayout({"block": 260, "strict": 1})


def received_dual_layout():
    """Layout of a received block: as sent, with ``bad`` (the FEC decoder could not correct it) and ``fault`` (no lock)."""
    return data.StructLayout({"block": 260, "strict": 1, "bad": 1, "fault": 1})


class DualTx(wiring.Component):
    """Transmitter: converts four words to a block of either format. Latency 1 cycle, one block per cycle.

    Both formats scramble the 256 bits after the header, so they share scrambler and sequencer with their states: a frame
    may begin in one format and end in the other. 256b/260b is in its protected format.

    Members
    -------
    - i: The words; word 0 is sent first.
    - strict: Send the block that enters in 256b/257b, else in 256b/260b.
    - o: The block. The payload holds its value until it is accepted.
    """

    latency = 1

    i: In(stream.Signature(mii(4)))
    strict: In(1)
    o: Out(stream.Signature(sent_dual_layout()))

    def elaborate(self, platform):
        m = Module()
        m.submodules.strict_packer = strict = Packer257()
        m.submodules.light_packer = light = ProtectedPacker()
        taken = stage(m, self.i, self.o)
        take_words(m, taken, self.i.payload, [strict, light])
        scrambled = scramble(m, taken, Mux(self.strict, strict.body_bits, light.body_bits))
        of_strict = sum_header(Cat(strict.is_data, scrambled))
        of_light = Cat(Mux(light.is_data, DATA, CONTROL), scrambled)
        with m.If(taken):
            m.d.sync += [self.o.payload.block.eq(Mux(self.strict, of_strict, of_light)), self.o.payload.strict.eq(self.strict)]
        return m


class DualRx(wiring.Component):
    """Receiver: converts a block of either format to four words. Latency 1 cycle, one block per cycle.

    Errors and local faults replace words as in :class:`Mii257Rx` and :class:`Pcs260Rx`.

    Members
    -------
    - i: The block.
    - o: The words; word 0 was sent first.
    - clear: Sets the counters to 0.
    - blocks, corrected_blocks, errored_blocks: Counted without ``fault``: all blocks; blocks of 256b/260b with a corrected
      field or header; blocks of which at least one word became an error.
    """

    latency = 1

    def __init__(self):
        super().__init__(
            {
                "i": In(stream.Signature(received_dual_layout())),
                "o": Out(stream.Signature(mii(4))),
                "clear": In(1),
                **{name: Out(COUNTER_BITS) for name in ("blocks", "corrected_blocks", "errored_blocks")},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.header_decoder = header = HeaderDecoder()
        m.submodules.strict_unpacker = strict = Unpacker257()
        m.submodules.light_unpacker = light = ProtectedUnpacker()
        came = self.i.payload
        summed = sum_header(came.block[:257])
        taken = stage(m, self.i, self.o)
        plain = descramble(m, taken, Mux(came.strict, summed[1:], came.block[4:]))
        wrong_light = Signal()
        m.d.comb += [
            header.header.eq(came.block[:4]),
            strict.is_data.eq(summed[0]),
            strict.body_bits.eq(plain),
            light.is_data.eq(header.is_data),
            light.body_bits.eq(plain),
            wrong_light.eq(~came.strict & (header.bad | light.bad)),
        ]
        m.submodules.words_out = words_out = WordsOut()
        m.d.comb += [
            words_out.taken.eq(taken),
            words_out.read.eq(Mux(came.strict, strict.words.as_value(), light.words.as_value())),
            words_out.kinds.eq(Mux(came.strict, strict.kinds.as_value(), light.kinds.as_value())),
            words_out.doubtful.eq(wrong_light),
            words_out.spoils.eq(came.bad),
            words_out.fault.eq(came.fault),
        ]
        with m.If(taken):
            m.d.sync += self.o.payload.eq(words_out.words)
        counts = taken & ~came.fault
        count(
            m,
            self,
            blocks=counts,
            corrected_blocks=counts & ~came.strict & ~words_out.bad & (light.corrected | ~header.exact),
            errored_blocks=counts & ~words_out.good.all(),
        )
        return m
