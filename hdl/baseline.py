"""Baselines: dimension-order routing, the best-known table-free routing; a ternary table; SECDED codecs."""

from itertools import combinations

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.numbers import Magnitude


class PlainTorusRoute(wiring.Component):
    """Dimension-order routing: the shorter direction around each ring, upwards in a tie. Combinational, one packet per cycle.

    Parameters
    ----------
    sizes : tuple of int
        Nodes of each dimension, powers of two.
    node : tuple of int or None
        Own coordinates as constants, or None for coordinates as inputs (straps).

    Members
    -------
    - own.dim0, own.dim1, ..: Own coordinates, static; only without ``node``.
    - dst.dim0, dst.dim1, ..: Coordinates of the destination.
    - out_port: One-hot: up and down of dimension 0, of dimension 1, and so on.
    - arrived: The destination is this node.
    """

    latency = 0
    network = "Torus"

    def __init__(self, sizes, node=None):
        for size in sizes:
            if size < 2 or size & (size - 1):
                raise ValueError(f"{self.network} sizes must be powers of two from 2, not {size}")
        self._widths = {f"dim{axis}": size.bit_length() - 1 for axis, size in enumerate(sizes)}
        address = wiring.Signature({name: Out(width) for name, width in self._widths.items()})
        self._node = node
        members = {"dst": In(address)} if node is not None else {"own": In(address), "dst": In(address)}
        super().__init__(members | {"out_port": Out(2 * len(sizes)), "arrived": Out(1)})

    def elaborate(self, platform):
        m = Module()
        turn, port = Const(1, 1), []
        for axis, (name, width) in enumerate(self._widths.items()):
            own = getattr(self.own, name) if self._node is None else Const(self._node[axis], width)
            dst = getattr(self.dst, name)
            m.submodules[f"magnitude_{axis}"] = magnitude = Magnitude(width)
            done, after = (Signal(name=f"{name}_{axis}") for name in ("done", "after"))
            m.d.comb += [magnitude.a.eq(dst), magnitude.b.eq(own), done.eq(dst == own)]
            down = self._down(m, axis, magnitude, own, dst)
            m.d.comb += after.eq(turn & done)
            port += [turn & ~done & ~down, turn & down]
            turn = after
        m.d.comb += [self.out_port.eq(Cat(port)), self.arrived.eq(turn)]
        return m

    def _down(self, m, axis, magnitude, own, dst):
        """Whether a packet goes down: the distance up is more than half the ring, at least half and not exactly half."""
        down = Signal(name=f"down_{axis}")
        m.d.comb += down.eq(~magnitude.below[-1] & (dst ^ own)[:-1].any() if len(own) > 1 else 0)
        return down


class PlainMeshRoute(PlainTorusRoute):
    """Dimension-order routing of a mesh: up or down each dimension in turn. Parameters and members: :class:`PlainTorusRoute`."""

    network = "Mesh"

    def _down(self, m, axis, magnitude, own, dst):
        return magnitude.borrow


class RouteTcam(wiring.Component):
    """Ternary table in flip-flops: ``entries`` words with an action each; the first matching entry wins.

    It is the dissertation's alternative to route logic (D 4.1.2, 4.5.2).

    A lookup is combinational, one per cycle. A write takes effect after the clock edge. The table has
    ``entries * (2 * key + action)`` flip-flops. An entry matches if ``(key ^ value) & mask == 0``. After reset masks and actions
    are 0, so that entry 0 matches every key with action 0.

    Members
    -------
    - key: Destination address.
    - action: Action of the first matching entry; 0 if none matches.
    - hit: An entry matches.
    - write: Write ``write_value``, ``write_mask`` and ``write_action`` to entry ``write_entry``, which has ``max(1, ceil(log2
      entries))`` bits.
    """

    def __init__(self, entries, key, action):
        for name, number in (("entries", entries), ("key width", key), ("action width", action)):
            if number < 1:
                raise ValueError(f"TCAM {name} must be at least 1, not {number}")
        self._entries = entries
        super().__init__(
            {
                "key": In(key),
                "action": Out(action),
                "hit": Out(1),
                "write": In(1),
                "write_entry": In(range(max(2, entries))),
                "write_value": In(key),
                "write_mask": In(key),
                "write_action": In(action),
            }
        )

    #: The block has a clock: its entries are registers, although a lookup is combinational.
    clocked = True
    latency = 0

    def elaborate(self, platform):
        m = Module()
        entries = []
        for entry in range(self._entries):
            # An entry stores which key bits of 1 and which of 0 it refuses: after the key that is one complex gate per bit.
            refuse_one = Signal.like(self.key, name=f"refuse_one_{entry}")
            refuse_zero = Signal.like(self.key, name=f"refuse_zero_{entry}")
            action = Signal.like(self.action, name=f"action_{entry}")
            with m.If(self.write & (self.write_entry == entry)):
                m.d.sync += [
                    refuse_one.eq(~self.write_value & self.write_mask),
                    refuse_zero.eq(self.write_value & self.write_mask),
                    action.eq(self.write_action),
                ]
            match = Signal(name=f"match_{entry}")
            m.d.comb += match.eq(~(self.key & refuse_one | ~self.key & refuse_zero).any())
            entries.append((match, action))
        # A tournament: the first of two neighbours wins if it matches. The actions are selected while the matches are computed.
        while len(entries) > 1:
            pairs = [entries[start : start + 2] for start in range(0, len(entries), 2)]
            entries = []
            for pair in pairs:
                hit, action = pair[0]
                if len(pair) == 2:
                    hit, action = hit | pair[1][0], Mux(hit, action, pair[1][1])
                entries.append((hit, action))
        hit, action = entries[0]
        m.d.comb += [self.action.eq(Mux(hit, action, 0)), self.hit.eq(hit)]
        return m


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

    As in the public generators, each check bit is one sum.

    Parameters
    ----------
    construction : str
        One of :data:`CONSTRUCTIONS`.
    n, k : int
        Bits of a codeword and of its data.

    Members
    -------
    - data: The data.
    - word: The codeword: bits 0..k-1 are the data, bits k..n-1 the check bits.
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

    As in the public generators, each data bit has one comparison, and every odd number of wrong bits counts as corrected, even
    if the syndrome matches no bit.

    Parameters
    ----------
    construction : str
        One of :data:`CONSTRUCTIONS`.
    n, k : int
        Bits of a codeword and of its data.

    Members
    -------
    - word: The received word.
    - data: The corrected data; as received if ``uncorrectable``.
    - corrected: The syndrome is odd.
    - uncorrectable: The syndrome is even and not 0.
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
