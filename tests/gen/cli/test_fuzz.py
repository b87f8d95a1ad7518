"""The contract of the command line, checked with malformed and extreme files and words.

Exit status 0 or 2 (1 where a command documents it), one line of at most 300 characters on standard error or none, after notes
about the input, nothing on standard output and no file changed after a failure, and a bounded time. ``make fuzz`` runs it for
long.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import click
import pytest
from command_tree import commands
from hostile.inputs import CHUNKS, NUMBERS, QUICK, SEEDS, STARTS, WORDS
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.gen.cli import cli, main
from dsnswitch.gen.emit.verilog.fragments import leave
from dsnswitch.net.messages import MOST_LINE

#: Most seconds of processor time for one command with the drawn input.
MOST_SECONDS = 10

#: Commands that measure for minutes with any options. Their workers are replaced, or the commands are left out.
LEFT_OUT = {"link plot", "table-sizes", "fpga", "layout"}

#: How a note begins: what a file has and the network has not, or the present name for an old word.
NOTE = re.compile(r"dsnswitch: (?!error: )")

#: Commands whose status 1 is documented.
FINDS = {"check", "--load"}


def used(component, *_):
    """Stands in for Yosys. It elaborates nothing, so Amaranth's warning about unused components is switched off."""
    leave(component)
    return "module\nendmodule\n"


@contextlib.contextmanager
def small_floors():
    """Lowers limits of floor plans and of compared networks."""
    with (
        patch("dsnswitch.lab.compare.rows.MOST", 64),
        patch("dsnswitch.lab.compare.saturation.saturation", lambda *_: 0.5),
        patch("dsnswitch.net.plan.placement.MOST_PLACED", 16),
    ):
        yield


@contextlib.contextmanager
def quick():
    """Replaces tools, and lowers limits so that they are soon reached."""
    with (
        patch("dsnswitch.gen.emit.folder.convert", used),
        patch("dsnswitch.gen.emit.verilog.convert.convert", used),
        patch("dsnswitch.lab.synth.measure.measure_all", lambda *_, **__: []),
        patch("tools.figures.refresh.measured", lambda *_, **__: []),
        patch("dsnswitch.lab.synth.measure.suite", tuple),
        patch("tools.figures.refresh.refresh", lambda *_, **__: None),
        patch("tools.figures.refresh.stale_names", lambda *_, **__: []),
        patch("dsnswitch.lab.synth.measure.measure_source", lambda *_, **__: None),
        patch("dsnswitch.lab.synth.measure.breakdown", lambda *_: {"part": {"number": 1, "area": 1, "period": 1}}),
        patch("dsnswitch.lab.synth.measure.table", lambda *_: ""),
        patch("dsnswitch.lab.synth.measure.report", lambda *_: ""),
        patch("dsnswitch.lab.codes.rows.PATTERNS", 20),
        patch("dsnswitch.gen.cli.simulate._run", lambda *_, **__: {}),
        patch("dsnswitch.gen.cli.simulate._print", lambda *_: None),
        patch("dsnswitch.lab.sweep.run.Sweep.points", lambda *_: iter(())),
        patch("dsnswitch.lab.sweep.plan.MOST_CURVES", 20),
        patch("dsnswitch.sim.network.workload.patterns.MOST_ROWS", 10_000),
        small_floors(),
        patch.multiple(
            "dsnswitch.net.limits", MOST_ON_FLOOR=600, MOST_SIMULATED=600, MOST_NODES=600, MOST_TABLES=100, MOST_FAULTY=64
        ),
    ):
        yield


def tree():
    """``{path: content}`` of every file of the working folder."""
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def hold(words):
    """Run the command ``words`` in the working folder and check the contract. Returns the status."""
    out, err = io.StringIO(), io.StringIO()
    before, start, status = tree(), time.process_time(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), patch.object(sys, "argv", ["dsnswitch", *words]):
        try:
            main()
        except SystemExit as stop:
            status = stop.code or 0
    assert time.process_time() - start < MOST_SECONDS
    *notes, line = err.getvalue().splitlines(keepends=True) or [""]
    if status == 0 and NOTE.match(line):
        notes, line = [*notes, line], ""
    assert all(NOTE.match(text) and text[:-1].isprintable() and len(text) <= MOST_LINE + 1 for text in notes)
    if status == 0:
        # Tables of a whole network are reported in one line, and the default block if its Verilog is printed.
        assert line == "" or {"table", "-"} & set(words)
        assert line.removesuffix("\n").isprintable()
        assert len(line) <= MOST_LINE + 1
    elif status == 1:
        assert FINDS & set(words)
    else:
        assert (status, out.getvalue()) == (2, "")
        assert line.startswith("dsnswitch: error: ")
        assert line.endswith("\n")
        assert line[:-1].isprintable()
        assert len(line) <= MOST_LINE + 1
        assert tree() == before
    return status


