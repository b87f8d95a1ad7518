"""Blocks of 260 bits in SECDED codewords of 270, and these in words of 160; and back. Groups of 16 codewords are 27 words."""

from fractions import Fraction

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...fec.secded import SecdedDecoder, SecdedEncoder
from ...logic import count
from ...pcs.pcs260.header import HeaderDecoder
from ...stream import stage
from ...stream.gearbox import Gearbox
from ..codeword_lock import CodewordLock
from ..pacer import Pacer
from .link import CODE

__all__ = [
    "BLOCKS_PER_CYCLE",
    "CODEWORDS",
    "WORDS",
    "LightDecode",
    "LightEncode",
    "decoded_light_layout",
    "light_pacer",
]

#: Bits of a word; codewords and words of a group.
_WORD = 160
CODEWORDS, WORDS = 16, 27

#: Blocks per cycle while the line carries a word per cycle.
BLOCKS_PER_CYCLE = Fraction(CODEWORDS, WORDS)

#: In the first codeword of a group all check bits are inverted. The syndrome of that, all ones, is no single error's, and with
#: one wrong bit more that of few others': who takes another codeword for the first finds two uncorrectable ones in a group.
_INVERTED = (1 << CODE.n - CODE.k) - 1


def decoded_light_layout():
    """Layout of a block: ``block`` (260 bits), ``bad`` (not to be believed), ``fault`` (there is no lock)."""
    return data.StructLayout({"block": CODE.k, "bad": 1, "fault": 1})


def light_pacer():
    """The pacer of a transmitter that ends in :class:`LightEncode`."""
    return Pacer(CODE.n, _WORD, CODEWORDS, WORDS)


class LightEncode(wiring.Component):
    """16 blocks to 27 words. Latency 2 cycles (code, gearbox), one word a cycle.

    Members
    -------
    i : In(stream of 260 bits)
        Groups are counted from reset.
    o : Out(stream of 160 bits)
        Bit 0 is sent first. Holds while it is not taken.
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
    """27 words to 16 blocks. Latency 3 cycles (gearbox 2, code), one word a cycle.

    One wrong bit of a codeword is corrected, two are marked. Locked after four groups in a row without an uncorrectable
    codeword or a header that is none; lost with three in a row of which each has :data:`LIMIT` of these or more.

    Parameters
    ----------
    settle : int
        Words on their way when ``slip`` is seen (:class:`~.codeword_lock.CodewordLock`).
    counter_width : int
        Bits of the counters, which stay at their greatest value.

    Members
    -------
    i : In(stream of 160 bits)
    o : Out(stream of decoded_light_layout())
    start, start_locked : In(1)
        Of the lock.
    locked, slip : Out(1)
    clear : In(1)
        Sets the counters to 0.
    light_corrected, light_uncorrectable : Out(counter_width)
        Codewords with a wrong bit corrected; those that could not be. While locked.
    """

    latency = 3
    LIMIT = 4

    def __init__(self, settle=0, counter_width=32):
        self._lock = CodewordLock(settle, make=4)
        super().__init__(
            {
                "i": In(stream.Signature(_WORD)),
                "o": Out(stream.Signature(decoded_light_layout())),
                **{name: In(1) for name in ("start", "start_locked", "clear")},
                **{name: Out(1) for name in ("locked", "slip")},
                **{name: Out(counter_width) for name in ("light_corrected", "light_uncorrectable")},
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
            # As the lock is when the group begins.
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
        counts = taken & self.locked
        count(m, self, light_corrected=counts & decoder.corrected, light_uncorrectable=counts & decoder.uncorrectable)
        return m

    def _watch(self, m, done, found):
        """The lock, told of groups."""
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
            self.slip.eq(lock.slip),
        ]
        with m.If(moves):
            m.d.sync += word.eq(Mux(word == WORDS - 1, 0, word + 1))
