"""Extended operands do not change any value: a SAT proof for each kind of cell compares the text before and after."""

import re

import pytest

from dsnswitch.gen.emit.verilog.widths import explicit_widths
from dsnswitch.lab.synth.yosys import commands

#: Cells with two operands, and cells with one.
TWO = ("add", "sub", "mul", "and", "or", "xor", "xnor", "eq", "ne", "lt", "le", "gt", "ge")
ONE = ("not", "neg", "logic_not")
#: Operands: text of RTLIL, and its width.
OPERANDS = {
    "wire": ("\\a", 3),
    "bit": ("\\c", 1),
    "bits": ("\\b [3:1]", 3),
    "one of the bits": ("\\b [2]", 1),
    "concatenation": ("{ \\b [4:2] 1'0 \\a }", 7),
    "constant first": ("{ 2'10 \\a }", 5),
    "constant": ("3'101", 3),
    "nothing": ("{ }", 0),
}


def cell(kind, signed, result, **operands):
    """RTLIL of a module with one cell."""
    lines = [f"    parameter \\{port}_SIGNED {int(signed)}" for port in operands]
    lines += [f"    parameter \\{port}_WIDTH {OPERANDS[name][1]}" for port, name in operands.items()]
    lines += [f"    parameter \\Y_WIDTH {result}"]
    lines += [f"    connect \\{port} {OPERANDS[name][0]}" for port, name in operands.items()]
    width = f"width {result} " if result > 1 else ""
    return (
        "module \\t\n  wire width 3 input 1 \\a\n  wire width 5 input 2 \\b\n  wire input 3 \\c\n"
        f"  wire {width}output 4 \\y\n  cell ${kind} $1\n" + "\n".join(lines) + "\n    connect \\Y \\y\n  end\nend\n"
    )


def cases():
    for signed in (False, True):
        for kind in TWO:
            for left, right in (("wire", "bits"), ("bit", "concatenation"), ("constant", "wire"), ("bits", "constant")):
                yield cell(kind, signed, 9 if kind in TWO[:7] else 1, A=left, B=right)
            yield cell(kind, signed, 2 if kind in TWO[:7] else 1, A="constant first", B="one of the bits")
        for name in ("wire", "bit", "bits", "concatenation", "constant first"):
            yield from (cell(kind, signed, 9, A=name) for kind in ONE[:2])
    yield from (cell("logic_not", False, 1, A=name) for name in ("wire", "bit", "bits", "concatenation"))
    yield from (cell(kind, False, 1, A="wire", B="nothing") for kind in ("gt", "eq"))


def test_values_stay(tmp_path):
    """One proof for all cells: a miter of every cell and its extended version."""
    steps = []
    for number, text in enumerate(cases()):
        for which, version in (("before", text), ("after", explicit_widths(text))):
            (tmp_path / f"{which}{number}.il").write_text(version.replace("\\t\n", f"\\{which}{number}\n", 1))
            steps.append(f"read_rtlil {which}{number}.il")
        steps.append(f"miter -equiv -flatten -make_outputs before{number} after{number} miter{number}")
        steps.append(f"sat -verify -prove trigger 0 miter{number}")
    done = commands(steps, tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]
    assert done.stdout.count("no model found: SUCCESS!") == number + 1 > 100


def test_operands_are_equally_wide():
    for text in map(explicit_widths, cases()):
        widths = [int(width) for width in re.findall(r"parameter \\[AB]_WIDTH (\d+)", text)]
        assert len(set(widths)) == 1
        assert widths[0] >= int(re.search(r"\\Y_WIDTH (\d+)", text)[1])
        assert "$logic_not" not in text or widths == [1]


@pytest.mark.parametrize(
    ("name", "signed", "expected"),
    [
        ("wire", False, "{ 2'00 \\a }"),
        ("wire", True, "{ \\a [2] \\a [2] \\a }"),
        ("bit", True, "{ \\c \\c \\c \\c \\c }"),
        ("bits", True, "{ \\b [3] \\b [3] \\b [3:1] }"),
        ("constant", True, "5'11101"),
        ("constant", False, "5'00101"),
    ],
)
def test_extension(name, signed, expected):
    text = explicit_widths(cell("neg", signed, 5, A=name))
    assert f"connect \\A {expected}\n" in text
