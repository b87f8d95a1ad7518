"""Fragments of Amaranth, and RTLIL of one fragment with ordered ports.

The only module that uses undocumented interfaces of Amaranth.
"""

from collections.abc import Mapping
from contextlib import contextmanager
from graphlib import CycleError, TopologicalSorter

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Elaboratable, Fragment, Signal, _ir, _mem, _nir
from amaranth.hdl._ast import SignalDict, SignalSet
from amaranth.hdl._xfrm import DomainLowerer
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In

from dsnswitch.net.messages import UsageError

#: First release of Amaranth that works, and the first release that has not been tried.
SUPPORTED = ("0.5.4", "0.6")


@contextmanager
def _replaced(owner, name, method):
    """``method`` in place of the one that ``owner``, a class of Amaranth, has. No other thread may convert meanwhile."""
    old = vars(owner)[name]
    setattr(owner, name, staticmethod(method))
    try:
        yield
    finally:
        setattr(owner, name, old)


class _Below(Fragment):
    """Stands for a component below a fragment."""

    def __init__(self, component):
        super().__init__()
        self.component = component


def fragment(component):
    """The fragment of ``component`` alone. Amaranth elaborates a component together with all components below it.

    So a component that is equal to a converted one is not elaborated: three quarters of the components of a switch.
    """
    deep = Fragment.get

    def get(below, platform):
        # A memory stays in the module of the component that contains it.
        if below is component or isinstance(below, memory.Memory) or not isinstance(below, wiring.Component):
            return deep(below, platform)
        return _Below(below)

    with _replaced(Fragment, "get", get):
        return Fragment.get(component, None)


def leave(part):
    """Prevent Amaranth's warning that ``part`` and the components in its attributes are never elaborated."""
    if isinstance(part, Mapping):
        part = list(part.values())
    if isinstance(part, list | tuple):
        for item in part:
            leave(item)
    elif isinstance(part, Elaboratable) and not part._MustUse__used:
        part._MustUse__used = True
        leave(vars(part))


def children(parent):
    """``[(fragment, name, component)]`` of the fragments below ``parent``.

    The component is None if the fragment belongs to the module of its parent.
    """
    return [(child, name, getattr(child, "component", None)) for child, name, _ in parent.subfragments]


def replace_children(parent, named):
    """Replace the fragments below ``parent`` by those of ``[(fragment, name)]``."""
    parent.subfragments = [(child, name, None) for child, name in named]


def _value(cls, nets=()):
    """``Value(nets)`` without its check of each net, which takes a quarter of the time of a conversion."""
    return tuple.__new__(cls, (nets,) if isinstance(nets, _nir.Net) else nets)


class _Netlist(_nir.Netlist):
    """Amaranth's netlist, which makes and resolves values without a call for each net.

    If ``plain`` is true, assignments without a condition are connections. Amaranth makes a process of those to parts of a signal.
    """

    def __init__(self, plain):
        super().__init__()
        self._plain = plain

    def add_value_cell(self, width, cell):
        if self._plain and isinstance(cell, _nir.AssignmentList) and all(one.cond == 1 for one in cell.assignments):
            nets = list(cell.default)
            for one in cell.assignments:
                nets[one.start : one.start + len(one.value)] = one.value
            return _nir.Value(nets)
        start = self.add_cell(cell) << 16
        return _nir.Value(map(_nir.Net, range(start, start + width)))

    def alloc_late_value(self, signal):
        end = self.last_late_net
        self.last_late_net -= len(signal)
        return _nir.Value(map(_nir.Net, range(self.last_late_net, end)))

    def resolve_connections(self):
        """Connect each bit of a signal to the cell that drives it, not to another signal.

        Raises
        ------
        CombinationalCycle
            If a signal is connected to itself.
        """
        for net, source in self.connections.items():
            passed = []
            while source < 0:
                passed.append(net)
                net, source = source, self.connections[source]
                if net in passed:
                    raise _nir.CombinationalCycle
            for net in passed:
                self.connections[net] = source

    def resolve_value(self, value):
        if not value or min(value) >= 0:
            return value
        return _nir.Value(self.connections[net] if net < 0 else net for net in value)

    def check_cycles(self):
        """Check that the netlist has no combinational cycle.

        Amaranth follows each bit. Here this is done only if there is a cycle of whole cells.

        Raises
        ------
        CombinationalCycle
            If there is a cycle.
        """
        drivers = {}
        for number, cell in enumerate(self.cells):
            if isinstance(cell, _nir.FlipFlop):
                drivers[number] = {cell.clk >> 16, cell.arst >> 16}
            elif not isinstance(cell, _STORING):
                drivers[number] = {net >> 16 for net in cell.input_nets()}
        try:
            TopologicalSorter(drivers).prepare()
        except CycleError:
            self.check_comb_cycles()


#: Cells whose outputs do not depend on their inputs in the same cycle, except on a clock.
_STORING = (_nir.Top, _nir.Instance, _nir.Memory, _nir.SyncWritePort, _nir.SyncReadPort)


