"""The command line as a user sees it: its output, and one line with status 2 for every wrong input."""

import contextlib
import json
import os
import resource
import stat
import subprocess
import sys

import pytest

from dsnswitch.net.messages import MOST_LINE

BAD = [
    ("verilog", "No network is given: p, such as 3 for 8 x 8 supernodes, or x and y, or topology, such as torus:8x8x8"),
    ("verilog -m 8", "A grid needs p, or x and y; x and y are not given"),
    ("verilog -n 7 -m 65", "Ring supernode size m must be in 1..64, not 65"),
    ("verilog -p abc", "'abc' is not a valid integer"),
    ("verilog -p 0x", "'0x' is not a valid integer"),
    ("verilog -p -1", "p must be in 0..12, not -1"),
    ("verilog -p 13", "p must be in 0..12, not 13"),
    ("verilog -p 9", "Supernode size m must be at least p = 9 (= ceil(log2 512)), not 8"),
    ("verilog -p 4 -x 3", "Give p or x and y, not both p (= 4) and x (= 3)"),
    ("verilog -p 4 -n 3", "A grid takes x and y, not n (= 3)"),
    ("verilog -x 12", "A grid needs p, or x and y; y is not given"),
    ("verilog -x 0 -y 4", "Grid width X must be in 1..4096, not 0"),
    ("verilog -x 4 -y 4097", "Grid height Y must be in 1..4096, not 4097"),
    ("verilog --topology torus -p 4", "Topology torus takes no p (= 4)"),
    ("verilog --topology ring -m 4", "A ring needs p, or n; n is not given"),
    ("verilog --topology ring -n 7 -y 2", "A ring takes n, not y (= 2)"),
    ("verilog --topology ring -n 16 -m 3", "must be at least p = 4 (= ceil(log2 16)), not 3"),
    ("verilog --topology ring -n 7 -m 65", "Ring supernode size m must be in 1..64, not 65"),
    ("verilog --topology ring -n 1 -m 1", "A DSN must have at least 2 nodes, not 1"),
    ("verilog -p 4 --supernode k5", "Supernode must be k4x2, k4x2:double, ring-M, cube-N or coc-MSxMN, not 'k5'"),
    ("verilog -p 4 --supernode coc-1x4", "CoC subgraph count ms must be in 2..32, not 1"),
    ("verilog -p 4 --supernode coc-9x9", "CoC size ms * mn must be at most 64, not 81 (= 9 * 9)"),
    ("verilog -p 4 --supernode k4x2 -m 9", "Supernode k4x2 has m = 8 nodes, not 9"),
    ("verilog -p 4 --directions left", "'left' is not one of 'both', 'forward'"),
    ("verilog -p 4 --node 1,2", "Node address must have the form x,y,id, not '1,2'"),
    ("verilog -p 4 --node 16,0,0", "Field x of node 16,0,0 must be in 0..15, not 16"),
    ("verilog -p 4 --node a,b,c", "Node address must have the form x,y,id, not 'a,b,c'"),
    ("verilog -p 4 --frobnicate", "There is no option --frobnicate; dsnswitch verilog --help lists all"),
    ("verilog -p 4 --config /nonexistent.toml", "Configuration file /nonexistent.toml cannot be read: No such"),
    ("verilog -p 4 surprise", "unexpected extra argument"),
    ("verilog --block route -p 4 --out /proc/nowhere/out", "Output folder /proc/nowhere/out cannot be written"),
    (
        "verilog --block route -p 4 --out /dev/null/out",
        "Output folder /dev/null/out cannot be written: Not a directory",
    ),
    ("topology -p 3 --format png", "There is no format 'png' of topologies; dsnswitch topology --help lists all"),
    ("topology -p 2 --out /nonexistent/file", "Output file /nonexistent/file cannot be written: No such"),
    ("topology -p 6 --format svg", "SVG pictures go up to 1024 supernodes, not 4096"),
    ("route -p 3 --to 1,1,1", "Missing option '--from'"),
    ("route -p 3 --from 0,0,0 --to 8,0,0", "Field x of node 8,0,0 must be in 0..7, not 8"),
    ("route -p 3 --from 0,0,9 --to 1,0,0", "Field id of node 0,0,9 must be in 0..7, not 9"),
    ("route --topology ring -n 7 --from 0,0,9 --to 1,0", "Node address must have the form x,id"),
    ("check --topology foo -p 1", "There is no topology 'foo'; dsnswitch topologies lists all"),
    ("check --topology foo:3 -p 1", "There is no topology 'foo'; dsnswitch topologies lists all"),
    ("check --topology tours:4x4", "There is no topology 'tours'; did you mean torus? dsnswitch topologies"),
    ("faults -p 1 --plot x.png", "'--plot': must end in .svg, not 'x.png'"),
    ("table-sizes --plot svg.pdf", "'--plot': must end in .svg, not 'svg.pdf'"),
    ("expand --from dsn-f:8 --to dsn-f:9 --plot x", "'--plot': must end in .svg, not 'x'"),
    (
        "expand --from dsn-f:8 --to dsn-f:9 --plot x.svg --out ./x.svg",
        "Options --out and --plot must name different files, not both 'x.svg'",
    ),
    ("simulate --plot x.png", "'--plot': must end in .svg, not 'x.png'"),
    ("simulate --out x.svg --plot ./x.svg", "Options --out and --plot must name different files"),
    ("check -x -3 -y 3", "Grid width X must be in 1..4096, not -3"),
    ("frobnicate", "There is no command 'frobnicate'; dsnswitch --help lists all"),
    ("simulat", "There is no command 'simulat'; did you mean simulate? dsnswitch --help lists all"),
    ("topology --graph x", "There is no option --graph; dsnswitch topology --help lists all"),
    ("verilog --nod x", "There is no option --nod; did you mean --node? dsnswitch verilog --help lists all"),
    ("verilog --block switchcore", "There is no block 'switchcore'; did you mean switch-core? dsnswitch blocks"),
    ("verilog --block hamming", "There is no block 'hamming'; did you mean secded? dsnswitch blocks lists all"),
    ("verilog --block nothing", "There is no block 'nothing'; dsnswitch blocks lists all"),
    ("topologies nothing", "No topology has the words 'nothing'; dsnswitch topologies lists all"),
    ("blocks nothing", "No block has the words 'nothing'; dsnswitch blocks lists all"),
    (
        "verilog -p 4 --words 8",
        "Block switch, the default without --block, takes no words (= 8); block table-direct does; dsnswitch verilog --block",
    ),
    ("verilog -p 4 --block secded-encoder", "Block secded-encoder takes no p (= 4); block route does; "),
    ("verilog -p 1 --flit 60 --host-interface axi", "Flit width for AXI4-Stream must be a multiple of 8, not 60"),
    ("synth -p 4 --flit 64", "Block route, the default without --block, takes no flit (= 64); block switch"),
    ("verilog --block pcs66-tx --settle 3", "Block pcs66-tx takes no settle (= 3)"),
    ("verilog --block forwarding -p 2 --routing detour", "forwarding takes no routing (= detour)"),
    (
        "verilog --block table-ternary --key 3",
        "Block table-ternary needs entries and action; an example: entries 16, key 9, action 4",
    ),
    (
        "verilog --block rs-encoder -n 100",
        "Block rs-encoder needs k, field and polynomial too, or code alone: rs-528-514, rs-544-514, rs-255-239, rs-7-3",
    ),
    ("verilog --block secded --code rs-7-3", "code of secded must be one of secded-270-260, secded-72-64"),
    ("verilog --block secded --code secded-72-64 -n 9", "code and n cannot be given together"),
    ("verilog --block pcs66-rx --limit 20000", "limit must be at most window, 19531, not 20000"),
    ("verilog --block pcs260-rx --settle 1024", "settle must be in 0..1023, not 1024"),
    ("verilog --block pcs260-tx --format plain", "'plain' is not one of 'protected', 'literal'"),
    ("verilog --block light-link --format 66", "'66' is not one of 'protected', 'literal'"),
    ("verilog --block secded-encoder -n 270", "Block secded-encoder needs k too, or code alone: "),
    ("verilog --block secded-decoder -n 270 -k 261", "SECDED(270,261) is impossible"),
    ("verilog --block baseline-secded-decoder -n 270 -k 261", "SECDED(270,261) is impossible"),
    ("verilog --block secded-encoder -n 8 -k 4 --stages 2", "stages must be in 0..1, not 2"),
    ("verilog --block secded-decoder -n 2000 -k 4", "n must be in 4..1040, not 2000"),
]


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
    for words in (["verilog", "--config"], ["table", "--graph"], ["table", "--load"]):
        done = subprocess.run(
            [sys.executable, "-m", "dsnswitch.gen", *words, path],
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        )
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert "bytes; it has more" in done.stderr


