"""``dsnswitch blocks``, the help of one block, the version, and shell completion."""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version

import pytest

from dsnswitch.gen.blocks import BLOCKS
from dsnswitch.net.files.options import NETWORK


def test_blocks_are_listed_in_one_line_each(run):
    status, out, err = run("blocks")
    assert (status, err) == (0, "")
    lines = [line.split(None, 1) for line in out.splitlines()]
    assert [name for name, _ in lines] == list(BLOCKS)
    texts = [text for _, text in lines]
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert re.fullmatch(r"[A-Z0-9].{15,85}\.", text), text
    assert max(map(len, out.splitlines())) <= 120


def test_blocks_as_json(run):
    rows = json.loads(run("blocks", "--format", "json")[1])
    assert [row["name"] for row in rows] == list(BLOCKS)
    assert [row["name"] for row in rows if row["default"]] == ["route"]
    assert [row["name"] for row in rows if row["default_of_verilog"]] == ["switch"]
    for row in rows:
        assert row["parameters"] == {key: one.schema for key, one in BLOCKS[row["name"]].OPTIONS.items()}


def options(text):
    """Long options of a help text, without those that begin with ``--no-``."""
    return set(re.findall(r"^  (?:-\w, )?--([\w-]+)", text, re.MULTILINE))


@pytest.mark.parametrize(
    ("command", "block"), [*(("verilog", block) for block in BLOCKS), *((name, "route") for name in ("synth", "fpga", "layout"))]
)
def test_help_of_a_block_shows_its_parameters_only(run, command, block):
    shared = run(command, "--help")[1]
    assert f"More parameters of a block: dsnswitch {command} --block NAME --help" in " ".join(shared.split())
    status, out, err = run(command, "--block", block, "--help")
    assert (status, err) == (0, "")
    assert options(out) == options(shared) - set(NETWORK) | {
        (one.word or key).replace("_", "-") for key, one in BLOCKS[block].OPTIONS.items()
    }
    # If a description differs between blocks, the help shows that of this block.
    assert not re.search(r"\[(route|secded|rs-encoder|table-ternary|pcs66-rx)[\],]", out)
    assert out == run(command, "--help", "--block", block)[1]


def test_help_of_an_unknown_block(refuse):
    assert "There is no block 'rs-dec'; did you mean rs-decoder?" in refuse("verilog", "--block", "rs-dec", "--help")


def test_version(run):
    assert run("--version") == (0, f"dsnswitch, version {version('dsnswitch')}\n", "")


def completed(words):
    """Completions that the shell offers for the last of ``words``."""
    environment = {"_DSNSWITCH_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [os.path.join(os.path.dirname(sys.executable), "dsnswitch")], env=os.environ | environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_shell_completion():
    assert completed(["dsnswitch", "topo"]) == ["plain,topologies", "plain,topology"]
    assert completed(["dsnswitch", "verilog", "--block", "light"]) == [
        "plain,light-link",
        "plain,light-link-tx",
        "plain,light-link-rx",
    ]
