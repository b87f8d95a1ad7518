"""Reed-Solomon decoder: a beat of W symbols a cycle, one codeword behind the other without a gap."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...arithmetic import Quotient
from ...logic import connect_ports, ones, total_of
from ...stream import DelayMemory, choose, turn
from .beats import Beats
from .evaluation import Evaluation
from .key_equation import KeyEquation
from .parameters import ReedSolomonCode
from .plan import DecoderPlan
from .statistics import Statistics, counters
from .syndrome_sums import Syndromes

__all__ = ["RsDecoder", "decoded_layout"]

#: Roots that are counted before the register inside the division; what is counted is added behind it.
COUNTED = 16


def decoded_layout(beats: Beats):
    """Layout of a decoded beat; ``last`` ends a codeword, and what follows is 0 but with it.

    ``errors``: symbols that were corrected. ``uncorrectable``: the codeword is not to be believed.
    """
    return data.StructLayout({"symbols": beats.bits, "last": 1, "errors": range(beats.code.t + 1), "uncorrectable": 1})


class RsDecoder(wiring.Component):
    """Corrects up to t wrong symbols of a codeword. One beat a cycle, a constant latency at full speed.

    Syndromes while a codeword comes, then the key equation, then the first symbols leave corrected, while the search goes
    on. So it is known only with the last beat whether the codeword could be corrected: there are as many roots in it as the
    locator's length, at most t. What corrections an uncorrectable codeword has got until then are wrong; they are t symbols
    at most. Received symbols wait in a memory, which tools make RAM of.

    Parameters
    ----------
    code : ReedSolomonCode
    width : int
        Symbols of a beat, W.
    unroll : int
        Steps of the key equation in a cycle. As many solvers are built as the beats need to come without a gap.
    cuts : sequence of str
        Registers, out of :data:`~.plan.CUTS`: between the sums of a beat and the syndromes; behind the evaluations; inside the
        division. Each adds a cycle.
    lanes : int or None
        Lanes to count corrected bits of, symbol i of a codeword being lane ``i % lanes``; divides W. None for the greatest up
        to 4.
    counter_width : int
        Bits of the counters, which stay at their greatest value.

    Members
    -------
    i : In(stream of W * m bits)
        The first symbol of a beat in its lowest bits. A codeword is ``ceil(n / W)`` beats, counted from reset. What comes
        behind symbol n - 1 is ignored.
    o : Out(stream of decoded_layout())
        All n symbols, parity corrected too; 0 behind them. Holds while it is not taken.
    bypass_correction : In(1)
        Symbols leave as they came, and a codeword with any wrong symbol is uncorrectable (IEEE 802.3 Clause 91, from
        memory). Same latency. Read once a codeword, so it may change at any time.
    clear : In(1)
        Sets the counters to 0.
    codewords, corrected, uncorrectable, symbol_errors : Out(counter_width)
        Codewords; those with a symbol corrected; those that could not be; symbols that were corrected.
    corrected_bits_0, corrected_bits_1, .. : Out(counter_width)
        Bits that were corrected, by lane.
    """

    def __init__(
        self,
        code: ReedSolomonCode,
        width=16,
        unroll=1,
        cuts=("evaluation", "division"),
        lanes=None,
        counter_width=32,
    ):
        self._plan = DecoderPlan(Beats(code, width), unroll, tuple(cuts), lanes)
        beats = self._plan.beats
        super().__init__(
            {
                "i": In(stream.Signature(beats.bits)),
                "o": Out(stream.Signature(decoded_layout(beats))),
                "bypass_correction": In(1),
                "clear": In(1),
                **{name: Out(counter_width) for name in counters(self._plan.lanes)},
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
        """Beats into the memory and to the syndromes, and these to the solvers in turn."""
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
        for place, one in enumerate(solvers):
            m.submodules[f"key_equation_{place}"] = one
            m.d.comb += [
                one.syndromes.eq(syndromes.value),
                one.start.eq(syndromes.done & (starting == place)),
            ]

    def _solved(self, m, solvers):
        """The results of the solvers in turn, by name; ``take`` is for the user to set."""
        take = Signal(name="take_solution")
        solver = turn(m, take, len(solvers), "solved")
        for place, one in enumerate(solvers):
            m.d.comb += one.take.eq(take & (solver == place))
        names = ("done", "locator", "evaluator", "length", "failed")
        return {"take": take} | {name: choose([getattr(one, name) for one in solvers], solver) for name in names}

    def _correct(self, m, memory, solved, go):
        """The search, the division, and out. Everything moves on where ``go``."""
        beats, code = self._plan.beats, self._plan.beats.code
        size, width = code.field.m, beats.width
        m.submodules.evaluation = evaluation = Evaluation(beats, "evaluation" in self._plan.cuts)
        beat = Signal(range(beats.count), name="beat_out")
        searching = Signal()
        last = Signal(name="last_out")
        told = data.StructLayout({"length": range(code.t + 1), "failed": 1, "bypass": 1})
        codeword = Signal(told)
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

        # What goes with a beat from the search to the division and out.
        info = data.StructLayout({"valid": 1, "first": 1, "last": 1, "codeword": told})
        here = Signal(info)
        m.d.comb += [
            here.valid.eq(searching),
            here.first.eq(~beat.any()),
            here.last.eq(last),
            here.codeword.eq(codeword),
        ]
        read = load | go & searching & ~last
        if "evaluation" in self._plan.cuts:
            read, here = go & here.valid, _next(m, go, here, "evaluated")
        sent = Cat(Const(1, 1).replicate(width - beats.pad), (~here.last).replicate(beats.pad))
        roots = Signal(width)
        m.d.comb += roots.eq(evaluation.roots & sent)
        found = []
        for place in range(0, width, COUNTED):
            # More than t only where the key equation has failed anyway.
            counted = Signal(range(code.t + 1), name=f"found_{place}")
            m.d.comb += counted.eq(ones(roots[place : place + COUNTED]))
            found.append(counted)
        if "division" in self._plan.cuts:
            read, here = go & here.valid, _next(m, go, here, "divided")
            roots = _next(m, go, roots, "at_roots")
            found = [_next(m, go, value, f"roots_{place}") for place, value in enumerate(found)]
        m.d.comb += memory.read.eq(read)

        pattern = []
        for place in range(width):
            bits = slice(size * place, size * (place + 1))
            quotient = Quotient(code.field, "division" in self._plan.cuts)
            m.submodules[f"quotient_{place}"] = quotient
            m.d.comb += [
                quotient.numerator.eq(evaluation.values[bits]),
                quotient.denominator.eq(evaluation.slopes[bits]),
            ]
            if "division" in self._plan.cuts:
                m.d.comb += quotient.enable.eq(go)
            pattern.append(quotient.o & (roots[place] & ~here.codeword.failed & ~here.codeword.bypass).replicate(size))
        self._send(m, memory, go, here, total_of(found), Cat(pattern))

    def _send(self, m, memory, go, here, found, pattern):
        """A beat with its corrections, and behind the last one what has become of the codeword."""
        beats, told = self._plan.beats, here.codeword
        m.submodules.statistics = statistics = Statistics(beats, self._plan.lanes, len(self.codewords))
        so_far = Signal(range(beats.code.t + 1))
        total = Signal(range(beats.code.t + 1))
        bad = Signal()
        m.d.comb += [
            total.eq(Mux(here.first, 0, so_far) + found),
            bad.eq(told.failed | Mux(told.bypass, told.length.any(), total != told.length)),
        ]
        corrections = Signal(beats.bits, reset_less=True)
        counted = Signal()
        sent = self.o.payload
        errors = Mux(here.last & ~bad & ~told.bypass, told.length, 0)
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
    """``value`` behind a register that moves on where ``go``."""
    held = Signal(value.shape(), name=name)
    with m.If(go):
        m.d.sync += held.eq(value)
    return held
