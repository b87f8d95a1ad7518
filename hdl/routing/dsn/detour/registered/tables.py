"""Static answers of a switch: by id of the supernode, and by shortcut that it gives up."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .....topology import Dsn
from ..header import Mode
from ..local_detour import LocalWords
from ..turns import goes_up
from .words import answer_layout, chosen, gated

__all__ = ["Tables", "TablesSignature", "named"]


def named(levels, shortcut, mode):
    """Shortcut that ``mode`` makes of a next shortcut of the base routing, or None if it does not exist.

    A shortcut is ``(level, way)``; ``way`` is 0 forward, 1 backward.
    """
    level, way = shortcut
    level += {Mode.LONGER: -1, Mode.SHORTER: 1}.get(mode, 0)
    return (level, way ^ (mode == Mode.OPPOSITE)) if 1 <= level <= levels else None


def near_end(shortcut, m):
    """Id at which a shortcut is taken."""
    level, way = shortcut
    return level % m if way else level - 1


class TablesSignature(wiring.Signature):
    """Static answers.

    Members
    -------
    first_<t>, again_<t>, instead_<t> : Out(answer_layout)
        Local hop toward id t, without ``mode``: of a packet whose header bit ``alternative`` is 0, or 1; of one that has just
        given up a shortcut. They mean nothing at id t.
    alive_<a>, dead_<a> : Out(2p)
        This switch has the shortcut of dimension ``a``, and its link is up, or down. Levels forward, then levels backward.
    given_<a>_<way>_<mode> : Out(answer_layout)
        Answer for a packet with this header ``mode`` that gives up the shortcut of this switch in dimension ``a`` and direction
        ``way``. Of mode OPPOSITE there is none, as it is the last.
    turn_<a> : Out(2)
        A hop over the shortcut of dimension ``a`` goes up after one down.
    """

    def __init__(self, dsn: Dsn):
        self.axes = {dsn.dimensions[axis]: levels for axis, levels in enumerate(dsn.levels) if levels}
        word = answer_layout(len(dsn.supernode.port_names))
        members = {f"{name}_{target}": Out(word) for name in ("first", "again", "instead") for target in range(dsn.m)}
        for name, levels in self.axes.items():
            members |= {f"alive_{name}": Out(2 * levels), f"dead_{name}": Out(2 * levels), f"turn_{name}": Out(2)}
            members |= {f"given_{name}_{way}_{int(mode)}": Out(word) for way in (0, 1) for mode in list(Mode)[:-1]}
        super().__init__(members)


class Tables(wiring.Component):
    """Computes :class:`TablesSignature`. Combinational, not on the packet's path.

    Members
    -------
    own : In(m)
        Own id, one-hot.
    in_port : In(ports)
        Port on which the packet came, one-hot; 0 from a host.
    down : In(ports)
        Ports whose link has failed.
    tables : Out(TablesSignature)
        The answers.
    """

    def __init__(self, dsn: Dsn):
        self._dsn = dsn
        count = len(dsn.ports)
        super().__init__(
            {"own": In(dsn.m), "in_port": In(count), "down": In(count), "tables": Out(TablesSignature(dsn))}
        )

    def elaborate(self, platform):
        m = Module()
        dsn, tables = self._dsn, self.tables
        turn = Signal(len(self.down))
        up = self._up(m)
        m.d.comb += turn.eq(Mux((self.in_port & up).any(), up, 0))
        self._local(m, turn)
        first = len(dsn.supernode.port_names)
        for name, levels in tables.signature.flip().axes.items():
            shortcuts = [(level, way) for way in (0, 1) for level in range(1, levels + 1)]
            here = Signal(len(shortcuts), name=f"here_{name}")
            down = self.down[first : first + 2]
            both = Cat(*(down[0].replicate(levels), down[1].replicate(levels)))
            m.d.comb += [
                here.eq(Cat(self.own[near_end(shortcut, dsn.m)] for shortcut in shortcuts)),
                getattr(tables, f"alive_{name}").eq(here & ~both),
                getattr(tables, f"dead_{name}").eq(here & both),
                getattr(tables, f"turn_{name}").eq(turn[first : first + 2]),
            ]
            self._given(m, name, levels, shortcuts, here)
            first += 2
        return m

    def _up(self, m):
        """Ports of this switch that lead to a higher id."""
        dsn = self._dsn
        up = Signal(len(self.down))
        for port in range(len(up)):
            owns = [
                own
                for own in range(dsn.m)
                if dsn.neighbour((0,) * len(dsn.sizes) + (own,), port) is not None and goes_up(dsn, own, port)
            ]
            m.d.comb += up[port].eq((self.own & sum(1 << own for own in owns)).any())
        return up

    def _local(self, m, turn):
        """Local hops toward each id."""
        supernode = self._dsn.supernode
        count = len(supernode.port_names)
        for name, alternative, remembers in (("first", 0, True), ("again", 1, True), ("instead", 0, False)):
            m.submodules[f"local_{name}"] = words = LocalWords(supernode)
            m.d.comb += [
                words.own.eq(self.own),
                words.alternative.eq(alternative),
                words.back.eq(self.in_port[:count] if remembers else 0),
                words.dead.eq(self.down[:count]),
            ]
            for target in range(supernode.m):
                answer, hop = getattr(self.tables, f"{name}_{target}"), getattr(words, f"hop_{target}")
                m.d.comb += [
                    answer.hop.eq(hop),
                    answer.alternative.eq(getattr(words, f"next_{target}")),
                    answer.turn.eq((hop & turn[:count]).any()),
                ]

    def _given(self, m, name, levels, shortcuts, here):
        """Answers for packets that give up a shortcut: the first later mode whose shortcut is not dead here."""
        place = {shortcut: index for index, shortcut in enumerate(shortcuts)}
        for mode in list(Mode)[:-1]:
            of_way = ([], [])
            for base in shortcuts:
                given_up = named(levels, base, mode)
                if given_up is None:
                    continue
                open_, found = Const(1, 1), []
                for later in list(Mode)[mode + 1 :]:
                    option = named(levels, base, later)
                    if option is not None:
                        is_dead = getattr(self.tables, f"dead_{name}")[place[option]]
                        label = f"{name}_{base[0]}_{base[1]}_{int(mode)}_{int(later)}"
                        found.append((open_ & ~is_dead, self._option(m, name, label, place[option], option, later)))
                        open_ = open_ & is_dead
                if found:
                    of_way[given_up[1]].append((here[place[given_up]], chosen(found)))
            for way, pairs in enumerate(of_way):
                if pairs:
                    m.d.comb += getattr(self.tables, f"given_{name}_{way}_{int(mode)}").as_value().eq(chosen(pairs))

    def _option(self, m, name, label, index, option, mode):
        """Answer for a packet that turns to ``option``, which is not dead here."""
        answer = Signal(answer_layout(len(self._dsn.supernode.port_names)), name=f"to_{label}")
        local = getattr(self.tables, f"instead_{near_end(option, self._dsn.m)}")
        taken = getattr(self.tables, f"alive_{name}")[index]
        heads = Signal.like(answer, name=f"heads_{label}")
        m.d.comb += [
            heads.eq(local),
            heads.mode.eq(mode),
            answer.eq(gated(~taken, heads)),
            answer.shortcut[option[1]].eq(taken),
            answer.turn.eq(Mux(taken, getattr(self.tables, f"turn_{name}")[option[1]], heads.turn)),
        ]
        return answer.as_value()
