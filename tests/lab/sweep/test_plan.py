"""Files of sweeps: curves and labels, strict keys, impossible values."""

import jsonschema
import pytest

from dsnswitch.lab.sweep.plan import SCHEMA, Range, read_plan
from dsnswitch.net.messages import UsageError
from dsnswitch.net.reading import read_toml


@pytest.fixture
def plan(tmp_path):
    """A function that reads a text as the file of a sweep."""

    def read(text):
        path = tmp_path / "s.toml"
        path.write_text(text)
        return read_plan(path)

    return read


def test_lists_and_series_make_curves(plan):
    found = plan(
        'title = "T"\nload = "0.1:0.5"\npoints = 3\npacket = 2\n'
        '[[series]]\nname = "A"\ntopology = "hypercube:{size}"\nsize = ["2", "3"]\nseed = [1, 2]\n'
        '[[series]]\nname = "B"\ntopology = "torus:4"\npacket = 4\nload = [0.2, 0.1, 0.2]\nlink_delay = [0, "2m"]\nchannels = 2\n'
    )
    assert found.title == "T"
    assert [curve.label for curve in found.curves] == [
        *("A, 2, seed 1", "A, 2, seed 2", "A, 3, seed 1", "A, 3, seed 2"),
        *("B, link delay 0", "B, link delay 2m"),
    ]
    first, last = found.curves[0], found.curves[-1]
    assert first.loads == Range(0.1, 0.5, points=3)
    assert first.experiment.network.spelling == "hypercube:2"
    assert (first.experiment.values["packet"], last.experiment.values["packet"]) == (2, 4)
    assert last.loads == (0.1, 0.2)
    assert last.experiment.attributes["delay"] == 10
    assert (last.parameters["channels"], last.parameters["depth"]) == ("dim0=2,host=2", 8)
    assert found.curves[3].experiment.attributes["seed"] == 2


def test_without_a_series_labels_name_the_network(plan):
    assert [curve.label for curve in plan('topology = "torus:4"\nload = 0.2\n').curves] == ["torus:4"]
    found = plan('topology = ["torus:4", "hypercube:2"]\npattern = ["uniform", "all-to-all:4"]\n').curves
    assert [curve.label for curve in found] == [
        f"{topology}, {pattern}" for topology in ("torus:4", "hypercube:2") for pattern in ("uniform", "all-to-all:4")
    ]
    assert [curve.loads for curve in found] == [(0.1,), (0.0,)] * 2


def test_bursts_limit_the_loads(plan):
    text = 'topology = "torus:4"\nburst = "100:300"\nload = {}\n'
    (curve,) = plan(text.format('"0.05:0.25"')).curves
    assert not curve.loads.over
    for load in ('"0.05:0.3"', "[0.1, 0.3]"):
        with pytest.raises(UsageError, match=r"at most 0.25 flits per host and cycle, not 0.3"):
            plan(text.format(load))


def test_failures_span_curves(plan):
    text = 'topology = "grid:2x2:ring-3"\nrouting = "detour"\nfail = [[], ["0,0,0:x_forward", "0,0,1:0,0,0@500"]]\n'
    none, failed = plan(text).curves
    assert (none.experiment.attributes["failed"], none.label.endswith("none failed")) == ((), True)
    assert len(failed.experiment.attributes["failed"]) == 1
    assert failed.experiment.failures[0][0] == 500
    (alone,) = plan(text.replace("[[], ", "").replace("]]", "]")).curves
    assert alone.experiment.attributes["failed"] == failed.experiment.attributes["failed"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("loads = 0.1", "has an unknown key 'loads'; did you mean load?"),
        ('[[series]]\nname = "a"\ntitle = "b"', "has an unknown key 'title'; dsnswitch schema sweep lists all"),
        ("[[series]]\nseed = 1", "'series[0]': 'name' is a required property"),
        (
            'topology = "torus:4"\n[[series]]\nname = "a"\n[[series]]\nname = "a"',
            "must have each name of a series once, not 'a' twice",
        ),
        ("series = 3", "'series'"),
        ("series = []", "'series'"),
        ("load = 0.0", "'load'"),
        ("load = 1.5", "'load'"),
        ("load = []", "'load'"),
        ("load = [0.1, true]", "'load"),
        ('load = "0.5:0.1"', "load must be a range FIRST:LAST with 0 < FIRST < LAST <= 1, not '0.5:0.1'"),
        ('load = "0.1"', "load must be a range FIRST:LAST"),
        ('load = "0.1:0.5:0.1"', "load must be a range FIRST:LAST"),
        ("points = 1", "'points': 1 is less than the minimum of 2"),
        ("precision = 0", "'precision'"),
        ("seed = -1", "'seed'"),
        ("seed = []", "'seed'"),
        ("seed = [1, 2.5]", "'seed"),
        ("cycles = 1500", "'cycles'"),
        ("depth = 3\npacket = 33", "depth"),
        ("title = 3", "'title'"),
        ('topology = "torus:1x"', "torus:1x: "),
        ('topology = "torus:4"\nrouting = "detour"', "torus:4: "),
        ('topology = "hypercube:3"\npattern = "tornados"', "hypercube:3: There is no pattern 'tornados'; did you mean tornado?"),
        ('topology = "hypercube:3"\npattern = "exchange:4"\nload = 0.1', "Pattern exchange takes no load"),
        ('topology = "hypercube:3"\nsize = "4"', "Key size needs a topology with {size}"),
        ('topology = "hypercube:3"\nlink_delay = "x"', "must be cycles, such as 3, or metres"),
        ('topology = "hypercube:3"\nfail = "0,0,0:dim0_forward"', "needs --routing detour"),
        ('topology = "hypercube:3"\nchannels = "dim9=2"', "dim9"),
        ('topology = "hypercube:3"\nlink = "light"', "link needs block = switch"),
        ('topology = "hypercube:3"\nblock = "route"', "'block'"),
        ('topology = "torus:64x64x64"', "must be at most 65536"),
        (f"seed = {list(range(1001))}", "must be at most 1000, not 1001"),
        (f"topology = 'torus:4'\nseed = {list(range(999))}\nload = {[x / 100 for x in range(1, 51)]}", "must be at most 20000"),
        ("seed = 1 = 2", "is malformed"),
        ("node = '0,0,0'", "unknown key 'node'"),
    ],
)
def test_bad_files(refuse, tmp_path, text, message):
    path = tmp_path / "s.toml"
    path.write_text(text)
    assert message in refuse("sweep", "run", path, "--workers", 0)
    assert [one.name for one in tmp_path.iterdir()] == ["s.toml"]


def test_a_graph_that_does_not_exist(plan):
    with pytest.raises(UsageError, match="Graph x cannot be read"):
        plan('topology = "graph:x"')


def test_the_schema_takes_the_example(root):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    example = root / "examples" / "sweep.toml"
    jsonschema.validate(read_toml(example, "Sweep"), SCHEMA)
    assert [curve.label for curve in read_plan(example).curves] == ["DSN", "Torus"]


def test_the_page_has_a_valid_file(root, plan):
    text = (root / "docs" / "sweep.md").read_text().partition("## The file\n")[2]
    lines = [line.removeprefix("    ") for line in text.partition("\nThe keys")[0].splitlines()]
    assert len(plan("\n".join(lines)).curves) == 10
