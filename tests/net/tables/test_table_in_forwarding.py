"""Tables of ``dsnswitch table --broken`` in emitted forwarding logic: packets avoid the failed links."""

import json

import pytest

SIZES = {"x": 3, "y": 2}
BROKEN = {
    "0,0,0:2,0,1": [[0, 0, 0], [2, 0, 1]],
    "1,1,0:1,1,7": [[1, 1, 0], [1, 1, 7]],
    "2,0,0:y_forward": [[2, 0, 0], [2, 1, 1]],
}


@pytest.fixture
def writes(run):
    """Writes of the ternary tables of all nodes, from the output of the command."""

    def call():
        options = [word for link in BROKEN for word in ("--broken", link)]
        sizes = [word for name, size in SIZES.items() for word in (f"-{name}", size)]
        status, out, err = run("table", *sizes, *options, "--format", "json", "--entries", 48)
        assert status == 0, err
        for one in json.loads(out)["tables"]:
            node = [int(field) for field in one["table"].removeprefix("node ").split(",")]
            entries = [
                [place, 1, int(entry["match"].replace("*", "0"), 2), len(entry["match"].rstrip("*")), entry["action"]]
                for place, entry in enumerate(one["entries"])
            ]
            yield {"node": node, "writes": entries}

    return call


def test_tables_of_the_command_line_in_forwarding(lab, writes):
    """Every packet arrives: by the algorithm if its path is intact, else by the tables from the failed link on."""
    block = {"block": "forwarding", **SIZES, "entries": 48}
    tests = ["ways_round_dead_links"]
    links = list(BROKEN.values())
    assert (
        lab.bench("forwarding_bench", block, tests, "-broken", tables=list(writes()), links_down=links, walks=60) == 1
    )
