"""A table of prefixes in flip-flops; the first that matches wins, so the longest stand first (D 4.1.2, 4.5.2)."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .shape import TableShape

__all__ = ["STAGES", "TernaryTable"]

#: Greatest number of register stages.
STAGES = 2


class TernaryTable(wiring.Component):
    """Longest-prefix match. One lookup a cycle, and one write a cycle beside it.

    Latency is ``stages``: 0 is combinational; 1 registers the outputs; 2 also between match and choice. A lookup sees every
    write of earlier clock edges and none of later ones, whatever the latency.

    The priority is the place: place 0 first. The loading order that this asks for is *longest prefix first*: of two valid
    entries that match one key the longer one has to stand before the shorter. Free places may be anywhere, and copies of
    an entry do no harm. :func:`dsnswitch.gen.tables.update.plan` writes a table, or changes one under traffic, in steps each of
    which keeps that order; ``docs/tables.md`` says why no lookup meets anything but its old or its new answer. (Lengths that are
    stored and compared, and a table that sorts itself, were built and measured too; see there.)

    A mask that is no prefix cannot be written: the write port takes a length.

    Flip-flops: entries * (2 * key + action), and entries * (action + 1) more in two stages.

    Parameters
    ----------
    shape : TableShape
        Entries, key width, action width.
    stages : int
        0..2.

    Members
    -------
    key : In(key)
        What is looked up; the prefix is at its most significant end.
    action : Out(action)
        Action of the longest prefix that matches; 0 without one.
    hit : Out(1)
        A prefix matches. After reset the table is empty.
    write : In(1)
        At the clock edge, replace what is in place ``write_place``.
    write_place : In(max(1, ceil(log2 entries)))
        The place. One that does not exist is not written: the table of one entry ignores place 1.
    write_valid : In(1)
        0 frees the place.
    write_value : In(key)
        The prefix; bits beyond ``write_length`` do not count.
    write_length : In(ceil(log2(key + 1)))
        Bits that count, from the most significant one; more than ``key`` are ``key``.
    write_action : In(action)
        The action.
    """

    def __init__(self, shape: TableShape, *, stages=0):
        if not isinstance(shape, TableShape):
            raise TypeError(f"Table shape must be a TableShape, not {shape!r}")
        if stages not in range(STAGES + 1):
            raise ValueError(f"Table stages must be in 0..{STAGES}, not {stages!r}")
        self._shape, self._stages = shape, stages
        super().__init__(
            {
                "key": In(shape.key),
                "action": Out(shape.action),
                "hit": Out(1),
                "write": In(1),
                "write_place": In(range(max(2, shape.entries))),
                "write_valid": In(1),
                "write_value": In(shape.key),
                "write_length": In(range(shape.key + 1)),
                "write_action": In(shape.action),
            }
        )

    #: Entries are registers, although a lookup may be combinational.
    clocked = True

    @property
    def latency(self):
        """Cycles from the key to the action."""
        return self._stages

    def elaborate(self, platform):
        m = Module()
        refuse = self._refusals(self.write_valid, self.write_value, self.write_length)
        new_one = Signal(self._shape.key)
        new_zero = Signal(self._shape.key)
        m.d.comb += [new_one.eq(refuse[0]), new_zero.eq(refuse[1])]

        found = []
        for place in range(self._shape.entries):
            refuse_one = Signal(self._shape.key, init=-1, name=f"refuse_one_{place}")
            refuse_zero = Signal(self._shape.key, init=-1, name=f"refuse_zero_{place}")
            action = Signal(self._shape.action, name=f"action_{place}")
            with m.If(self.write & self._is(place)):
                m.d.sync += [refuse_one.eq(new_one), refuse_zero.eq(new_zero), action.eq(self.write_action)]
            match = Signal(name=f"match_{place}")
            m.d.comb += match.eq(self._matches(refuse_one, refuse_zero))
            found.append(self._held(m, place, match, action) if self._stages == 2 else (match, action))
        hit, action = self._first(found)
        outputs = m.d.sync if self._stages else m.d.comb
        outputs += [self.action.eq(Mux(hit, action, 0)), self.hit.eq(hit)]
        return m

    def _refusals(self, valid, value, length):
        """Key bits of 1, and of 0, that an entry refuses. After the key that is one complex gate a bit. An entry that refuses
        both is free."""
        counts = Cat(length > beyond for beyond in reversed(range(self._shape.key)))
        return Mux(valid, ~value & counts, -1), Mux(valid, value & counts, -1)

    def _matches(self, refuse_one, refuse_zero):
        return ~(self.key & refuse_one | ~self.key & refuse_zero).any()

    def _is(self, place):
        return self.write_place == place if place else ~self.write_place.any()

    def _held(self, m, place, match, action):
        """Both a cycle later: a lookup on its way keeps the action that it matched, whatever is written behind it."""
        held_match = Signal(name=f"held_match_{place}")
        held_action = Signal(self._shape.action, name=f"held_action_{place}")
        m.d.sync += [held_match.eq(match), held_action.eq(action)]
        return held_match, held_action

    def _first(self, found):
        """Of two neighbours the first wins if it matches, and so on: actions are chosen among while matches are counted."""
        while len(found) > 1:
            pairs = [found[start : start + 2] for start in range(0, len(found), 2)]
            found = [
                (pair[0][0] | pair[1][0], Mux(pair[0][0], pair[0][1], pair[1][1])) if len(pair) == 2 else pair[0]
                for pair in pairs
            ]
        return found[0]
