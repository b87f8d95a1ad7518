"""Static answers of a switch: by id of the supernode, and by shortcut that it gives up."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.routing.detour.local_detour import LocalWords
from dsnswitch.hdl.routing.detour.registered.answers import answer_layout, chosen, gated
from dsnswitch.net.routing.detour.decisions import Mode, goes_up
from dsnswitch.net.topology.dsn import Dsn

__all__ = ["AxisTablesSignature", "Tables", "TablesSignature", "named"]


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


class AxisTablesSignature(wiring.Signature):
    """Static answers about one dimension of ``levels`` levels.

    Members
    -------
    alive, dead : Out(2 * levels)
        This switch has the shortcut, and its link is up, or down. Levels forward, then levels backward.
    turn : Out(2)
        A hop over the shortcut, forward or backward, goes up after one down.
    given : Out(answer_layout).array(2, 3)
        Element [way][mode]: answer for a packet with this header ``mode`` that gives up the shortcut of this switch in direction
        ``way``. Of mode OPPOSITE there is none, as it is the last.
    """

    def __init__(self, levels, local_ports):
        given = Out(answer_layout(local_ports)).array(2, len(Mode) - 1)
        super().__init__({"alive": Out(2 * levels), "dead": Out(2 * levels), "turn": Out(2), "given": given})


class TablesSignature(wiring.Signature):
    """Static answers.

    Members
    -------
    first, again, instead : Out(answer_layout).array(m)
        Element t: local hop toward id t, without ``mode``: of a packet whose header bit ``alternative`` is 0, or 1; of one that
        has just given up a shortcut. It means nothing at id t.
    axes : Out(Signature)
        :class:`AxisTablesSignature` of each dimension that has shortcuts, by the name of the dimension.
    """

    def __init__(self, dsn: Dsn):
        local_ports = len(dsn.supernode.port_names)
        #: Levels of each dimension that has shortcuts.
        self.levels = {dsn.dimensions[axis]: levels for axis, levels in enumerate(dsn.levels) if levels}
        axes = {name: Out(AxisTablesSignature(levels, local_ports)) for name, levels in self.levels.items()}
        toward = Out(answer_layout(local_ports)).array(dsn.m)
        super().__init__({"first": toward, "again": toward, "instead": toward, "axes": Out(wiring.Signature(axes))})


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
        for name, levels in tables.signature.levels.items():
            axis = getattr(tables.axes, name)
            shortcuts = [(level, way) for way in (0, 1) for level in range(1, levels + 1)]
            here = Signal(len(shortcuts), name=f"here_{name}")
            down = self.down[first : first + 2]
            both = Cat(*(down[0].replicate(levels), down[1].replicate(levels)))
            m.d.comb += [
                here.eq(Cat(self.own[near_end(shortcut, dsn.m)] for shortcut in shortcuts)),
                axis.alive.eq(here & ~both),
                axis.dead.eq(here & both),
                axis.turn.eq(turn[first : first + 2]),
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
            answers = getattr(self.tables, name)
            for answer, hop, after in zip(answers, words.hop, words.next):
                m.d.comb += [
                    answer.hop.eq(hop),
                    answer.alternative.eq(after),
                    answer.turn.eq((hop & turn[:count]).any()),
                ]

    def _given(self, m, name, levels, shortcuts, here):
        """Answers for packets that give up a shortcut: the first later mode whose shortcut is not dead here."""
        place = {shortcut: index for index, shortcut in enumerate(shortcuts)}
        axis = getattr(self.tables.axes, name)
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
                        is_dead = axis.dead[place[option]]
                        label = f"{name}_{base[0]}_{base[1]}_{int(mode)}_{int(later)}"
                        found.append((open_ & ~is_dead, self._option(m, name, label, place[option], option, later)))
                        open_ = open_ & is_dead
                if found:
                    of_way[given_up[1]].append((here[place[given_up]], chosen(found)))
            for way, pairs in enumerate(of_way):
                if pairs:
                    m.d.comb += axis.given[way][mode].as_value().eq(chosen(pairs))

    def _option(self, m, name, label, index, option, mode):
        """Answer for a packet that turns to ``option``, which is not dead here."""
        answer = Signal(answer_layout(len(self._dsn.supernode.port_names)), name=f"to_{label}")
        axis, local = getattr(self.tables.axes, name), self.tables.instead[near_end(option, self._dsn.m)]
        taken = axis.alive[index]
        heads = Signal.like(answer, name=f"heads_{label}")
        m.d.comb += [
            heads.eq(local),
            heads.mode.eq(gated(local.hop.any(), mode)),
            answer.eq(gated(~taken, heads)),
            answer.shortcut[option[1]].eq(taken),
            answer.turn.eq(Mux(taken, axis.turn[option[1]], heads.turn)),
        ]
        return answer.as_value()
