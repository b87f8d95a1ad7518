"""64b/66b receiver."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...logic import count, stage
from ..ber_monitor import BerMonitor
from ..block_lock import BlockLock
from ..block_types import KINDS
from ..scrambler import descramble
from ..sequencer import Sequencer, state_layout
from ..words import ALL_TYPES, ERRORS, FAULT, block66, kinds_of, mii
from .word_decoder import WordDecoder

__all__ = ["Pcs66Rx"]


class Pcs66Rx(wiring.Component):
    """Scrambled blocks to words. A block is handed on when the next one is there: 2 cycles later at one block a cycle.

    A block that is invalid, or may not follow the one before it, or ends a frame and is followed by neither control nor
    the start of a frame (Clause 49, Figure 49-17), becomes eight errors. Without lock, or at a high bit error rate, every
    word is two local fault ordered sets.

    Parameters
    ----------
    window, limit : int
        Of the BER monitor (:class:`~..ber_monitor.BerMonitor`).
    settle : int
        Blocks that are on their way when ``slip`` is seen (:class:`~..block_lock.BlockLock`).
    counter_width : int
        Bits of the counters, which stay at their greatest value.

    Members
    -------
    i : In(stream of block66())
    o : Out(stream of mii())
    locked, slip, high_ber : Out(1)
    clear : In(1)
        Sets the counters to 0.
    invalid_headers, errored_blocks : Out(counter_width)
        Headers of two equal bits while locked; words that became errors.
    """

    latency = 2

    def __init__(self, window=19531, limit=16, settle=0, counter_width=32):
        self._monitor = BerMonitor(window, limit)
        self._lock = BlockLock(settle)
        super().__init__(
            {
                "i": In(stream.Signature(block66())),
                "o": Out(stream.Signature(mii())),
                "locked": Out(1),
                "slip": Out(1),
                "high_ber": Out(1),
                "clear": In(1),
                "invalid_headers": Out(counter_width),
                "errored_blocks": Out(counter_width),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = WordDecoder()
        block = self.i.payload
        # The block that waits for the next one.
        waiting = Signal(data.StructLayout({"types": len(ALL_TYPES), "word": mii(), "good": 1}))
        filled = Signal()
        good = self._test_headers(m)

        m.submodules.sequencer = sequencer = Sequencer()
        state = Signal(state_layout(), init={"idle": 1})
        kinds = kinds_of(m, waiting.types, "kinds")
        following = kinds_of(m, decoder.types, "following")
        ends_frame = following[KINDS.index("C")] | following[KINDS.index("S")]
        m.d.comb += [
            sequencer.kinds[0].eq(kinds),
            sequencer.previous.eq(state),
        ]
        with m.If(~(ends_frame & good)):
            m.d.comb += sequencer.kinds[0][KINDS.index("T")].eq(0)

        taken = stage(m, self.i, self.o)
        plain = descramble(m, taken, block.payload)
        m.d.comb += [decoder.coded.header.eq(block.header), decoder.coded.payload.eq(plain)]
        with m.If(taken):
            m.d.sync += [
                filled.eq(1),
                waiting.types.eq(decoder.types),
                waiting.word.eq(decoder.word),
                waiting.good.eq(good),
                # The first block has none before it.
                self.o.valid.eq(filled),
            ]
            with m.If(filled):
                m.d.sync += state.eq(sequencer.latest)
                self._hand_on(m, waiting, sequencer.good)
                with m.If(~waiting.good):
                    m.d.sync += state.eq(state_layout().const({"idle": 1}))
        count(m, self, errored_blocks=taken & filled & waiting.good & ~sequencer.good)
        return m

    def _test_headers(self, m):
        """Lock and BER monitor; whether blocks can be believed."""
        m.submodules.lock = lock = self._lock
        m.submodules.monitor = monitor = self._monitor
        arrives, valid = self.i.valid & self.i.ready, self.i.payload.header.xor()
        m.d.comb += [
            lock.test.eq(arrives),
            lock.valid.eq(valid),
            monitor.test.eq(arrives),
            monitor.valid.eq(valid),
            monitor.locked.eq(lock.locked),
            self.locked.eq(lock.locked),
            self.slip.eq(lock.slip),
            self.high_ber.eq(monitor.high),
        ]
        count(m, self, invalid_headers=arrives & lock.locked & ~valid)
        return lock.locked & ~monitor.high

    def _hand_on(self, m, waiting, sequence_good):
        word = self.o.payload
        with m.If(waiting.good & sequence_good):
            m.d.sync += word.eq(waiting.word)
        with m.Else():
            m.d.sync += [
                word.data.eq(Mux(waiting.good, ERRORS[0], FAULT[0])),
                word.control.eq(Mux(waiting.good, ERRORS[1], FAULT[1])),
            ]
