"""The answer of one dimension: selected by the header for every next shortcut, then by the destination."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.routing.detour.registered.answers import answer_layout, any_port, chosen, gated, possible
from dsnswitch.hdl.routing.detour.registered.static_answers import TablesSignature, named, near_end
from dsnswitch.hdl.routing.dsn.registered.rows import CoordinateRowsSignature
from dsnswitch.hdl.routing.dsn.registered.static_registers import looked_up
from dsnswitch.hdl.routing.ring.zero_checker import ZeroChecker
from dsnswitch.net.routing.detour.decisions import Mode
from dsnswitch.net.topology.dsn import Dsn

__all__ = ["AxisChoice"]


class AxisChoice(wiring.Component):
    """Answers about a packet that moves in one dimension. Combinational.

    Members
    -------
    dst, own : In(p), In(p)
        Coordinate of the destination, and own coordinate (static).
    rows : In(CoordinateRowsSignature)
        Of :class:`ShortcutDistanceRows`, by coordinate (static).
    tables : In(TablesSignature)
        Static answers.
    mode : In(4)
        Header bits ``mode``, one-hot.
    alternative : In(1)
        Header bit.
    over : In(1)
        The packet is on the last class, so that no hop with ``turn`` is possible.
    done : Out(1)
        The destination has the switch's coordinate; all answers are then 0.
    answer : Out(answer_layout)
        The answer.
    toggled : Out(answer_layout)
        The answer for a packet that has just given up a shortcut of the other dimension.
    blocked, usable : Out(1), Out(1)
        The next shortcut of the base routing is dead here; there is one, and it is not.
    """

    def __init__(self, dsn: Dsn, name, rows: CoordinateRowsSignature):
        self._dsn, self._name = dsn, name
        word = answer_layout(len(dsn.supernode.port_names))
        super().__init__(
            {
                "dst": In(rows.levels),
                "own": In(rows.levels),
                "rows": In(rows),
                "tables": In(TablesSignature(dsn)),
                "mode": In(4),
                "alternative": In(1),
                "over": In(1),
                "done": Out(1),
                "answer": Out(word),
                "toggled": Out(word),
                "blocked": Out(1),
                "usable": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        levels = self.tables.signature.levels[self._name]
        m.submodules.zero_checker = zero_checker = ZeroChecker(len(self.dst))
        m.d.comb += [zero_checker.dst.eq(self.dst), zero_checker.own.eq(self.own), self.done.eq(zero_checker.done)]
        shortcuts = [(level, way) for way in (0, 1) for level in range(1, levels + 1)]
        onward = self._onward(m)
        given = [self._given(m, way) for way in (0, 1)]
        answers, toggled = [], []
        for index, shortcut in enumerate(shortcuts):
            is_next = looked_up(self.rows.shortcut[index], self.dst)
            answers.append((is_next, self._answer(m, shortcuts, shortcut, onward, given)))
            toggled.append((is_next, self._toggled(m, index, shortcut)))
        m.d.comb += [
            self.answer.as_value().eq(chosen(answers)),
            self.toggled.as_value().eq(chosen(toggled)),
            self.blocked.eq(looked_up(self.rows.blocked, self.dst)),
            self.usable.eq(looked_up(self.rows.usable, self.dst)),
        ]
        return m

    @property
    def _axis(self):
        """Static answers about this dimension."""
        return getattr(self.tables.axes, self._name)

    def _onward(self, m):
        """Local hop toward each id of a packet that goes on as its header says."""
        found = []
        for target, (first, again) in enumerate(zip(self.tables.first, self.tables.again)):
            word = Signal(answer_layout(len(self._dsn.supernode.port_names)), name=f"onward_{target}")
            m.d.comb += word.as_value().eq(Mux(self.alternative, again.as_value(), first.as_value()))
            found.append(word.as_value())
        return found

    def _given(self, m, way):
        """Answer for a packet that gives up the shortcut of this switch in direction ``way``."""
        word = Signal(len(self.answer.as_value()), name=f"given_{way}")
        m.d.comb += word.eq(chosen(zip(self.mode, (answer.as_value() for answer in self._axis.given[way]))))
        return word

    def _answer(self, m, shortcuts, base, onward, given):
        """The answer if ``base`` is the next shortcut of the base routing."""
        alive, dead, turn = self._axis.alive, self._axis.dead, self._axis.turn
        levels = len(shortcuts) // 2
        word = Signal(self.answer.shape(), name=f"answer_{base[0]}_{base[1]}")
        heads, takes, turns, gives = [], ([], []), [], ([], [])
        for mode in Mode:
            option = named(levels, base, mode)
            if option is None:
                continue
            index, way = shortcuts.index(option), option[1]
            heads.append((self.mode[mode] & ~(alive[index] | dead[index]), onward[near_end(option, self._dsn.m)]))
            takes[way].append(self.mode[mode] & alive[index])
            turns.append(self.mode[mode] & alive[index] & turn[way])
            gives[way].append(self.mode[mode] & dead[index])
        local = Signal(word.shape(), name=f"local_{base[0]}_{base[1]}")
        m.d.comb += [local.eq(chosen(heads)), word.eq(local)]
        detour = chosen((Cat(bits).any(), answer) for bits, answer in zip(gives, given))
        other = Signal(word.shape(), name=f"detour_{base[0]}_{base[1]}")
        taken = Cat(Cat(bits).any() for bits in takes)
        kept = Signal(2, name=f"mode_{base[0]}_{base[1]}")
        m.d.comb += [
            other.eq(detour),
            kept.eq(gated(local.hop.any(), Cat(self.mode[1] | self.mode[3], self.mode[2] | self.mode[3]))),
            word.hop.eq(local.hop | other.hop),
            word.shortcut.eq(taken | other.shortcut),
            word.mode.eq(kept | other.mode),
            word.alternative.eq(local.alternative | other.alternative),
            word.turn.eq(local.turn | other.turn | Cat(turns).any()),
            word.goes.eq(any_port(word)),
        ]
        return self._possible(m, word, f"{base[0]}_{base[1]}")

    def _toggled(self, m, index, shortcut):
        """The answer, with header bits 0, if ``shortcut`` is the next one and not dead here."""
        alive, turn = self._axis.alive[index], self._axis.turn[shortcut[1]]
        local = self.tables.instead[near_end(shortcut, self._dsn.m)]
        word = Signal(self.answer.shape(), name=f"toggled_{shortcut[0]}_{shortcut[1]}")
        m.d.comb += [
            word.eq(gated(~alive, local.as_value())),
            word.shortcut[shortcut[1]].eq(alive),
            word.turn.eq(Mux(alive, turn, local.turn)),
            word.goes.eq(alive | any_port(local)),
        ]
        return self._possible(m, word, f"toggled_{shortcut[0]}_{shortcut[1]}")

    def _possible(self, m, word, name):
        """``word``, without its hop if this needs a class that does not exist."""
        found = Signal(word.shape(), name=f"possible_{name}")
        m.d.comb += found.eq(possible(word, self.over))
        return found.as_value()
