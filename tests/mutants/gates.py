"""A netlist of Yosys, in JSON, as an Amaranth module, for test benches of Amaranth's simulator."""

import operator

from amaranth.hdl import Cat, Const, Elaboratable, Module, Mux, ResetSignal, Signal
from amaranth.lib.wiring import In

#: Cells of two operands.
TWO = {name: getattr(operator, name) for name in ("add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge", "xor")}
TWO |= {"and": operator.and_, "or": operator.or_, "xnor": lambda a, b: ~(a ^ b)}
TWO |= {"logic_and": lambda a, b: a.bool() & b.bool(), "logic_or": lambda a, b: a.bool() | b.bool()}
TWO |= dict.fromkeys(("shl", "sshl"), operator.lshift)
TWO |= dict.fromkeys(("shr", "sshr", "shift", "shiftx"), operator.rshift)

#: Cells of one operand.
ONE = {"not": operator.invert, "pos": lambda a: a, "neg": operator.neg, "logic_not": lambda a: ~a.bool()}
ONE |= {"reduce_and": lambda a: a.all(), "reduce_or": lambda a: a.any(), "reduce_bool": lambda a: a.bool()}
ONE |= {"reduce_xor": lambda a: a.xor(), "reduce_xnor": lambda a: ~a.xor()}

#: Cells whose operands get the width of the result before the operation.
WIDE = {"not", "pos", "neg", "xnor", "shl", "sshl"}


class Gates(Elaboratable):
    """Drives the ports of a component as its netlist does.

    ``module`` is the top of the netlist, ``ports`` are ``{name: (member, signal)}`` of the component, ``number`` is the mutant.
    """

    def __init__(self, module, ports, number):
        self._module, self._ports, self._bits = module, ports, {}
        self._inputs = {name: signal for name, (member, signal) in ports.items() if member.flow == In}
        self._inputs["mutant"] = Const(number, 16)

    def elaborate(self, platform):
        m = Module()
        places, inits = self._module["ports"], {}
        if "rst" in places:
            self._inputs["rst"] = ResetSignal()
        for net in self._module["netnames"].values():
            inits |= dict(zip(net["bits"], map("1".__eq__, reversed(net["attributes"].get("init", "")))))
        # A mutated output of a register has a new name, and its initial value is that of the old one.
        muxes = [cell["connections"] for name, cell in self._module["cells"].items() if "mutate_ctrl_mux" in name]
        for bits in muxes * len(muxes):
            inits |= {new: inits[old] for new, old in zip(bits["A"], bits["Y"]) if old in inits}
        for name in self._inputs.keys() & places.keys():
            self._names(self._inputs[name], places[name]["bits"])
        cells = []
        for cell in self._module["cells"].values():
            kind = cell["type"].removeprefix("$")
            bits = cell["connections"]["Q" if kind == "dff" else "Y"]
            init = sum(inits.get(bit, 0) << place for place, bit in enumerate(bits))
            signal = Signal(len(bits), init=init, reset_less=True)
            cells.append((kind, cell, signal))
            self._names(signal, bits)
        for kind, cell, signal in cells:
            if kind == "dff":
                m.d.sync += signal.eq(self._value(cell, "D"))
            else:
                m.d.comb += signal.eq(self._result(kind, cell, len(signal)))
        for name, (member, signal) in self._ports.items():
            if member.flow != In and name in places:
                m.d.comb += signal.eq(self._cat(places[name]["bits"]))
        return m

    def _names(self, signal, bits):
        self._bits |= {bit: (signal, place) for place, bit in enumerate(bits)}

    def _cat(self, bits):
        """The bits of a value; neighbours of one signal are one part of it."""
        parts = []
        for bit in bits:
            signal, place = self._bits.get(bit, (None, 0))
            if signal is None:
                parts.append([Const(int(bit == "1"), 1), 0, 1])
            elif parts and parts[-1][0] is signal and parts[-1][2] == place:
                parts[-1][2] += 1
            else:
                parts.append([signal, place, place + 1])
        return Cat(signal[start:stop] for signal, start, stop in parts)

    def _value(self, cell, port, width=0):
        bits = cell["connections"][port]
        signed = int(cell["parameters"].get(f"{port}_SIGNED", "0"), 2)
        bits = [*bits, *[bits[-1] if signed else "0"] * (width - len(bits))]
        return self._cat(bits).as_signed() if signed else self._cat(bits)

    def _result(self, kind, cell, width):
        if kind == "mux":
            return Mux(self._value(cell, "S"), self._value(cell, "B"), self._value(cell, "A"))
        first = self._value(cell, "A", width if kind in WIDE else 0)
        if kind in ONE:
            return ONE[kind](first)
        second = self._value(cell, "B", width if kind == "xnor" else 0)
        if kind in ("shift", "shiftx") and second.shape().signed:
            return Mux(second < 0, first << (-second).as_unsigned()[:8], first >> second.as_unsigned())
        return TWO[kind](first, second)
