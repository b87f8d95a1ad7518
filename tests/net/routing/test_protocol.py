"""Protocols of hosts: mappings of messages to virtual networks that exclude deadlock, and those that do not."""

import json

import pytest

from dsnswitch.net.routing.protocol import Protocol, ProtocolError, protocol_of

RING = ("deadlock", "--topology", "torus:5")


def test_those_that_are_waited_for_have_higher_ranks():
    found = protocol_of("request:2,forward:0,reply:1", ("request:forward", "forward:reply", "request:reply"), 4)
    ranks = found.ranks(4)
    assert sorted(ranks) == [0, 1, 2, 3]
    assert ranks[2] < ranks[0] < ranks[1]


@pytest.mark.parametrize(
    ("networks", "waits", "text"),
    [
        (
            {"request": 0, "reply": 0},
            [("request", "reply")],
            "request in virtual network 0 waits at its host for reply in virtual network 0, which may stand behind request in"
            " virtual network 0",
        ),
        (
            {"a": 0, "b": 1, "c": 2, "d": 0},
            [("a", "b"), ("b", "c"), ("c", "d")],
            "a in virtual network 0 waits at its host for b in virtual network 1, b in virtual network 1 waits at its host for c"
            " in virtual network 2, c in virtual network 2 waits at its host for d in virtual network 0",
        ),
    ],
)
def test_a_cycle_is_printed(networks, waits, text):
    """Where it begins is open."""
    with pytest.raises(ProtocolError) as caught:
        Protocol(networks, tuple(waits)).ranks(3)
    assert sorted(str(caught.value).split(", ")) == sorted(text.split(", "))


def test_the_certificate_has_every_virtual_network(run):
    """Numbers rise from every channel of the requests to every channel of the replies, and are those of one network in each."""
    words = ("--virtual-networks", 3, "--protocol", "request:2,reply:0", "--waits", "request:reply", "--format", "json")
    (status, out, _), (_, alone, _) = run(*RING, *words), run(*RING, "--format", "json")
    assert status == 0
    found, one = json.loads(out), json.loads(alone)
    assert (found["virtual_networks"], found["waits"]) == (3, [["request", "reply"]])
    assert found["protocol"] == {"request": 2, "reply": 0}
    numbers = [[row[3] for row in found["channels"] if row[4] == number] for number in range(3)]
    expected = [row[3] for row in one["channels"]]
    for found in numbers:
        assert [number - min(found) for number in found] == [number - min(expected) for number in expected]
    assert max(numbers[2]) < min(numbers[0])


def test_a_mapping_with_a_cycle_is_refused(run):
    words = ("--virtual-networks", 2, "--protocol", "request:1,reply:1", "--waits", "request:reply")
    status, out, err = run(*RING, *words)
    assert (status, out) == (1, "")
    assert err == (
        "dsnswitch: not free of deadlock: request in virtual network 1 waits at its host for reply in virtual network 1, which"
        " may stand behind request in virtual network 1\n"
    )


def test_the_summary_says_what_was_proved(run):
    words = ("--virtual-networks", 2, "--protocol", "request:0,reply:1", "--waits", "request:reply")
    lines = run(*RING, *words)[1].splitlines()
    assert lines[-2] == "virtual networks 2, each with these channels; no packet changes its virtual network"
    assert lines[-1] == (
        "protocol         request in virtual network 0, reply in virtual network 1; request waits for reply: no cycle, virtual"
        " networks 0 before 1"
    )


@pytest.mark.parametrize(
    ("spelt", "waits", "message"),
    [
        ("request", (), "protocol must be KIND:NETWORK with commas between them, not 'request'"),
        ("a:0,a:1", (), "protocol names a twice: 'a:0,a:1'"),
        ("a:2", (), "Virtual network of a must be in 0..1, not 2"),
        ("a:0", ("a",), "waits must be KIND:KIND, not 'a'"),
        ("a:0,b:1", ("a:c",), "Kind of messages must be one of a, b, not 'c'"),
    ],
)
def test_refused(spelt, waits, message):
    with pytest.raises(ValueError, match=message):
        protocol_of(spelt, waits, 2)
