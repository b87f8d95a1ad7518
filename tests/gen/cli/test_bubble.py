"""The option --routing bubble of the commands deadlock, route and check."""

import json

OPTION = ("--topology", "torus:5x3", "--routing", "bubble")


def test_deadlock_states_the_rings(run):
    assert "in rising order, or goes on in a ring of dim0 with a free flit" in run("deadlock", *OPTION)[1]
    found = json.loads(run("deadlock", *OPTION, "--format", "json")[1])
    assert found["rings"] == ["dim0"]
    assert found["classes"] == {"dim0": 1, "dim1": 1}
    assert "rings" not in json.loads(run("deadlock", *OPTION[:2], "--format", "json")[1])


def test_routes_are_those_with_datelines(run):
    for command in (("check",), ("load",)):
        assert run(*command, *OPTION)[1] == run(*command, *OPTION[:2])[1]
    hops = json.loads(run("route", *OPTION, "--from", "4,0", "--to", "1,2", "--format", "json")[1])["hops"]
    assert [hop["class"] for hop in hops] == [0, 0, 0]
