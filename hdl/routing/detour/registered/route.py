"""Route logic of a DSN switch with detours, whose own address, input port and link states are registered."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib.wiring import connect

from dsnswitch.hdl.logic.gates import decode
from dsnswitch.hdl.routing.detour.registered.answers import answer_layout, chosen, gated, possible
from dsnswitch.hdl.routing.detour.registered.axis import AxisChoice
from dsnswitch.hdl.routing.detour.registered.shortcut_rows import ShortcutDistanceRows
from dsnswitch.hdl.routing.detour.registered.static_answers import Tables, TablesSignature
from dsnswitch.hdl.routing.detour.route import DetourRoute
from dsnswitch.hdl.routing.dsn.registered.rows import CoordinateRows
from dsnswitch.hdl.routing.dsn.registered.static_registers import connect_later, later, looked_up
from dsnswitch.net.topology.dsn import Dsn

__all__ = ["RegisteredDetourRoute"]


class RegisteredDetourRoute(DetourRoute):
    """Universal :class:`DetourRoute` with the shortest path from the destination and the header.

    Latency 0 cycles (combinational), or 1 with ``register``; one packet per cycle in both cases. A change of the switch's
    address, of ``in_port`` or of ``dead`` takes effect one cycle later. The registers have no reset.

    Parameters
    ----------
    network : Dsn
        The network.
    register : bool
        Register the outputs as well, in the domain ``sync`` (rising edge, synchronous reset to 0).
    classes : int or None
        As for :class:`DetourRoute`.

    Members
    -------
    own, dst, in_class, in_detour, dead, out_..., arrived, undeliverable, invalid
        As for :class:`DetourRoute`.
    in_port : In(ports)
        As there, but constant while packets flow: each input of a switch has logic of its own.
    """

    #: There are registers, whatever the latency.
    clocked = True

    def __init__(self, network: Dsn, *, register=False, classes=None):
        super().__init__(network, register=register, classes=classes)

    def elaborate(self, platform):
        m = Module()
        dsn = self._network
        own = Signal(dsn.m)
        m.submodules.tables = tables = Tables(dsn)
        m.d.comb += [
            own.eq(decode(self._own("id"), dsn.m)),
            tables.own.eq(own),
            tables.in_port.eq(self.in_port),
            tables.down.eq(self.dead),
        ]
        kept = TablesSignature(dsn).create(path=("kept",))
        connect_later(m, tables.tables, kept, "tables")
        mode = Signal(4)
        over = Signal()
        m.d.comb += [mode.eq(decode(self.in_detour[:2], 4)), over.eq(self.in_class == self._classes - 1)]
        axes = [self._axis(m, axis, tables.tables, kept, mode, over) for axis, size in enumerate(dsn.sizes) if size > 1]
        final, is_own = self._final(m, own, kept, over)
        going = self._going(m, axes)
        is_here = Signal()
        is_outside = Signal()
        m.d.comb += [is_here.eq(going[-1] & is_own), is_outside.eq(self._outside(m))]
        self._select(m, axes, going, final, is_here, is_outside)
        return m

    def _static(self, m, value, name):
        return later(m, value, f"{name}_r")

    def _axis(self, m, axis, tables, kept, mode, over):
        """The :class:`AxisChoice` of a dimension; ``kept`` are the registered ``tables``."""
        dsn, name = self._network, self._network.dimensions[axis]
        m.submodules[f"distances_{name}"] = distances = ShortcutDistanceRows(dsn, axis)
        m.submodules[f"rows_{name}"] = turned = CoordinateRows(distances.rows.signature, False)
        m.submodules[f"axis_{name}"] = choice = AxisChoice(dsn, name, distances.rows.signature)
        connect(m, distances.rows, turned.by_distance)
        connect_later(m, turned.rows, choice.rows, name)
        connect(m, kept, choice.tables)
        m.d.comb += [
            distances.dead.eq(getattr(tables.axes, name).dead),
            turned.own.eq(self._own(name)),
            choice.own.eq(later(m, self._own(name), f"own_{name}_r")),
            choice.dst.eq(self._dst(name)),
            choice.mode.eq(mode),
            choice.alternative.eq(self.in_detour[2]),
            choice.over.eq(over),
        ]
        return choice

    def _final(self, m, own, kept, over):
        """The answer for a packet in the destination's supernode, and whether the destination's id is that of the switch."""
        dsn = self._network
        own, has_axes = later(m, own, "own_id_r"), Const(any(dsn.levels))
        layout, pairs = answer_layout(len(dsn.supernode.port_names)), []
        for target, is_target in enumerate(decode(self._dst("id"), dsn.m)):
            word = Signal(layout, name=f"final_{target}")
            first, again = kept.first[target], kept.again[target]
            hop = Signal(word.hop.shape(), name=f"final_hop_{target}")
            m.d.comb += [
                hop.eq(Mux(self.in_detour[2], again.hop, first.hop)),
                word.eq(Mux(self.in_detour[2], again, first)),
                word.mode.eq(gated(hop.any() & has_axes, self.in_detour[:2])),
                word.goes.eq(hop.any()),
            ]
            pairs.append((is_target & ~own[target], possible(word, over)))
        final = Signal(layout, name="final_answer")
        m.d.comb += final.eq(chosen(pairs))
        return final, looked_up(own, self._dst("id"))

    def _going(self, m, axes):
        """One-hot: the packet moves in each dimension; in none any more."""
        if len(axes) < 2:
            return [*(~axis.done for axis in axes), Cat(axis.done for axis in axes).all()]
        x, y = axes
        y_first = self.in_detour[3]
        return [~x.done & ~(y_first & ~y.done), ~y.done & (x.done | y_first), x.done & y.done]

    def _select(self, m, axes, going, final, is_here, is_outside):
        """Select the answer and drive the outputs."""
        toggles, toggled = Const(0, 1), Const(0, 1)
        answers = [axis.answer for axis in axes]
        if len(axes) == 2:
            # The y-shortcut instead of a dead x-shortcut: only of a packet that has not met a failed shortcut.
            toggles = Signal()
            first = answers[0]
            answers[0] = Signal(first.shape(), name="x_answer")
            m.d.comb += [
                toggles.eq(~self.in_detour[:2].any() & ~self.in_detour[3] & axes[0].blocked & axes[1].usable),
                answers[0].as_value().eq(gated(~toggles, first.as_value())),
            ]
            toggled = Signal(first.shape(), name="y_instead")
            m.d.comb += toggled.as_value().eq(gated(toggles, axes[1].toggled.as_value()))
        shortcuts = [gated(go, answer.shortcut) for go, answer in zip(going, answers)]
        found = Signal(final.shape(), name="answer")
        either = chosen((go, answer.as_value()) for go, answer in zip(going, [*answers, final]))
        if len(axes) == 2:
            either = either | toggled.as_value()
            shortcuts[1] = shortcuts[1] | toggled.shortcut
        m.d.comb += found.as_value().eq(gated(~is_outside, either))
        header = [found.mode, found.alternative]
        if len(axes) == 2:
            header.append(self.in_detour[3] | toggles & ~is_outside)
        self._answer(
            m,
            out_port=Cat(found.hop, *(gated(~is_outside, shortcut) for shortcut in shortcuts)),
            out_class=self.in_class + found.turn,
            out_detour=Cat(header),
            arrived=is_here & ~is_outside,
            undeliverable=~is_outside & ~is_here & ~found.goes,
            invalid=is_outside,
        )
