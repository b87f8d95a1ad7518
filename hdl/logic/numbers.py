"""Saturating counters of events and amounts."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import Timed, both, either


class Counter(wiring.Component):
    """Saturating counter: adds an event or an amount per cycle and stays at its greatest value.

    Latency 1 cycle for events, 2 for amounts.

    Parameters
    ----------
    width : int
        Bits of the count.
    step : int
        Bits of the amount per cycle; 1 for an event.
    split : bool
        Count events in two halves with a registered carry between them, for a shorter clock period. Amounts are always
        counted in halves.

    Members
    -------
    - add: The event, or the amount, of this cycle.
    - clear: Sets the count to ``add`` of the same cycle, so that no event is lost.
    - count: The count.

    Raises ValueError if the count is narrower than the amount.
    """

    def __init__(self, width=32, step=1, split=False):
        if width < step:
            raise ValueError(f"A counter that adds {step} bits must have as many at least, not {width}")
        self._split = split
        super().__init__({"add": In(step), "clear": In(1), "count": Out(width)})

    def elaborate(self, platform):
        m = Module()
        if len(self.add) > 1:
            self._add_amounts(m)
        elif self._split:
            self._add_to_halves(m)
        else:
            with m.If(self.clear):
                m.d.sync += self.count.eq(self.add)
            with m.Elif(self.add & ~self.count.all()):
                m.d.sync += self.count.eq(self.count + 1)
        return m

    def _add_to_halves(self, m):
        """Count in two halves. A register says that both are full, so that no carry runs through all bits."""
        greatest = (1 << len(self.count)) - 1
        half = -(-len(self.count) // 2)
        low, high = self.count[:half], self.count[half:]
        full = Signal()
        with m.If(self.clear):
            m.d.sync += [self.count.eq(self.add), full.eq(self.add & (greatest == 1))]
        with m.Elif(self.add & ~full):
            m.d.sync += [low.eq(low + 1), full.eq(self.count == greatest - 1)]
            with m.If(low.all()):
                m.d.sync += high.eq(high + 1)

    def _add_amounts(self, m):
        """Add to the lower half now and its carry to the upper half a cycle later: no carry runs through all bits."""
        half = max(len(self.count) // 2, len(self.add))
        low = Signal(half)
        carry = Signal()
        shown = Signal(half)
        high = Signal(len(self.count) - half)
        full = Signal()
        m.d.sync += [shown.eq(low), Cat(low, carry).eq(low + self.add)]
        m.d.comb += self.count.eq(Cat(shown, high) | full.replicate(len(self.count)))
        with m.If(carry):
            m.d.sync += [high.eq(high + 1), full.eq(full | high.all())]
        with m.If(self.clear):
            m.d.sync += [Cat(low, carry).eq(self.add), shown.eq(0), high.eq(0), full.eq(0)]


def count(m: Module, owner, split=False, **events):
    """Add a :class:`Counter` for each event or amount in ``events``.

    The counter of the event ``name`` drives the output ``name`` of ``owner``; the input ``clear`` of ``owner`` clears it.
    """
    for name, event in events.items():
        shown = getattr(owner, name)
        m.submodules[f"{name}_counter"] = counter = Counter(len(shown), len(event), split)
        m.d.comb += [counter.add.eq(event), counter.clear.eq(owner.clear), shown.eq(counter.count)]


class Magnitude(wiring.Component):
    """``below[j] = (a - b) mod 2**width < 2**j`` for every j, in about ``4 + 2 ceil(log2(width))`` two-input levels.

    Bits j and up of the difference are 0 in two cases: a and b are equal there and the bits below do not borrow, or a is
    larger by exactly 1 there and the bits below borrow. Both conditions and the borrow are prefix trees that work in
    parallel, whereas a subtraction and a search for its leading one would work one after the other.

    Written as digit differences (1, 0, -1), a part of a is larger by exactly 1 if it is any number of 0, a 1, then -1 to the
    end; modulo a power of two also if it is -1 throughout.

    Members
    -------
    - a, b: Unsigned numbers.
    - below: Bit j: the difference is less than 2**j. Bit 0 is equality.
    - borrow: ``a < b``.
    """

    def __init__(self, width):
        super().__init__({"a": In(width), "b": In(width), "below": Out(width), "borrow": Out(1)})

    def elaborate(self, platform):
        m = Module()
        width = len(self.a)
        plus, minus, same = ([Signal(name=f"{name}_{bit}") for bit in range(width)] for name in ("plus", "minus", "same"))
        m.d.comb += [Cat(plus).eq(self.a & ~self.b), Cat(minus).eq(~self.a & self.b), Cat(same).eq(~(self.a ^ self.b))]
        top = Signal(name="differs")
        m.d.comb += top.eq(~same[-1])

        def less(high, low):
            """``(a < b, a <= b)`` of two adjacent ranges of bits together."""
            return high[0] | high[1] & low[0], high[1] & low[1]

        borrows = self._prefixes(m, [(less_, ~more) for less_, more in zip(minus, plus)], less, ("less", "at_most"))

        def one(high, low):
            """``(a == b, a == b + 1, all digits -1)`` of two adjacent ranges of bits together."""
            return high[0] & low[0], high[1] & low[2] | high[0] & low[1], high[2] & low[2]

        leaves = [*zip(same, plus, minus)]
        leaves[-1] = (same[-1], top, minus[-1])
        highs = self._prefixes(m, leaves[::-1], lambda low, high: one(high, low), ("equal", "one_more", "all_minus"))[::-1]
        m.d.comb += self.borrow.eq(borrows[-1][0])
        m.d.comb += self.below[0].eq(highs[0][0])
        for bit in range(1, width):
            borrow = borrows[bit - 1][0]
            equal, one_more, _ = highs[bit]
            m.d.comb += self.below[bit].eq(equal & ~borrow | one_more & borrow)
        return m

    @staticmethod
    def _prefixes(m, leaves, merge, names):
        """Prefixes by Sklansky's tree: ``merge(new, old)`` over leaves 0..i for every i, in ``ceil(log2(leaves))`` steps."""
        nodes = list(leaves)
        half = 1
        while half < len(nodes):
            for index in range(len(nodes)):
                if index & half:
                    start = index & ~(2 * half - 1)
                    merged = merge(nodes[index], nodes[start + half - 1])
                    nodes[index] = tuple(Signal(name=f"{name}_{start}_{index}") for name in names)
                    m.d.comb += [signal.eq(value) for signal, value in zip(nodes[index], merged)]
            half *= 2
        return nodes


