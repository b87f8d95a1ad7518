"""Rows of one dimension: what a switch does with a packet, for each coordinate of the destination."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, flipped

from dsnswitch.hdl.routing.dsn.lrouting import LocalMapSignature
from dsnswitch.hdl.routing.dsn.sized.terms import ShortcutRowsSignature
from dsnswitch.net.routing.dsn.relation import next_shortcut
from dsnswitch.net.topology.dsn import Dsn

__all__ = ["CoordinateRows", "CoordinateRowsSignature", "DistanceRows", "SizedDistanceRows", "route_columns"]


class CoordinateRowsSignature(wiring.Signature):
    """Rows of a ring of up to ``n`` supernodes, with a bit for each supernode.

    There is a member Out(n) for each of ``names``, and an array of rows for each of ``arrays``, which are numbers of rows.
    """

    def __init__(self, n, names, **arrays):
        self.n, self.levels = n, (n - 1).bit_length()
        rows = {name: Out(n).array(count) for name, count in arrays.items()}
        super().__init__(rows | {name: Out(n) for name in names})


def route_columns(supernode, backward, features=frozenset()):
    """Names of the rows of the base routing.

    ``forward``, ``backward``
        The packet takes the shortcut of this switch. ``backward`` only if packets travel in both directions.
    ``toward_<port>``
        The packet takes this local port.
    ``wraps``, ``goes_backward``
        As for :class:`RingUnit`; only if named in ``features``.
    """
    names = ["forward", *(["backward"] if backward else []), *LocalMapSignature(supernode).columns]
    return names + [
        name for name, feature in (("wraps", "wraps"), ("goes_backward", "backward")) if feature in features
    ]


class DistanceRows(wiring.Component):
    """Rows by forward distance instead of coordinate, for a fixed size. Combinational, not on the packet's path.

    Members
    -------
    row : In(LocalMapSignature)
        Own row of the local routing table.
    rows : Out(CoordinateRowsSignature)
        Bit f: the answer at forward distance f. Bit 0 is 0.
    """

    def __init__(self, dsn: Dsn, axis, features=frozenset()):
        self._dsn, self._axis = dsn, axis
        names = route_columns(dsn.supernode, dsn.directions == "both", features)
        rows = CoordinateRowsSignature(dsn.sizes[axis], names)
        super().__init__({"row": In(LocalMapSignature(dsn.supernode, "wraps" in features)), "rows": Out(rows)})

    def elaborate(self, platform):
        m = Module()
        shortcuts = [
            next_shortcut(self._dsn, self._axis, distance) for distance in range(1, self._dsn.sizes[self._axis])
        ]
        for name in flipped(self.rows).signature.members:
            if name == "goes_backward":
                bits = [Const(found.direction == "backward") for found in shortcuts]
            elif name in ("forward", "backward"):
                bits = [self.row.here[found.leaves] if found.direction == name else Const(0) for found in shortcuts]
            else:
                bits = [getattr(self.row, name)[found.leaves] for found in shortcuts]
            m.d.comb += getattr(self.rows, name).eq(Cat(Const(0, 1), *bits))
        return m


class SizedDistanceRows(wiring.Component):
    """As :class:`DistanceRows`, for a size that is an input.

    Members
    -------
    size : In(p + 1)
        Supernodes of the ring, 1..2**p.
    lengths : In(ShortcutRowsSignature)
        Own row of the local routing table by the length of shortcuts.
    rows : Out(CoordinateRowsSignature)
        Bit f: the answer at forward distance f; 0 for distances of the size and more.
    """

    def __init__(self, levels, supernode, backward, features=frozenset()):
        rows = CoordinateRowsSignature(1 << levels, route_columns(supernode, backward, features))
        lengths = ShortcutRowsSignature(supernode, levels, backward, "wraps" in features)
        super().__init__({"size": In(levels + 1), "lengths": In(lengths), "rows": Out(rows)})

    def elaborate(self, platform):
        m = Module()
        rows, lengths = flipped(self.rows).signature, flipped(self.lengths).signature
        answers = {name: [Const(0, 1)] for name in rows.members}
        for distance in range(1, rows.n):
            exists = Signal(name=f"exists_{distance}")
            back = Signal(name=f"back_{distance}")
            m.d.comb += [
                exists.eq(self.size > distance),
                back.eq(self.size < 2 * distance if "back" in lengths.kinds else 0),
            ]
            level = distance.bit_length() - 1
            trailing = self._trailing(m, distance) if "back" in lengths.kinds else None
            for name in rows.members:
                column = "here" if name in ("forward", "backward") else name
                if name == "goes_backward":
                    answers[name].append(exists & back)
                    continue
                ahead = self._ahead(column)[level]
                behind = Const(0, 1) if trailing is None else (trailing & getattr(self.lengths.back, column)).any()
                either = {"forward": ~back & ahead, "backward": back & behind}.get(name, Mux(back, behind, ahead))
                answers[name].append(exists & either)
        m.d.comb += [getattr(self.rows, name).eq(Cat(bits)) for name, bits in answers.items()]
        return m

    def _ahead(self, column):
        """The column for shortcuts that are taken forward."""
        kinds = [getattr(self.lengths, kind) for kind in ("near", "far") if kind in self.lengths.signature.kinds]
        return reduce(or_, (getattr(kind, column) for kind in kinds))

    def _trailing(self, m, distance):
        """Trailing one of ``size - distance``, one-hot: that of the XOR."""
        difference = Signal(len(self.size) - 1, name=f"difference_{distance}")
        lowest = Signal(len(difference), name=f"lowest_{distance}")
        m.d.comb += [difference.eq(self.size ^ distance), lowest.eq(difference & (~difference + 1))]
        return lowest


class CoordinateRows(wiring.Component):
    """Rows by forward distance, turned round by the switch's coordinate. Combinational, not on the packet's path.

    Members
    -------
    own : In(p)
        Own coordinate.
    size : In(p + 1)
        Supernodes of the ring; only if ``n`` is None.
    by_distance : In(CoordinateRowsSignature)
        The answers by forward distance.
    rows : Out(CoordinateRowsSignature)
        Bit d: the answer for coordinate d of the destination.
    """

    def __init__(self, rows: CoordinateRowsSignature, sized):
        self._sized = sized
        members = {"own": In(rows.levels), "by_distance": In(rows), "rows": Out(rows)}
        super().__init__(members | ({"size": In(rows.levels + 1)} if sized else {}))

    def elaborate(self, platform):
        m = Module()
        signature = flipped(self.rows).signature
        n = signature.n
        rest = Signal(len(self.own) + 1)
        m.d.comb += rest.eq((self.size if self._sized else n) - self.own)
        for (path, _, row), (_, _, answer) in zip(signature.flatten(self.rows), signature.flatten(self.by_distance)):
            name = "_".join(map(str, path))
            if not self._sized and n & (n - 1) == 0:
                turned = self._shifted(m, f"{name}_turned", answer, self.own, lambda bits, by: bits[-by:] + bits[:-by])
            else:
                up = self._shifted(m, f"{name}_up", answer, self.own, lambda bits, by: [Const(0, 1)] * by + bits[:-by])
                turned = up | self._shifted(
                    m, f"{name}_down", answer, rest, lambda bits, by: bits[by:] + [Const(0, 1)] * by
                )
            m.d.comb += row.eq(turned)
        return m

    @staticmethod
    def _shifted(m, name, answer, amount, by_constant):
        """``answer`` shifted, in a step for each bit of ``amount``. ``by_constant`` shifts a list of bits."""
        for place, bit in enumerate(amount):
            bits, by = list(answer), 1 << place
            moved = by_constant(bits, by) if by < len(bits) else [Const(0, 1)] * len(bits)
            step = Signal(len(bits), name=f"{name}_{by}")
            m.d.comb += step.eq(Mux(bit, Cat(moved), answer))
            answer = step
        return answer
