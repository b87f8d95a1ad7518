"""FEC layer of the strict format: 20 blocks of 257 bits in a codeword of RS(528,514)."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.fec.reed_solomon.decoder import RsDecoder, SymbolErrorMonitor
from dsnswitch.hdl.fec.reed_solomon.encoder import RsEncoder
from dsnswitch.hdl.line.block_codec import BlockDecoder, BlockEncoder
from dsnswitch.hdl.line.codeword_lock import CodewordLock, Pacer
from dsnswitch.hdl.line.line_format import SENT_BLOCK, receiver_members, transmitter_members
from dsnswitch.hdl.line.rates import BEATS, BLOCK, BLOCKS, GROUP, STRICT_COUNTERS, decode_latency
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.pcs.layouts import COUNTER_BITS
from dsnswitch.hdl.pcs.pcs257 import received257_layout
from dsnswitch.hdl.stream.gearbox import Gearbox
from dsnswitch.hdl.stream.stage import Hold


def strict_pacer():
    """Pacer for a transmitter that ends with :class:`StrictEncode`."""
    return Pacer(BLOCK, BEATS.bits, BLOCKS, BEATS.count)


class StrictEncode(wiring.Component):
    """Encoder of the strict format: converts 20 blocks to a codeword of 33 words. Latency 2 cycles (gearbox, encoder).

    One word per cycle.

    Members
    -------
    - i: Blocks. Codewords are counted from reset.
    - o: Words of the line, 16 symbols of 10 bits; bit 0 is sent first. The last word has 2 data symbols and 14 parity
      symbols. The payload holds its value until it is accepted.
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
    """Decoder of the strict format: converts a codeword of 33 words to 20 blocks. One word per cycle; latency :attr:`latency`.

    The data path is: decoder, store-and-forward (33 cycles), gearbox (2 cycles). A codeword waits until its last word shows
    whether it was decodable. If it was not, all its blocks are marked. Clause 91 marks only some of the blocks, enough to
    invalidate every frame (from memory). :attr:`latency` holds with all straps 0.

    Parameters
    ----------
    unroll : int
        Steps of the decoder's key equation per cycle.
    settle : int
        Words in the pipeline before this component when ``slip`` is 1 (:class:`CodewordLock`).
    window, limit, keep : int
        Parameters of the symbol-error monitor: codewords per window; greatest number of wrong symbols of a window that does
        not set ``hi_ser``; windows for which ``hi_ser`` stays 1.
    managed : bool
        With straps, monitor and counters. Without them, ``ended_corrected`` and ``ended_uncorrectable`` exist.

    Members
    -------
    - i: Words of the line; bit 0 was sent first.
    - o: Blocks. ``fault``: there is no lock when the whole codeword has been decoded; with ``bypass_indication``, when it
      begins.
    - bypass_correction: Detect errors only: symbols pass as received, and a codeword with a wrong symbol is marked. The
      latency is the same.
    - bypass_indication: Codewords leave the decoder at once, without the 33 cycles of store-and-forward, and uncorrectable
      codewords are not marked. Instead, all codewords are marked while ``hi_ser`` is 1. May change at any time, but the line
      then waits until the stored codeword has left.
    - start, start_locked: Restart of the lock (:class:`CodewordLock`).
    - locked, stays, slip: Codewords begin at the expected positions; the lock was lost, and the old boundary is tested; the
      boundary must move by one bit.
    - hi_ser: High symbol error ratio. The monitor counts only while locked, and its windows pause without lock.
    - clear: Sets the counters to 0.
    - codewords, corrected, uncorrectable, symbol_errors, corrected_bits_0 .. 3: Counters of the decoder, with and without
      lock. Lane i has the symbols 4 j + i of a codeword.
    - ended_corrected, ended_uncorrectable: A codeword has left the decoder, and symbols of it were corrected, or it was
      uncorrectable.
    """

    def __init__(self, unroll=1, settle=0, window=8192, limit=417, keep=160, managed=True):
        self._managed = managed
        self._decoder = RsDecoder(BEATS.code, BEATS.width, unroll, lanes=4, counter_width=COUNTER_BITS, counted=managed)
        self._monitor = SymbolErrorMonitor(BEATS.code.t, window, limit, keep) if managed else None
        self._lock, self._gearbox = CodewordLock(settle), Gearbox(BEATS.bits, BLOCK, GROUP)
        self._hold = Hold(BEATS.bits, BEATS.count)
        self.latency = decode_latency(unroll)
        straps = ("bypass_correction", "bypass_indication") if managed else ()
        flags = ("hi_ser",) if managed else ("ended_corrected", "ended_uncorrectable")
        super().__init__(
            {
                "i": In(stream.Signature(BEATS.bits)),
                "o": Out(stream.Signature(received257_layout())),
                **{name: In(1) for name in (*straps, "start", "start_locked")},
                **{name: Out(1) for name in ("locked", "stays", "slip", *flags)},
                **({"clear": In(1)} if managed else {}),
                **{name: Out(COUNTER_BITS) for name in (STRICT_COUNTERS if managed else ())},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = self._decoder
        connect(m, flipped(self.i), decoder.i)
        moves, done = self._watch(m, decoder)
        if self._managed:
            connect_ports(m, self, decoder, ("bypass_correction", "clear"))
            connect_ports(m, decoder, self, STRICT_COUNTERS)
            self._monitor_errors(m, decoder, done)
            direct = self._choose_way(m, decoder, moves, done)
        else:
            direct = Const(0, 1)
            self._store(m, decoder, done)
        self._mark(m, decoder, direct, done)
        return m

    def _watch(self, m, decoder):
        """Connect the lock. Returns whether a decoded word leaves the decoder, and whether it ends a codeword."""
        m.submodules.lock = lock = self._lock
        goes, begins = _counted(m, decoder.i, "into")
        moves = Signal()
        done = Signal()
        m.d.comb += [
            moves.eq(decoder.o.valid & decoder.o.ready),
            done.eq(moves & decoder.o.payload.last),
            lock.goes.eq(goes),
            lock.begins.eq(begins),
            lock.done.eq(done),
            lock.clean.eq(~decoder.o.payload.uncorrectable),
            lock.bad.eq(decoder.o.payload.uncorrectable),
            lock.start.eq(self.start),
            lock.start_locked.eq(self.start_locked),
            self.locked.eq(lock.locked),
            self.stays.eq(lock.stays),
            self.slip.eq(lock.slip),
        ]
        return moves, done

    def _monitor_errors(self, m, decoder, done):
        """Connect the monitor."""
        m.submodules.monitor = monitor = self._monitor
        m.d.comb += [
            monitor.done.eq(done & self._lock.locked),
            monitor.errors.eq(decoder.o.payload.errors),
            monitor.uncorrectable.eq(decoder.o.payload.uncorrectable),
            self.hi_ser.eq(monitor.hi_ser),
        ]

    def _store(self, m, decoder, done):
        """Connect the decoder to the gearbox through the store, and report the results of codewords."""
        m.submodules.hold = hold = self._hold
        m.submodules.gearbox = gearbox = self._gearbox
        connect(m, hold.o, gearbox.i)
        m.d.comb += [
            hold.i.payload.eq(decoder.o.payload.symbols),
            hold.i.valid.eq(decoder.o.valid),
            decoder.o.ready.eq(hold.i.ready),
            self.ended_corrected.eq(done & decoder.o.payload.errors.any()),
            self.ended_uncorrectable.eq(done & decoder.o.payload.uncorrectable),
        ]

    def _choose_way(self, m, decoder, moves, done):
        """Connect the decoder to the gearbox, through the store or directly. Returns whether directly.

        The path changes only between codewords.
        """
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
        """Add the result of a codeword to its blocks."""
        gearbox = self._gearbox
        _, begins = _counted(m, gearbox.i, "out_of")
        # Result of the last decoded codeword. Its first word enters the gearbox before the next codeword is complete.
        verdict = Signal()
        bad = Signal()
        fault = Signal()
        with m.If(done):
            m.d.sync += verdict.eq(decoder.o.payload.uncorrectable)
        # The gearbox never holds words of two codewords at once.
        marks = Mux(direct, self._monitor.hi_ser, verdict) if self._managed else verdict
        with m.If(begins):
            m.d.sync += [bad.eq(marks), fault.eq(~self._lock.locked)]
        m.d.comb += [
            self.o.payload.block.eq(gearbox.o.payload),
            self.o.payload.bad.eq(bad),
            self.o.payload.fault.eq(fault),
            self.o.valid.eq(gearbox.o.valid),
            gearbox.o.ready.eq(self.o.ready),
        ]


def _counted(m, port, name):
    """Whether a word is accepted at ``port``, and whether it is the first of a codeword."""
    moves = Signal(name=f"{name}_moves")
    begins = Signal(name=f"{name}_begins")
    place = Signal(range(BEATS.count), name=f"{name}_place")
    m.d.comb += [moves.eq(port.valid & port.ready), begins.eq(moves & ~place.any())]
    with m.If(moves):
        m.d.sync += place.eq(Mux(place == BEATS.count - 1, 0, place + 1))
    return moves, begins


class StrictLineTx(wiring.Component):
    """Sends 20 blocks in 33 words of 160 bits. Latency 3 cycles (block, gearbox, code) to the word with the first bit.

    It takes blocks at the pace of the line (:class:`Pacer`), so that none waits. Members: :func:`transmitter_members`.
    """

    latency = 3

    def __init__(self):
        super().__init__(transmitter_members(BEATS.bits))

    def elaborate(self, platform):
        m = Module()
        m.submodules.encoder = encoder = BlockEncoder()
        m.submodules.fec = fec = StrictEncode()
        m.submodules.pacer = pacer = strict_pacer()
        connect_ports(m, self, encoder, SENT_BLOCK)
        connect_ports(m, encoder, self, ("taken",))
        wiring.connect(m, encoder.o, fec.i)
        wiring.connect(m, fec.o, wiring.flipped(self.o))
        m.d.comb += [
            pacer.go.eq(self.o.ready | ~self.o.valid),
            encoder.due.eq(pacer.go & pacer.due),
            pacer.accepted.eq(encoder.taken),
        ]
        return m


class StrictLineRx(wiring.Component):
    """Receives blocks from words of 160 bits. One word per cycle; the code takes 86 cycles from a codeword to its first block.

    A codeword is stored until its last symbol shows whether it could be corrected. If not, all its blocks are bad. The lock is
    codeword lock. Members: :func:`receiver_members`.

    Parameters
    ----------
    settle : int
        Words in the pipeline between the unit that moves the boundary on ``slip`` and this component.
    """

    def __init__(self, settle=0):
        self._fec = StrictDecode(settle=settle, managed=False)
        super().__init__(receiver_members(BEATS.bits))

    @property
    def may_be_noise(self):
        """The same as that of a light line: no, because noise is not taken for a codeword."""
        return Const(0, 1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.fec = fec = self._fec
        m.submodules.decoder = decoder = BlockDecoder()
        wiring.connect(m, wiring.flipped(self.i), fec.i)
        connect_ports(m, decoder, self, ("is_data", "no_start", "plain"))
        connect_ports(m, fec, self, ("locked", "slip"))
        came = fec.o.payload
        m.d.comb += [
            fec.o.ready.eq(1),
            decoder.valid.eq(fec.o.valid),
            decoder.coded.eq(came.block),
            self.valid.eq(fec.o.valid),
            self.bad.eq(came.bad | came.fault),
            self.corrected.eq(fec.ended_corrected & fec.locked),
            self.uncorrectable.eq(fec.ended_uncorrectable & fec.locked),
        ]
        return m
