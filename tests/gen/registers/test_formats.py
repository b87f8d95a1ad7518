"""Registers as SystemRDL, C header, Markdown and HTML: all have the addresses of the map."""

import re
import subprocess

import pytest
from systemrdl.node import FieldNode, RegNode

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.folder import emit
from dsnswitch.gen.emit.manifest import never_elaborated
from dsnswitch.gen.registers import compiled, registers_of, written
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.port.session import State
from dsnswitch.hdl.switch.management import link_counters
from dsnswitch.hdl.switch.register_map import register_map
from dsnswitch.net.topology.torus import Torus


@pytest.fixture(scope="module")
def made():
    """A map with several kinds of port, arrays, tables whose keys take two words, and an address of two words."""
    shape = CoreShape(Torus((256, 256, 256, 256, 8)), hosts=2, packet=1, lookup="forwarding", spread={"host": 2})
    return "switch", register_map(shape, link_counters(), {"write": 1, "write_value": 40, "mode": 1})


@pytest.fixture(scope="module")
def tree(made, tmp_path_factory):
    """Registers of the SystemRDL text, by their path."""
    name, registers = made
    path = tmp_path_factory.mktemp("rdl") / f"{name}.rdl"
    path.write_bytes(written(registers, "rdl", name, "a test")[path.name])
    root = compiled(path)
    nodes = [node for node in root.top.descendants(unroll=True) if isinstance(node, RegNode)]
    return {node.get_path().partition(".")[2]: node for node in nodes}


def test_systemrdl_has_the_map(made, tree):
    """Each register, with the address, the fields and the reset values of the map, and no other."""
    _, registers = made
    count = 0
    for instance, group in registers.slots:
        for _, register in group.places:
            for index in range(register.words):
                place = f"{instance}.{register.name}" + (f"[{index}]" if register.count else "")
                node, count = tree[place], count + 1
                assert node.absolute_address == registers.address(instance, register.name, index)
                assert node.get_property("desc") == register.description
                found = {field.inst_name: (field.low, field.width, field.get_property("reset")) for field in node.fields()}
                assert found == {one.name: (one.low, one.width, one.reset) for one in register.fields}
    assert count == len(tree)
    assert registers.address("device", "own_address", 1) - registers.address("device", "own_address") == 4


def test_values_have_names(tree):
    state = next(node for node in tree["dim0_forward.link"].fields() if node.inst_name == "state")
    names = [member.name for member in state.get_property("encode")]
    assert names == [state.name.lower() for state in State]


def offsets(header, tree, folder):
    """Offset of every register in the structure of a C header, as gcc lays it out."""
    (folder / "map.h").write_text(header)
    prints = "".join(f'  printf("%zu\\n", offsetof(dsnswitch_t, {path}));\n' for path in tree)
    (folder / "main.c").write_text(
        f'#include <stdio.h>\n#include <stddef.h>\n#include "map.h"\nint main(void) {{\n{prints}  return 0;\n}}\n'
    )
    subprocess.run(["gcc", "-Wall", "-Werror", "-o", "main", "main.c"], cwd=folder, check=True, capture_output=True)
    done = subprocess.run([folder / "main"], check=True, capture_output=True, text=True)
    return dict(zip(tree, map(int, done.stdout.split())))


def test_offsets_of_the_c_header(made, tree, tmp_path):
    name, registers = made
    [header] = written(registers, "c", name, "a test").values()
    assert offsets(header.decode(), tree, tmp_path) == {path: node.absolute_address for path, node in tree.items()}
    masks = re.findall(r"^#define DSNSWITCH__(\w+)__(\w+)__(\w+)_bm (0x[0-9a-f]+)$", header.decode(), re.MULTILINE)
    for group, register, field, mask in masks:
        types = {instance for instance, one in registers.slots if one.name.upper() == group}
        nodes = [node for path, node in tree.items() if path.partition(".")[0] in types]
        found = {
            one.low: one.width
            for node in nodes
            for one in node.descendants()
            if isinstance(one, FieldNode) and (node.inst_name.upper(), one.inst_name.upper()) == (register, field)
        }
        assert [(1 << width) - 1 << low for low, width in found.items()] == [int(mask, 16)], (group, register, field)
    groups = {group for _, group in registers.slots}
    assert len(masks) == sum(len(register.fields) for group in groups for _, register in group.places)


@pytest.mark.parametrize(("form", "name"), [("rdl", "{}.rdl"), ("c", "{}.h"), ("markdown", "{}.md"), ("html", "{}/index.html")])
def test_command(run, tmp_path, form, name):
    words = ("--topology", "torus:2", "--flit", "64", "--packet", "3")
    status, out, err = run("registers", *words, "--as", form, "--folder", tmp_path / "out")
    path = tmp_path / "out" / name.format("switch_torus_2_h1_f64_p3_d6")
    assert (status, out, err) == (0, f"wrote {path}\n", "")
    text = "".join(one.read_text(errors="ignore") for one in (tmp_path / "out").rglob("*") if one.is_file())
    assert "credit_stalls" in text


@pytest.mark.parametrize("apb", [True, False])
def test_a_switch_has_a_systemrdl_file(tmp_path, monkeypatch, apb):
    """A SystemRDL file is written with the Verilog and named in the manifest; a switch without APB has none."""
    monkeypatch.setattr("dsnswitch.gen.emit.folder.convert", lambda *_: "")
    block = build({"block": "switch", "topology": "torus:2", "flit": 16, "packet": 1, "apb": apb})
    with never_elaborated():
        about, paths = emit(block, tmp_path)
    assert ("rdl" in paths) == apb
    assert about["files"].get("rdl") == (f"{block.name}.rdl" if apb else None)
    if apb:
        expected = written(registers_of(block), "rdl", block.name, about["generator"])
        assert {paths["rdl"].name: paths["rdl"].read_bytes()} == expected


def test_refused(refuse, tmp_path):
    out = tmp_path / "out"
    assert "dsn_route_grid_8x8_k4x2 has no registers: the block must be a switch with --apb" in refuse(
        "registers", "--block", "route", "-p", "3", "--folder", out
    )
    assert "_no_apb has no registers" in refuse("registers", "--topology", "torus:2", "--no-apb", "--folder", out)
    assert "'pdf' is not one of 'rdl', 'html', 'markdown', 'c'" in refuse("registers", "-p", "2", "--as", "pdf")
    (tmp_path / "file").write_text("")
    assert "cannot be written" in refuse("registers", "--topology", "torus:2", "--folder", tmp_path / "file")
    assert not out.exists()
