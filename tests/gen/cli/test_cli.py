"""The command line as a user sees it: its output, and one line with status 2 for every wrong input."""

import json
import os
import resource
import stat
import subprocess
import sys

import pytest

from dsnswitch.net.messages import MOST_LINE


@pytest.mark.parametrize("words", [(), ("link",)])
def test_help_without_a_command(run, words):
    status, out, err = run(*words)
    assert (status, err) == (0, "")
    assert out == run(*words, "--help")[1]
    assert out.startswith(f"Usage: {' '.join(('dsnswitch', *words))} [OPTIONS] COMMAND")


def test_error_lines_are_bounded(refuse):
    """Rule and value at the ends of the line are kept; control characters are escaped."""
    line = refuse("table", "-p", "2", "--format", "x" * 500 + "\n\x1b[31m")
    assert len(line) == MOST_LINE + 1
    assert line.startswith("dsnswitch: error: Table format must be one of json")
    assert " ... xxxx" in line
    assert line.endswith("x\\n\\x1b[31m'\n")


def test_errors_of_the_system_are_one_line(refuse, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("dsnswitch.net.files.export.export", fail)
    assert refuse("topology", "-p", "1") == "dsnswitch: error: The command needs more memory than is available\n"


def test_endless_file_takes_bounded_memory(tmp_path):
    """The files are copies of /dev/zero, and the processes are limited to 2 GB."""
    path = tmp_path / "zero"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
        open(path, "rb").close()
    except PermissionError:
        pytest.skip("only root makes devices")
    limit = 2 << 30
    for words in (["verilog", "--config"], ["table", "--topology"], ["table", "--load"]):
        done = subprocess.run(
            [sys.executable, "-m", "dsnswitch.gen", *words, f"graph:{path}" if "--topology" in words else path],
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        )
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert "bytes; it has more" in done.stderr


def test_hexadecimal_polynomial(run, tmp_path):
    """The command is that of docs/reed-solomon.md."""
    words = ("verilog", "--block", "rs-encoder", "--codeword", 30, "-k", 25, "--field", 5, "--symbols", 6, "--polynomial")
    texts = [run(*words, polynomial, "--out", "-") for polynomial in ("0x25", "37")]
    assert texts[0] == texts[1]
    assert texts[0][0] == 0
    assert texts[0][1]


BAD_FILES = [
    ("net.toml", "p = 4\nradix = 6\n", "has an unknown key 'radix'; dsnswitch verilog --block switch --help lists all"),
    ("net.toml", "p = 'four'\n", "key 'p': 'four' is not of type 'integer'"),
    ("net.toml", "p = 4.0\n", "key 'p': 4.0 is not of type 'integer'"),
    ("code.json", '{"block": "rs-decoder", "code": "rs-7-3", "unroll": 2.0}', "key 'unroll': 2.0 is not of type 'integer'"),
    ("net.toml", "p = \n", "is malformed"),
    ("net.json", "[1, 2]", "top level: [1, 2] is not of type 'object'"),
    ("net.json", '{"p": 4', "is malformed"),
    ("net.json", '{"topology": "torus"}', "Topology torus must have the form torus:AxBx.., not 'torus'"),
    ("net.toml", "x = 0\ny = 3\n", "key 'x': 0 is less than the minimum of 1"),
]


@pytest.mark.parametrize(("name", "text", "message"), BAD_FILES)
def test_bad_configuration_file(refuse, tmp_path, monkeypatch, name, text, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    assert message in refuse("verilog", "--config", name)
    assert os.listdir(tmp_path) == [name]


def test_configuration_file_and_override(run, tmp_path):
    path = tmp_path / "net.toml"
    path.write_text('topology = "ring"\nn = 7\nm = 4\ndirections = "forward"\n')
    assert "0,1 to 6,1: 4 hops" in run("route", "--config", str(path), "--from", "0,1", "--to", "6,1")[1]
    both = run("route", "--config", str(path), "--directions", "both", "--from", "0,1", "--to", "6,1")[1]
    assert "backward" in both


def test_route_as_json(run):
    status, out, _ = run("route", "-p", "3", "--from", "0,0,1", "--to", "3,5,7", "--format", "json")
    found = json.loads(out)
    assert status == 0
    assert found["hops"][0] == {
        "source": [0, 0, 1],
        "target": [2, 0, 2],
        "port": "x_forward",
        "class": 0,
        "kind": "x",
        "level": 2,
        "direction": "forward",
    }
    assert found["hops"][-1]["target"] == found["to"] == [3, 5, 7]
    assert run("route", "-p", "3", "--from", "1,1,1", "--to", "1,1,1")[1] == "1,1,1 to 1,1,1: 0 hops\n"


def test_check(run):
    status, out, _ = run("check", "-p", "3", "--format", "json")
    found = json.loads(out)
    assert status == 0
    assert found["within_bound"] is True
    assert round(found["average_path"], 2) == 5.29
    assert "average path      5.2877" in run("check", "-p", "3")[1]


def test_check_names_the_pair_beyond_the_bound(run, monkeypatch):
    """Status 1 and the pair that exceeds the bound. The bound is set to 5 for this test, because no pair exceeds the real one."""
    monkeypatch.setattr("dsnswitch.net.routing.dsn.relation.DsnRelation.paper_bound", 5)
    status, out, err = run("check", "-p", "2")
    assert status == 1
    assert "routing diameter" in out
    assert "hops, the bound is 5" in err