@contextlib.contextmanager
def working_folder(files):
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), quick():
        for name, content in files.items():
            Path(name).write_bytes(content)
        yield


@st.composite
def broken(draw, content):
    """``content`` after a few cuts, copies and chunks."""
    text = content.decode()
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(start + 40, len(text))))
        between = draw(st.sampled_from([*CHUNKS, "", text[start:end] * 2]))
        text = text[:start] + between + text[end:]
    return text.encode("utf-8", "surrogatepass")


def command(words, name):
    """The words of a command that reads a file, whose name follows the last word, or is a part of it."""
    return f"{words}{'' if words.endswith(':') else ' '}{name}".split()


def test_good_files_are_taken():
    """Every start value of the fuzzing is accepted. Otherwise the fuzzing would reach only the first rule."""
    for name, (content, words) in SEEDS.items():
        with working_folder({name: content}):
            assert hold(command(words, name)) == 0, name


@pytest.mark.parametrize("name", SEEDS)
@given(data=st.data())
def test_files(name, data):
    seed, words = SEEDS[name]
    content = data.draw(st.one_of(st.binary(max_size=60), broken(seed), broken(seed)), "content")
    with working_folder({name: content}):
        hold(command(words, name))


COMMANDS = {path: found for path, found in commands(cli) if " ".join(path) not in LEFT_OUT}


def values(option):
    """Values of an option: legal values, corner cases, and any text."""
    kind = option.type
    if isinstance(kind, click.IntRange):
        # The greatest value may take minutes. Tests of limits use the greatest value plus one.
        near = [kind.min, (kind.min or 0) + 1, (kind.min or 0) - 1, (kind.max or 1 << 40) + 1]
        return st.sampled_from([*map(str, near), "2", *WORDS])
    if isinstance(kind, click.types.IntParamType):
        return st.sampled_from([*map(str, NUMBERS), *WORDS])
    if isinstance(kind, click.Choice):
        return st.sampled_from([*kind.choices, *kind.choices, "x", ""])
    if option.name in ("out", "folder", "plot"):
        return st.sampled_from(["-", "out", ".", "", "missing/file", "t.csv", "t.csv/x", "x" * 300, "new/dir"])
    return st.one_of(st.sampled_from(WORDS), st.text(max_size=5).map(lambda text: text.replace("\0", "")))


@st.composite
def lines(draw, path, command):
    """Words of a command line."""
    found = [*path, *QUICK.get(path[-1], [])]
    options = [option for option in command.params if isinstance(option, click.Option)]
    chosen = [option for option in options if option.required]
    chosen += draw(st.lists(st.sampled_from(options), max_size=6, unique=True)) if options else []
    for option in chosen:
        flag = draw(st.sampled_from([*option.opts, *option.secondary_opts]))
        if flag in ("--help", "-h"):
            continue
        found += [flag] if option.is_flag else [flag, draw(values(option))]
    return found


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
@given(data=st.data())
def test_words(path, data):
    start = data.draw(st.sampled_from([[], *STARTS.get(path[0], [])]), "start")
    words = [*data.draw(lines(path, COMMANDS[path]), "words"), *start]
    with working_folder({name: content for name, (content, _) in SEEDS.items()}):
        os.environ.pop("COLUMNS", None)
        hold(words)


@given(st.lists(st.one_of(st.sampled_from([*cli.table, "-h", "--version", "--", "-"]), st.text(max_size=5)), max_size=3))
def test_any_words(words):
    with working_folder({}):
        if not LEFT_OUT & set(words):
            hold([word.replace("\0", "") for word in words])
