"""The Makefile passes only the values of its command line to the commands, and does not change them."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

#: A replacement of the commands that prints its arguments.
STUB = f"""#!{sys.executable}
import json, os, sys
print(json.dumps({{"words": sys.argv[1:], "names": sorted(name for name in os.environ if name.startswith("DSNSWITCH"))}}))
"""

PYTHON = f"""#!{sys.executable}
import os, runpy, sys
if sys.argv[1] == "-m":
    os.execv(os.path.join(os.path.dirname(__file__), "stub"), sys.argv)
sys.executable, sys.argv = __file__, sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture
def make(root, tmp_path):
    """A function that runs make in a copy of the repository's Makefile, with stubs as commands: ``(status, said, error)``."""
    shutil.copy(root / "Makefile", tmp_path)
    shutil.copytree(root / ".ci", tmp_path / ".ci")
    (tmp_path / ".ci" / "setup").write_text("#!/bin/sh\n")
    commands = tmp_path / ".venv" / "bin"
    commands.mkdir(parents=True)
    # The stub replaces `python -m pytest`. The real .ci/call runs with this file as its interpreter.
    (commands / "python").write_text(PYTHON)
    for name in ("stub", "dsnswitch"):
        (commands / name).write_text(STUB)
    (commands / "ruff").write_text("#!/bin/sh\n")
    for path in commands.iterdir():
        path.chmod(0o755)

    def call(*words, **environment):
        # The variables of an outer `make test ARGS=...` are not meant for this make.
        outer = {name: value for name, value in os.environ.items() if not re.match("MAKE|MFLAGS|DSNSWITCH", name)}
        done = subprocess.run(
            ["make", *words], cwd=tmp_path, env=outer | environment, capture_output=True, text=True, timeout=60
        )
        said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return done.returncode, said[0]["words"] if said else None, done.stderr

    return call


def words_of(make, *words, **environment):
    status, said, error = make(*words, **environment)
    assert (status, error) == (0, "")
    return said


def test_values_become_options(make):
    assert sorted(words_of(make, "verilog", "X=12", "Y=10", "SUPERNODE=coc-4x4", "NODE=1,2,3", "OUT=a b")) == sorted(
        ["verilog", "--x=12", "--y=10", "--supernode=coc-4x4", "--node=1,2,3", "--out=a b"]
    )
    assert sorted(words_of(make, "fpga", "BLOCK=switch", "HOST_INTERFACE=axi")) == [
        *("--block=switch", "--host-interface=axi", "fpga")
    ]
    assert words_of(make, "synth", "CLOCK=500")[1:] == ["--clock=500", "--out", "build/synth.json"]
    assert words_of(make, "verilog") == ["verilog"]


@pytest.mark.parametrize(("value", "word"), [("0", "--no-register"), ("1", "--register")])
def test_register(make, value, word):
    assert words_of(make, "verilog", f"REGISTER={value}") == ["verilog", word]


@pytest.mark.parametrize("value", ["", "yes", "2"])
def test_bad_register(make, value):
    status, said, error = make("verilog", f"REGISTER={value}")
    assert (status, said) == (2, None)
    assert error.startswith(f"dsnswitch: error: REGISTER must be 0 or 1, not {value!r}\n")


NASTY = ["'; touch X; '", '"; touch X; "', "$(touch X)", "`touch X`", "$(shell touch X)", "${shell touch X}", "$$HOME", "$P",
         "a\nb", "#", "a\\", "a b ", "", "-h", "%", "a:=b", "é"]  # fmt: skip


@pytest.mark.parametrize("value", NASTY)
def test_value_is_handed_over_as_it_is(make, tmp_path, value):
    assert words_of(make, "verilog", f"OUT={value}", "P=4")[1:] in (
        [f"--out={value}", "--p=4"],
        ["--p=4", f"--out={value}"],
    )
    assert not (tmp_path / "X").exists()


@pytest.mark.parametrize("flags", [(), ("-e",)])
def test_environment_is_no_value(make, flags):
    names = ("NODE", "N", "LIB", "OUT", "P", "REGISTER", "DSNSWITCH_MAKE_P", "TAKES_verilog", "GIVEN", "CALL")
    environment = dict.fromkeys(names, "7") | {"DSNSWITCH_MAKE": "P"}
    assert words_of(make, *flags, "verilog", **environment) == ["verilog"]


@pytest.mark.parametrize(
    ("target", "name"),
    [("verilog", "p"), ("verilog", "LIB"), ("check", "NODE"), ("test", "P"), ("lint", "P"), ("verilog", "SHELL"),
     ("help", "P"), ("verilog", "BIN"), ("verilog", "PYTHONDONTWRITEBYTECODE")],
)  # fmt: skip
def test_unknown_name(make, target, name):
    status, said, error = make(target, f"{name}=3")
    assert (status, said, error.count("\n")) == (2, None, 1)
    assert f"{name} is not a name that this target takes; it takes: " in error


def test_words_for_pytest(make):
    default = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    assert words_of(make, "test") == ["-m", "pytest", *default]
    assert words_of(make, "prove", "ARGS=-k 'a or b' --waves", "WORKERS=") == [
        *("-m", "pytest", "-m", "prove", "-k", "a or b", "--waves")
    ]
    assert words_of(make, "fuzz") == ["-m", "pytest", "tests/gen/cli/test_fuzz.py", *default]
    status, said, error = make("test", "ARGS=-k 'a")
    assert (status, said) == (2, None)
    assert error.startswith('dsnswitch: error: ARGS must be words as of a shell (No closing quotation), not "-k \'a"')


def test_words_for_mutants(make):
    assert words_of(make, "mutants", "ARGS=--sample 5") == ["-m", "mutants", "--sample", "5"]


def test_several_targets(make):
    """A name is accepted if at least one of several targets takes it."""
    assert make("check", "topology", "P=2", "FORMAT=dot")[0] == 0


def test_every_name_is_an_option(run, root):
    """Every name that the Makefile accepts is an option of the command."""
    text = (root / "Makefile").read_text()
    lists = dict(re.findall(r"^override (\w+) := (.*)$", text, re.MULTILINE))
    for key, names in lists.items():
        target = key.removeprefix("TAKES_")
        if key.startswith("TAKES_") and "ARGS" not in names:
            while "$" in names:
                names = re.sub(r"\$\((\w+)\)", lambda match: lists[match[1]], names)
            status, out, _ = run(target, "--help")
            assert status == 0
            for name in names.split():
                assert f"--{name.lower()}".replace("_", "-") in out, (target, name)
