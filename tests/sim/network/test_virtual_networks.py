"""Several virtual networks, hosts that answer requests, and hosts that take nothing."""

from itertools import product

import numpy as np
import pytest
from cores import CORE, RING

from dsnswitch.net.files.options import Traffic
from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import ClosedLoop, NetworkStopped, Point
from dsnswitch.sim.network.workload.hosts import hosts_of

TWO = RING | {"virtual_networks": 2, "channels": "dim0=1/2,host=1/2"}
FREE = TWO | {"channels": "1", "free_weights": True}


def test_packets_are_counted_by_virtual_network(core):
    engine = Engine(core(TWO), [Point(load=0.4, shares=(3, 1)), Point(load=0.4, shares=(0, 1), seed=2)])
    engine.start_measuring()
    engine.run(8000)
    engine.stop_measuring()
    engine.drain()
    for point, share in enumerate((0.75, 0)):
        found = engine.statistics(point)
        first, second = found.virtual_networks
        assert first.offered_packets / found.offered_packets == pytest.approx(share, abs=0.03)
        for name in ("offered_packets", "offered_flits", "delivered_packets", "delivered_flits", "measured"):
            assert getattr(first, name) + getattr(second, name) == getattr(found, name), name
        assert (first.queued_tail + second.queued_tail == found.queued_tail).all()
        assert max(first.greatest["tail"], second.greatest["tail"]) == found.greatest["tail"]
    assert engine.statistics(0).virtual_networks[1].mean() > 5


def test_hosts_stop_one_virtual_network_but_not_two(core):
    """The cycle of a network that stops leads through a host."""
    loop = ClosedLoop(16, 2)
    with pytest.raises(NetworkStopped) as caught:
        Engine(core(RING), [Point(load=0.5, loop=loop)]).run(100_000)
    ports = core(RING).manifest["core_ports"]
    assert any(ports[port]["kind"] == "host" for _, port, _ in caught.value.channels)
    assert "host_0 > " in str(caught.value)
    assert str(caught.value).endswith("; a host takes no request while its replies wait")
    engine = Engine(core(TWO), [Point(load=0.5, loop=loop, seed=seed) for seed in range(1, 9)])
    engine.start_measuring()
    for _ in range(100):
        engine.run(100)
        # Each request is in a queue, on its way, or answered by a reply that is so; one that is just leaving counts twice.
        assert engine.queued(0) + engine.in_flight(0) <= 16 * 4 + 2 * 4
    engine.stop_measuring()
    engine.drain()
    found = engine.statistics(0)
    requests, replies = found.virtual_networks
    assert requests.delivered_packets == pytest.approx(replies.delivered_packets, rel=0.05)
    assert found.accepted > 0.5


@pytest.mark.regress
def test_hosts_never_stop_two_virtual_networks(core):
    """A network of 128 switches stops at load 0.3; with two virtual networks it goes on, and above its saturation."""
    large = CORE | {"topology": "grid:4x4:k4x2", "flit": 64, "packet": 4, "depth": 8}
    with pytest.raises(NetworkStopped):
        Engine(core(large), [Point(load=0.3, loop=ClosedLoop(16))]).run(100_000)
    loads = (0.3, 0.3, 0.6, 1.0)
    points = [Point(load=load, loop=ClosedLoop(16), seed=seed) for seed, load in enumerate(loads)]
    engine = Engine(core(large | {"virtual_networks": 2}), points)
    engine.start_measuring()
    engine.run(50_000)
    engine.stop_measuring()
    engine.drain()
    for number in range(len(loads)):
        requests, replies = engine.statistics(number).virtual_networks
        assert requests.delivered_packets > 100_000
        assert requests.delivered_packets == pytest.approx(replies.delivered_packets, rel=0.01)


