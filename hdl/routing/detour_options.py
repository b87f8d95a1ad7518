"""Choice of the shortcut to head for, as gateware: the first option that is not a failed shortcut of this switch."""

from collections import namedtuple
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.hdl.routing.ring import RingPosition
from dsnswitch.hdl.routing.shortcuts import JumpNode
from dsnswitch.hdl.routing.terms import DsnTermsSignature
from dsnswitch.net.routing.detour.decisions import Mode

#: One option as gateware. ``forward``, ``backward``: its level. ``is_y``: its dimension is the second. ``mode``: header bits of a
#: packet on its way to the option. ``valid``: the option may be chosen. ``turns``: from here on, y comes before x.
_Candidate = namedtuple("_Candidate", "forward backward is_y mode valid turns", defaults=(False,))


class NextShortcutSignature(wiring.Signature):
    """Next shortcut of the base routing in a dimension of ``levels`` levels.

    Members
    -------
    - done (Out(1)): The destination has the switch's coordinate; the other members are then 0.
    - forward, backward (Out(levels), Out(levels)): Bit k - 1: the next shortcut has level k and is taken forward, or backward.
      Unless ``done``, exactly one bit of both is 1.
    """

    def __init__(self, levels):
        super().__init__({"done": Out(1), "forward": Out(levels), "backward": Out(levels)})


class NextShortcut(wiring.Component):
    """Level of the next shortcut in one ring, as :class:`RingUnit` finds it. Combinational.

    Members
    -------
    - dst (In(p)): Coordinate of the destination, 0..n-1.
    - terms (In(DsnTermsSignature)): Static terms.
    - next (Out(NextShortcutSignature)): The shortcut.
    """

    def __init__(self, terms: DsnTermsSignature):
        levels = terms.ring.levels
        super().__init__({"dst": In(levels), "terms": In(terms), "next": Out(NextShortcutSignature(levels))})

    def elaborate(self, platform):
        m = Module()
        terms = self.terms
        m.submodules.position = position = RingPosition(terms.ring.signature.flip())
        m.submodules.jump_node = jump_node = JumpNode(terms.ring.signature.flip())
        connect(m, flipped(terms.ring), position.terms)
        ahead = jump_node.ahead & (terms.near | Mux(position.backward, 0, terms.far))
        behind = Mux(position.backward, jump_node.behind & terms.back, 0)
        m.d.comb += [
            position.dst.eq(self.dst),
            jump_node.below.eq(position.below),
            jump_node.residue.eq(position.residue),
            self.next.done.eq(position.done),
            # The higher the level, the shorter the shortcut.
            self.next.forward.eq(ahead[::-1]),
            self.next.backward.eq(behind[::-1]),
        ]
        return m


