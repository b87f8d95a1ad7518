"""Reed-Solomon decoder: one beat of W symbols per cycle, codewords without gaps between them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.arithmetic import Quotient
from dsnswitch.hdl.fec.reed_solomon.code import Beats, DecoderPlan, ReedSolomonCode, counters
from dsnswitch.hdl.fec.reed_solomon.decoding_steps import Evaluation, KeyEquation, Syndromes
from dsnswitch.hdl.logic.numbers import count, ones, total_of
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.stream.stage import DelayMemory, choose, turn
from dsnswitch.net.checks import Parameter

#: Numbers that are added per pipeline stage of the counters.
AT_ONCE = 4


class Statistics(wiring.Component):
    """Counts codewords, corrected symbols, and the corrected bits of each lane.

    The counters follow their inputs after up to 5 cycles. The tree that sums a lane's symbols of a beat adds
    :data:`AT_ONCE` numbers per stage; each stage after the first adds a cycle.

    Parameters
    ----------
    lanes : int
        Number of lanes, which divides W, the symbols per beat. Symbol i of a codeword is in lane ``i % lanes``.
    counter_width : int
        Bits of the counters, which saturate.

    Members
    -------
    - valid: The inputs are a beat.
    - pattern (In(W * m)): Corrections of the beat: 1 for every bit that was changed.
    - last: The beat is the last of its codeword; only with ``valid``.
    - bad: The codeword is uncorrectable, and its corrections are not counted; read with ``last``.
    - errors (In(range(t + 1))): Number of corrected symbols of the codeword; read with ``last``.
    - clear: Sets the counters to 0.
    - codewords, corrected, uncorrectable, symbol_errors (Out(counter_width)): Codewords; codewords with corrected symbols;
      uncorrectable codewords; corrected symbols.
    - corrected_bits_0, corrected_bits_1, .. (Out(counter_width)): Corrected bits of each lane.
    """

    def __init__(self, beats: Beats, lanes, counter_width=32):
        self._beats, self._lanes = beats, lanes
        super().__init__(
            {
                "valid": In(1),
                "pattern": In(beats.bits),
                "last": In(1),
                "bad": In(1),
                "errors": In(range(beats.code.t + 1)),
                "clear": In(1),
                **{name: Out(counter_width) for name in counters(lanes)},
            }
        )

    def elaborate(self, platform):
        m = Module()
        beats, code = self._beats, self._beats.code
        size, most = code.field.m, code.t * code.field.m
        ended = Signal()
        m.d.comb += ended.eq(self.valid & self.last)
        amounts, pending = {}, [[] for _ in range(self._lanes)]
        for symbol in range(beats.width):
            weight = Signal(range(size + 1), name=f"weight_{symbol}", reset_less=True)
            m.d.sync += weight.eq(ones(self.pattern.word_select(symbol, size)))
            pending[symbol % self._lanes].append(weight)
        cycles = 1
        while cycles == 1 or len(pending[0]) > 1:
            for lane, numbers in enumerate(pending):
                groups = [numbers[start : start + AT_ONCE] for start in range(0, len(numbers), AT_ONCE)]
                # A sum may overflow in an uncorrectable codeword, which is not counted.
                names = (f"bits_{lane}_{cycles}_{number}" for number in range(len(groups)))
                pending[lane] = [Signal(range(most + 1), name=name, reset_less=True) for name in names]
                m.d.sync += [total.eq(total_of(group)) for total, group in zip(pending[lane], groups)]
            cycles += 1
        flags = Cat(self.valid, self.last, self.bad)
        for depth in range(cycles):
            later = Signal(3, name=f"flags_{depth}")
            m.d.sync += later.eq(flags)
            flags = later
        valid, last, bad = flags
        for lane, (bits,) in enumerate(pending):
            total = Signal(range(most + 1), name=f"total_{lane}")
            amount = Signal(range(most + 1), name=f"amount_{lane}")
            summed = Signal(range(most + 1), name=f"summed_{lane}")
            m.d.comb += summed.eq(total + bits)
            with m.If(valid):
                m.d.sync += total.eq(Mux(last, 0, summed))
            m.d.sync += amount.eq(Mux(valid & last & ~bad, summed, 0))
            amounts[f"corrected_bits_{lane}"] = amount
        count(
            m,
            self,
            codewords=ended,
            corrected=ended & self.errors.any(),
            uncorrectable=ended & self.bad,
            symbol_errors=Mux(ended, self.errors, 0),
            **amounts,
        )
        return m


#: Symbols per group of roots that are counted before the register inside the division; the groups are added after it.
COUNTED = 16


def decoded_layout(beats: Beats):
    """Layout of a decoded beat: its symbols, and whether it is the last of its codeword.

    The last one also has the number of symbols that were corrected, and whether that was impossible; other beats have 0.
    """
    return data.StructLayout({"symbols": beats.bits, "last": 1, "errors": range(beats.code.t + 1), "uncorrectable": 1})


class RsDecoder(wiring.Component):
    """Reed-Solomon decoder: corrects up to t wrong symbols of a codeword. One beat per cycle, constant latency without stalls.

    The decoder computes the syndromes while a codeword arrives, then solves the key equation. Symbols leave, corrected,
    while the search for the roots of the locator goes on. Only the last beat therefore shows whether the codeword could be
    corrected: the number of roots must be the length of the locator, at most t. Up to t symbols of an uncorrectable
    codeword may have been changed by then. Received symbols wait in a memory, which synthesis maps to RAM.

    Parameters
    ----------
    width : int
        Symbols per beat, W.
    unroll : int
        Steps of the key equation per cycle. The decoder has as many solvers as codewords without gaps need.
    cuts : sequence of str
        Pipeline registers, out of :data:`CUTS`: between the sums of a beat and the syndromes; after the evaluations; inside
        the division. Each adds a cycle of latency.
    lanes, counter_width : int
        As those of :class:`Statistics`; ``lanes`` None for the greatest number up to 4.
    counted : bool
        With counters.

    Members
    -------
    - i (In(stream of W * m bits)): The first symbol of a beat is in its lowest bits. A codeword is ``ceil(n / W)`` beats,
      counted from reset. Symbols after symbol n - 1 are ignored.
    - o (Out(stream of decoded_layout())): All n symbols, with corrected parity, then 0. The payload holds its value until it
      is accepted.
    - bypass_correction: Symbols leave as received, and a codeword with any wrong symbol is uncorrectable (IEEE 802.3 Clause
      91, from memory). The latency is the same. Read once per codeword, so it may change at any time.
    - clear, codewords, corrected, ..: As those of :class:`Statistics`; only if ``counted``.
    """

    plan = Parameter("Code, width and schedule, as :class:`DecoderPlan`.")

    def __init__(
        self,
        code: ReedSolomonCode,
        width=16,
        unroll=1,
        cuts=("evaluation", "division"),
        lanes=None,
        counter_width=32,
        counted=True,
    ):
        self._counted = counted
        self._plan = DecoderPlan(Beats(code, width), unroll, tuple(cuts), lanes)
        beats = self._plan.beats
        super().__init__(
            {
                "i": In(stream.Signature(beats.bits)),
                "o": Out(stream.Signature(decoded_layout(beats))),
                "bypass_correction": In(1),
                **({"clear": In(1)} if counted else {}),
                **{name: Out(counter_width) for name in (counters(self._plan.lanes) if counted else ())},
            }
        )

    @property
    def latency(self):
        """Cycles from the first symbol to the first corrected one."""
        return self._plan.latency

    def elaborate(self, platform):
        m = Module()
        plan = self._plan
        m.submodules.delay = memory = DelayMemory(plan.beats.bits, plan.depth)
        solvers = [KeyEquation(plan.beats.code, plan.unroll) for _ in range(plan.solvers)]
        self._receive(m, memory, solvers)
        solved = self._solved(m, solvers)
        go = Signal()
        m.d.comb += go.eq(self.o.ready | ~self.o.valid)
        self._correct(m, memory, solved, go)
        return m

    def _receive(self, m, memory, solvers):
        """Write beats to the memory, compute their syndromes and give these to the solvers in turn."""
        beats, size = self._plan.beats, self._plan.beats.code.field.m
        m.submodules.syndromes = syndromes = Syndromes(beats, "syndromes" in self._plan.cuts)
        beat = Signal(range(beats.count), name="beat_in")
        last = Signal(name="last_in")
        taken = Signal()
        solver = turn(m, taken & last, len(solvers), "solver")
        ready = choose([one.ready for one in solvers], solver)
        kept = Cat(self.i.payload[: beats.bits - beats.pad * size], Const(0, beats.pad * size))
        symbols = Signal(beats.bits)
        m.d.comb += [
            last.eq(beat == beats.count - 1),
            self.i.ready.eq(~memory.full & (ready | ~last)),
            taken.eq(self.i.valid & self.i.ready),
            symbols.eq(Mux(last, kept, self.i.payload)),
            memory.i.eq(symbols),
            memory.write.eq(taken),
            syndromes.beat.eq(symbols),
            syndromes.enable.eq(taken),
            syndromes.first.eq(~beat.any()),
            syndromes.last.eq(last),
        ]
        with m.If(taken):
            m.d.sync += beat.eq(Mux(last, 0, beat + 1))
        starting = turn(m, syndromes.done, len(solvers), "starting")
        for number, one in enumerate(solvers):
            m.submodules[f"key_equation_{number}"] = one
            m.d.comb += [one.syndromes.eq(syndromes.value), one.start.eq(syndromes.done & (starting == number))]

    def _solved(self, m, solvers):
        """The results of the solvers in turn, by name. The caller drives ``take``."""
        take = Signal(name="take_solution")
        solver = turn(m, take, len(solvers), "solved")
        for number, one in enumerate(solvers):
            m.d.comb += one.take.eq(take & (solver == number))
        names = ("done", "locator", "evaluator", "length", "failed")
        return {"take": take} | {name: choose([getattr(one, name) for one in solvers], solver) for name in names}

    def _correct(self, m, memory, solved, go):
        """Search for roots, divide, and send corrected beats. All registers advance in a cycle with ``go``."""
        beats, code = self._plan.beats, self._plan.beats.code
        size, width = code.field.m, beats.width
        m.submodules.evaluation = evaluation = Evaluation(beats, "evaluation" in self._plan.cuts)
        beat = Signal(range(beats.count), name="beat_out")
        searching = Signal()
        last = Signal(name="last_out")
        solution = data.StructLayout({"length": range(code.t + 1), "failed": 1, "bypass": 1})
        codeword = Signal(solution)
        load = solved["take"]
        m.d.comb += [
            last.eq(beat == beats.count - 1),
            load.eq(solved["done"] & (~searching | go & last)),
            evaluation.locator.eq(solved["locator"]),
            evaluation.evaluator.eq(solved["evaluator"]),
            evaluation.load.eq(load),
            evaluation.enable.eq(go),
        ]
        with m.If(load):
            m.d.sync += [
                searching.eq(1),
                beat.eq(0),
                codeword.length.eq(solved["length"]),
                codeword.failed.eq(solved["failed"]),
                codeword.bypass.eq(self.bypass_correction),
            ]
        with m.Elif(go & searching):
            m.d.sync += [beat.eq(beat + 1), searching.eq(~last)]

        # Side information of a beat, which passes through the same registers as its symbols.
        info = data.StructLayout({"valid": 1, "first": 1, "last": 1, "codeword": solution})
        here = Signal(info)
        m.d.comb += [here.valid.eq(searching), here.first.eq(~beat.any()), here.last.eq(last), here.codeword.eq(codeword)]
        read = load | go & searching & ~last
        if "evaluation" in self._plan.cuts:
            read, here = go & here.valid, _next(m, go, here, "evaluated")
        sent = Cat(Const(1, 1).replicate(width - beats.pad), (~here.last).replicate(beats.pad))
        roots = Signal(width)
        m.d.comb += roots.eq(evaluation.roots & sent)
        counts = []
        for start in range(0, width, COUNTED):
            # A count above t overflows, but occurs only where the key equation has failed.
            count = Signal(range(code.t + 1), name=f"found_{start}")
            m.d.comb += count.eq(ones(roots[start : start + COUNTED]))
            counts.append(count)
        if "division" in self._plan.cuts:
            read, here = go & here.valid, _next(m, go, here, "divided")
            roots = _next(m, go, roots, "at_roots")
            counts = [_next(m, go, value, f"roots_{group}") for group, value in enumerate(counts)]
        m.d.comb += memory.read.eq(read)

        pattern = []
        for symbol in range(width):
            quotient = Quotient(code.field, "division" in self._plan.cuts)
            m.submodules[f"quotient_{symbol}"] = quotient
            m.d.comb += [
                quotient.numerator.eq(evaluation.values.word_select(symbol, size)),
                quotient.denominator.eq(evaluation.slopes.word_select(symbol, size)),
            ]
            if "division" in self._plan.cuts:
                m.d.comb += quotient.enable.eq(go)
            corrects = roots[symbol] & ~here.codeword.failed & ~here.codeword.bypass
            pattern.append(quotient.o & corrects.replicate(size))
        self._send(m, memory, go, here, total_of(counts), Cat(pattern))

    def _send(self, m, memory, go, here, roots, pattern):
        """Send a beat with its corrections; with the last beat, the result of the codeword. ``roots`` is their number."""
        beats, codeword = self._plan.beats, here.codeword
        if self._counted:
            m.submodules.statistics = statistics = Statistics(beats, self._plan.lanes, len(self.codewords))
        so_far = Signal(range(beats.code.t + 1))
        total = Signal(range(beats.code.t + 1))
        bad = Signal()
        m.d.comb += [
            total.eq(Mux(here.first, 0, so_far) + roots),
            bad.eq(codeword.failed | Mux(codeword.bypass, codeword.length.any(), total != codeword.length)),
        ]
        # Without counters, these two registers have no reader.
        corrections = Signal(beats.bits, reset_less=True)
        counted = Signal()
        sent = self.o.payload
        errors = Mux(here.last & ~bad & ~codeword.bypass, codeword.length, 0)
        m.d.sync += counted.eq(go & here.valid)
        with m.If(go):
            m.d.sync += [
                so_far.eq(total),
                self.o.valid.eq(here.valid),
                sent.symbols.eq(memory.o ^ pattern),
                sent.last.eq(here.last),
                sent.errors.eq(errors),
                sent.uncorrectable.eq(here.last & bad),
                corrections.eq(pattern),
            ]
        if self._counted:
            m.d.comb += [
                statistics.valid.eq(counted),
                statistics.pattern.eq(corrections),
                statistics.last.eq(sent.last),
                statistics.bad.eq(sent.uncorrectable),
                statistics.errors.eq(sent.errors),
                statistics.clear.eq(self.clear),
            ]
            connect_ports(m, statistics, self, counters(self._plan.lanes))


def _next(m, go, value, name):
    """``value`` after a register that is enabled by ``go``."""
    held = Signal(value.shape(), name=name)
    with m.If(go):
        m.d.sync += held.eq(value)
    return held


class SymbolErrorMonitor(wiring.Component):
    """Counts wrong symbols in windows of codewords. Too many in one window set ``hi_ser`` for a number of windows.

    The defaults are those of IEEE 802.3 91.5.3.3 for RS(528,514), from memory: more than 417 symbols in 8,192 codewords set
    it, for 60 ms to 75 ms; 160 windows are 67 ms at 103.125 Gb/s. An uncorrectable codeword counts as t + 1 symbols.

    Members
    -------
    - done: A codeword ends in this cycle.
    - errors (In(range(t + 1))): Number of its wrong symbols; read with ``done``.
    - uncorrectable: The codeword is uncorrectable; read with ``done``.
    - hi_ser: High symbol error ratio: 1 from the cycle after the limit is exceeded.
    """

    t = Parameter("Symbols that the code corrects.")
    window = Parameter("Codewords per window; windows do not overlap.")
    limit = Parameter("Greatest number of wrong symbols of a window that does not set ``hi_ser``.")
    hold = Parameter("Windows for which ``hi_ser`` stays 1, counted from the end of the last bad one.")

    def __init__(self, t=7, window=8192, limit=417, hold=160):
        for name, value in (("window", window), ("limit", limit), ("hold", hold)):
            if value < 1:
                raise ValueError(f"Symbol-error monitor {name} must be at least 1, not {value}")
        self._t, self._window, self._limit, self._hold = t, window, limit, hold
        super().__init__({"done": In(1), "errors": In(range(t + 1)), "uncorrectable": In(1), "hi_ser": Out(1)})

    def elaborate(self, platform):
        m = Module()
        limit = self._limit
        seen = Signal(range(self._window))
        wrong = Signal(range(limit + 1))
        left = Signal(range(self._hold + 1))
        total = Signal(range(limit + self._t + 2))
        high = Signal()
        ending = Signal()
        m.d.comb += [
            total.eq(wrong + Mux(self.uncorrectable, self._t + 1, self.errors)),
            high.eq(total > limit),
            ending.eq(seen == self._window - 1),
        ]
        passed = Signal()
        with m.If(self.done):
            m.d.sync += [
                seen.eq(Mux(ending, 0, seen + 1)),
                passed.eq((passed | high) & ~ending),
                wrong.eq(Mux(ending, 0, Mux(high, limit, total))),
            ]
            with m.If(high | passed):
                m.d.sync += [left.eq(self._hold), self.hi_ser.eq(1)]
            with m.Elif(ending & self.hi_ser):
                m.d.sync += [left.eq(left - 1), self.hi_ser.eq(left != 1)]
        return m