def test_each_request_has_a_reply(core):
    engine = Engine(core(TWO), [Point(load=0.3, loop=ClosedLoop(4, 1), log=True)])
    engine.run(3000)
    engine.drain()
    pairs = np.zeros((4, 4), int)
    log = engine.delivered(0)
    np.add.at(pairs, (log["source"], log["destination"]), 1)
    assert (pairs == pairs.T).all()
    assert pairs.sum() > 100


@pytest.mark.parametrize("values", [RING, TWO], ids=["one", "two"])
def test_a_reply_has_the_length_of_its_request_and_its_delay(core, values):
    """With one request at a time, the next one waits for the reply."""
    trace = [(10, 0, 1, 3), (10, 0, 1, 2)]
    engine = Engine(core(values), [Point(trace=trace, loop=ClosedLoop(1, 1, 30), log=True)])
    engine.run(300)
    log = [{name: int(one[name]) for name in one.dtype.names} for one in engine.delivered(0)]
    assert [(one["source"], one["destination"], one["flits"]) for one in log] == [(0, 1, 3), (1, 0, 3), (0, 1, 2), (1, 0, 2)]
    assert log[1]["offered"] == log[0]["tail"] + 1 + 30
    assert log[2]["offered"] == log[1]["tail"] + 1
    assert log[3]["offered"] == log[2]["tail"] + 1 + 30


def test_a_host_takes_no_request_while_its_replies_wait(core):
    """Two requests arrive at once. A host that owes one reply leaves the second one in the buffer until the reply has left."""
    trace = [(10, 1, 0, 4), (10, 3, 0, 4)]
    for queue, gap in ((1, 50), (2, 4)):
        engine = Engine(core(TWO), [Point(trace=trace, loop=ClosedLoop(2, queue, 50), log=True)])
        engine.run(400)
        offered = sorted(int(one["offered"]) for one in engine.delivered(0) if one["source"] == 0)
        assert len(offered) == 2
        assert gap <= offered[1] - offered[0] < gap + 12


def test_a_blocked_host_stops_its_virtual_network_only(core):
    """The other one has the same throughput and latency as without the blocked host, within a few cycles.

    In the ring, packets between neighbours still find a way.
    """
    points = [Point(load=0.4, blocked=blocked) for blocked in (None, np.array([0, 2, 0, 0]))]
    engine = Engine(core(TWO), points)
    engine.run(2000)
    engine.start_measuring()
    engine.run(8000)
    (_, free), (first, second) = (engine.statistics(point).virtual_networks for point in range(2))
    assert second.delivered_flits < free.delivered_flits / 2
    assert first.delivered_flits / first.offered_flits == pytest.approx(1, abs=0.02)
    assert first.mean("queued_tail") <= engine.statistics(0).virtual_networks[0].mean("queued_tail") + 2


#: Every host but the last two sends to host 0, so that an output is the bottleneck.
TO_ONE = {"load": 1.0, "destinations": np.array([-1, 0, 0, 0]), "lengths": {1: 1, 3: 1, 4: 1}}


@pytest.mark.parametrize(
    ("service", "share", "tolerance"), [({}, 0.5, 0.1), ({"weights": "3/1"}, 0.75, 0.02), ({"priorities": "1/0"}, 1, 0.005)]
)
def test_an_output_shares_its_flits_by_weights_and_priorities(core, service, share, tolerance):
    """Where some packets have a single flit, a longer one that waits for its channel costs cycles (:class:`Allocator`)."""
    mixes = {(1, 3, 4): 0.91, (2, 3, 4): 0.95, (4,): 0.99}
    points = [Point(**TO_ONE | {"lengths": dict.fromkeys(lengths, 1)}) for lengths in mixes]
    engine = Engine(core(TWO | {"channels": "1"} | service), points)
    engine.run(1000)
    engine.start_measuring()
    engine.run(6000)
    for point, least in enumerate(mixes.values()):
        found = engine.statistics(point)
        assert found.delivered_flits > least * 6000
        assert found.virtual_networks[0].delivered_flits / found.delivered_flits == pytest.approx(share, abs=tolerance)


