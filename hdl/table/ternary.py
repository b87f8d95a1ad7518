"""Ternary table: longest-prefix match in flip-flops (D 4.1.2, 4.5.2)."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import equals
from dsnswitch.hdl.table.shape import STAGES, TableShape
from dsnswitch.net.checks import Parameter


class TernaryWrite(wiring.Signature):
    """Write port of a :class:`TernaryTable`: one write per cycle, which replaces one entry at the clock edge.

    Members
    -------
    - write (Out(1)): Replace entry ``write_place``.
    - write_place (Out(max(1, ceil(log2 entries)))): Index of the entry. A write to an index without an entry has no effect: a
      table of one entry ignores index 1.
    - write_valid (Out(1)): 0 frees the entry.
    - write_value (Out(key)): The prefix; bits after ``write_length`` are ignored.
    - write_length (Out(ceil(log2(key + 1)))): Length of the prefix, counted from the most significant bit; a greater length
      than ``key`` counts as ``key``.
    - write_action (Out(action)): The action.
    """

    def __init__(self, shape: TableShape):
        fields = {
            "place": range(max(2, shape.entries)),
            "valid": 1,
            "value": shape.key,
            "length": range(shape.key + 1),
            "action": shape.action,
        }
        super().__init__({"write": Out(1), **{f"write_{name}": Out(width) for name, width in fields.items()}})


class TernaryTable(wiring.Component):
    """Ternary table: longest-prefix match. One lookup and one write per cycle.

    The latency is ``stages`` cycles: 0 is combinational, 1 registers the outputs, 2 also puts a register between match and
    selection. A lookup sees all writes of earlier clock edges and no later ones, with any latency.

    The first matching entry wins. The entries must therefore be loaded *longest prefix first*: of two valid entries that
    match one key, the longer one must have the lower index. Free entries may be anywhere, and copies of an entry do no
    harm. :func:`dsnswitch.net.tables.update.plan` writes or changes a table under traffic in steps that keep this order,
    and each lookup gets either its old or its new answer. ``docs/tables.md`` compares tables that store and compare
    lengths, and tables that sort themselves.

    The write port takes a prefix length, so that other masks cannot be written.

    The table has ``entries * (2 * key + action)`` flip-flops, with two stages ``entries * (action + 1)`` more.

    Parameters
    ----------
    shape : TableShape
        Entries, key width, action width.
    stages : int
        Register stages of a lookup, 0..2.

    Members
    -------
    - key (In(key)): Key to look up. Prefixes begin at its most significant bit.
    - action (Out(action)): Action of the longest prefix that matches; 0 if none matches.
    - hit (Out(1)): A prefix matches. After reset the table is empty.
    - write, write_place, write_valid, write_value, write_length, write_action: Write port (:class:`TernaryWrite`).
    """

    write_port = Parameter("Signature of the write port, a :class:`TernaryWrite`.")

    def __init__(self, shape: TableShape, *, stages=0):
        if not isinstance(shape, TableShape):
            raise TypeError(f"Table shape must be a TableShape, not {shape!r}")
        if stages not in range(STAGES + 1):
            raise ValueError(f"Table stages must be in 0..{STAGES}, not {stages!r}")
        self._shape, self._stages, self.latency = shape, stages, stages
        self._write_port = TernaryWrite(shape)
        lookup = {"key": In(shape.key), "action": Out(shape.action), "hit": Out(1)}
        super().__init__(lookup | dict(self._write_port.flip().members))

    #: The block has a clock: its entries are registers, although a lookup may be combinational.
    clocked = True

    def elaborate(self, platform):
        m = Module()
        refuse = self._refusals(self.write_valid, self.write_value, self.write_length)
        new_one = Signal(self._shape.key)
        new_zero = Signal(self._shape.key)
        m.d.comb += [new_one.eq(refuse[0]), new_zero.eq(refuse[1])]

        entries = []
        for index in range(self._shape.entries):
            refuse_one = Signal(self._shape.key, init=-1, name=f"refuse_one_{index}")
            refuse_zero = Signal(self._shape.key, init=-1, name=f"refuse_zero_{index}")
            action = Signal(self._shape.action, name=f"action_{index}")
            with m.If(self.write & self._writes(index)):
                m.d.sync += [refuse_one.eq(new_one), refuse_zero.eq(new_zero), action.eq(self.write_action)]
            match = Signal(name=f"match_{index}")
            m.d.comb += match.eq(self._matches(refuse_one, refuse_zero))
            entries.append(self._held(m, index, match, action) if self._stages == 2 else (match, action))
        hit, action = self._first(entries)
        outputs = m.d.sync if self._stages else m.d.comb
        outputs += [self.action.eq(Mux(hit, action, 0)), self.hit.eq(hit)]
        return m

    def _refusals(self, valid, value, length):
        """Masks of the key bits at which an entry refuses a 1, and a 0; an entry that refuses both everywhere is free.

        With these masks a comparison takes one complex gate per bit after the key.
        """
        counts = Cat(length > beyond for beyond in reversed(range(self._shape.key)))
        return Mux(valid, ~value & counts, -1), Mux(valid, value & counts, -1)

    def _matches(self, refuse_one, refuse_zero):
        return ~(self.key & refuse_one | ~self.key & refuse_zero).any()

    def _writes(self, index):
        return equals(self.write_place, index)

    def _held(self, m, index, match, action):
        """Register match and action: a lookup keeps the action of its entry even if that entry is then written."""
        held_match = Signal(name=f"held_match_{index}")
        held_action = Signal(self._shape.action, name=f"held_action_{index}")
        m.d.sync += [held_match.eq(match), held_action.eq(action)]
        return held_match, held_action

    def _first(self, entries):
        """Tournament: the first of two neighbours wins if it matches. Actions are selected while the matches are computed."""
        while len(entries) > 1:
            pairs = [entries[start : start + 2] for start in range(0, len(entries), 2)]
            entries = [
                (pair[0][0] | pair[1][0], Mux(pair[0][0], pair[0][1], pair[1][1])) if len(pair) == 2 else pair[0]
                for pair in pairs
            ]
        return entries[0]
