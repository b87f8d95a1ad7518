"""SECDED encoder and decoder."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.fec.secded.code import POSITIONS, SecdedCode
from dsnswitch.hdl.fec.secded.sharing import parity_network, syndrome_network
from dsnswitch.hdl.gf.xor_network import shared
from dsnswitch.hdl.logic.gates import Minterms, Timed, both, either, xor_gates
from dsnswitch.hdl.logic.numbers import Threshold
from dsnswitch.hdl.logic.wiring import Beside
from dsnswitch.net.checks import Parameter


class SecdedEncoder(wiring.Component):
    """SECDED encoder: appends the check bits to the data. One word per cycle.

    Members
    -------
    - data (In(k)), word (Out(n)): The codeword: bits 0..k-1 are the data, bits k..n-1 the check bits.
    """

    code = Parameter("The code.")
    latency = Parameter("Cycles from the data to the codeword: 0 is combinational, 1 registers the codeword.")
    depth = Parameter("Greatest number of XOR levels (:func:`parity_network`); None for the fewest that are found.")

    def __init__(self, code: SecdedCode, stages=0, depth=None):
        if stages not in (0, 1):
            raise ValueError(f"SECDED encoder stages must be 0 or 1, not {stages}")
        self._code, self._latency, self._depth = code, stages, depth
        super().__init__({"data": In(code.k), "word": Out(code.n)})

    def elaborate(self, platform):
        m = Module()
        checks = xor_gates(m, parity_network(self._code, self._depth), self.data, "sum")
        domain = m.d.sync if self._latency else m.d.comb
        domain += self.word.eq(Cat(self.data, checks))
        return m


def _missing(code):
    """Odd syndromes that are not columns of the code, up to the greatest weight of a column."""
    odd = (s for s in range(1 << code.r) if s.bit_count() % 2 and s.bit_count() <= code.weight)
    return set(odd) - set(code.columns)


def countable(code: SecdedCode):
    """Whether the number of ones in parts of an odd syndrome shows if the syndrome is a column.

    This is the case if the code has all columns of each of its weights, or all but those of the greatest weight that have
    both or neither of rows 0 and 1.
    """
    heavy = [s for s in range(1 << code.r) if s.bit_count() == code.weight]
    others = {s for s in heavy if s & 3 in (0, 3)}
    return _missing(code) in (set(), others)


def by_parity(code: SecdedCode):
    """Whether the decoder separates columns from other odd syndromes by a formula or by counting, without comparing with each."""
    return code.formula is not None or countable(code)


class Flags(wiring.Component):
    """Computes ``corrected`` and ``uncorrectable`` from a syndrome. Combinational.

    A syndrome is *corrected* if it is a column of the code. There are three ways to find out.

    - The code has a formula V (:class:`Formula`): an odd syndrome is a column if V is 0.
    - Counting (:func:`countable`). Let w be the greatest weight of a column, u the number of ones of the syndrome in rows 0
      and 1, v the number of ones in the other rows. If the code has all columns of weight w, an odd syndrome is a column
      unless ``u + v >= w + 1``. If it has only those with u = 1, an odd syndrome is a column unless ``v >= w``, or u = 2
      and ``v >= w - 2``. (With u = 1 the first condition means ``v >= w + 1``, as u + v is odd.) The conditions may also
      hold for even syndromes, all of which but 0 are uncorrectable.
    - Otherwise the decoder compares the syndrome with every column: ``named_bits``.

    Members
    -------
    - syndrome (In(r)): The syndrome.
    - none: The syndrome is 0; arrives with the minterms of the syndrome, ``ceil(log2 r)`` levels after it.
    - parity: Sum of all bits of the word, which equals the sum of the syndrome's bits; arrives ``late`` gate levels after
      ``syndrome``. Only where :func:`by_parity` is true.
    - named_bits (In(n)): Bit i: the syndrome is column i. Only where :func:`by_parity` is false.
    - corrected: The syndrome is a column.
    - uncorrectable: The syndrome is neither 0 nor a column.
    """

    def __init__(self, code: SecdedCode, late=0):
        self._code, self._late = code, late
        more = {"parity": In(1)} if by_parity(code) else {"named_bits": In(code.n)}
        super().__init__({"syndrome": In(code.r), "none": In(1), **more, "corrected": Out(1), "uncorrectable": Out(1)})

    def elaborate(self, platform):
        m = Module()
        if not by_parity(self._code):
            m.d.comb += self.corrected.eq(self.named_bits.any())
        elif self._code.formula is not None:
            terms = self._code.formula.terms(*map(Timed, self.syndrome))
            m.d.comb += self.corrected.eq(both([Timed(self.parity, self._late), *(~term for term in terms)]).value)
        else:
            self._count(m)
            return m
        m.d.comb += self.uncorrectable.eq(~self.none & ~self.corrected)
        return m

    def _count(self, m):
        code, syndrome = self._code, self.syndrome
        if not _missing(code):
            bad = Threshold(m, syndrome, "ones").terms(code.weight + 1)
        else:
            others, pair = Threshold(m, syndrome[2:], "ones"), Timed(syndrome[0] & syndrome[1], 1)
            bad = [*others.terms(code.weight), *(both([pair, term]) for term in others.terms(code.weight - 3))]
        even = Timed(~self.parity, self._late)
        nonzero = Timed(~self.none, (code.r - 1).bit_length())
        # Two separate wide gates save a level over deriving ``uncorrectable`` from ``corrected``.
        m.d.comb += [
            self.corrected.eq(~either([even, *bad]).value),
            self.uncorrectable.eq(either([both([even, nonzero]), *bad]).value),
        ]


class SecdedDecoder(wiring.Component):
    """SECDED decoder: corrects one wrong bit and detects two. One word per cycle.

    Members
    -------
    - word (In(n)): The received word, with the bit order of the encoder.
    - data (Out(k)): The corrected data; as received if ``uncorrectable``.
    - corrected: One bit of the word was wrong, a data or a check bit.
    - uncorrectable: The syndrome is not 0 and matches no bit. Never 1 together with ``corrected``.
    - exact (Out(1)): With the argument ``exact``: the syndrome is 0. Earlier than the other outputs.
    - position (Out(n) or Out(ceil(log2 n))): The corrected bit, one-hot or binary as the parameter ``position`` says, which
      is one of :data:`POSITIONS`; 0 if none was corrected.
    """

    code = Parameter("The code.")
    latency = Parameter("Cycles from the word to the outputs: 0 is combinational, 1 registers them, 2 the syndrome as well.")
    depth = Parameter("Greatest number of XOR levels of the syndrome; None for the fewest that are found.")

    def __init__(self, code: SecdedCode, stages=0, position="onehot", depth=None, exact=False):
        if stages not in (0, 1, 2):
            raise ValueError(f"SECDED decoder stages must be 0, 1 or 2, not {stages}")
        if position not in POSITIONS:
            raise ValueError(f"SECDED position must be one of {', '.join(POSITIONS)}, not {position!r}")
        self._code, self._latency, self._position, self._depth = code, stages, position, depth
        members = {"word": In(code.n), "data": Out(code.k), "corrected": Out(1), "uncorrectable": Out(1)}
        if position == "onehot":
            members["position"] = Out(code.n)
        if position == "binary":
            members["position"] = Out(range(code.n))
        self._exact = exact
        if exact:
            members["exact"] = Out(1)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        code = self._code
        network = syndrome_network(code, self._depth)
        sums = xor_gates(m, network, self.word, "sum")
        syndrome = Signal(code.r)
        parity = Signal()
        # Not called ``data``: a port has that name, and Verilog would have to escape a second one.
        received = Signal(code.k)
        middle = m.d.sync if self._latency == 2 else m.d.comb
        middle += [syndrome.eq(sums[: code.r]), parity.eq(sums[code.r]), received.eq(self.word[: code.k])]

        *rows, late = network.depths
        m.submodules.flags = flags = Flags(code, 0 if self._latency == 2 else max(0, late - max(rows)))
        order = range(code.r) if code.formula is None else code.formula.order
        minterms = Minterms(m, Cat(syndrome[row] for row in order), "minterm")
        m.d.comb += [flags.syndrome.eq(syndrome), flags.none.eq(minterms(0))]
        wanted = code.n if self._position != "none" or not by_parity(code) else code.k
        match = Signal(wanted)
        m.d.comb += match.eq(Cat(minterms(_reordered(column, order)) for column in code.columns[:wanted]))
        m.d.comb += flags.parity.eq(parity) if by_parity(code) else flags.named_bits.eq(match)

        last = m.d.sync if self._latency else m.d.comb
        last += [
            self.data.eq(received ^ match[: code.k]),
            self.corrected.eq(flags.corrected),
            self.uncorrectable.eq(flags.uncorrectable),
        ]
        if self._exact:
            last += self.exact.eq(flags.none)
        if self._position == "onehot":
            last += self.position.eq(match)
        if self._position == "binary":
            bits = range(len(self.position))
            last += self.position.eq(Cat(Cat(match[i] for i in range(code.n) if i >> bit & 1).any() for bit in bits))
        return m


class SecdedChecker(wiring.Component):
    """Finds wrong bits and corrects none. Combinational.

    A word is accepted only if it is a codeword. The code has distance 4, so every pattern of up to three wrong bits is found.

    Members: those of :class:`SecdedDecoder`. ``data`` is as received, ``uncorrectable`` is 1 for each word that is no codeword,
    ``corrected`` and ``position`` are 0.
    """

    def __init__(self, code: SecdedCode, exact=False):
        self._code, self._exact = code, exact
        flags = {"corrected": Out(1), "uncorrectable": Out(1)} | ({"exact": Out(1)} if exact else {})
        super().__init__({"word": In(code.n), "data": Out(code.k), **flags, "position": Out(code.n)})

    def elaborate(self, platform):
        m = Module()
        code = self._code
        network = shared([row | 1 << code.k + place for place, row in enumerate(code.rows)], code.n)
        sums = xor_gates(m, network, self.word, "sum")
        m.d.comb += [self.data.eq(self.word[: code.k]), self.uncorrectable.eq(sums.any())]
        if self._exact:
            m.d.comb += self.exact.eq(~self.uncorrectable)
        return m


def _reordered(column, order):
    """``column`` with row ``order[i]`` as bit i."""
    return sum((column >> row & 1) << bit for bit, row in enumerate(order))


class Secded(Beside):
    """SECDED encoder and decoder in one module, independent of each other. One word per cycle in each direction.

    The members ``encoder`` and ``decoder`` are the ports of :class:`SecdedEncoder` and :class:`SecdedDecoder`. ``stages`` is
    the latency of each in cycles, 0 or 1; ``position`` is that of the decoder.
    """

    def __init__(self, code: SecdedCode, stages=0, position="onehot"):
        self.latency = stages
        super().__init__(encoder=SecdedEncoder(code, stages), decoder=SecdedDecoder(code, stages, position))
