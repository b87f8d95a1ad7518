"""The netlist that Yosys' ``synth`` makes of a switch, beside the RTL: two switches of each, in the same cycles."""

import re
import subprocess

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.port.shape import KINDS
from dsnswitch.lab.synth.yosys import commands
from dsnswitch.sim.run import model

from .conftest import whole, wrapper

VALUES = {"block": "switch", "apb": False, "topology": "torus:2", "flit": 96, "packet": 3, "depth": 6}

#: Tests of ``joined_bench``: packets that switches drop, wrong bits, words that a line repeats, a host that takes nothing, lines
#: that are looped, and resets under traffic. Each begins with a reset, and with boundaries of words that are off by random bits.
SCENARIOS = {
    "nothing_is_lost_without_wrong_bits": {},
    "every_packet_is_accounted_for": {"ber": 5e-4},
    "lines_repeat_words": {"packets": 600, "faults": 60, "noticed": 1},
    "one_host_takes_nothing": {},
    "lines_are_looped_or_crossed": {"rounds": 4},
    "boundaries_move_and_switches_are_reset": {"ber": 5e-4, "rounds": 3},
}


def gates(text, top, folder):
    """Verilog of the gates and flip-flops of module ``top`` of a Verilog text: one module ``top``."""
    (folder / "rtl.v").write_text(text)
    done = commands(["read_verilog rtl.v", f"synth -flatten -top {top}", "write_verilog -noattr gates.v"], folder)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "$_DLATCH_" not in done.stdout, "a latch"
    return (folder / "gates.v").read_text()


def compared(joined):
    """Verilog of a module ``joined`` with the modules ``joined_rtl`` and ``joined_gates``, which have its ports.

    It has the outputs of the RTL, and ends the simulation when those of the gates differ.
    """
    head = re.search(r"^module joined\(\n(.*?)\n\);", joined, re.MULTILINE | re.DOTALL)[1]
    ports = re.findall(r"(input|output) wire (\[\d+:0\]) (\w+)", head)
    outputs = {name: f"{name}_of_gates" for way, _, name in ports if way == "output"}
    text = "".join(f"  wire {bits} {outputs[name]};\n" for _, bits, name in ports if name in outputs)
    for module in ("rtl", "gates"):
        named = outputs if module == "gates" else {}
        pins = ", ".join(f".{name}({named.get(name, name)})" for _, _, name in ports)
        text += f"  joined_{module} {module}({pins});\n"
    text += "  always @(posedge clk) begin\n"
    for name, other in outputs.items():
        text += f'    if ({name} != {other}) $fatal(1, "{name} of the gates differs");\n'
    return f"module joined(\n{head}\n);\n{text}  end\nendmodule\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """``(manifest, top, RTL, gates, wrapper)`` of two joined switches."""
    block = build(VALUES)
    parts_of, parts, lines, outer = whole(block)
    about, text = parts_of.abouts[block.name], "\n".join(parts_of.texts)
    netlist = gates(text, block.name, tmp_path_factory.mktemp("gates"))
    return about, block.name, text, netlist, wrapper(parts, lines, outer, KINDS[block.link_kind].word)


@pytest.fixture
def run(lab, made):
    """A function that runs a test of ``joined_bench`` on RTL and gates."""

    def run(name, **parameters):
        about, top, text, netlist, joined = made
        both = {
            "rtl": joined.replace("module joined(", "module joined_rtl("),
            "gates": joined.replace("module joined(", "module joined_gates(").replace(f"  {top} s", "  gates s"),
        }
        netlist = netlist.replace(f"module {top}(", "module gates(")
        text = "\n".join([text, netlist, *both.values(), compared(joined)])
        parameters = {"packets": 40, "quiet": 120, "moved": True} | parameters
        return lab.bench_of(text, "joined", about, "joined_bench", [name], "-gates", **parameters)

    return run


@pytest.mark.regress
@pytest.mark.parametrize("name", SCENARIOS)
def test_as_the_rtl(run, name):
    assert run(name, **SCENARIOS[name]) == 1


#: Two modules that agree on even numbers, and the ports of both.
PORTS = "  input wire [0:0] clk,\n  input wire [3:0] a,\n  output wire [3:0] y"
UNEQUAL = "".join(
    f"module joined_{name}(\n{PORTS}\n);\n  assign y = {value};\nendmodule\n"
    for name, value in {"rtl": "a + 4'd1", "gates": "a ^ 4'd1"}.items()
)

#: Clocks the module ``joined`` with its argument as input.
PROGRAM = """\
#include <cstdlib>
int main(int, char** words) {
    Vtop top;
    top.a = std::atoi(words[1]);
    for (int n = 0; n < 8; ++n) {
        top.clk = n & 1;
        top.eval();
    }
}
"""


def test_a_difference_is_noticed(lab, tmp_path):
    """The comparison ends the simulation, and names the output."""
    (tmp_path / "joined.v").write_text(UNEQUAL + compared(f"module joined(\n{PORTS}\n);\nendmodule\n"))
    binary = model(tmp_path / "joined.v", "joined", lab.folder / "tools", program=PROGRAM)
    equal, different = (subprocess.run([binary, number], capture_output=True, text=True) for number in "23")
    assert equal.returncode == 0, equal.stderr
    assert different.returncode != 0
    assert "y of the gates differs" in different.stdout + different.stderr