class TrailingOne(wiring.Component):
    """Lowest set bit: ``o[j] = i[j] & ~(i[0] | ... | i[j-1])``.

    Members
    -------
    - i: Any number.
    - o: One-hot, or 0 for an input of 0.
    """

    def __init__(self, width):
        super().__init__({"i": In(width), "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        below = [self.i[:j].any() for j in range(1, len(self.i))]
        m.d.comb += self.o.eq(self.i & ~Cat(Const(0, 1), *below))
        return m


def ones(bits):
    """Number of ``bits`` that are 1 (population count)."""
    return total_of(list(bits))


def total_of(numbers):
    """Sum of a list of numbers: a tree of adders."""
    if len(numbers) == 1:
        return numbers[0]
    middle = len(numbers) // 2
    return total_of(numbers[:middle]) + total_of(numbers[middle:])


class Threshold:
    """Signals *at least t of these bits are set*, of AND and OR gates alone.

    The threshold of a word is built from the thresholds of its halves, which all thresholds of the word share.

    Parameters
    ----------
    bits : list of 1-bit values
        All valid at level 0.
    name : str
        Prefix of the signals' names.
    """

    def __init__(self, m, bits, name):
        self._m, self._bits, self._name, self._known = m, list(bits), name, {}

    def terms(self, count):
        """Timed values whose OR is *at least* ``count`` *bits*, one for each way to divide ``count`` among the halves."""
        return self._terms(0, len(self._bits), count)

    def _at_least(self, low, high, count):
        """*At least* ``count`` *of bits* ``low..high - 1``, for ``0 < count <= high - low``."""
        if high - low == 1:
            return Timed(self._bits[low])
        key = low, high, count
        if key not in self._known:
            threshold = either(self._terms(low, high, count))
            signal = Signal(name=f"{self._name}_{high - 1}_{low}_{count}")
            self._m.d.comb += signal.eq(threshold.value)
            self._known[key] = Timed(signal, threshold.level)
        return self._known[key]

    def _terms(self, low, high, count):
        middle = (low + high) // 2
        terms = []
        for left in range(count + 1):
            if left <= middle - low and count - left <= high - middle:
                parts = [(low, middle, left), (middle, high, count - left)]
                terms.append(both([self._at_least(*part) for part in parts if part[2]]))
        return terms
