"""Virtual channel class of the next hop: the classes of :class:`DsnRelation` as gateware."""

from itertools import product

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.net.routing.dsn.classes import Purpose
from dsnswitch.net.routing.dsn.relation import DsnRelation

__all__ = ["ClassSelection", "arrival_ports", "class_width"]


def class_width(relation):
    """Bits of the class of a local link; 0 if local links have one class."""
    return (relation.classes.get("local", 1) - 1).bit_length()


def arrival_ports(relation):
    """``{name: bits}`` of the channel on which the packet arrived, if the class of the next hop depends on it; else none."""
    width = class_width(relation)
    if not width or "between" not in relation.features:
        return {}
    return {"in_port": len(relation.network.ports), "in_class": width}


def _dimensions(relation):
    dsn = relation.network
    return tuple(name for name, size in zip(dsn.dimensions, dsn.sizes) if size > 1)


class ClassSelection(wiring.Component):
    """Virtual channel class of the local link that a packet takes next. Combinational, in parallel with the choice of the port.

    A shortcut has one class, so the output is valid only if the next hop is local. There are inputs only for conditions on
    which a class depends; :attr:`features` names these.

    Parameters
    ----------
    relation : DsnRelation
        The routing, with at least two classes on local links.

    Members
    -------
    <d> : In(Signature)
        Members Out(1) about dimension d: ``done``, S-routing in d is done; ``wraps``, the rest of the local route in d passes
        between the last id and the first; ``backward``, the next shortcut of d is taken backward.
    final_wraps : In(1)
        The local route to the destination's id passes between the last id and the first.
    in_port, in_class : In(ports), In(ceil(log2 classes))
        One-hot port on which the packet arrived, and its class if that is a local link. All 0 from a host.
    out_class : Out(ceil(log2 classes))
        Class of the local link.
    """

    def __init__(self, relation: DsnRelation):
        self._relation = relation
        self.features = frozenset(relation.features)
        self.dimensions = _dimensions(relation)
        conditions = ["done", *(feature for feature in ("wraps", "backward") if feature in self.features)]
        phase = wiring.Signature({condition: Out(1) for condition in conditions})
        members = {name: In(phase) for name in self.dimensions}
        if "wraps" in self.features:
            members["final_wraps"] = In(1)
        super().__init__(
            members
            | {name: In(width) for name, width in arrival_ports(relation).items()}
            | {"out_class": Out(class_width(relation))}
        )

    def elaborate(self, platform):
        m = Module()
        dsn = self._relation.network
        wraps = self.final_wraps if "wraps" in self.features else Const(0, 1)
        chosen = self._class(m, len(dsn.sizes), "final", wraps, Const(0, 1))
        for name in reversed(self.dimensions):
            phase = getattr(self, name)
            wraps, backward = (getattr(phase, feature, Const(0, 1)) for feature in ("wraps", "backward"))
            chosen = Mux(phase.done, chosen, self._class(m, dsn.dimensions.index(name), name, wraps, backward))
        m.d.comb += self.out_class.eq(chosen)
        return m

    def _class(self, m, phase, name, wraps, backward):
        """Class of a local hop in one phase."""
        between = self._between(m, phase, name, backward)
        bits = [Const(0, 1)] * len(self.out_class)
        for values in product((False, True), repeat=3):
            purpose = Purpose(phase, *values)
            virtual_class = self._relation.class_of(purpose)
            is_purpose = Cat(~(between ^ values[0]), ~(wraps ^ values[1]), ~(backward ^ values[2])).all()
            bits = [
                bit | is_purpose if virtual_class is not None and virtual_class >> b & 1 else bit
                for b, bit in enumerate(bits)
            ]
        result = Signal(len(bits), name=f"{name}_class")
        m.d.comb += result.eq(Cat(bits))
        return result

    def _between(self, m, phase, name, backward):
        """Whether the packet has taken a shortcut in this phase."""
        if "between" not in self.features or name == "final":
            return Const(0, 1)

        def among(classes):
            return Cat(self.in_class == number for number in sorted(classes)).any()

        onward, back = (self._relation.between_classes[phase, way] for way in (False, True))
        between = Signal(name=f"{name}_between")
        same = among(onward) if onward == back else Mux(backward, among(back), among(onward))
        m.d.comb += between.eq(self._came_by(name) | self._came_by("local") & same)
        return between

    def _came_by(self, kind):
        """Whether the packet came by a port of a kind."""
        return Cat(self.in_port[port.index] for port in self._relation.network.ports if port.kind == kind).any()
