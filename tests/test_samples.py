"""Code samples of README and docs: every printed command of dsnswitch runs, as it is printed."""

import json
import re
import shlex
import shutil
from pathlib import Path

import click
import pytest

from dsnswitch.gen.cli import cli
from dsnswitch.gen.emit.verilog import hierarchy

ROOT = Path(__file__).resolve().parents[1]

#: Commands of the pages that other tests run, or that measure for an hour.
ELSEWHERE = {
    "dsnswitch compare --endpoints 64 --radix 12 --simulate": "tests/lab/compare/test_compare.py simulates a smaller network",
    "dsnswitch faults --topology grid:8x16 --seeds": "tests/gen/cli/test_faults_cli.py has a smaller network",
    "dsnswitch layout": "tests/gen/cli/test_layout.py places and routes a smaller block",
    "dsnswitch simulate --topology torus:8x8x8": "tests/gen/cli/test_simulate_cli.py saves a smaller network",
    "dsnswitch simulate -p 3 --supernode k4x2:double --routing minimal --adaptive --digits": (
        "tests/sim/network/test_adaptive.py simulates a smaller network"
    ),
    "dsnswitch sweep run FILE.toml --scheduler": "tests/lab/sweep/test_workers.py starts a scheduler",
    "dsnswitch synth --verilog router.sv": "tests/lab/synth/test_own_verilog.py has such a router",
    "dsnswitch table --topology jellyfish:n=4096": "tests/net/tables/test_table_large.py has larger tables",
}

#: Ends of commands that show a network that is not free of deadlock.
STOPPING = ("--protocol request:0,reply:0 --waits request:reply", "--outstanding 16")

#: Commands that simulate for a minute. A later one needs the files of an earlier one.
SERIES = ("dsnswitch sweep",)

#: Commands that take seconds, so `make test` only parses them.
SLOW = (
    "-link",
    "switch-core -p",
    "switch-core --topology",
    "registers -p 3 --as html",
    "--fallback",
    "check -p 3 --routing minimal",
    "block switch -p",
    "block switch --topology",
    "deadlock -p 4",
    "verilog -p",
    "fabric-port -p",
    "dsnswitch faults",
    "rs-528-514",
    "rs-decoder -n",
    "pcs260",
    "block secded",
    "block rs-encoder",
    "simulate",
    "mttfpa",
    "table-sizes",
    "synth",
    "--broken",
    "framing",
)


def samples(root):
    """``{command without its comment: page}`` of README and docs."""
    found = {}
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        for line in re.findall(r"^    (?:\$ )?(dsnswitch .*)$", page.read_text(), re.MULTILINE):
            found.setdefault(shlex.join(shlex.split(line, comments=True)), page.name)
    return found


#: Files of the pages that another command makes, and the options of this command.
EDITED = {
    "edited.csv": ("-p", "2", "--node", "0,0,0", "--format", "csv"),
    "edited.json": ("--topology", "graph:examples/net.graphml", "--format", "json"),
    "old.json": ("--topology", "torus:4x4", "--routing", "turns", "--format", "json"),
    "new.json": ("--topology", "torus:4x4", "--broken", "0,0:dim0_forward", "--before", "old.json", "--format", "json"),
    "lfts.txt": ("--topology", "graph:fabric.txt", "--format", "lft"),
}


@pytest.fixture
def here(root, tmp_path, monkeypatch, run):
    """A working directory with the files that the commands name."""
    shutil.copytree(root / "examples", tmp_path / "examples")
    shutil.copy(root / "tests" / "graphs" / "leafspine.ibnetdiscover", tmp_path / "fabric.txt")
    (tmp_path / "failed.txt").write_text("0,0,0:4,0,1\n")
    # 40 hosts at a ring of 20 switches.
    edges = [*((host, 40 + host // 2) for host in range(40)), *((40 + one, 40 + (one + 1) % 20) for one in range(20))]
    (tmp_path / "cluster.edges").write_text("".join(f"{a} {b}\n" for a, b in edges))
    monkeypatch.chdir(tmp_path)
    for name, words in EDITED.items():
        status, text, _ = run("table", *words)
        assert status == 0
        (tmp_path / name).write_text(text)
    return tmp_path


def wanted(command):
    return not any(command.startswith(prefix) for prefix in ELSEWHERE)


def slow(command):
    return any(part in command for part in SLOW)


def in_series(command):
    return command.startswith(SERIES)


def call(run, command):
    status, out, err = run(*shlex.split(command)[1:])
    # Some commands print a summary of their files to standard error.
    stops = command.endswith(STOPPING)
    assert status == stops, f"{command}: {err}"
    assert out or stops or "--out" in command, command


def test_there_are_samples(root):
    found = samples(root)
    assert len(found) > 40
    for prefix in ELSEWHERE:
        assert any(command.startswith(prefix) for command in found), f"no page has {prefix}"


def quick(found):
    """The first sample of each command and subcommand that is not slow."""
    first = {}
    for command in filter(wanted, found):
        if not slow(command) and not in_series(command):
            first.setdefault(re.match(r"dsnswitch [a-z -]*?(?= -|$)", command)[0], command)
    return [*first.values()]


def test_commands_run(run, here, root):
    some = quick(samples(root))
    assert len(some) > 10
    for command in some:
        call(run, command)


@pytest.mark.regress
def test_series_runs(run, here, root):
    for command in filter(in_series, filter(wanted, samples(root))):
        call(run, command)


@pytest.mark.regress
@pytest.mark.parametrize(
    "command", [one for one in samples(ROOT) if wanted(one) and not in_series(one) and one not in quick(samples(ROOT))]
)
def test_other_command_runs(run, here, converted_before, monkeypatch, command):
    """The commands share converted components, because none of them changes the design."""
    monkeypatch.setattr(hierarchy, "kept", converted_before)
    if "torus.json" in command:
        call(run, "dsnswitch simulate --topology torus:2 --flit 16 --packet 2 --depth 4 --load 0.05:0.1:0.05 --out torus.json")
    call(run, command)


def test_all_commands_parse(root, here):
    """Options and their types are checked. No command runs."""
    for line in samples(root):
        words = shlex.split(line)[1:]
        command, context = cli, None
        while words and isinstance(command, click.Group):
            name = words.pop(0)
            command, context = command.get_command(context, name), command.make_context(name, [name], parent=context)
        if "--help" not in words:
            command.make_context(command.name, words, parent=context)


def test_configuration_of_readme(run, here):
    """Keys of the file apply if the command line does not override them."""
    call(run, "dsnswitch verilog --config examples/net.toml -p 5")
    (manifest,) = (here / "build" / "verilog").glob("*.json")
    parameters = json.loads(manifest.read_text())["parameters"]
    assert (parameters["x"], parameters["register"]) == (32, True)