def serve(engine, free, weights, priorities):
    """Give weights and priorities to all switches of all points."""
    for name, value in free.service(weights, priorities).items():
        for point, switch in product(range(len(engine.points)), free.network.switches()):
            engine.set_input(point, switch, name, value)


def test_weights_and_levels_change_under_traffic(core):
    """Inputs of every output, which shares follow."""
    free = core(FREE)
    engine = Engine(free, [Point(**TO_ONE | {"lengths": {4: 1}})])
    for weights, priorities, share in (
        (None, None, 0.5),
        ("3/1", None, 0.75),
        ("1/3", "2/2", 0.25),
        ("1/1", "0/5", 0),
        ("1/0", "7/6", 1),
        ("15/5", None, 0.75),
    ):
        serve(engine, free, weights, priorities)
        # The packets on their way have to arrive.
        engine.run(1000)
        engine.start_measuring()
        engine.run(6000)
        found = engine.statistics(0)
        assert found.delivered_flits > 0.98 * 6000
        assert found.virtual_networks[0].delivered_flits / found.delivered_flits == pytest.approx(share, abs=0.02)


@pytest.mark.regress
def test_free_weights_are_one_without_others(core):
    same = [
        Engine(core(one), [Point(**TO_ONE | {"lengths": {4: 1}})]) for one in (FREE, TWO | {"channels": "1", "weights": "1/1"})
    ]
    for one in same:
        one.start_measuring()
        one.run(2000)
    assert same[0].statistics(0).sums == same[1].statistics(0).sums


@pytest.mark.parametrize("load", [0.61, 0.9])
def test_a_class_of_a_higher_level_does_not_wait_for_bulk(core, load):
    """5 % of the packets, beside others at 0.9 of the load of saturation (0.68) or above it: little slower than alone.

    Without priorities the mean is 1.4 times that of an empty network.
    """
    points = [Point(load=load, shares=shares) for load, shares in ((0.03, (1, 0)), (load, (5, 95)))]
    free = core(FREE)
    engine = Engine(free, points)
    serve(engine, free, None, "1/0")
    engine.run(1000)
    engine.start_measuring()
    engine.run(8000)
    alone, beside = (engine.statistics(point).virtual_networks[0] for point in range(2))
    assert beside.measured > 250
    assert beside.mean("queued_tail") < 1.2 * alone.mean("queued_tail")
    assert beside.greatest["queued_tail"] < 2 * alone.greatest["queued_tail"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shares": "1:2:3"}, "Option --shares must have 2 numbers, one per virtual network, not 3"),
        ({"shares": "1;2"}, "Option --shares must be numbers with : between them, not '1;2'"),
        ({"shares": "0:0"}, "Shares of --shares must not all be 0"),
        ({"shares": "1:1", "outstanding": 2}, "Option --outstanding chooses the virtual networks of packets"),
        ({"blocked": ("4",)}, "Host of --blocked must be in 0..3, not 4"),
        ({"blocked": ("1:2",)}, "Virtual network of --blocked must be in 0..1, not 2"),
        ({"blocked": ("one",)}, "Option --blocked must be HOST or HOST:NETWORK, not 'one'"),
    ],
)
def test_refused(options, message):
    with pytest.raises(UsageError, match=message.replace(".", r"\.")):
        hosts_of(Traffic(**options), parse_network("torus:4"), 1, 2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"shares": (1, 2, 3)}, "Shares must be 2 numbers from 0"),
        ({"loop": ClosedLoop(1), "shares": (1, 1)}, "choose the virtual networks of packets"),
        ({"loop": ClosedLoop(1), "errors": 0.1}, "need links that lose nothing"),
        ({"blocked": np.zeros(3)}, "must be 4 numbers"),
    ],
)
def test_impossible_points(core, more, message):
    with pytest.raises(ValueError, match=message):
        Engine(core(TWO), [Point(**more)])
