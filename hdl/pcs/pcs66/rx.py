"""64b/66b receiver."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, flipped

from ...logic import count, stage
from ..ber_monitor import BerMonitor
from ..block_lock import BlockLock
from ..block_types import KINDS, code_bit
from ..sequencer import Sequencer, state_layout
from ..sum_descrambler import SumDescrambler
from ..words import ALL_TYPES, ERRORS, FAULT, block66, kinds_of, mii
from .block_fields import BlockFields, BlockTypes, GapCheck, fields66
from .code_check import CHECKS
from .word_reader import WordReader

__all__ = ["STAGES", "Pcs66Rx"]

#: Numbers of register stages that the receiver can have.
STAGES = (2, 3)

#: Sums of plain bits that the receiver needs: each bit, and the syndromes of the codes in all lanes.
_MASKS = (*(1 << bit for bit in range(64)), *(check << code_bit(lane) for lane in range(8) for check in CHECKS))


def _decoded():
    """Layout of a block with its fields; what :class:`GapCheck` gives; and ``good``: lock, and no high error rate."""
    return data.StructLayout({"payload": 64, "fields": fields66(), "always": 1, "with_upper": 1, "good": 1})


class Pcs66Rx(wiring.Component):
    """Scrambled blocks to words. One block a cycle; latency ``stages`` cycles.

    A block is handed on when the next one has come, as its type decides on the end of a frame.

    A block that is invalid, or may not follow the one before it, or ends a frame and is followed by neither control nor
    the start of a frame (Clause 49, Figure 49-17), becomes eight errors. Without lock, or at a high bit error rate, every
    word is two local fault ordered sets.

    Parameters
    ----------
    window, limit : int
        Of the BER monitor (:class:`~..ber_monitor.BerMonitor`).
    settle : int
        Blocks that are on their way when ``slip`` is seen (:class:`~..block_lock.BlockLock`).
    stages : int
        2, or 3 for a faster clock: fields of a block are decoded in a cycle of their own.
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
        Headers of two equal bits while locked; words that became errors. Each follows its event by 2 cycles.
    """

    def __init__(self, window=19531, limit=16, settle=0, stages=2, counter_width=32):
        if stages not in STAGES:
            raise ValueError(f"Stages of a 64b/66b receiver must be one of {STAGES}, not {stages!r}")
        self.latency = stages
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
        decoded = Signal(_decoded())
        if self.latency == 2:
            taken = stage(m, self.i, self.o)
            m.d.comb += decoded.eq(self._decode(m, taken))
        else:
            first = stream.Signature(_decoded()).create()
            taken = stage(m, self.i, first)
            with m.If(taken):
                m.d.sync += first.payload.eq(self._decode(m, taken))
            m.d.comb += decoded.eq(first.payload)
            taken = stage(m, flipped(first), self.o)
        self._hand_on(m, taken, decoded)
        return m

    def _decode(self, m, taken):
        """The block that comes in, of layout :func:`_decoded`."""
        m.submodules.descrambler = descrambler = SumDescrambler(64, _MASKS)
        m.submodules.fields = fields = BlockFields(checked=True)
        m.submodules.gap_check = gap = GapCheck()
        received = Signal.like(descrambler.previous)
        block, decoded = self.i.payload, Signal(_decoded(), name="fresh")
        with m.If(taken):
            m.d.sync += received.eq(descrambler.latest)
        m.d.comb += [
            descrambler.scrambled.eq(block.payload),
            descrambler.previous.eq(received),
            Cat(decoded.payload, fields.syndromes).eq(descrambler.sums),
            fields.block.header.eq(block.header),
            fields.block.payload.eq(decoded.payload),
            decoded.fields.eq(fields.fields),
            decoded.good.eq(self._test_headers(m)),
            gap.fields.eq(fields.fields),
            gap.good.eq(decoded.good),
            decoded.always.eq(gap.always),
            decoded.with_upper.eq(gap.with_upper),
        ]
        return decoded

    def _test_headers(self, m):
        """Lock and BER monitor; whether blocks can be believed."""
        m.submodules.lock = lock = self._lock
        m.submodules.monitor = monitor = self._monitor
        arrives, valid = self.i.valid & self.i.ready, self.i.payload.header.xor()
        invalid = Signal()
        m.d.sync += invalid.eq(arrives & lock.locked & ~valid)
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
        count(m, self, invalid_headers=invalid)
        return lock.locked & ~monitor.high

    def _hand_on(self, m, taken, came):
        """The block that waits goes to the output where the next one, ``came``, is ``taken``."""
        m.submodules.block_types = block_types = BlockTypes()
        m.submodules.reader = reader = WordReader(flagged=True)
        m.submodules.sequencer = sequencer = Sequencer()
        waiting = Signal(data.StructLayout({"payload": 64, "named": len(ALL_TYPES), "kinds": len(KINDS), "good": 1}))
        filled, moves, ready, wrong, ends, errored = Signal(), Signal(), Signal(), Signal(), Signal(), Signal()
        state = Signal(state_layout(), init={"idle": 1})
        shown = Signal(mii())
        errors = Signal(8)
        unfollowed = ~(came.always | came.with_upper & came.fields.codes[4:].all())
        m.d.comb += [
            block_types.fields.eq(came.fields),
            reader.payload.eq(waiting.payload),
            reader.named.eq(waiting.named),
            sequencer.kinds[0].eq(waiting.kinds),
            sequencer.previous.eq(state),
            ready.eq(self.o.ready | ~self.o.valid),
            moves.eq(taken & filled),
            wrong.eq(waiting.good & ~sequencer.good),
            ends.eq(waiting.good & sequencer.good & waiting.kinds[KINDS.index("T")]),
        ]
        killed = Signal()
        m.d.comb += killed.eq(ready & ends & unfollowed)
        with m.If(taken):
            m.d.sync += [
                filled.eq(1),
                waiting.payload.eq(came.payload),
                waiting.named.eq(Mux(came.good, came.fields.named, 0)),
                waiting.kinds.eq(kinds_of(m, block_types.types, "kinds")),
                waiting.good.eq(came.good),
                # The first block has none before it.
                self.o.valid.eq(filled),
            ]
            with m.If(filled):
                m.d.sync += [
                    state.idle.eq(sequencer.latest.idle & ~(ends & unfollowed) | ~waiting.good),
                    state.frame.eq(sequencer.latest.frame & waiting.good),
                ]
        m.d.sync += errored.eq(moves & wrong | moves & ends & unfollowed)
        count(m, self, errored_blocks=errored)
        with m.If(ready):
            m.d.sync += [
                # A block that is not good is of no type: a word of no octets and eight control characters.
                shown.data.eq(reader.word.data | Mux(waiting.good, 0, FAULT[0])),
                shown.control.eq(reader.word.control & Mux(waiting.good, 0xFF, FAULT[1])),
            ]
        for lane in range(8):
            m.d.sync += errors[lane].eq(Mux(ready, wrong | reader.errors[lane], errors[lane]) | killed)
            octet, error = shown.data.word_select(lane, 8), errors[lane].replicate(8)
            m.d.comb += self.o.payload.data.word_select(lane, 8).eq((octet & (~error | 0xFE)) | (error & 0xFE))
        m.d.comb += self.o.payload.control.eq(shown.control | errors)
