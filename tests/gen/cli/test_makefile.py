"""The Makefile passes only the values of its command line to the commands, and does not change them."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.gen.cli import cli

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
        done = subprocess.run(["make", *words], cwd=tmp_path, env=outer | environment, capture_output=True, text=True, timeout=60)
        said = [json.loads(line)["words"] for line in done.stdout.splitlines() if line.startswith("{")]
        return done.returncode, said or None, done.stderr

    return call


def all_words(make, *words, **environment):
    status, said, error = make(*words, **environment)
    assert (status, error) == (0, "")
    return said


def words_of(make, *words, **environment):
    (said,) = all_words(make, *words, **environment)
    return said


def test_values_become_options(make):
    assert sorted(words_of(make, "verilog", "X=12", "Y=10", "SUPERNODE=coc-4x4", "NODE=1,2,3", "FOLDER=a b")) == sorted(
        ["verilog", "--x=12", "--y=10", "--supernode=coc-4x4", "--node=1,2,3", "--folder=a b"]
    )
    assert sorted(words_of(make, "fpga", "BLOCK=switch", "HOST_INTERFACE=axi")) == [
        *("--block=switch", "--host-interface=axi", "fpga")
    ]
    assert words_of(make, "verilog", "ENTRIES=16", "RETRY=1", "APB=0", "CODE=rs-544-514", "MAX_P=3")[0] == "verilog"
    assert words_of(make, "synth", "OUT=a.json") == ["synth", "--out", "build/synth.json", "--out=a.json"]
    assert words_of(make, "verilog") == ["verilog"]


@pytest.fixture
def ci_call(root):
    """The module of ``.ci/call``."""
    loader = SourceFileLoader("ci_call", str(root / ".ci" / "call"))
    module = module_from_spec(spec_from_loader("ci_call", loader))
    loader.exec_module(module)
    return module


def test_flags(ci_call):
    assert ci_call.options("verilog", {"REGISTER": "0", "RETRY": "1"}, ()) == ["--no-register", "--retry"]
    assert ci_call.options("fpga", {"MAP_ONLY": "1"}, ()) == ["--map-only"]
    assert ci_call.options("fpga", {"MAP_ONLY": "0"}, ()) == []
    for value in ("", "yes", "2"):
        with pytest.raises(ValueError, match=f"REGISTER must be 0 or 1, not {value!r}"):
            ci_call.options("verilog", {"REGISTER": value}, ())


def test_every_parameter_is_a_name(ci_call):
    """Every parameter of every block is a name of the targets that take blocks, and gives an option that the command parses."""
    for target in ("verilog", "synth", "fpga", "layout"):
        known = ci_call.names_of(target)
        for block in BLOCKS.values():
            assert {(one.word or key).upper() for key, one in block.OPTIONS.items()} <= known.keys()
    samples = {"integer": "3", "text": "3", "flag": "1"}
    for name, block in BLOCKS.items():
        values = {one.word or key: one.words[0] if one.words else samples[one.kind] for key, one in block.OPTIONS.items()}
        words = ci_call.options("verilog", {key.upper(): value for key, value in values.items()} | {"BLOCK": name}, ())
        parsed = cli.get_command(None, "verilog").make_context("verilog", words).params
        for key, value in values.items():
            assert str(parsed[key]) in (value, "True"), (name, key)


def test_unknown_option(ci_call):
    for name, message in (
        ("p", r"make verilog takes no p; did you mean P\? .venv/bin/dsnswitch verilog --help lists all, in small letters"),
        ("TOPOLGY", "takes no TOPOLGY; did you mean TOPOLOGY"),
        ("SHELL", "takes no SHELL; .venv"),
    ):
        with pytest.raises(ValueError, match=message):
            ci_call.options("verilog", {name: "3"}, ())


def test_bad_value(make):
    status, said, error = make("verilog", "REGISTER=2")
    assert (status, said) == (2, None)
    assert error.startswith("dsnswitch: error: REGISTER must be 0 or 1, not '2'\n")


NASTY = ["'; touch X; '", '"; touch X; "', "$(touch X)", "`touch X`", "$(shell touch X)", "${shell touch X}", "$$HOME", "$P",
         "a\nb", "#", "a\\", "a b ", "", "-h", "%", "a:=b", "é"]  # fmt: skip


def test_value_is_handed_over_as_it_is(make, ci_call, tmp_path):
    names = [name for name, option in ci_call.names_of("verilog").items() if not option.is_flag]
    assert len(names) >= len(NASTY)
    given = dict(zip(names, NASTY))
    words = words_of(make, "verilog", *(f"{name}={value}" for name, value in given.items()))
    assert sorted(words[1:]) == sorted(f"--{name.lower().replace('_', '-')}={value}" for name, value in given.items())
    assert not (tmp_path / "X").exists()


@pytest.mark.parametrize("flags", [(), ("-e",)])
def test_environment_is_no_value(make, flags):
    names = ("NODE", "N", "LIB", "OUT", "P", "REGISTER", "DSNSWITCH_MAKE_P", "TAKES_verilog", "GIVEN", "CALL")
    environment = dict.fromkeys(names, "7") | {"DSNSWITCH_MAKE": "P"}
    assert words_of(make, *flags, "verilog", **environment) == ["verilog"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["test", "P=3"], "P is not a name that test takes; it takes: ARGS WORKERS"),
        (["lint", "P=3"], "P is not a name that lint takes; it takes: none"),
        (["P=3"], "a target is missing, such as make verilog P=...; make help lists the targets"),
        (["test", "PYTHONDONTWRITEBYTECODE=3"], "PYTHONDONTWRITEBYTECODE is not a name that test takes"),
        (["veriolg", "P=4"], "veriolg is no target: did you mean make verilog?"),
        (["it's"], "it's is no target: make help lists the targets"),
        (["$(touch X)"], "is no target: make help lists the targets"),
        (["test", "tests/papers/test_papers.py"], "make test takes paths of tests as ARGS='tests/papers/test_papers.py'"),
        (["test", "Makefile"], "make test takes paths of tests as ARGS='Makefile'"),
        (["verilog", "P=4", "SHELL=/bin/false"], "make verilog takes no SHELL"),
    ],
)
def test_wrong_word(make, tmp_path, words, message):
    status, said, error = make(*words)
    assert (status, said) == (2, None)
    assert message in error
    assert not (tmp_path / "X").exists()


def test_words_for_pytest(make):
    default = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    assert words_of(make, "test") == ["-m", "pytest", *default]
    assert words_of(make, "prove", "ARGS=-k 'a or b' --waves", "WORKERS=") == [
        *("-m", "pytest", "-m", "prove", "--timeout", "7200", "-k", "a or b", "--waves")
    ]
    assert words_of(make, "fuzz") == ["-m", "pytest", "--timeout", "0", "tests/gen/cli/test_fuzz.py", *default]
    status, said, error = make("test", "ARGS=-k 'a")
    assert (status, said) == (2, None)
    assert error.startswith('dsnswitch: error: ARGS must be words as of a shell (No closing quotation), not "-k \'a"')


def test_words_for_mutants(make):
    assert words_of(make, "mutants", "ARGS=--sample 5") == ["-m", "mutants", "--sample", "5"]


def test_several_targets(make):
    """Each target gets the names that it takes; one of them takes each name."""
    found = all_words(make, "check", "topology", "P=2", "OUT=net.dot")
    assert [sorted(words) for words in found] == [["--p=2", "check"], ["--out=net.dot", "--p=2", "topology"]]
    assert all_words(make, "test", "check", "P=2", "ARGS=-x")[1] == ["check", "--p=2"]