class OptionChoice(wiring.Component):
    """Computes the options of :func:`options` in parallel, and takes the first that the links allow. Combinational.

    Parameters
    ----------
    levels : tuple of int
        Levels of each dimension that has shortcuts, 1 or 2 dimensions.
    m : int
        Switches per supernode.

    Members
    -------
    - own (In(m)): Own id, one-hot (static).
    - first, second (In(NextShortcutSignature)): Next shortcut of the base routing in each dimension. ``second`` exists only
      with two dimensions.
    - dead (In(2 * dimensions)): The shortcut of this switch has failed: first forward, first backward, second forward, second
      backward.
    - mode, y_first (In(2), In(1)): Header bits. ``y_first`` exists only with two dimensions.
    - target (Out(m)): Id of the option that the header names, one-hot; 0 at that id, if all dimensions are done, or if there is
      no option.
    - given_up (Out(1)): This option is a failed shortcut of this switch, so the packet makes a detour.
    - detour_target (Out(m)): Id of the first other option that the links allow, one-hot; 0 at that id, or if there is none.
    - shortcut (Out(2 * dimensions)): The shortcut that the packet takes, in the order of ``dead``, or 0.
    - next_mode (Out(2)): Header bits of a packet that heads for the option chosen.
    - turns_to_y (Out(1)): The packet gives up its shortcut for that of the other dimension. Only with two dimensions.
    """

    def __init__(self, levels, m):
        self._levels, self._m = levels, m
        two = len(levels) == 2
        members = {"own": In(m)}
        members |= {name: In(NextShortcutSignature(width)) for name, width in zip(("first", "second"), levels)}
        members |= {"dead": In(2 * len(levels)), "mode": In(2)} | ({"y_first": In(1)} if two else {})
        members |= {
            "target": Out(m),
            "detour_target": Out(m),
            "shortcut": Out(2 * len(levels)),
            "given_up": Out(1),
            "next_mode": Out(2),
        }
        super().__init__(members | ({"turns_to_y": Out(1)} if two else {}))

    def elaborate(self, platform):
        m = Module()
        current, *others = self._candidates()
        named = self._option(m, current, 0)
        given_up = self.given_up
        m.d.comb += [self.target.eq(named.target), given_up.eq(named.blocked)]
        open_, targets, shortcuts, modes = Const(1, 1), [], [], []
        for number, candidate in enumerate(others, 1):
            option = self._option(m, candidate, number)
            chosen = Signal(name=f"chosen_{number}")
            m.d.comb += chosen.eq(open_ & candidate.valid & ~option.blocked)
            open_ = open_ & (option.blocked | ~candidate.valid)
            targets.append(Mux(chosen, option.target, 0))
            shortcuts.append(Mux(chosen, option.shortcut, 0))
            modes.append(Mux(chosen, candidate.mode, 0))
            if candidate.turns:
                m.d.comb += self.turns_to_y.eq(given_up & chosen)
        m.d.comb += [
            self.detour_target.eq(reduce(or_, targets)),
            self.shortcut.eq(named.shortcut | Mux(given_up, reduce(or_, shortcuts), 0)),
            self.next_mode.eq(Mux(given_up, reduce(or_, modes), current.mode)),
        ]
        return m

    def _candidates(self):
        """Every option, in the order of preference."""
        width = max(self._levels)
        x, always, toggles = self.first, Const(1, 1), []
        is_y, forward, backward, longest = Const(0, 1), x.forward, x.backward, Const((1 << width) - 1, width)
        if len(self._levels) == 2:
            y, y_first = self.second, self.y_first
            is_y = x.done | y_first & ~y.done
            forward, backward = Mux(is_y, y.forward, x.forward), Mux(is_y, y.backward, x.backward)
            longest = Mux(is_y, *(Const((1 << levels) - 1, width) for levels in reversed(self._levels)))
            may = (self.mode == Mode.DIRECT) & ~y_first & ~x.done & ~y.done
            toggles = [_Candidate(y.forward, y.backward, always, Mode.DIRECT, may, turns=True)]
        found = {
            Mode.DIRECT: (forward, backward),
            Mode.LONGER: (forward[1:], backward[1:]),
            Mode.SHORTER: ((forward << 1) & longest, (backward << 1) & longest),
            Mode.OPPOSITE: (backward, forward),
        }
        named = [_select(self.mode, [found[mode][way] for mode in Mode]) for way in (0, 1)]
        later = [_Candidate(*found[mode], is_y, mode, (self.mode < mode) & Cat(*found[mode]).any()) for mode in Mode if mode]
        return [_Candidate(*named, is_y, self.mode, always), *toggles, *later]

    def _option(self, m, candidate, number):
        """The result of an option at this switch."""
        forward = Signal(max(self._levels), name=f"forward_{number}")
        backward = Signal(max(self._levels), name=f"backward_{number}")
        forward_here = Signal(name=f"forward_here_{number}")
        backward_here = Signal(name=f"backward_here_{number}")
        m.d.comb += [
            forward.eq(candidate.forward),
            backward.eq(candidate.backward),
            forward_here.eq(Cat(bit & self.own[level] for level, bit in enumerate(forward)).any()),
            backward_here.eq(Cat(bit & self.own[(level + 1) % self._m] for level, bit in enumerate(backward)).any()),
        ]
        ids = [[] for _ in range(self._m)]
        for level, (ahead, back) in enumerate(zip(forward, backward)):
            ids[level].append(ahead)
            ids[(level + 1) % self._m].append(back)
        dead = self.dead[:2]
        if len(self._levels) == 2:
            dead = Mux(candidate.is_y, self.dead[2:], dead)
        here = Cat(forward_here, backward_here)
        taken = here & ~dead
        shortcut = taken
        if len(self._levels) == 2:
            shortcut = Cat(Mux(candidate.is_y, 0, taken), Mux(candidate.is_y, taken, 0))
        target = Cat(Cat(bits).any() for bits in ids)
        return _Option(Mux(here.any(), 0, target), shortcut, (here & dead).any())


_Option = namedtuple("_Option", "target shortcut blocked")


def _select(index, values):
    """``values[index]`` of four values."""
    return Mux(index[1], Mux(index[0], values[3], values[2]), Mux(index[0], values[1], values[0]))
