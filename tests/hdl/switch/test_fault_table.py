"""The fault table of the documentation names tests, counters and events that exist."""

import ast
import re
from pathlib import Path

import pytest

from dsnswitch.hdl.core.arrival import EVENTS
from dsnswitch.hdl.port.port import COUNTERS
from dsnswitch.hdl.switch.notifier import NOTICE_COUNTERS
from dsnswitch.hdl.switch.register_map import HOST_COUNTERS

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/fault-table.md"

#: Counters and events of a switch.
COUNTED = (*COUNTERS, *EVENTS, *HOST_COUNTERS, *NOTICE_COUNTERS)

#: What the table must have.
FAULTS = (
    "wrong bits",
    "cut cable",
    "stuck peer",
    "reset of one side",
    "bad header",
    "packet for a node that does not exist",
    "packet longer than allowed",
    "lost credits",
    "packet that cannot be delivered",
)


def functions(pattern):
    """``{name: regress}`` of the functions in the files of ``pattern``; ``regress`` if each test of this name is only there."""
    found = {}
    for path in ROOT.glob(pattern):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                marks = any(ast.unparse(mark) == "pytest.mark.regress" for mark in node.decorator_list)
                found[node.name] = marks and found.get(node.name, True)
    return found


def rows(text):
    """``(fault, what happens, counted names, test names)`` of each row of the table."""
    lines = [line for line in text.splitlines() if line.startswith("| ")][1:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(fault, does, *(re.findall("`([^`]*)`", cell) for cell in more)) for fault, does, *more in cells]


def wrong(text):
    """Errors in a fault table: unknown tests and counters, faults that no test of ``make test`` covers, missing faults."""
    tests, benches = functions("tests/hdl/*/test_*.py"), functions("sim/bench/*_bench.py")
    used = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/hdl/*/*.py"))
    found = []
    for fault, _, counted, named in rows(text):
        found += [f"{fault}: nothing counts {name}" for name in counted if name not in COUNTED]
        found += [f"{fault}: there is no test {name}" for name in named if name not in tests | benches]
        found += [f"{fault}: nothing runs {name}" for name in named if name in benches and f'"{name}"' not in used]
        found += [] if named else [f"{fault}: no test"]
        if all(tests.get(name) for name in named):
            found.append(f"{fault}: no test of make test")
    names = [row[0] for row in rows(text)]
    return found + [fault for fault in FAULTS if not any(name.startswith(fault) for name in names)]


def test_table_is_right():
    assert wrong(PAGE.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("`test_core`", "`test_none`", "there is no test test_none"),
        ("`bad_header`", "`bad_headers`", "nothing counts bad_headers"),
        ("| cut cable", "| cable", "cut cable"),
        ("`peer_is_stuck`", "`peer_is_gone`", "there is no test peer_is_gone"),
        ("| `one_side_is_reset`, `lost_packets_of_a_reset_are_counted` |", "| |", "no test"),
        ("`other_parameters_differ`", "`test_core_of_any_size`", "no test of make test"),
    ],
)
def test_wrong_table_is_noticed(old, new, message):
    text = PAGE.read_text(encoding="utf-8")
    assert old in text
    assert any(message in line for line in wrong(text.replace(old, new)))
