"""64b/66b transmitter and receiver."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.numbers import count
from dsnswitch.hdl.pcs.block_lock import BerMonitor, BlockLock
from dsnswitch.hdl.pcs.characters import KINDS, code_bit
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, COUNTER_BITS, ERRORS, FAULT, Classifier, block66, kinds_of, mii
from dsnswitch.hdl.pcs.pcs66.words import CHECKS, BlockFields, BlockTypes, GapCheck, WordEncoder, WordReader
from dsnswitch.hdl.pcs.scrambler import SumDescrambler, scramble
from dsnswitch.hdl.pcs.words import Sequencer, state_layout
from dsnswitch.hdl.stream.stage import stage


class Pcs66Tx(wiring.Component):
    """64b/66b transmitter: converts MII words to scrambled blocks. Latency 1 cycle, one block per cycle.

    A word that may not follow the word before it (Clause 49, Figure 49-16) is sent as eight errors.

    Members
    -------
    - i (In(stream of mii())): Words.
    - o (Out(stream of block66())): Scrambled blocks. The payload holds its value until it is accepted.
    """

    latency = 1

    i: In(stream.Signature(mii()))
    o: Out(stream.Signature(block66()))

    def elaborate(self, platform):
        m = Module()
        m.submodules.classifier = classifier = Classifier()
        m.submodules.sequencer = sequencer = Sequencer()
        m.submodules.encoder = encoder = WordEncoder()
        state = Signal(state_layout(), init={"idle": 1})
        m.d.comb += [
            classifier.word.eq(self.i.payload),
            sequencer.kinds[0].eq(kinds_of(m, classifier.types, "kinds")),
            sequencer.previous.eq(state),
            encoder.word.eq(self.i.payload),
            encoder.types.eq(classifier.types & sequencer.good.replicate(len(classifier.types))),
        ]
        taken = stage(m, self.i, self.o)
        scrambled = scramble(m, taken, encoder.coded.payload)
        with m.If(taken):
            m.d.sync += [
                state.eq(sequencer.latest),
                self.o.payload.header.eq(encoder.coded.header),
                self.o.payload.payload.eq(scrambled),
            ]
        return m


#: Sums of plain bits that the receiver needs: each single bit, and the syndrome of the code in each lane.
MASKS = (*(1 << bit for bit in range(64)), *(check << code_bit(lane) for lane in range(8) for check in CHECKS))


class Pcs66Rx(wiring.Component):
    """64b/66b receiver: converts scrambled blocks to MII words. Latency 2 cycles at one block per cycle.

    A word leaves when the block after its own has arrived. A block becomes eight errors if it is invalid, or if it may not
    follow the block before it. The end of a frame also becomes eight errors if the next block is neither control nor the start
    of a frame (Clause 49, Figure 49-17). Without lock, or at a high bit error rate, every word is two local fault ordered sets.

    The critical path goes from a block to the end of a frame before it, which is an error unless the block is control or a
    start. The syndromes of the block's codes are therefore computed during descrambling, and the decision sets one flag per
    lane. A flag turns its lane into an error character in one gate after the output register.

    Parameters
    ----------
    window, limit : int
        Parameters of the BER monitor (:class:`BerMonitor`).
    settle : int
        Blocks in the pipeline before this component when ``slip`` is 1 (:class:`BlockLock`).

    Members
    -------
    - i (In(stream of block66())): Scrambled blocks.
    - o (Out(stream of mii())): Words.
    - locked, slip, high_ber (Out(1)): Block lock; the boundary must move by one bit; high bit error rate.
    - clear (In(1)): Sets the counters to 0.
    - invalid_headers, errored_blocks (Out(32)): Headers of two equal bits while locked; words that became errors.
      Each counts 2 cycles after the transfer: of the header at ``i``, of the word into the output register.
    """

    latency = 2

    def __init__(self, window=19531, limit=16, settle=0):
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
                "invalid_headers": Out(COUNTER_BITS),
                "errored_blocks": Out(COUNTER_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        taken = stage(m, self.i, self.o)
        m.submodules.block_fields = fields = BlockFields(checked=True)
        m.d.comb += [
            fields.coded.header.eq(self.i.payload.header),
            Cat(fields.coded.payload, fields.syndromes).eq(self._descramble(m, taken)),
        ]
        self._hand_on(m, taken, fields.coded.payload, fields.fields, self._test_headers(m))
        return m

    def _descramble(self, m, taken):
        m.submodules.descrambler = descrambler = SumDescrambler(64, MASKS)
        received = Signal.like(descrambler.previous)
        m.d.comb += [descrambler.scrambled.eq(self.i.payload.payload), descrambler.previous.eq(received)]
        with m.If(taken):
            m.d.sync += received.eq(descrambler.latest)
        return descrambler.sums

    def _test_headers(self, m):
        """Add lock and BER monitor. Returns whether blocks are good: locked, and no high bit error rate."""
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
        count(m, self, split=True, invalid_headers=invalid)
        return lock.locked & ~monitor.high

    def _hand_on(self, m, taken, payload, fields, good):
        """Pass the waiting block on when the next block is ``taken``. The arguments are that next block's."""
        m.submodules.block_types = block_types = BlockTypes()
        m.submodules.gap_check = gap = GapCheck()
        m.submodules.reader = reader = WordReader(flagged=True)
        m.submodules.sequencer = sequencer = Sequencer()
        waiting = Signal(data.StructLayout({"payload": 64, "named": len(ALL_TYPES), "kinds": len(KINDS), "good": 1}))
        state = Signal(state_layout(), init={"idle": 1})
        filled = Signal()
        moves = Signal()
        ends = Signal()
        wrong = Signal()
        # The upper codes of the next block arrive last.
        unfollowed = ~(gap.follows | gap.follows_with_upper & fields.codes[4:].all())
        m.d.comb += [
            block_types.fields.eq(fields),
            gap.fields.eq(fields),
            gap.good.eq(good),
            reader.payload.eq(waiting.payload),
            reader.named.eq(waiting.named),
            sequencer.kinds[0].eq(waiting.kinds),
            sequencer.previous.eq(state),
            moves.eq(taken & filled),
            ends.eq(waiting.good & sequencer.good & waiting.kinds[KINDS.index("T")]),
            wrong.eq(waiting.good & ~sequencer.good),
        ]
        with m.If(taken):
            m.d.sync += [
                filled.eq(1),
                waiting.payload.eq(payload),
                waiting.named.eq(Mux(good, fields.named, 0)),
                waiting.kinds.eq(kinds_of(m, block_types.types, "kinds")),
                waiting.good.eq(good),
                # There is no word to send when the first block arrives.
                self.o.valid.eq(filled),
            ]
            with m.If(filled):
                m.d.sync += [
                    state.idle.eq(sequencer.latest.idle & ~(ends & unfollowed) | ~waiting.good),
                    state.frame.eq(sequencer.latest.frame & waiting.good),
                ]
        errored = Signal()
        m.d.sync += errored.eq(moves & wrong | moves & ends & unfollowed)
        count(m, self, split=True, errored_blocks=errored)
        self._show(m, reader, waiting.good, wrong, ends, unfollowed)

    def _show(self, m, reader, good, wrong, ends, unfollowed):
        """Output register, and one flag per lane that makes it an error character. Both may change while no word is valid."""
        ready = Signal()
        spoils = Signal()
        shown = Signal(mii())
        errors = Signal(8)
        m.d.comb += [ready.eq(self.o.ready | ~self.o.valid), spoils.eq(ready & ends & unfollowed)]
        with m.If(ready):
            m.d.sync += [
                # A block that is not good has no type, so the reader's octets are 0 and all its lanes are control.
                shown.data.eq(reader.word.data | Mux(good, 0, FAULT[0])),
                shown.control.eq(reader.word.control & Mux(good, 0xFF, FAULT[1])),
            ]
        for lane in range(8):
            m.d.sync += errors[lane].eq(Mux(ready, wrong | reader.errors[lane], errors[lane]) | spoils)
            octet, error = shown.data.word_select(lane, 8), errors[lane].replicate(8)
            wanted = ERRORS[0] >> 8 * lane & 0xFF
            m.d.comb += self.o.payload.data.word_select(lane, 8).eq((octet & (~error | wanted)) | (error & wanted))
        m.d.comb += self.o.payload.control.eq(shown.control | errors)
