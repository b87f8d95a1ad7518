"""C++ that evaluates a scheduled netlist, and its compilation into a shared library.

A *row* is one net in 512 copies of the core: 64 bytes, copy i in bit i. The state of 512 copies is an array of rows::

    flip-flops, flip-flops, RAMs, registers of RAMs, LUTs that are stored, inputs of the top, zero, one

There are two sets of flip-flops: one has the values of this cycle, and the next values go to the other. The library exports

    void core_settle(char *rows)               logic that depends on straps alone
    void core_step(char *rows, int parity)     one cycle; ``parity`` is the set of flip-flops that has the values of this cycle

A function evaluates up to :data:`CHUNK` LUTs of one instance of a unit in depth-first order. It finds the flip-flops and stored
LUTs of its instance at constant distances from three addresses, and the nets of other instances by a table of addresses.
"""

import json
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dsnswitch.net.cache import content_key, keep, kept
from dsnswitch.sim.network.compile.chunks import chunks_of
from dsnswitch.sim.network.compile.compiler import build, compiler, features
from dsnswitch.sim.network.compile.expressions import expression, permuted
from dsnswitch.sim.network.compile.netlist import HIERARCHY, ONE, ZERO, read_netlist
from dsnswitch.sim.network.compile.schedule import Cyclic, Schedule, Source, ram_inputs

__all__ = ["COPIES", "ROW", "Layout", "compiled"]

#: Files of a core in the cache.
LIBRARY, LAYOUT = "core.so", "layout.json"

#: LUTs of one function.
CHUNK = 400

#: Bytes of a row, and copies that it has.
ROW, COPIES = 64, 512


@dataclass
class Layout:
    """Where the rows of the top's ports and of the state are, by their numbers.

    Attributes
    ----------
    rows : int
        Rows of 512 copies.
    flops : int
        Flip-flops: rows 0 to ``flops - 1``, and again behind them.
    start : list of int
        Rows of flip-flops and RAMs that are 1 at the start, for parity 0.
    inputs, outputs : dict
        ``{port: rows}``; an output's row is that of a flip-flop, for parity 0.
    shown : list of int
        Rows of outputs that are no registers, for parity 0, among the flip-flops: :func:`core_step` writes them for this cycle.
    zero, one : int
        Rows of constants.
    registers : dict
        ``{instance.name: rows by bit, for parity 0}``; -1 for a bit that is no flip-flop.
    luts, ram_bits : int
        Size of the netlist.
    """

    rows: int
    flops: int
    start: list
    inputs: dict
    outputs: dict
    shown: list
    zero: int
    one: int
    registers: dict
    luts: int
    ram_bits: int


def compiled(
    verilog: Path, top: str, static: set[str], tied: set[str], isa: str, watch: Callable[[str], object] = lambda stage: None
) -> tuple[Path, Layout]:
    """``(path of the library, Layout)`` of a core, from the cache if it is there.

    ``verilog``, ``top`` and ``watch`` are as for :func:`~dsnswitch.sim.network.compile.netlist.read_netlist`, ``static`` and
    ``tied`` as for :class:`~dsnswitch.sim.network.compile.schedule.Schedule`.
    """
    here = [
        Path(__file__).with_name(name)
        for name in ("generate.py", "chunks.py", "expressions.py", "schedule.py", "netlist.py", "mapping.py", "rows.hpp")
    ]
    machine = f"{platform.machine()} {sorted(features())} {isa} {compiler()} {os.environ.get('CXX')}"
    key = content_key(*here, Path(verilog), text=f"{top} {sorted(static)} {sorted(tied)} {machine} {HIERARCHY} {CHUNK}")
    name = f"core-{key}"
    path = kept(name)
    if not path:
        try:
            schedule = Schedule(read_netlist(verilog, top, HIERARCHY, watch), static, tied)
        except Cyclic:
            schedule = Schedule(read_netlist(verilog, top, "none", watch), static, tied)
        writer = _Writer(schedule)
        watch("compiling")

        def make(path):
            path.mkdir()
            build(writer.sources(), path / LIBRARY, isa)
            (path / LAYOUT).write_text(json.dumps(vars(writer.layout())))

        path = keep(name, make)
    return path / LIBRARY, Layout(**json.loads((path / LAYOUT).read_text()))


