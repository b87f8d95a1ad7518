"""When each LUT of a netlist with units is evaluated, and where each net is stored.

A unit that occurs several times is evaluated by the same functions for all its instances. Logic passes from one unit to another
and back within a cycle, so the LUTs of a unit are divided into *phases*: in phase k of the cycle, the units are evaluated one
after the other, each for all instances, and a LUT is in the first phase in which its inputs are known for every instance. Logic
that depends on straps alone has phases of its own, which run once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dsnswitch.sim.network.compile.netlist import ONE, ZERO, Ram

__all__ = ["Cyclic", "Schedule", "Source"]


class Cyclic(Exception):
    """Instances of one unit depend on each other, so that the units cannot be evaluated one after the other."""


@dataclass(frozen=True)
class Source:
    """What drives a net: ``kind`` is ``const``, ``input`` (of the top), ``lut``, ``flop`` or ``ram``.

    ``instance`` and ``net`` are those of the driver; for an input they are its port and bit, for a constant 0 and its value.
    """

    kind: str
    instance: Any
    net: int


@dataclass
class _Unit:
    """A unit and what is known about it in all its instances. ``external`` are nets that other units or the top drive."""

    name: str
    luts: dict
    order: list
    flops: dict
    ram_data: set
    rams: list
    external: list
    instances: list = field(default_factory=list)


#: Rounds over the units in one cycle, after which a netlist counts as cyclic.
_MOST = 12


class Schedule:
    """The schedule of a :class:`~dsnswitch.sim.network.compile.netlist.Netlist`.

    Input ports of the top in ``static`` are constant in a run, those in ``tied`` are always 0. Raises :class:`Cyclic`.

    Attributes
    ----------
    units : dict
        ``{name: unit}``; a unit has ``instances`` (numbers), ``external`` nets, ``luts`` ``{net: (table, inputs)}``.
    order : list of str
        Units in the order of evaluation within a phase.
    phase : dict
        ``{(unit, net): (static, phase)}`` of LUTs.
    """

    def __init__(self, netlist, static, tied):
        self.netlist, self._static, self._tied = netlist, static, tied
        self._instances = []  # (unit, parent, {port: nets in the parent})
        self._children = []  # by instance: {place of the cell: instance}
        self._drivers = {name: self._drivers_of(unit) for name, unit in netlist.units.items()}
        self._add(netlist.top, None, {})
        self._sources = {}
        self._externals = {}
        self._make_units()
        self._fold_constants()
        self._order_units()
        self._make_phases()

    # The hierarchy.

    def _add(self, name, parent, nets):
        number = len(self._instances)
        self._instances.append((name, parent, nets))
        self._children.append({})
        for place, cell in enumerate(self.netlist.units[name].cells):
            self._children[number][place] = self._add(cell.unit, number, cell.nets)
        return number

    def _drivers_of(self, unit):
        found = {ZERO: ("const", ZERO, 0), ONE: ("const", ONE, 0)}
        for port, nets in unit.inputs.items():
            found |= {net: ("input", port, place) for place, net in enumerate(nets)}
        for place, cell in enumerate(unit.cells):
            outputs = self.netlist.units[cell.unit].outputs
            for port in outputs.keys() & cell.nets.keys():
                found |= {net: ("cell", place, (port, bit)) for bit, net in enumerate(cell.nets[port])}
        found |= {output: ("lut", 0, 0) for output, _, _ in unit.luts}
        found |= {q: ("flop", 0, 0) for q, _, _ in unit.flops}
        found |= {net: ("ram", 0, 0) for ram in unit.rams for net in ram.read_data}
        return found

    def source(self, instance: int, net: int) -> Source:
        """The :class:`Source` of a net of an instance."""
        key = instance, net
        if key not in self._sources:
            self._sources[key] = self._find(instance, net)
        return self._sources[key]

    def _find(self, instance, net):
        unit, parent, nets = self._instances[instance]
        kind, place, bit = self._drivers[unit].get(net, ("const", ZERO, 0))
        if kind == "const":
            return Source("const", 0, place)
        if kind == "cell":
            child = self._children[instance][place]
            port, index = bit
            return self.source(child, self.netlist.units[self._instances[child][0]].outputs[port][index])
        if kind == "input":
            if parent is None:
                return Source("const", 0, ZERO) if place in self._tied else Source("input", place, bit)
            return self.source(parent, nets[place][bit]) if place in nets else Source("const", 0, ZERO)
        return Source(kind, instance, net)

    def path(self, instance: int) -> str:
        """Names of the cells that lead to an instance, each with a dot after it; empty for the top."""
        _, parent, _ = self._instances[instance]
        if parent is None:
            return ""
        place = next(place for place, child in self._children[parent].items() if child == instance)
        return f"{self.path(parent)}{self.netlist.units[self.unit_of(parent)].cells[place].name}."

    def unit_of(self, instance: int) -> str:
        """Name of the unit of an instance."""
        return self._instances[instance][0]

    def _make_units(self):
        self.units = {}
        for name, unit in self.netlist.units.items():
            luts = {output: (table, inputs) for output, table, inputs in unit.luts}
            flops = {q: (d, start) for q, d, start in unit.flops}
            data = {net for ram in unit.rams for net in ram.read_data}
            used = dict.fromkeys(
                [net for _, _, inputs in unit.luts for net in inputs]
                + [d for d, _ in flops.values()]
                + [net for ram in unit.rams for net in ram_inputs(ram)]
            )
            drivers = self._drivers[name]
            external = [net for net in used if drivers.get(net, ("const",))[0] in ("input", "cell")]
            order = [output for output, _, _ in unit.luts]
            self.units[name] = _Unit(name, luts, order, flops, data, unit.rams, external)
        for number, (name, _, _) in enumerate(self._instances):
            self.units[name].instances.append(number)
        self.units = {name: unit for name, unit in self.units.items() if unit.instances}

    # Constants.

    def _fold_constants(self):
        """Remove LUT inputs that are constant in all instances, and LUTs that are."""
        for unit in self.units.values():
            known = {ZERO: ZERO, ONE: ONE}
            drivers = self._drivers[unit.name]
            for net in unit.external:
                sources = {self.source(instance, net) for instance in unit.instances}
                if len(sources) == 1 and next(iter(sources)).kind == "const":
                    known[net] = next(iter(sources)).net
            for net in [d for d, _ in unit.flops.values()] + [net for ram in unit.rams for net in ram_inputs(ram)]:
                if net not in drivers:
                    known[net] = ZERO
            for output in unit.order:
                table, inputs = unit.luts[output]
                table, inputs = folded(table, inputs, {**known, **{n: ZERO for n in inputs if n not in drivers}})
                unit.luts[output] = table, inputs
                if not inputs:
                    known[output] = table & 1
            unit.flops = {q: (known.get(d, d), start) for q, (d, start) in unit.flops.items()}
            used = {net for _, inputs in unit.luts.values() for net in inputs} | {d for d, _ in unit.flops.values()}
            used |= {net for ram in unit.rams for net in ram_inputs(ram)}
            unit.external = [net for net in unit.external if net in used]

    # The order of units, and phases.

    def _order_units(self):
        """Units by the mean depth of their LUTs."""
        depth = {}
        for root_unit in self.units.values():
            for instance in root_unit.instances:
                for output in root_unit.order:
                    self._depth_of(depth, instance, output)
        means = {}
        for name, unit in self.units.items():
            found = [depth[instance, output] for instance in unit.instances for output in unit.order]
            means[name] = sum(found) / max(1, len(found))
        self.order = sorted(self.units, key=lambda name: (means[name], name))

    def _depth_of(self, depth, instance, output):
        stack = [(instance, output)]
        while stack:
            key = stack[-1]
            if depth.get(key, 0) > 0:
                stack.pop()
                continue
            one, net = key
            sources = [self.source(one, other) for other in self.units[self.unit_of(one)].luts[net][1]]
            others = [(source.instance, source.net) for source in sources if source.kind == "lut"]
            missing = [other for other in others if depth.get(other, 0) <= 0]
            if missing:
                if depth.get(key) == 0 and any(depth.get(other) == 0 for other in missing):
                    raise Cyclic("The core has a combinational loop")
                depth[key] = 0
                stack += missing
            else:
                depth[key] = 1 + max((depth[other] for other in others), default=0)
                stack.pop()

    def _make_phases(self):
        place = {name: number for number, name in enumerate(self.order)}
        self.phase = phase = {}
        self.available = available = {}  # of external nets: (static, phase)
        for round_ in range(_MOST + 1):
            changed = False
            for name in self.order:
                unit = self.units[name]
                for net in unit.external:
                    new = max(self._available(instance, net, name, place) for instance in unit.instances)
                    if available.get((name, net)) != new:
                        available[name, net] = new
                        changed = True
                for output in unit.order:
                    new = max((self._known(name, net) for net in unit.luts[output][1]), default=(0, 0))
                    if phase.get((name, output)) != new:
                        phase[name, output] = new
                        changed = True
            if not changed:
                break
            if round_ == _MOST or max(phase.values(), default=(0, 0))[1] > _MOST:
                raise Cyclic("The units of the core depend on each other in a cycle")
        self._move_late(place)

    def _known(self, name, net):
        """``(0 for static, else 1; phase)`` in which a net of a unit is known."""
        unit = self.units[name]
        if net in unit.luts:
            return self.phase.get((name, net), (0, 0))
        if net in (ZERO, ONE) or net not in self._drivers[name]:
            return 0, 0
        if net in unit.flops or net in unit.ram_data:
            return 1, 0
        return self.available.get((name, net), (0, 0))

    def _available(self, instance, net, name, place):
        source = self.source(instance, net)
        if source.kind == "const":
            return 0, 0
        if source.kind == "input":
            return (0, 0) if source.instance in self._static else (1, 0)
        if source.kind != "lut":
            return 1, 0
        other = self.unit_of(source.instance)
        moving, phase = self.phase.get((other, source.net), (0, 0))
        return moving, phase + (place[other] >= place[name])

    def _move_late(self, place):
        """Move LUTs to the phase of their first reader, if fewer values then wait for a later phase."""
        exported = self.exported()
        for name, unit in self.units.items():
            readers = {}
            for output, (_, inputs) in unit.luts.items():
                for net in inputs:
                    readers.setdefault(net, []).append(output)
            final = {}
            for q, (d, _) in unit.flops.items():
                final.setdefault(d, []).append(self.flop_phase(name, q))
            fixed = exported[name] | {net for ram in unit.rams for net in ram_inputs(ram)}
            for output in reversed(unit.order):
                if output in fixed or not self.phase[name, output][0]:
                    continue
                phases = [self.phase[name, reader] for reader in readers.get(output, ())] + final.get(output, [])
                first = min(phases, default=self.phase[name, output])
                waiting = [net for net in unit.luts[output][1] if net in unit.luts and len(readers[net]) == 1]
                if first > self.phase[name, output] and len(waiting) <= 1:
                    self.phase[name, output] = first

    def flop_phase(self, name: str, q: int) -> tuple[int, int]:
        """Phase in which the next value of a flip-flop is stored; in each cycle, so it is never static."""
        return max((1, 0), self._known(name, self.units[name].flops[q][0]))

    def exported(self) -> dict[str, set[int]]:
        """``{unit: LUTs}`` that other instances read, or that drive outputs of the top."""
        found = {name: set() for name in self.units}
        for unit in self.units.values():
            for net in unit.external:
                for instance in unit.instances:
                    source = self.source(instance, net)
                    if source.kind == "lut":
                        found[self.unit_of(source.instance)].add(source.net)
        for nets in self.netlist.units[self.netlist.top].outputs.values():
            for net in nets:
                source = self.source(0, net)
                if source.kind == "lut":
                    found[self.unit_of(source.instance)].add(source.net)
        return found


def ram_inputs(ram: Ram) -> list[int]:
    """Nets that a RAM reads."""
    return [ram.read, *ram.read_address, ram.write, *ram.write_address, *ram.write_data]


def folded(table: int, inputs: Sequence[int], known: dict[int, int]) -> tuple[int, tuple[int, ...]]:
    """A LUT without its inputs in ``known`` ``{net: value}``, and without those that it does not depend on or has twice."""
    nets, rest = list(inputs), {}
    for net in nets:
        if net not in known:
            rest.setdefault(net, len(rest))
    names = list(rest)

    def value(spelling):
        index = 0
        for place, net in enumerate(nets):
            bit = known[net] if net in known else spelling >> rest[net] & 1
            index |= bit << place
        return table >> index & 1

    made = sum(value(spelling) << spelling for spelling in range(1 << len(names)))
    for place in reversed(range(len(names))):
        pairs = [spelling for spelling in range(1 << len(names)) if not spelling >> place & 1]
        if all(made >> s & 1 == made >> (s | 1 << place) & 1 for s in pairs):
            low = (1 << place) - 1
            made = sum((made >> (s & low | (s & ~low) << 1) & 1) << s for s in range(1 << len(names) - 1))
            del names[place]
    return made, tuple(names)