def test_hexadecimal_polynomial(run, tmp_path):
    """The command is that of docs/reed-solomon.md."""
    words = ("verilog", "--block", "rs-encoder", "-n", 30, "-k", 25, "--field", 5, "--symbols", 6, "--polynomial")
    texts = [run(*words, polynomial, "--out", "-") for polynomial in ("0x25", "37")]
    assert texts[0] == texts[1]
    assert texts[0][0] == 0
    assert texts[0][1]


BAD_FILES = [
    ("net.toml", "p = 4\nradix = 6\n", "has an unknown key 'radix'; dsnswitch verilog --block switch --help lists all"),
    ("net.toml", "p = 'four'\n", "key 'p': 'four' is not of type 'integer'"),
    ("net.toml", "p = 4.0\n", "key 'p': 4.0 is not of type 'integer'"),
    (
        "code.json",
        '{"block": "rs-decoder", "code": "rs-7-3", "unroll": 2.0}',
        "key 'unroll': 2.0 is not of type 'integer'",
    ),
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


def test_full_standard_output(run, monkeypatch):
    """The last write, when buffers are flushed, fails with an error, too."""
    # Closing the file repeats the failed write.
    with contextlib.suppress(OSError), open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        status, _, err = run("vectors", "--code", "rs-7-3", "--count", 1)
    assert (status, err) == (2, "dsnswitch: error: Standard output cannot be written: No space left on device\n")


def test_failed_write_leaves_the_old_output(run, tmp_path, monkeypatch):
    """If the last step fails, the old files are unchanged, and there are no new files."""
    out = tmp_path / "out"
    assert run("verilog", "--block", "route", "-p", "2", "--out", str(out))[0] == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    def full(*paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    status, _, err = run("verilog", "--block", "route", "-p", "2", "--out", str(out))
    assert status == 2
    assert "No space left on device" in err
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_configuration_file_and_override(run, tmp_path):
    path = tmp_path / "net.toml"
    path.write_text('topology = "ring"\nn = 7\nm = 4\ndirections = "forward"\n')
    assert "(16, 0)" not in run("route", "--config", str(path), "--from", "0,1", "--to", "6,1")[1]
    assert "0,1 to 6,1: 4 hops" in run("route", "--config", str(path), "--from", "0,1", "--to", "6,1")[1]
    both = run("route", "--config", str(path), "--directions", "both", "--from", "0,1", "--to", "6,1")[1]
    assert "backward" in both


def test_route_as_json(run):
    status, out, _ = run("route", "-p", "3", "--from", "0,0,1", "--to", "3,5,7", "--json")
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
    status, out, _ = run("check", "-p", "3", "--json")
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


def test_topology_to_a_file(run, tmp_path):
    path = tmp_path / "net.edges"
    assert run("topology", "-p", "2", "--out", str(path))[:2] == (0, "")
    assert path.read_text() == run("topology", "-p", "2")[1]
