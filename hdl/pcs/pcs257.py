"""256b/257b transmitter and receiver between 64b/66b blocks and blocks of 257 bits."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import Lookup
from dsnswitch.hdl.logic.numbers import count
from dsnswitch.hdl.pcs.characters import BLOCK_TYPES
from dsnswitch.hdl.pcs.layouts import COUNTER_BITS, block66, kinds_of, mii, packer_members, unpacker_members, word_of
from dsnswitch.hdl.pcs.pcs66.words import CONTROL_HEADER, DATA_HEADER, ERROR_PAYLOAD, WordDecoder, WordEncoder
from dsnswitch.hdl.pcs.scrambler import descramble, scramble
from dsnswitch.hdl.pcs.words import WordsOut, take_words
from dsnswitch.hdl.stream.stage import stage

#: Header that marks an invalid block.
INVALID_HEADER = 0b11


def blocks66():
    """Layout of four 64b/66b blocks, the first lowest."""
    return data.ArrayLayout(block66(), 4)


def _up_to(bits):
    """Prefix OR: bit j is the OR of bits 0..j."""
    return Cat(bits[: index + 1].any() for index in range(len(bits)))


class Compressor(wiring.Component):
    """Transcodes four blocks of 64b/66b into the 256 bits of one block (IEEE 802.3 91.5.2.5). Combinational.

    Members
    -------
    - blocks (In(blocks66())): The blocks, not scrambled.
    - is_data (Out(1)): All four blocks are data, and the body is their payloads.
    - body_bits (Out(256)): The body. If a header is invalid, all flags are 1, and the payloads are as if the first block were
      control.
    """

    blocks: In(blocks66())
    is_data: Out(1)
    body_bits: Out(256)

    def elaborate(self, platform):
        m = Module()
        headers = [self.blocks[index].header for index in range(4)]
        payloads = Cat(self.blocks[index].payload for index in range(4))
        of_data = Signal(4)
        invalid = Signal()
        m.d.comb += [
            of_data.eq(Cat(header == DATA_HEADER for header in headers)),
            invalid.eq(Cat(header[0] == header[1] for header in headers).any()),
            self.is_data.eq(of_data.all()),
        ]
        flags = Signal(4)
        control = Signal(4)
        gone = Signal(4)
        m.d.comb += [flags.eq(of_data | invalid.replicate(4)), control.eq(~of_data | Cat(invalid, 0, 0, 0))]
        m.d.comb += gone.eq(_up_to(control))
        kept = [payloads[:4]]
        for index in range(4):
            start, end = 64 * index + 4, min(64 * index + 68, 252)
            kept.append(Mux(gone[index], payloads[start + 4 : end + 4], payloads[start:end]))
        m.d.comb += self.body_bits.eq(Mux(self.is_data, payloads, Cat(flags, *kept)))
        return m


class Expander(wiring.Component):
    """Transcodes the 256 bits of one block into four blocks of 64b/66b (IEEE 802.3 91.5.3.5). Combinational.

    Members
    -------
    - is_data (In(1)): All four blocks are data.
    - body_bits (In(256)): The body.
    - blocks (Out(blocks66())): The blocks. All headers are invalid if all flags are 1. The header of the first control block is
      invalid if no type field has its nibble.
    """

    is_data: In(1)
    body_bits: In(256)
    blocks: Out(blocks66())

    def elaborate(self, platform):
        m = Module()
        flags, packed = self.body_bits[:4], Cat(self.body_bits[4:], Const(0, 4))
        control = Signal(4)
        gone = Signal(4)
        first = Signal(4)
        m.d.comb += [control.eq(~flags), gone.eq(_up_to(control)), first.eq(control & ~(gone << 1)[:4])]
        # The low nibble of the first control block's type field determines the high nibble.
        low = [packed[64 * index : 64 * index + 4] & first[index].replicate(4) for index in range(4)]
        m.submodules.nibbles = nibbles = Lookup({kind.byte & 0xF: kind.byte >> 4 for kind in BLOCK_TYPES}, 4, 4)
        m.d.comb += nibbles.value.eq(reduce(or_, low))
        high, known = nibbles.result, nibbles.known
        for index in range(4):
            start, header, payload = 64 * index, Signal(2, name=f"header_{index}"), Signal(64, name=f"payload_{index}")
            restored = Cat(packed[start : start + 4], high, packed[start + 4 : start + 60])
            moved = packed[start - 4 : start + 60] if index else packed[start : start + 64]
            here = Mux(first[index], restored, Mux(gone[index], moved, packed[start : start + 64]))
            wrong = flags.all() | first[index] & ~known
            of_control = Mux(wrong, INVALID_HEADER, Mux(control[index], CONTROL_HEADER, DATA_HEADER))
            m.d.comb += [
                payload.eq(Mux(self.is_data, self.body_bits[start : start + 64], here)),
                header.eq(Mux(self.is_data, DATA_HEADER, of_control)),
            ]
            m.d.comb += [self.blocks[index].header.eq(header), self.blocks[index].payload.eq(payload)]
        return m


class Packer257(wiring.Component):
    """Packs four words into the 256 bits of a block. Combinational. Members: :func:`packer_members`."""

    def __init__(self):
        super().__init__(packer_members())

    def elaborate(self, platform):
        m = Module()
        m.submodules.compressor = compressor = Compressor()
        for index in range(4):
            m.submodules[f"word_{index}"] = encoder = WordEncoder()
            octets, control = word_of(self.words, index)
            m.d.comb += [
                encoder.word.data.eq(octets),
                encoder.word.control.eq(control),
                encoder.types.eq(self.types[index]),
                compressor.blocks[index].payload.eq(Mux(self.good[index], encoder.coded.payload, ERROR_PAYLOAD)),
                compressor.blocks[index].header.eq(Mux(self.good[index], encoder.coded.header, CONTROL_HEADER)),
            ]
        m.d.comb += [self.is_data.eq(compressor.is_data), self.body_bits.eq(compressor.body_bits)]
        return m


class Unpacker257(wiring.Component):
    """Unpacks four words from the 256 bits of a block. Combinational. Members: :func:`unpacker_members`.

    Each invalid 64b/66b block becomes an error. The format has no redundancy to correct with, so ``bad`` and ``corrected``
    are 0.
    """

    def __init__(self):
        super().__init__(unpacker_members())

    def elaborate(self, platform):
        m = Module()
        m.submodules.expander = expander = Expander()
        m.d.comb += [expander.is_data.eq(self.is_data), expander.body_bits.eq(self.body_bits)]
        for index in range(4):
            m.submodules[f"word_{index}"] = decoder = WordDecoder()
            octets, control = word_of(self.words, index)
            m.d.comb += [
                decoder.coded.eq(expander.blocks[index]),
                self.kinds[index].eq(kinds_of(m, decoder.types, f"kinds_{index}")),
                octets.eq(decoder.word.data),
                control.eq(decoder.word.control),
            ]
        return m


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
    - i (In(stream of mii(4))): The words; word 0 is sent first. A word that may not follow the word before it is sent as eight
      errors.
    - o (Out(stream of 257 bits)): The block; bit 0 is sent first. The payload holds its value until it is accepted.
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

    Members
    -------
    - i (In(stream of received257_layout())): The block.
    - o (Out(stream of mii(4))): The words; word 0 was sent first.
    - clear (In(1)): Sets the counters to 0.
    - blocks, errored_blocks (Out(32)): Counted without ``fault``: all blocks; blocks of which at least one word
      became an error.
    """

    latency = 1

    def __init__(self):
        super().__init__(
            {
                "i": In(stream.Signature(received257_layout())),
                "o": Out(stream.Signature(mii(4))),
                "clear": In(1),
                "blocks": Out(COUNTER_BITS),
                "errored_blocks": Out(COUNTER_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.unpacker = unpacker = Unpacker257()
        came = self.i.payload
        block = sum_header(came.block)
        taken = stage(m, self.i, self.o)
        m.d.comb += [unpacker.is_data.eq(block[0]), unpacker.body_bits.eq(descramble(m, taken, block[1:]))]
        m.submodules.words_out = words_out = WordsOut()
        m.d.comb += [
            words_out.taken.eq(taken),
            words_out.read.eq(unpacker.words),
            words_out.kinds.eq(unpacker.kinds),
            words_out.spoils.eq(came.bad),
            words_out.fault.eq(came.fault),
        ]
        with m.If(taken):
            m.d.sync += self.o.payload.eq(words_out.words)
        counts = taken & ~came.fault
        count(m, self, blocks=counts, errored_blocks=counts & ~words_out.good.all())
        return m


class Pcs257Tx(wiring.Component):
    """Transcodes four 64b/66b blocks to one block of 257 bits. Latency 1 cycle, one block per cycle.

    Members
    -------
    - i (In(stream of blocks66())): Four blocks, not scrambled, as transcoding reads their type fields.
    - o (Out(stream of 257 bits)): Bit 0 is 1 for four data blocks, bits 1..256 are the body (:class:`Compressor`). Bits 0..4 are
      summed with bits 8..12.
    """

    latency = 1

    i: In(stream.Signature(blocks66()))
    o: Out(stream.Signature(257))

    def elaborate(self, platform):
        m = Module()
        m.submodules.compressor = compressor = Compressor()
        m.d.comb += compressor.blocks.eq(self.i.payload)
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += self.o.payload.eq(sum_header(Cat(compressor.is_data, compressor.body_bits)))
        return m


class Pcs257Rx(wiring.Component):
    """Transcodes one block of 257 bits to four 64b/66b blocks. Latency 1 cycle, one block per cycle.

    Members
    -------
    - i (In(stream of 257 bits)): The block.
    - o (Out(stream of blocks66())): Four blocks, not scrambled. A header of two ones marks an invalid block.
    """

    latency = 1

    i: In(stream.Signature(257))
    o: Out(stream.Signature(blocks66()))

    def elaborate(self, platform):
        m = Module()
        m.submodules.expander = expander = Expander()
        m.d.comb += Cat(expander.is_data, expander.body_bits).eq(sum_header(self.i.payload))
        with m.If(stage(m, self.i, self.o)):
            m.d.sync += self.o.payload.eq(expander.blocks)
        return m
