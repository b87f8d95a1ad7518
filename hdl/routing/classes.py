"""Virtual channel class of the next hop: the classes of :class:`DsnRelation` as gateware."""

from itertools import product

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.net.routing.dsn.classes import Purpose
from dsnswitch.net.routing.dsn.relation import DsnRelation


def class_width(relation):
    """Bits of the class of a local link; 0 if local links have one class."""
    return (relation.classes.get("local", 1) - 1).bit_length()


def arrival_bits(relation):
    """``{name: bits}`` of the channel on which the packet arrived: 0 if the class of the next hop does not depend on it."""
    width = class_width(relation) if "between" in relation.features else 0
    return {"in_port": len(relation.network.ports) if width else 0, "in_class": width}


class ClassSelection(wiring.Component):
    """Virtual channel class of the local link that a packet takes next. Combinational, in parallel with the choice of the port.

    A shortcut has one class, so the output is valid only if the next hop is local. Conditions on which no class depends have no
    bits.

    Parameters
    ----------
    relation : DsnRelation
        The routing, with at least two classes on local links.

    Members
    -------
    - <d> (In(Signature)): Members Out(1) about dimension d: ``done``, S-routing in d is done; ``wraps``, the rest of the local
      route in d passes between the last id and the first; ``backward``, the next shortcut of d is taken backward.
    - final_wraps (In(1)): The local route to the destination's id passes between the last id and the first.
    - in_port, in_class (In(ports), In(ceil(log2 classes))): One-hot port on which the packet arrived, and its class if that is
      a local link. All 0 from a host.
    - out_class (Out(ceil(log2 classes))): Class of the local link.
    """

    def __init__(self, relation: DsnRelation):
        self._relation, dsn = relation, relation.network
        self.dimensions = tuple(name for name, size in zip(dsn.dimensions, dsn.sizes) if size > 1)
        wraps, backward = (int(feature in relation.features) for feature in ("wraps", "backward"))
        phase = wiring.Signature({"done": Out(1), "wraps": Out(wraps), "backward": Out(backward)})
        members = {name: In(phase) for name in self.dimensions} | {"final_wraps": In(wraps)}
        members |= {name: In(width) for name, width in arrival_bits(relation).items()}
        super().__init__(members | {"out_class": Out(class_width(relation))})

    def elaborate(self, platform):
        m = Module()
        dsn = self._relation.network
        chosen = self._class(m, len(dsn.sizes), "final", self.final_wraps.any(), Const(0, 1))
        for name in reversed(self.dimensions):
            phase = getattr(self, name)
            number, conditions = dsn.dimensions.index(name), (phase.wraps.any(), phase.backward.any())
            chosen = Mux(phase.done, chosen, self._class(m, number, name, *conditions))
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
                bit | is_purpose if virtual_class is not None and virtual_class >> b & 1 else bit for b, bit in enumerate(bits)
            ]
        result = Signal(len(bits), name=f"{name}_class")
        m.d.comb += result.eq(Cat(bits))
        return result

    def _between(self, m, phase, name, backward):
        """Whether the packet has taken a shortcut in this phase."""
        if not len(self.in_port) or name == "final":
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
