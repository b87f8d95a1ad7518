"""Extends operands to the width that Verilog evaluates them with, so that no tool warns of an implicit extension."""

import re

_RTLIL_MODULE = re.compile(r"^module .*?^end$", re.MULTILINE | re.DOTALL)
_RTLIL_WIRE = re.compile(r"^  wire (?:width (\d+) )?.*?(\\\S+|\$\S+)$", re.MULTILINE)
_CELL = re.compile(r"^  cell \$(\w+) (\S+)\n(.*?)^  end\n", re.MULTILINE | re.DOTALL)

#: Cells whose operands Verilog extends to the widest operand or result, and cells for which the width of the result does not
#: count.
_RESULT = {"add", "sub", "and", "or", "xor", "xnor", "mul", "not", "neg"}
_COMPARED = {"eq", "ne", "lt", "le", "gt", "ge", "eqx", "nex"}


def explicit_widths(text) -> str:
    """RTLIL ``text`` in which the operands of every arithmetic, bitwise and comparison cell have equal widths."""
    return _RTLIL_MODULE.sub(lambda module: _module(module[0]), text)


def _module(text):
    widths = {name: int(width or 1) for width, name in _RTLIL_WIRE.findall(text)}
    return _CELL.sub(lambda cell: _cell(cell, widths), text)


def _cell(cell, widths):
    kind, name, body = cell.groups()
    if kind == "logic_not" and _number(body, "A_WIDTH") > 1:
        # "!a" of a vector is clearer as a comparison with 0.
        kind, width = "eq", _number(body, "A_WIDTH")
        zero = f"    parameter \\B_SIGNED 0\n    parameter \\B_WIDTH {width}\n    connect \\B {width}'{'0' * width}\n"
        return f"  cell $eq {name}\n{zero}{body}  end\n"
    operands = [port for port in "AB" if f"\\{port}_WIDTH" in body]
    if kind == "shl":
        operands = ["A"]
    elif kind not in _RESULT | _COMPARED:
        return cell[0]
    width = max(_number(body, f"{port}_WIDTH") for port in operands + ["Y"] * (kind not in _COMPARED))
    signed = all(_number(body, f"{port}_SIGNED") for port in operands)
    for port in operands:
        missing = width - _number(body, f"{port}_WIDTH")
        if missing > 0:
            signal = _extended(re.search(rf"connect \\{port} (.*)", body)[1], missing, signed, widths)
            body = re.sub(rf"(\\{port}_WIDTH) \d+", rf"\1 {width}", body)
            body = re.sub(rf"(connect \\{port}) .*", lambda match, new=signal: f"{match[1]} {new}", body)
    return f"  cell ${kind} {name}\n{body}  end\n"


def _number(body, parameter):
    return int(re.search(rf"\\{parameter} (\d+)", body)[1])


def _extended(signal, missing, signed, widths):
    """A signal with ``missing`` more bits at its most significant end."""
    if signal == "{ }":  # Amaranth writes the number 0 with zero bits.
        return f"{missing}'{'0' * missing}"
    constant = re.fullmatch(r"(\d+)'([01x]+)", signal)
    if constant:
        sign = constant[2][0] if signed else "0"
        return f"{int(constant[1]) + missing}'{sign * missing}{constant[2]}"
    more = " ".join([_most_significant(signal, widths)] * missing) if signed else f"{missing}'{'0' * missing}"
    return f"{{ {more} {signal.removeprefix('{ ').removesuffix(' }')} }}"


def _most_significant(signal, widths):
    """The most significant bit of a signal."""
    if signal.startswith("{"):
        first = re.match(r"\{ (\d+'[01x]+|\S+(?: \[[\d:]+\])?)", signal)[1]
        return _most_significant(first, widths)
    if "'" in signal:
        return "1'" + signal.partition("'")[2][0]
    name, _, place = signal.partition(" ")
    if place:
        return f"{name} [{place.strip('[]').partition(':')[0]}]"
    return f"{name} [{widths[name] - 1}]" if widths[name] > 1 else name
