"""Baseline SECDED codecs, as public generators write them: one sum per check bit, one comparison per data bit."""

from itertools import combinations

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CONSTRUCTIONS", "PlainSecdedDecoder", "PlainSecdedEncoder", "plain_columns"]

#: Odd-weight columns with balanced rows (Hsiao 1970), or a Hamming code with a parity bit over everything.
CONSTRUCTIONS = ("hsiao", "hamming")


def plain_columns(construction, n, k):
    """Syndrome of an error in each bit of a codeword: first the k data bits, then the check bits, which have unit vectors.

    The Hamming code has the same form: its last check bit is the sum of the data bits whose positions have even weight, which
    makes the parity of the word even.
    """
    r = n - k
    units = [1 << row for row in range(r)]
    if construction == "hsiao":
        return [*_balanced(r, k), *units]
    positions = [position for position in range(3, 1 << r - 1) if position.bit_count() > 1][:k]
    return [*(position | (1 - position.bit_count() % 2) << r - 1 for position in positions), *units]


def _balanced(r, k):
    """The k lightest columns of odd weight. Among columns of one weight the next one is that whose rows have the fewest ones."""
    chosen, ones = [], [0] * r
    for weight in range(3, r + 1, 2):
        left = list(combinations(range(r), weight))
        while left and len(chosen) < k:
            best = min(left, key=lambda column: (sum(ones[row] for row in column), column))
            left.remove(best)
            chosen.append(best)
            for row in best:
                ones[row] += 1
    return [sum(1 << row for row in column) for column in chosen]


class PlainSecdedEncoder(wiring.Component):
    """Baseline SECDED encoder: appends the check bits to the data. Combinational, one word per cycle.

    Parameters
    ----------
    construction : str
        One of :data:`CONSTRUCTIONS`.
    n, k : int
        Bits of a codeword and of its data.

    Members
    -------
    data : In(k)
        The data.
    word : Out(n)
        The codeword: bits 0..k-1 are the data, bits k..n-1 the check bits.
    """

    latency = 0

    def __init__(self, construction, n, k):
        self._construction, self._n, self._k = construction, n, k
        super().__init__({"data": In(k), "word": Out(n)})

    def elaborate(self, platform):
        m = Module()
        n, k = self._n, self._k
        columns = plain_columns(self._construction, n, k)
        sums = n - k - (self._construction == "hamming")
        checks = [Cat(self.data[i] for i in range(k) if columns[i] >> row & 1).xor() for row in range(sums)]
        word = Cat(self.data, checks)
        # The parity bit of the Hamming code sums data and check bits.
        m.d.comb += self.word.eq(word if sums == n - k else Cat(word, word.xor()))
        return m


class PlainSecdedDecoder(wiring.Component):
    """Baseline SECDED decoder: corrects one wrong bit and detects two. Combinational, one word per cycle.

    As in the public generators, every odd number of wrong bits counts as corrected, even if the syndrome matches no bit.

    Parameters
    ----------
    construction : str
        One of :data:`CONSTRUCTIONS`.
    n, k : int
        Bits of a codeword and of its data.

    Members
    -------
    word : In(n)
        The received word.
    data : Out(k)
        The corrected data; as received if ``uncorrectable``.
    corrected : Out(1)
        The syndrome is odd.
    uncorrectable : Out(1)
        The syndrome is even and not 0.
    """

    latency = 0

    def __init__(self, construction, n, k):
        self._construction, self._n, self._k = construction, n, k
        super().__init__({"word": In(n), "data": Out(k), "corrected": Out(1), "uncorrectable": Out(1)})

    def elaborate(self, platform):
        m = Module()
        n, k = self._n, self._k
        hamming = self._construction == "hamming"
        columns = plain_columns(self._construction, n, k)
        rows = [Cat(self.word[i] for i in range(n) if columns[i] >> row & 1).xor() for row in range(n - k - hamming)]
        syndrome = Signal(n - k)
        odd = Signal()
        flipped = Signal(k)
        m.d.comb += [
            syndrome.eq(Cat(rows, self.word.xor()) if hamming else Cat(rows)),
            odd.eq(syndrome[-1] if hamming else syndrome.xor()),
            # The last bit of the Hamming code's syndrome is the parity of the word, which is 1 for every single error.
            flipped.eq(Cat(syndrome == Const(self._compared(columns[i]), n - k) for i in range(k))),
            self.data.eq(self.word[:k] ^ flipped),
            self.corrected.eq(odd),
            self.uncorrectable.eq(~odd & syndrome.any()),
        ]
        return m

    def _compared(self, column):
        return column | 1 << self._n - self._k - 1 if self._construction == "hamming" else column
