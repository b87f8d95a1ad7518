"""The command ``verilog``: what it prints and writes."""

import os
import re
import subprocess
import sys
from pathlib import Path

#: A small switch: torus of two switches.
#: The last module, and the end of the waivers.
END = "endmodule\n\n`default_nettype wire\n/* verilator lint_restore */\n"
SMALL = ("--topology", "torus:2", "--flit", 16, "--packet", 1)


def test_verilog_alone(run, tmp_path):
    status, out, err = run("verilog", "--block", "route", "-p", "1", "--out", "-")
    assert (status, err) == (0, "")
    assert out.startswith("// dsn_route_grid_2x2_k4x2: table-free routing logic")
    assert out.endswith(END)
    assert run("verilog", "--block", "route", "-p", "1", "--out", tmp_path / "a.v") == (0, "", "")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.v": out}


def test_standard_output_is_the_verilog_alone():
    """The output is a pipe, in which messages of Yosys would be buffered and delayed."""
    command = [sys.executable, "-m", "dsnswitch.gen", "verilog", "--block", "route", "-p", "1", "--out", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.startswith("// dsn_route_grid_2x2_k4x2: ")
    assert done.stdout.endswith(END)


def test_verilog_prints_what_it_wrote(run, tmp_path):
    status, out, _ = run("verilog", "--block", "route", "-x", "12", "-y", "10", "--folder", tmp_path)
    assert status == 0
    assert "dsn_route_grid_12x10_k4x2" in out
    assert "own_x[4] own_y[4] own_id[3] dst_x[4] dst_y[4] dst_id[3]" in out
    assert len(os.listdir(tmp_path)) == 6


def test_verilog_writes_the_switch_if_no_block_is_named(run, tmp_path, monkeypatch):
    """The output names the block, and says whether the user has named it: in the table, or next to the Verilog on a pipe."""
    text_of = lambda component, name, *_: f"{component.latency} {name}\n"  # noqa: E731
    monkeypatch.setattr("dsnswitch.gen.emit.folder.convert", text_of)
    monkeypatch.setattr("dsnswitch.gen.emit.folder.convert", text_of)
    status, out, err = run("verilog", *SMALL, "--folder", tmp_path / "a")
    assert (status, err) == (0, "")
    assert out.startswith("block       switch, the default; --block NAME selects another\ntop         switch_torus_2_h1_")
    assert re.search(r"^port +dim0_forward +fabric +cycles: 0 in, 1 out$", out, re.MULTILINE)
    assert re.search(r"^port +host_0 +flits +cycles: 0 in, 0 out$", out, re.MULTILINE)
    status, text, err = run("verilog", *SMALL, "--out", "-")
    assert (status, err) == (0, "block switch, the default; --block NAME selects another\n")
    status, named, err = run("verilog", "--block", "switch", *SMALL, "--out", "-")
    assert (status, err) == (0, "")
    assert named == text


def test_a_file_without_a_block_describes_that_of_the_command(run, refuse, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dsnswitch.gen.emit.folder.convert", lambda component, name, *_: f"{name}\n")
    path = Path("net.toml")
    path.write_text("p = 1\nsettle = 2\n")
    words = ("--config", path, "--out", "-")
    message = "has an unknown key 'settle'; dsnswitch verilog --block route --help lists all"
    assert message in refuse("verilog", "--block", "route", *words)
    assert run("verilog", *words)[1].startswith("switch_grid_2x2_k4x2")