class _Writer:
    """Writes the C++ of a schedule."""

    def __init__(self, schedule):
        self._schedule = schedule
        self._chunks = chunks_of(schedule, CHUNK)
        self._stored = self._find_stored()
        self._place()

    def _find_stored(self):
        """``{unit: LUTs}`` that are stored, because another function reads them."""
        found = self._schedule.exported()
        where = {(chunk.unit, net): number for number, chunk in enumerate(self._chunks) for net in chunk.luts()}
        for number, chunk in enumerate(self._chunks):
            unit = self._schedule.units[chunk.unit]
            for kind, net in chunk.steps:
                for other in unit.luts[net][1] if kind == "lut" else (unit.flops[net][0],):
                    if where.get((chunk.unit, other), number) != number:
                        found[chunk.unit].add(other)
        for name, unit in self._schedule.units.items():
            found[name] |= {net for ram in unit.rams for net in ram_inputs(ram) if unit.luts.get(net, (0, ()))[1]}
        return found

    def _place(self):
        """Numbers of all rows."""
        schedule = self._schedule
        self._flop, self._lut, self._data = {}, {}, {}  # by unit: {net: place within the instance}
        for name, unit in schedule.units.items():
            self._flop[name] = {q: place for place, q in enumerate(unit.flops)}
            self._lut[name] = {net: place for place, net in enumerate(n for n in unit.order if n in self._stored[name])}
            self._data[name] = {net: place for place, net in enumerate(n for ram in unit.rams for n in ram.read_data)}
        self._flop_base, self._lut_base, self._data_base, self._ram_base = {}, {}, {}, {}
        row = 0
        instances = [instance for name in schedule.order for instance in schedule.units[name].instances]
        for instance in instances:
            self._flop_base[instance] = row
            row += len(self._flop[schedule.unit_of(instance)])
        # After the flip-flops of each set come outputs of the top that are no registers, and two constants.
        self._shown = {}
        for nets in schedule.netlist.units[schedule.netlist.top].outputs.values():
            for source in map(self._of_output, nets):
                if source.kind not in ("const", "flop") and source not in self._shown:
                    self._shown[source] = row
                    row += 1
        self._flops = row + 2
        row = 2 * self._flops
        for instance in instances:
            self._data_base[instance] = row
            row += len(self._data[schedule.unit_of(instance)])
            for place, ram in enumerate(schedule.units[schedule.unit_of(instance)].rams):
                self._ram_base[instance, place] = row
                row += ram.words * len(ram.read_data)
        for instance in instances:
            self._lut_base[instance] = row
            row += len(self._lut[schedule.unit_of(instance)])
        self._inputs = {}
        for port, nets in schedule.netlist.units[schedule.netlist.top].inputs.items():
            self._inputs[port] = list(range(row, row + len(nets)))
            row += len(nets)
        self._zero, self._one, self._rows = row, row + 1, row + 2

    def _row(self, source, parity):
        """Row of a :class:`Source`."""
        if source.kind == "const":
            return self._one if source.net else self._zero
        if source.kind == "input":
            return self._inputs[source.instance][source.net]
        name = self._schedule.unit_of(source.instance)
        if source.kind == "flop":
            return parity * self._flops + self._flop_base[source.instance] + self._flop[name][source.net]
        if source.kind == "ram":
            return self._data_base[source.instance] + self._data[name][source.net]
        table, inputs = self._schedule.units[name].luts[source.net]
        if not inputs:
            return self._one if table & 1 else self._zero
        return self._lut_base[source.instance] + self._lut[name][source.net]

    def layout(self):
        """The :class:`Layout`."""
        schedule = self._schedule
        start, registers, luts, bits = [], {}, 0, 0
        for name, unit in schedule.units.items():
            flops = self._flop[name]
            for instance in unit.instances:
                luts += len(unit.order)
                for q, place in flops.items():
                    if unit.flops[q][1]:
                        start.append(self._flop_base[instance] + place)
                for label, nets in schedule.netlist.units[name].names.items():
                    registers[f"{schedule.path(instance)}{label}"] = [
                        self._flop_base[instance] + flops[net] if net in flops else -1 for net in nets
                    ]
                for place, ram in enumerate(unit.rams):
                    bits += ram.words * len(ram.read_data)
                    for word, content in enumerate(ram.content):
                        base = self._ram_base[instance, place] + word * len(content)
                        start += [base + bit for bit, value in enumerate(content) if value]
        top = schedule.netlist.units[schedule.netlist.top]
        outputs = {port: [self._output(self._of_output(net)) for net in nets] for port, nets in top.outputs.items()}
        start += [self._flops - 1, 2 * self._flops - 1]
        return Layout(
            self._rows,
            self._flops,
            start,
            self._inputs,
            outputs,
            [*self._shown.values()],
            self._zero,
            self._one,
            registers,
            luts,
            bits,
        )

    def _of_output(self, net):
        """The :class:`Source` of a net of the top; a LUT without inputs is a constant."""
        source = self._schedule.source(0, net)
        if source.kind == "lut":
            table, inputs = self._schedule.units[self._schedule.unit_of(source.instance)].luts[source.net]
            return source if inputs else Source("const", 0, table & 1)
        return source

    def _output(self, source):
        """Row of an output of the top for parity 0; its row for parity 1 is as far behind as those of flip-flops."""
        if source.kind == "const":
            return self._flops - 2 + source.net
        return self._shown[source] if source in self._shown else self._row(source, 0)

    # Text.

    def sources(self):
        """Texts of C++, about equally long."""
        functions, tables, calls = [], [], {True: [], False: []}
        declarations = []
        for number, chunk in enumerate(self._chunks):
            text, external = self._function(f"f{number}", chunk)
            functions.append(text)
            declarations.append(f"void f{number}(const char*, char*, char*, const char*, const int*);")
            self._call(number, chunk, external, tables, calls[chunk.static])
        rams = [*self._show(tables), *self._ram_calls(tables)]
        count = max(1, (os.cpu_count() or 1) * 2)
        parts = [functions[first::count] for first in range(min(count, len(functions)))]
        main = [
            '#include "rows.hpp"',
            *declarations,
            *tables,
            "",
            "static void settle(char* rows) {",
            "    const int parity = 0;",
            *calls[True],
            "}",
            "",
            "static void step(char* rows, int parity) {",
            *calls[False],
            *rams,
            "}",
            "",
            'extern "C" void core_settle(char* rows) {',
            "    for (int part = 0; part < ROW; part += sizeof(V)) settle(rows + part);",
            "}",
            'extern "C" void core_step(char* rows, int parity) {',
            "    for (int part = 0; part < ROW; part += sizeof(V)) step(rows + part, parity);",
            "}",
            "",
        ]
        return ["\n".join(main), *("\n".join(['#include "rows.hpp"', *part, ""]) for part in parts)]

    def _call(self, number, chunk, external, tables, calls):
        """The loop over the instances of a unit that calls a function."""
        instances = self._schedule.units[chunk.unit].instances
        width = max(1, len(external))
        rows = []
        for parity in (0, 1):
            for instance in instances:
                sources = [self._schedule.source(instance, net) for net in external]
                rows += [ROW * self._row(source, parity) for source in sources] or [0]
        bases = []
        for instance in instances:
            bases += [ROW * self._flop_base[instance], ROW * self._lut_base[instance]]
        tables.append(f"static const int t{number}[] = {{{','.join(map(str, rows))}}};")
        tables.append(f"static const int b{number}[] = {{{','.join(map(str, bases))}}};")
        size = ROW * self._flops
        calls.append(
            f"    for (int i = 0; i < {len(instances)}; ++i)\n"
            f"        f{number}(rows + b{number}[2 * i] + parity * {size}, rows + b{number}[2 * i] + (1 - parity) * {size},"
            f" rows + b{number}[2 * i + 1], rows,\n"
            f"            t{number} + (parity * {len(instances)} + i) * {width});"
        )

    def _show(self, tables):
        """Lines that copy outputs which are no registers to their rows, before RAMs change."""
        if not self._shown:
            return []
        pairs = [ROW * row for source, to in self._shown.items() for row in (to, self._row(source, 0))]
        tables.append(f"static const int shown[] = {{{','.join(map(str, pairs))}}};")
        size = ROW * self._flops
        return [
            f"    for (int i = 0; i < {len(pairs)}; i += 2)",
            f"        at(rows, shown[i] + parity * {size}) = at(rows, shown[i + 1]);",
        ]

    def _ram_calls(self, tables):
        """Calls that read and write RAMs, at the end of the cycle."""
        calls = []
        for unit in self._schedule.units.values():
            data = 0
            for place, ram in enumerate(unit.rams):
                rows = []
                for parity in (0, 1):
                    for instance in unit.instances:
                        rows += [ROW * (self._data_base[instance] + data), ROW * self._ram_base[instance, place]]
                        nets = ram_inputs(ram)
                        rows += [ROW * self._row(self._schedule.source(instance, net), parity) for net in nets]
                data += len(ram.read_data)
                width = 2 + len(ram_inputs(ram))
                label = f"r{len(calls)}"
                tables.append(f"static const int {label}[] = {{{','.join(map(str, rows))}}};")
                count = len(unit.instances)
                numbers = f"{ram.words}, {len(ram.read_data)}, {len(ram.read_address)}, {len(ram.write_address)}"
                calls.append(
                    f"    for (int i = 0; i < {count}; ++i) ram<{numbers}>(rows, {label} + (parity * {count} + i) * {width});"
                )
        return calls

    def _function(self, label, chunk):
        """``(text, external nets)`` of a function."""
        unit = self._schedule.units[chunk.unit]
        flop, lut, data = self._flop[chunk.unit], self._lut[chunk.unit], self._data[chunk.unit]
        here = set(chunk.luts())
        uses = {}
        for kind, net in chunk.steps:
            for other in unit.luts[net][1] if kind == "lut" else (unit.flops[net][0],):
                uses[other] = uses.get(other, 0) + 1
        external, lines, loaded = [], [], {}

        def read(net):
            """A net as an expression."""
            if net in (ZERO, ONE):
                return "ones()" if net else "V{}"
            if net in here:
                return f"v{net}"
            if net in unit.luts and not unit.luts[net][1]:
                return "ones()" if unit.luts[net][0] & 1 else "V{}"
            if net in flop:
                place = f"at(c, {ROW * flop[net]})"
            elif net in unit.luts:
                place = f"at(w, {ROW * lut[net]})"
            elif net in data or net in unit.external:
                if net not in loaded:
                    external.append(net)
                    loaded[net] = len(external) - 1
                place = f"at(a, t[{loaded[net]}])"
            else:
                return "V{}"
            if uses[net] == 1:
                return place
            if ("v", net) not in loaded:
                loaded["v", net] = True
                lines.append(f"    const V v{net} = {place};")
            return f"v{net}"

        for kind, net in chunk.steps:
            if kind == "flop":
                lines.append(f"    at(n, {ROW * flop[net]}) = {read(unit.flops[net][0])};")
                continue
            table, inputs = unit.luts[net]
            # The first operand of the instruction is overwritten, the last may come from memory.
            order = sorted(inputs, key=lambda other: (other not in here, uses[other]))
            table = permuted(table, inputs, order)
            value = expression(table, [read(other) for other in order])
            lines.append(f"    const V v{net} = {value};")
            if net in lut:
                lines.append(f"    at(w, {ROW * lut[net]}) = v{net};")
        head = f"void {label}(const char* c, char* n, char* w, const char* a, const int* t) {{"
        return "\n".join([head, *lines, "}"]), external
