"""Blocks of 257 bits in codewords of RS(528,514), and back."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...fec.reed_solomon import NAMED, Beats, DecoderPlan, RsDecoder, RsEncoder, SymbolErrorMonitor, counters
from ...logic import connect_ports
from ...pcs.pcs257.words import received257_layout
from ...stream.gearbox import Gearbox
from ...stream.hold import Hold
from ..codeword_lock import CodewordLock
from ..pacer import Pacer

__all__ = [
    "BEATS",
    "BLOCK",
    "BLOCKS",
    "GROUP",
    "STRICT_COUNTERS",
    "StrictDecode",
    "StrictEncode",
    "decode_latency",
    "strict_pacer",
]

#: The code, and a word of the line: 16 symbols.
BEATS = Beats(NAMED["rs-528-514"], 16)

#: Bits of a block of 256b/257b, and those of a codeword that are data; 20 blocks.
BLOCK, GROUP = 257, BEATS.code.k * BEATS.code.field.m
BLOCKS = GROUP // BLOCK

#: Counters of the decoder.
STRICT_COUNTERS = counters(4)


def decode_latency(unroll=1, direct=False):
    """Cycles from the first word of a codeword to its first block: decoder, hold (not if ``direct``), gearbox."""
    return DecoderPlan(BEATS, unroll).latency + (0 if direct else BEATS.count) + -(-BLOCK // BEATS.bits)


def strict_pacer():
    """The pacer of a transmitter that ends in :class:`StrictEncode`."""
    return Pacer(BLOCK, BEATS.bits, BLOCKS, BEATS.count)


class StrictEncode(wiring.Component):
    """20 blocks to 33 words of a codeword. Latency 2 cycles (gearbox, encoder), one word a cycle.

    Members
    -------
    i : In(stream of 257 bits)
        Codewords are counted from reset.
    o : Out(stream of 160 bits)
        Bit 0 is sent first: 16 symbols of 10 bits. The last word has 2 of data and 14 of parity. Holds while it is not taken.
    """

    latency = 2

    i: In(stream.Signature(BLOCK))
    o: Out(stream.Signature(BEATS.bits))

    def elaborate(self, platform):
        m = Module()
        m.submodules.gearbox = gearbox = Gearbox(BLOCK, BEATS.bits, GROUP)
        m.submodules.encoder = encoder = RsEncoder(BEATS.code, BEATS.width)
        connect(m, flipped(self.i), gearbox.i)
        connect(m, gearbox.o, encoder.i)
        connect(m, encoder.o, flipped(self.o))
        return m


class StrictDecode(wiring.Component):
    """33 words of a codeword to 20 blocks. One word a cycle; :attr:`latency` with all straps 0.

    A codeword is held until its last word tells whether it could be decoded, then its blocks go on, all marked if not. Clause
    91 marks some of them, which is enough to lose every frame (from memory). The way is: decoder, hold (33 cycles), gearbox (2).

    Parameters
    ----------
    unroll : int
        Steps of the decoder's key equation in a cycle.
    settle : int
        Words on their way when ``slip`` is seen (:class:`~.codeword_lock.CodewordLock`).
    window, limit, keep : int
        Of the symbol-error monitor: codewords of a window, wrong symbols of one that are still well, windows that it stays.
    counter_width : int
        Bits of the counters, which stay at their greatest value.

    Members
    -------
    i : In(stream of 160 bits)
    o : Out(stream of received257_layout())
        ``fault`` is that the lock is not there, or lost, when the codeword is through; without indication, when it begins.
    bypass_correction : In(1)
        Detect only: symbols pass as they came, and a codeword with any wrong one is marked. Same latency.
    bypass_indication : In(1)
        A codeword leaves the decoder at once, without the 33 cycles of the hold, and none is marked for being uncorrectable.
        Instead all are while ``hi_ser`` is 1. May change at any time, but the line has to wait for what is held.
    start, start_locked : In(1)
        Of the lock.
    locked, slip : Out(1)
        Codewords begin where they are looked for; look one bit later.
    hi_ser : Out(1)
        Too many wrong symbols. Only codewords with lock count, and only they make the windows: it stands still without lock.
    clear : In(1)
        Sets the counters to 0.
    codewords, corrected, uncorrectable, symbol_errors, corrected_bits_0 .. 3 : Out(counter_width)
        Of the decoder, locked or not. Lane i has the symbols 4 j + i of a codeword.
    """

    def __init__(self, unroll=1, settle=0, window=8192, limit=417, keep=160, counter_width=32):
        self._decoder = RsDecoder(BEATS.code, BEATS.width, unroll, lanes=4, counter_width=counter_width)
        self._monitor = SymbolErrorMonitor(BEATS.code.t, window, limit, keep)
        self._lock, self._gearbox = CodewordLock(settle), Gearbox(BEATS.bits, BLOCK, GROUP)
        self._hold = Hold(BEATS.bits, BEATS.count)
        self.latency = decode_latency(unroll)
        straps = ("bypass_correction", "bypass_indication", "start", "start_locked")
        super().__init__(
            {
                "i": In(stream.Signature(BEATS.bits)),
                "o": Out(stream.Signature(received257_layout())),
                **{name: In(1) for name in straps},
                "locked": Out(1),
                "slip": Out(1),
                "hi_ser": Out(1),
                "clear": In(1),
                **{name: Out(counter_width) for name in STRICT_COUNTERS},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = self._decoder
        connect(m, flipped(self.i), decoder.i)
        connect_ports(m, self, decoder, ("bypass_correction", "clear"))
        connect_ports(m, decoder, self, STRICT_COUNTERS)
        moves, done = self._watch(m, decoder)
        direct = self._choose_way(m, decoder, moves, done)
        self._mark(m, decoder, direct, done)
        return m

    def _watch(self, m, decoder):
        """Lock and monitor; whether a decoded word moves, and ends a codeword."""
        m.submodules.lock = lock = self._lock
        m.submodules.monitor = monitor = self._monitor
        goes, begins = _counted(m, decoder.i, "into")
        moves = Signal()
        done = Signal()
        m.d.comb += [
            moves.eq(decoder.o.valid & decoder.o.ready),
            done.eq(moves & decoder.o.payload.last),
            lock.goes.eq(goes),
            lock.begins.eq(begins),
            lock.done.eq(done),
            lock.decodable.eq(~decoder.o.payload.uncorrectable),
            lock.start.eq(self.start),
            lock.start_locked.eq(self.start_locked),
            self.locked.eq(lock.locked),
            self.slip.eq(lock.slip),
            monitor.done.eq(done & lock.locked),
            monitor.errors.eq(decoder.o.payload.errors),
            monitor.uncorrectable.eq(decoder.o.payload.uncorrectable),
            self.hi_ser.eq(monitor.hi_ser),
        ]
        return moves, done

    def _choose_way(self, m, decoder, moves, done):
        """From the decoder to the gearbox, through the hold or not; whether not. Changes between codewords."""
        m.submodules.hold = hold = self._hold
        m.submodules.gearbox = gearbox = self._gearbox
        direct = Signal()
        has_begun = Signal()
        changes = Signal()
        with m.If(moves):
            m.d.sync += has_begun.eq(~done)
        m.d.comb += [
            changes.eq(~has_begun & (direct != self.bypass_indication)),
            hold.i.payload.eq(decoder.o.payload.symbols),
            hold.i.valid.eq(decoder.o.valid & ~direct & ~changes),
            decoder.o.ready.eq(~changes & Mux(direct, gearbox.i.ready, hold.i.ready)),
            gearbox.i.payload.eq(Mux(direct, decoder.o.payload.symbols, hold.o.payload)),
            gearbox.i.valid.eq(Mux(direct, decoder.o.valid & ~changes, hold.o.valid)),
            hold.o.ready.eq(gearbox.i.ready & ~direct),
        ]
        with m.If(changes & hold.empty):
            m.d.sync += direct.eq(self.bypass_indication)
        return direct

    def _mark(self, m, decoder, direct, done):
        """What is known of a codeword goes with its blocks."""
        gearbox = self._gearbox
        _, begins = _counted(m, gearbox.i, "out_of")
        # Of the codeword that was decoded last: the hold gives it away before the next one is whole.
        verdict = Signal()
        bad = Signal()
        fault = Signal()
        with m.If(done):
            m.d.sync += verdict.eq(decoder.o.payload.uncorrectable)
        # No word of a codeword is in the gearbox with one of the next.
        with m.If(begins):
            m.d.sync += [bad.eq(Mux(direct, self._monitor.hi_ser, verdict)), fault.eq(~self._lock.locked)]
        m.d.comb += [
            self.o.payload.block.eq(gearbox.o.payload),
            self.o.payload.bad.eq(bad),
            self.o.payload.fault.eq(fault),
            self.o.valid.eq(gearbox.o.valid),
            gearbox.o.ready.eq(self.o.ready),
        ]


def _counted(m, port, name):
    """Whether a word moves into ``port``, and is the first of a codeword."""
    moves = Signal(name=f"{name}_moves")
    begins = Signal(name=f"{name}_begins")
    place = Signal(range(BEATS.count), name=f"{name}_place")
    m.d.comb += [moves.eq(port.valid & port.ready), begins.eq(moves & ~place.any())]
    with m.If(moves):
        m.d.sync += place.eq(Mux(place == BEATS.count - 1, 0, place + 1))
    return moves, begins