class _Lowerer(DomainLowerer):
    """Resolves clock and reset of instances only."""

    def map_statements(self, fragment, new_fragment):
        new_fragment.statements = fragment.statements


def _design(parent, ports, name):
    """``parent.prepare(ports, (name,))`` without copies of statements, which exist to replace clock and reset in expressions."""
    ports = parent._prepare_ports(ports)
    for domain in parent._propagate_domains(ClockDomain):
        ports += [(None, signal, _ir.PortDirection.Input) for signal in (domain.clk, domain.rst) if signal is not None]
    try:
        return _ir.Design(_Lowerer()(parent), ports, hierarchy=(name,))
    except NotImplementedError:
        return _ir.Design(DomainLowerer()(parent), ports, hierarchy=(name,))


def _refuse_unnamed(design):
    """Refuse signals and memories whose name Amaranth did not find in the byte code that made them.

    It would call them ``$signal``, which is no plain Verilog, and whether it finds a name depends on the release of Python.
    """
    for fragment, info in design.fragments.items():
        memories = [fragment._data] if isinstance(fragment, _mem.MemoryInstance) else []
        for found in (*info.signal_names, *memories):
            if found.name.startswith("$"):
                file, line = found.src_loc
                what = "signal" if isinstance(found, Signal) else "memory"
                raise UsageError(f"{file}:{line}: a {what} has no name; assign it to one variable alone, or state name=")


def _inner(value):
    """Signals with bits in an attribute of a component."""
    if isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _inner(item)
    elif isinstance(value, Signal) and len(value):
        yield value


def _refuse_inner(design, below):
    """Refuse a signal of a component below that is no port.

    Each component is converted alone, so nothing would drive the signal in Verilog, and it would have its initial value.
    """
    used = SignalSet(signal for info in design.fragments.values() for signal in info.signal_names)
    for component, ports in below:
        outside = SignalSet(ports)
        for name, value in vars(component).items():
            if any(signal in used and signal not in outside for signal in _inner(value)):
                raise UsageError(f"{type(component).__name__}.{name} is used by the component above it, and is no port")


def _netlist(design, plain):
    """The netlist of ``design`` in half the time of Amaranth's ``build_netlist``, and equal to it if ``plain`` is false."""
    netlist = _Netlist(plain)
    _ir._emit_netlist(netlist, design)
    try:
        netlist.resolve_connections()
        netlist.resolve_all_nets()
        netlist.check_cycles()
    except _nir.CombinationalCycle:
        return _ir.build_netlist(design)  # Its error names the signals of the cycle.
    if len(netlist.modules) > 1:
        # In a single module, no net has to be led to another one.
        _ir._compute_net_flows(netlist)
    _ir._compute_ports(netlist)
    return netlist


class _PlainModuleEmitter(rtlil.ModuleEmitter):
    """Writes a module that becomes Verilog: without names of fields that Yosys would not choose.

    Yosys prefers the name of a port, and that with an attribute: of a register, or of an output of an instance.
    """

    def emit_signal_fields(self):
        for signal in self.module.signal_names:
            fields = self.netlist.signal_fields[signal].items()
            self.netlist.signal_fields[signal] = {
                path: field for path, field in fields if not path or self._is_unnamed(field.value)
            }
        super().emit_signal_fields()

    def _is_unnamed(self, value):
        wires = [self.nets[net][0] for net in (*value[:1], *value[-1:]) if net > 1]
        return bool(wires) and not any(wire.attributes or wire.port_kind for wire in wires)


def module_text(parent, ports, name, plain=False, below=()):
    """RTLIL of one fragment as module ``name``; ``ports`` is ``{name: (signal, flow)}``.

    ``below`` are the components that have modules of their own, each with the signals of its ports.
    If ``plain`` is true, it is the shorter text that becomes Verilog. Otherwise it is Amaranth's, by which figures are recorded.
    """
    directions = _ir.PortDirection
    ports = {port: (signal, directions.Input if flow == In else directions.Output) for port, (signal, flow) in ports.items()}
    design = _design(parent, ports, name) if plain else parent.prepare(ports=ports, hierarchy=(name,))
    _refuse_unnamed(design)
    _refuse_inner(design, below)
    with _replaced(_nir.Value, "__new__", _value):
        return _written(design, plain)


def _written(design, plain):
    """RTLIL of ``design``."""
    netlist = _netlist(design, plain)
    emitter = _PlainModuleEmitter if plain else rtlil.ModuleEmitter
    design, empty = rtlil.Design(emit_src=False), rtlil.EmptyModuleChecker(netlist)
    for number, module in enumerate(netlist.modules):
        if not empty.is_empty(number):
            builder = design.module(".".join(module.name))
            if not number:
                builder.attribute("top", 1)
            emitter(builder, netlist, module, SignalDict(), empty_checker=empty).emit()
    return str(design)


def whole_rtlil(part, ports, name):
    """RTLIL of ``part`` and everything below it, with top module ``name``. ``ports`` are signals; their names are kept.

    It serves proofs about an elaboratable without a signature. Names and order of inner ports are lost.
    """
    return rtlil.convert(part, ports=ports, name=name)
