"""FEC layer of the light format on a line of 160-bit words: blocks of 260 bits in SECDED codewords of 270 bits.

A group of 16 codewords is 27 words of the line.
"""

from fractions import Fraction

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.fec.secded.decoder import SecdedDecoder
from dsnswitch.hdl.fec.secded.encoder import SecdedEncoder
from dsnswitch.hdl.fec.secded.parameters import SecdedCode
from dsnswitch.hdl.line.codeword_lock import CodewordLock
from dsnswitch.hdl.line.pacer import Pacer
from dsnswitch.hdl.logic.counter import count
from dsnswitch.hdl.pcs.pcs260.header import HeaderDecoder
from dsnswitch.hdl.stream.gearbox import Gearbox
from dsnswitch.hdl.stream.stage import stage

__all__ = [
    "BLOCKS_PER_CYCLE",
    "CODE",
    "CODEWORDS",
    "WORDS",
    "LightDecode",
    "LightEncode",
    "decoded_light_layout",
    "light_pacer",
]

#: The code of the light link: 10 check bits after a block of 260 bits.
CODE = SecdedCode(270, 260)

#: Bits of a word of the line; codewords and words per group.
_WORD = 160
CODEWORDS, WORDS = 16, 27

#: Blocks per cycle while the line carries a word per cycle.
BLOCKS_PER_CYCLE = Fraction(CODEWORDS, WORDS)

#: All check bits of the first codeword of a group are inverted. The inversion changes the syndrome by all ones, which
#: matches no single error, and with one more wrong bit few single errors. A receiver that takes another codeword for the
#: first therefore finds two uncorrectable codewords per group.
_INVERTED = (1 << CODE.n - CODE.k) - 1


def decoded_light_layout():
    """Layout of a decoded block: ``block`` (260 bits), ``bad`` (the codeword was uncorrectable), ``fault`` (no lock)."""
    return data.StructLayout({"block": CODE.k, "bad": 1, "fault": 1})


def light_pacer():
    """Pacer for a transmitter that ends with :class:`LightEncode`."""
    return Pacer(CODE.n, _WORD, CODEWORDS, WORDS)


class LightEncode(wiring.Component):
    """Encoder of the light format: converts 16 blocks to 27 words. Latency 2 cycles (code, gearbox), one word per cycle.

    Members
    -------
    i : In(stream of 260 bits)
        Blocks. Groups are counted from reset.
    o : Out(stream of 160 bits)
        Words of the line; bit 0 is sent first. The payload holds its value until it is accepted.
    """

    latency = 2

    i: In(stream.Signature(CODE.k))
    o: Out(stream.Signature(_WORD))

    def elaborate(self, platform):
        m = Module()
        m.submodules.encoder = encoder = SecdedEncoder(CODE)
        m.submodules.gearbox = gearbox = Gearbox(CODE.n, _WORD)
        between = stream.Signature(CODE.n).create(path=("between",))
        connect(m, between, gearbox.i)
        connect(m, gearbox.o, flipped(self.o))
        place = Signal(range(CODEWORDS))
        m.d.comb += encoder.data.eq(self.i.payload)
        with m.If(stage(m, self.i, between)):
            checks = encoder.word[CODE.k :] ^ Mux(place.any(), 0, _INVERTED)
            m.d.sync += [between.payload.eq(Cat(self.i.payload, checks)), place.eq(place + 1)]
        return m


