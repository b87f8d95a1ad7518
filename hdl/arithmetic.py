"""Arithmetic in GF(2**m) as gateware: linear maps of bits, sums of products, inverses and quotients."""

from functools import cache

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.gf import field as matrix
from dsnswitch.hdl.gf.field import Field, tower
from dsnswitch.hdl.gf.xor_network import shared
from dsnswitch.hdl.logic.gates import Lookup


@cache
def _network(rows, inputs, depth):
    return shared(rows, inputs, depth)


def linear(m: Module, rows, value, name, depth=None):
    """Image of ``value`` under the map ``rows`` (:mod:`dsnswitch.hdl.gf.field`): signal ``<name>``, nodes ``<name>_<i>``.

    Combinational. It has the fewest XOR levels that are possible, unless ``depth`` allows more.
    """
    value = Value.cast(value)
    image = Signal(len(rows), name=name)
    network = _network(tuple(rows), len(value), depth)
    # Nodes are no bits of vectors, since an output that others read would become a bit of ``image`` that ``image`` depends on.
    bits = list(value)
    for index, (a, b) in enumerate(network.nodes):
        node = Signal(name=f"{name}_{index}")
        m.d.comb += node.eq(bits[a] ^ bits[b])
        bits.append(node)
    m.d.comb += image.eq(Cat(Const(0, 1) if bit is None else bits[bit] for bit in network.outputs))
    return image


class Multiplier(wiring.Component):
    """Sum of products: ``a[0] * b[0] + a[1] * b[1] + ..``. Combinational, latency 0 cycles.

    After Mastrovito: the first step makes the multiples ``a * x**j``, which takes few XORs for a sparse polynomial. The second
    step sums, for each bit of the result, all products of bits in one tree. The depth in two-input gates is that of the
    multiples, plus 1, plus ``ceil(log2(m * terms))``.

    Parameters
    ----------
    field : Field
        The field.
    terms : int
        Number of products to add.

    Members
    -------
    - a, b (In(m).array(terms)): Factors of each product.
    - o: Sum of the products.
    """

    def __init__(self, field: Field, terms=1):
        if terms < 1:
            raise ValueError(f"Multiplier terms must be at least 1, not {terms}")
        self._field = field
        super().__init__({"a": In(field.m).array(terms), "b": In(field.m).array(terms), "o": Out(field.m)})

    def elaborate(self, platform):
        m = Module()
        size, field = self._field.m, self._field
        multiples = [row for j in range(size) for row in matrix.constant(field, field.power(j))]
        bits = [[] for _ in range(size)]
        for term, (a, b) in enumerate(zip(self.a, self.b)):
            shifted = linear(m, multiples, a, f"multiple_{term}")
            for bit in range(size):
                bits[bit].append(Cat(shifted[size * j + bit] for j in range(size)) & b)
        m.d.comb += [self.o[bit].eq(Cat(products).xor()) for bit, products in enumerate(bits)]
        return m


#: Greatest m of a field whose inverses are a table.
TABLE = 5


class Norm(wiring.Component):
    """Norm of a pair (:mod:`dsnswitch.hdl.gf.field`): ``low * (low + high) + nu * high**2``. Combinational.

    Members
    -------
    - high, low: The pair.
    - o: Its norm.
    """

    def __init__(self, field: Field):
        self._tower = tower(field)
        s = self._tower.half.m
        super().__init__({"high": In(s), "low": In(s), "o": Out(s)})

    def elaborate(self, platform):
        m = Module()
        half = self._tower.half
        m.submodules.product = product = Multiplier(half)
        scaled = matrix.compose(matrix.constant(half, self._tower.nu), matrix.square(half))
        m.d.comb += [
            product.a[0].eq(self.low),
            product.b[0].eq(self.low ^ self.high),
            self.o.eq(product.o ^ linear(m, scaled, self.high, "scaled")),
        ]
        return m


