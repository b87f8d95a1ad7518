"""Parts of a block's area: instances are counted, and every module in the top is measured once."""

from dsnswitch.gen.config import build
from dsnswitch.lab.synth import measure
from dsnswitch.lab.synth.measure import breakdown, design_of, instances, measure_source

SMALL = {"block": "switch-core", "topology": "torus:2", "flit": 16, "packet": 1}


def test_modules_of_the_top():
    """A core of two ports with one channel each has two arrivals, channels, allocators and columns."""
    block = build(SMALL)
    found = {name.removeprefix(f"{block.name}_"): n for name, n in instances(design_of(block).verilog(), block.name).items()}
    kinds = {}
    for name, number in found.items():
        kind = next(kind for kind in ("arrival", "input_channel", "allocator", "crossbar_column") if name.startswith(kind))
        kinds[kind] = kinds.get(kind, 0) + number
    assert kinds == {"arrival": 2, "input_channel": 2, "allocator": 2, "crossbar_column": 2}


def test_long_names_are_lines():
    """The emitter begins a new line after the name of a module that is too long for one."""
    top = "module top (\n);\n  part one (\n  );\nlong_part\n      two (\n  );\nendmodule\n"
    assert instances(top + "module part (\nendmodule\nmodule long_part (\n", "top") == {"part": 1, "long_part": 1}


def test_each_module_is_measured_once(monkeypatch):
    block, asked = build(SMALL), []

    def measured(source, *_, effort):
        asked.append(source.top)
        return measure_source(source, effort=1) if "column" in source.top else {"area": 7, "memory_bits": 0, "period": 1}

    monkeypatch.setattr(measure, "measure_source", measured)
    found = breakdown(design_of(block))
    assert sorted(asked) == sorted(f"{block.name}_{module}" for module in found)
    assert all((one["area"] > 100) if module.startswith("crossbar") else (one["area"] == 7) for module, one in found.items())


def test_parts_on_the_command_line(run, refuse, monkeypatch, tmp_path):
    monkeypatch.setattr(measure, "measure_source", lambda source, *_, effort: {"area": 1000, "memory_bits": 0, "period": 7})
    status, out, err = run("synth", "--block", "switch-core", "--topology", "torus:2", "--flit", 16, "--packet", 1, "--parts")
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[-1] == ["sum", "8,000"]
    assert sum(int(line[1]) for line in lines[1:-1]) == 8
    assert {tuple(line[2:]) for line in lines[1:-1] if line[1] == "2"} == {("1,000", "2,000", "7.00")}
    assert "Option --parts needs a block" in refuse("synth", "--all", "--parts")
    (tmp_path / "t.v").write_text("module t(input a, output y); assign y = a; endmodule")
    design = ("--verilog", tmp_path / "t.v", "--top", "t")
    assert "cannot be given together with --verilog or --out" in refuse("synth", *design, "--parts")
    words = ("--block", "baseline-tcam", "--entries", 2, "--key", 2, "--action", 2, "--parts")
    assert "contains no modules" in refuse("synth", *words)