class LightDecode(wiring.Component):
    """Decoder of the light format: converts 27 words to 16 blocks. Latency 3 cycles (gearbox 2, code), one word per cycle.

    It corrects one wrong bit of a codeword and marks blocks with two. An *error* for the lock is an uncorrectable codeword
    or an invalid header. The decoder locks after four groups in a row without an error, and loses lock after three groups
    in a row with at least :attr:`LIMIT` errors each.

    Parameters
    ----------
    settle : int
        Words in the pipeline before this component when ``slip`` is 1 (:class:`CodewordLock`).
    counter_width : int
        Bits of the counters, which saturate.
    managed : bool
        With counters. Without them, ``one_corrected`` and ``one_uncorrectable`` exist.

    Members
    -------
    i : In(stream of 160 bits)
        Words of the line.
    o : Out(stream of decoded_light_layout())
        Blocks.
    start, start_locked : In(1)
        Restart of the lock (:class:`CodewordLock`).
    locked, stays, slip : Out(1)
        Groups begin at the expected positions; the lock was lost, and the old boundary is tested; the boundary must move by one
        bit.
    clear : In(1)
        Sets the counters to 0.
    light_corrected, light_uncorrectable : Out(counter_width)
        Corrected codewords; uncorrectable codewords. Counted while locked.
    one_corrected, one_uncorrectable : Out(1)
        With or without lock: a codeword with a corrected bit; an uncorrectable codeword.
    """

    latency = 3
    LIMIT = 4

    def __init__(self, settle=0, counter_width=32, managed=True):
        self._managed = managed
        counters = ("light_corrected", "light_uncorrectable") if managed else ()
        flags = () if managed else ("one_corrected", "one_uncorrectable")
        self._lock = CodewordLock(settle, make=4)
        super().__init__(
            {
                "i": In(stream.Signature(_WORD)),
                "o": Out(stream.Signature(decoded_light_layout())),
                **{name: In(1) for name in ("start", "start_locked", *(("clear",) if managed else ()))},
                **{name: Out(1) for name in ("locked", "stays", "slip", *flags)},
                **{name: Out(counter_width) for name in counters},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.gearbox = gearbox = Gearbox(_WORD, CODE.n)
        m.submodules.decoder = decoder = SecdedDecoder(CODE, position="none")
        m.submodules.header_decoder = header = HeaderDecoder()
        connect(m, flipped(self.i), gearbox.i)
        place = Signal(range(CODEWORDS))
        wrong = Signal(range(CODEWORDS + 1))
        found = Signal.like(wrong)
        first = Signal()
        last = Signal()
        fault = Signal()
        held = Signal()
        word = gearbox.o.payload
        m.d.comb += [
            first.eq(~place.any()),
            last.eq(place.all()),
            decoder.word.eq(Cat(word[: CODE.k], word[CODE.k :] ^ Mux(first, _INVERTED, 0))),
            header.header.eq(decoder.data[:4]),
            found.eq(Mux(first, 0, wrong) + (decoder.uncorrectable | ~header.exact)),
            # A group keeps the state of the lock at its beginning.
            fault.eq(Mux(first, ~self.locked, held)),
        ]
        taken = stage(m, gearbox.o, self.o)
        with m.If(taken):
            m.d.sync += [
                self.o.payload.block.eq(decoder.data),
                self.o.payload.bad.eq(decoder.uncorrectable),
                self.o.payload.fault.eq(fault),
                held.eq(fault),
                wrong.eq(found),
                place.eq(place + 1),
            ]
        self._watch(m, taken & last, found)
        if self._managed:
            counts = taken & self.locked
            count(
                m, self, light_corrected=counts & decoder.corrected, light_uncorrectable=counts & decoder.uncorrectable
            )
        else:
            m.d.comb += [
                self.one_corrected.eq(taken & decoder.corrected),
                self.one_uncorrectable.eq(taken & decoder.uncorrectable),
            ]
        return m

    def _watch(self, m, done, found):
        """Connect the lock: its codewords are the groups, and ``found`` is a group's number of errors."""
        m.submodules.lock = lock = self._lock
        word = Signal(range(WORDS))
        moves = Signal()
        m.d.comb += [
            moves.eq(self.i.valid & self.i.ready),
            lock.goes.eq(moves),
            lock.begins.eq(moves & ~word.any()),
            lock.done.eq(done),
            lock.decodable.eq(Mux(lock.locked, found < self.LIMIT, ~found.any())),
            lock.start.eq(self.start),
            lock.start_locked.eq(self.start_locked),
            self.locked.eq(lock.locked),
            self.stays.eq(lock.stays),
            self.slip.eq(lock.slip),
        ]
        with m.If(moves):
            m.d.sync += word.eq(Mux(word == WORDS - 1, 0, word + 1))