class Inverse(wiring.Component):
    """``1 / i``, and 0 for 0. Combinational, latency 0 cycles.

    Small fields have a table. For even m an element is a pair over the field of half the size; the inverse of its norm is
    computed in the same way. For odd m the inverse is the power 2**m - 2 (Itoh and Tsujii 1988), which takes more levels.

    Members
    -------
    - i: An element.
    - o: Its inverse.
    """

    def __init__(self, field: Field):
        self._field = field
        super().__init__({"i": In(field.m), "o": Out(field.m)})

    def elaborate(self, platform):
        m = Module()
        if self._field.m <= TABLE:
            self._table(m)
        elif self._field.m % 2:
            self._power(m)
        else:
            self._pair(m)
        return m

    def _table(self, m):
        field = self._field
        table = {value: field.divide(1, value) for value in range(1, field.order + 1)}
        m.submodules.inverses = inverses = Lookup(table, field.m, field.m)
        m.d.comb += [inverses.value.eq(self.i), self.o.eq(inverses.result)]

    def _pair(self, m):
        made = tower(self._field)
        s = made.half.m
        pair = Signal(2 * s)
        m.d.comb += pair.eq(linear(m, made.into, self.i, "into"))
        high, low = pair[s:], pair[:s]
        m.submodules.norm = norm = Norm(self._field)
        m.submodules.inverse = inverse = Inverse(made.half)
        m.submodules.high_product = upper = Multiplier(made.half)
        m.submodules.low_product = lower = Multiplier(made.half)
        m.d.comb += [
            norm.high.eq(high),
            norm.low.eq(low),
            inverse.i.eq(norm.o),
            upper.a[0].eq(inverse.o),
            upper.b[0].eq(high),
            lower.a[0].eq(inverse.o),
            lower.b[0].eq(high ^ low),
            self.o.eq(linear(m, made.back, Cat(lower.o, upper.o), "back")),
        ]

    def _power(self, m):
        field = self._field
        square = matrix.square(field)

        def raised(value, times, name):
            """``value**(2**times)``."""
            rows = matrix.from_columns([1 << bit for bit in range(field.m)], field.m)
            for _ in range(times):
                rows = matrix.compose(square, rows)
            return linear(m, rows, value, name)

        known = {1: self.i}

        def ones(count):
            """``i**(2**count - 1)``."""
            if count in known:
                return known[count]
            first, second = ones(count // 2), ones(count - count // 2)
            m.submodules[f"product_{count}"] = product = Multiplier(field)
            m.d.comb += [product.a[0].eq(raised(first, count - count // 2, f"raised_{count}")), product.b[0].eq(second)]
            known[count] = product.o
            return product.o

        m.d.comb += self.o.eq(raised(ones(field.m - 1), 1, "last"))


class Quotient(wiring.Component):
    """``numerator / denominator``; 0 if the denominator is 0. One quotient per cycle.

    For even m the operands are pairs (:mod:`dsnswitch.hdl.gf.field`). The first step multiplies the numerator by the conjugate of
    the denominator and, in parallel, inverts the norm of the denominator; the second step multiplies the two. Pairs as operands
    cost nothing where a linear map computes the operands, because that map absorbs the change of basis.

    Parameters
    ----------
    field : Field
        The field.
    register : bool
        Put a register between the two steps: latency 1 cycle, else 0.

    Members
    -------
    - numerator, denominator: The operands, mapped by ``into``.
    - enable: The register takes new values; only with ``register``.
    - o: The quotient, an element.
    """

    def __init__(self, field: Field, register=False):
        self._field, self._register = field, register
        #: Map (:mod:`dsnswitch.hdl.gf.field`) from an element to the form of the operands.
        self.into = self.basis(field)
        ports = {"numerator": In(field.m), "denominator": In(field.m), "o": Out(field.m)}
        super().__init__(ports | ({"enable": In(1)} if register else {}))

    @staticmethod
    def basis(field: Field):
        """The map :attr:`into` for ``field``."""
        paired = field.m % 2 == 0 and field.m > 2
        return tower(field).into if paired else matrix.constant(field, 1)

    @property
    def latency(self):
        """Cycles from the operands to the quotient."""
        return int(self._register)

    def elaborate(self, platform):
        m = Module()
        if self._field.m % 2 or self._field.m == 2:
            self._plain(m)
        else:
            self._paired(m)
        return m

    def _held(self, m, value, name):
        """``value`` of the first step for the second step: registered if there is a register."""
        if not self._register:
            return value
        held = Signal(len(value), name=name, reset_less=True)
        with m.If(self.enable):
            m.d.sync += held.eq(value)
        return held

    def _plain(self, m):
        m.submodules.inverse = inverse = Inverse(self._field)
        m.submodules.product = product = Multiplier(self._field)
        m.d.comb += [
            inverse.i.eq(self.denominator),
            product.a[0].eq(self._held(m, self.numerator, "held_numerator")),
            product.b[0].eq(self._held(m, inverse.o, "held_inverse")),
            self.o.eq(product.o),
        ]

    def _paired(self, m):
        made = tower(self._field)
        half, s = made.half, made.half.m
        high, low = self.denominator[s:], self.denominator[:s]
        above, below = self.numerator[s:], self.numerator[:s]
        m.submodules.norm = norm = Norm(self._field)
        m.submodules.inverse = inverse = Inverse(half)
        m.d.comb += [norm.high.eq(high), norm.low.eq(low), inverse.i.eq(norm.o)]
        # Times the conjugate, high * theta + (high + low), by three products.
        products = {"highs": (above, high), "lows": (below, high ^ low), "sums": (above ^ below, low)}
        for name, (a, b) in products.items():
            m.submodules[f"{name}_product"] = product = Multiplier(half)
            m.d.comb += [product.a[0].eq(a), product.b[0].eq(b)]
            products[name] = product.o
        scaled = linear(m, matrix.constant(half, made.nu), products["highs"], "scaled")
        conjugated = Signal(2 * s)
        m.d.comb += conjugated.eq(Cat(products["lows"] ^ scaled, products["sums"] ^ products["lows"]))
        conjugated = self._held(m, conjugated, "held_product")
        inverted = self._held(m, inverse.o, "held_inverse")
        parts = []
        for name, part in (("low", conjugated[:s]), ("high", conjugated[s:])):
            m.submodules[f"{name}_product"] = product = Multiplier(half)
            m.d.comb += [product.a[0].eq(inverted), product.b[0].eq(part)]
            parts.append(product.o)
        m.d.comb += self.o.eq(linear(m, made.back, Cat(parts), "back"))
