"""The switch core in emitted Verilog against the golden model, and its throughput."""

import pytest

from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.topology.dsn import grid
from dsnswitch.net.topology.registry import parse_network

ALL = ["random_traffic", "zero_load_latency", "blocked_class", "permutations"]

#: Network and sizes, the switch on the straps, packets per input channel. Together they cover every kind of port, one class and
#: several, several channels per class, one flit per packet, buffers of one packet, and fields with addresses of no switch.
QUICK = {
    "8x8x8": ({"p": 3, "flit": 64, "packet": 4, "depth": 12}, (3, 5, 2), 20),
    "torus-3-hosts": (
        {"topology": "torus:4x3", "flit": 48, "packet": 3, "hosts": 3, "depth": 9, "channels": "host=2"},
        (1, 2),
        40,
    ),
    "dsn-f": ({"topology": "dsn-f:21", "flit": 40, "packet": 3, "depth": 9}, (1, 1, 0), 40),
    # Two classes of shortcuts, three of local links.
    "minimal": ({"topology": "grid:3x3:ring-3", "routing": "minimal", "flit": 48, "packet": 3, "depth": 9}, (1, 2, 1), 20),
    # Channels of a link share a RAM.
    "pool": (
        {"topology": "torus:4x3", "flit": 48, "packet": 3, "depth": 9, "channels": "dim0=2", "pool": "dim0=6,host=3"},
        (1, 2),
        40,
    ),
    # Heads that wait become older, and outputs prefer the oldest.
    "age": ({"topology": "torus:4x3", "flit": 48, "packet": 2, "depth": 12, "channels": "dim0=2", "age": 2}, (1, 2), 60),
    # Channels of virtual networks differ, and one has a share of a pool.
    "2-virtual-networks": (
        {"topology": "torus:4x3", "flit": 48, "packet": 3, "depth": 9, "virtual_networks": 2}
        | {"channels": "dim0=2/1,host=1/2", "pool": "dim0=6/0,dim1=12"},
        (1, 2),
        30,
    ),
}
REST = {
    # The payload must be so wide that no two packets are equal by chance.
    "one-flit": ({"topology": "ring:3:ring-2", "flit": 48, "packet": 1, "depth": 12, "node": "1,1"}, None, 200),
    "ring-arrival": ({"topology": "ring:22:ring-6", "flit": 64, "packet": 5, "hosts": 2, "depth": 16}, (3, 2), 100),
    "node-2-channels": ({"p": 3, "node": "1,2,3", "flit": 64, "packet": 6, "depth": 18, "channels": "local=2"}, None, 60),
    "papers": ({"p": 3}, (3, 5, 2), 60),
    "minimal-8x8x8": ({"p": 3, "routing": "minimal", "flit": 64, "packet": 4, "depth": 12}, (3, 5, 2), 20),
    "sizes": ({"topology": "ring", "max_p": 2, "flit": 48, "packet": 3, "depth": 9}, (2, 1), 40),
    "bubble": (
        {"topology": "torus:4x3", "routing": "bubble", "flit": 48, "packet": 3, "depth": 10, "channels": "dim0=2"},
        (1, 2),
        40,
    ),
    "bubble-one-flit": (
        {"topology": "torus:4x5", "routing": "bubble", "flit": 48, "packet": 1, "depth": 12, "register": True, "age": 1},
        (1, 2),
        200,
    ),
    "bubble-virtual-networks": (
        {"topology": "torus:5x2", "routing": "bubble", "flit": 64, "packet": 4, "depth": 14, "virtual_networks": 2}
        | {"channels": "2/1", "priorities": "0/1", "hosts": 2, "speculate": "on"},
        (4, 1),
        40,
    ),
    "registered": ({"topology": "ring:5:ring-3", "register": True, "flit": 48, "packet": 3, "depth": 10}, (2, 1), 40),
    "minimal-registered": (
        {"topology": "grid:2x3:ring-3", "routing": "minimal", "register": True, "flit": 48, "packet": 3, "depth": 10},
        (1, 2, 1),
        40,
    ),
    "minimal-node": (
        {"p": 2, "routing": "minimal", "node": "1,2,3", "flit": 64, "packet": 4, "depth": 12, "channels": "x=2"},
        None,
        40,
    ),
    # The header can name a virtual network that there is not.
    "3-virtual-networks": (
        {"topology": "torus:4x3", "flit": 64, "packet": 4, "depth": 12, "virtual_networks": 3, "channels": "2/1/1", "age": 2},
        (1, 2),
        30,
    ),
    "2-virtual-networks-of-one-flit": (
        {"topology": "ring:3:ring-2", "flit": 48, "packet": 1, "depth": 12, "virtual_networks": 2, "node": "1,1"},
        None,
        100,
    ),
    "2-virtual-networks-registered": (
        {"topology": "ring:5:ring-3", "register": True, "flit": 48, "packet": 3, "depth": 10, "virtual_networks": 2},
        (2, 1),
        40,
    ),
    "weights-and-priorities": (
        {"topology": "torus:4x3", "flit": 64, "packet": 4, "depth": 12, "virtual_networks": 3, "age": 1, "speculate": "on"}
        | {"weights": "2/1/3", "priorities": "0/0/1"},
        (1, 2),
        30,
    ),
    "8-virtual-networks": (
        {"topology": "torus:4", "flit": 64, "packet": 2, "depth": 12, "virtual_networks": 8, "channels": "dim0=1/2/1/1/1/1/2/1"},
        (1,),
        30,
    ),
    "dsn-f-node": ({"topology": "dsn-f:53", "flit": 48, "packet": 5, "depth": 16, "node": "2,0,1"}, None, 100),
}
TABLES = {
    "table-2-layers": {"lookup": "table", "kind": "direct", "layers": 2, "channels": "local=2,host=2"},
    "forwarding": {"lookup": "forwarding", "entries": 16},
    "table-3-turns": {"lookup": "table", "kind": "direct", "memory": "flip-flops", "classes": 3, "channels": "local=2"},
    "table-2-virtual-networks": {"lookup": "table", "kind": "direct", "classes": 2, "virtual_networks": 2, "channels": "2/1"},
    "forwarding-2-virtual-networks": {"lookup": "forwarding", "entries": 16, "virtual_networks": 2},
    "table-2-turns": {"lookup": "table", "entries": 16, "stages": 1, "classes": 2},
    "table-3-layers": {"lookup": "table", "kind": "direct", "layers": 3, "channels": "local=2"},
    "forwarding-2-stages": {"lookup": "forwarding", "entries": 16, "stages": 2},
}
ONE_PACKET = {"topology": "ring:4:ring-2", "flit": 40, "packet": 5, "depth": 5}


def run(lab, case, tests, **more):
    values, own, packets = case
    values = {"block": "switch-core"} | values
    longest = values.get("packet", 33)
    parameters = {"own": own, "packets": packets, "cycles": 600, "lengths": [1, longest]} | more
    return lab.bench("core_bench", values, tests, **parameters)


@pytest.mark.parametrize("name", QUICK)
def test_core(lab, name):
    assert run(lab, QUICK[name], ALL, cycles=300, blocked=3) == len(ALL)


@pytest.mark.parametrize("name", QUICK)
def test_core_without_pauses(lab, name):
    """Neither senders nor receivers nor links pause, so that packets follow each other at once."""
    assert run(lab, QUICK[name], ALL[:1], stall=0) == 1


#: Cores that speculate, in which most flits that are offered do not count.
SPECULATIVE = QUICK | {"registered": REST["registered"]}


@pytest.mark.parametrize(
    ("name", "stall"), [("torus-3-hosts", 0), *(pytest.param(name, 0.3, marks=pytest.mark.regress) for name in SPECULATIVE)]
)
def test_flits_that_do_not_count_leave_no_trace(lab, name, stall):
    values, *rest = SPECULATIVE[name]
    assert run(lab, (values | {"speculate": "on"}, *rest), ALL[:1], stall=stall, guesses=0.8) == 1


def test_core_that_speculates_has_the_same_latency(lab):
    values, *rest = QUICK["torus-3-hosts"]
    assert run(lab, (values | {"speculate": "on"}, *rest), ALL[1:2]) == 1


#: Shapes of episodes: two hosts, several channels, with what else moves packets between channels.
SHARES = {"topology": "torus:4", "hosts": 2, "packet": 4, "flit": 64, "channels": "2"}
SHAPES = {
    "channels": {},
    "pool": {"depth": 4, "pool": "dim0=8"},
    "speculate": {"speculate": "on"},
    "age": {"age": 2},
    "one-flit": {"packet": 1},
    "virtual-networks": {"virtual_networks": 2, "channels": "2/1"},
}


@pytest.mark.parametrize(
    ("name", "episodes", "cycles"),
    [("channels", 2, 700), *(pytest.param(name, 12, 3000, marks=pytest.mark.regress) for name in SHAPES)],
)
def test_every_head_gets_its_share(lab, name, episodes, cycles):
    values = {"block": "switch-core"} | SHARES | SHAPES[name]
    assert lab.bench("shares_bench", values, ["shares"], own=(1,), episodes=episodes, cycles=cycles) == 1


@pytest.mark.regress
@pytest.mark.parametrize("name", REST)
def test_core_of_any_size(lab, name):
    assert run(lab, REST[name], ALL) == len(ALL)


@pytest.mark.parametrize(
    "name", [*list(TABLES)[:3], *(pytest.param(name, marks=pytest.mark.regress) for name in list(TABLES)[3:])]
)
def test_core_with_tables(lab, name):
    """Some destinations are not in the table, and one port is dead."""
    values = {"topology": "ring:5:ring-3", "flit": 48, "packet": 3, "depth": 14} | TABLES[name]
    assert run(lab, (values, (2, 1), 40), ALL, cycles=300, blocked=4) == len(ALL)


def test_core_with_two_ports_in_an_entry(lab):
    """A packet that waits may take its second hop, in the class of that hop, unless it is marked to stay in order."""
    values = {"topology": "ring:5:ring-3", "flit": 48, "packet": 3, "depth": 14, "lookup": "table", "kind": "direct"}
    case = values | {"memory": "flip-flops", "classes": 3, "adaptive": True}, (2, 1), 40
    assert run(lab, case, ["random_traffic", "zero_load_latency"]) == 2


@pytest.mark.parametrize("more", [{}, pytest.param({"adaptive": True, "hosts": 2}, marks=pytest.mark.regress)])
def test_core_with_intermediate_switches(lab, more):
    """A packet goes to the switch that its header names, and from there to its destination."""
    values = {"topology": "ring:5:ring-3", "flit": 64, "packet": 3, "depth": 14, "lookup": "table", "kind": "direct"}
    case = values | {"memory": "flip-flops", "classes": 3, "routing": "indirect"} | more, (2, 1), 40
    assert run(lab, case, ["random_traffic", "zero_load_latency"]) == 2


def test_buffers_of_one_packet(lab):
    """No buffer is longer than a packet. A long packet waits until the buffer is empty, but is not starved."""
    tests = ["random_traffic", "zero_load_latency", "blocked_class"]
    assert run(lab, (ONE_PACKET, (1, 0), 80), tests) == len(tests)


def test_bubbles_in_buffers_of_one_flit_more_than_a_packet(lab):
    """A packet enters a ring when the buffer is empty, and goes on in the ring flit by flit."""
    tests = ["random_traffic", "zero_load_latency", "blocked_class"]
    case = {"topology": "torus:5x3", "routing": "bubble", "flit": 48, "packet": 5, "depth": 6}, (4, 1), 60
    assert run(lab, case, tests) == len(tests)
    assert run(lab, case, tests[:1], stall=0) == 1


@pytest.mark.regress
@pytest.mark.parametrize(("channels", "least"), [("1", 0.68), ("x=2,y=2,host=4", 0.80), ("x=4,y=4,host=4", 0.82)])
def test_throughput(lab, channels, least):
    """Uniform random traffic over nine ports with packets of 1 and 33 flits."""
    values = {"p": 3, "flit": 64, "channels": channels}
    assert run(lab, (values, (3, 5, 2), 0), ["uniform_throughput"], cycles=20_000, least=least) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"flit": 15}, "flit must be in 16..512, not 15"),
        ({"depth": 32}, "Buffer depth for packets of 33 flits must be in 33..4096, not 32"),
        ({"lookup": "magic"}, "lookup must be one of algorithm, table, forwarding, not 'magic'"),
        ({"layers": 2}, r"layers \(= 2\) needs lookup = table, not algorithm"),
        ({"node": (8, 0, 0)}, r"Node must be a switch of grid:8x8:k4x2, not \(8, 0, 0\)"),
        ({"spread": (("z", 2),)}, "Kind of port must be one of host, local, x, y, not 'z'"),
        ({"spread": (("local", 8),)}, "Virtual channels of all ports must be in 1..80, not 101"),
        ({"pool": (("x", 32),)}, "Pool of x ports for packets of 33 flits must be in 33..4096, not 32"),
        ({"pool": (("z", 33),)}, "Kind of port must be one of host, local, x, y, not 'z'"),
        ({"weights": (1, 2)}, "weights must have a number for each of 1 virtual network, not 1/2"),
        ({"virtual_networks": 2, "weights": (16, 1)}, "weights must be in 1..15, not 16"),
        ({"virtual_networks": 2, "priorities": (8, 1)}, "priorities must be in 0..7, not 8"),
        ({"virtual_networks": 9}, "virtual_networks must be in 1..8, not 9"),
        ({"spread": (("x", (2, 1)),)}, "Channels of x ports must be one number, or one for each of 1 virtual network, not 2/1"),
        ({"virtual_networks": 2, "pool": (("x", 67),)}, "2 virtual networks must divide the pool of x ports, 67 flits"),
        (
            {"virtual_networks": 2, "pool": (("x", (32, 40)),)},
            "Pool of x ports in a virtual network for packets of 33 flits must be in 33..4096, not 32",
        ),
        (
            {"virtual_networks": 2, "spread": (("local", (1, 8)),)},
            "Virtual channels of all ports in virtual network 1 must be in 1..80, not 101",
        ),
        ({"spread": (("x", 3),)}, "Channels per class of x ports must be 1, 2, 4 or 8, not 3"),
    ],
)
def test_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        CoreShape(grid(8, 8), **parameters)


def test_header_must_fit():
    with pytest.raises(ValueError, match="Flit width must be at least that of the header, 40 bits, not 39"):
        Header(CoreShape(grid(8, 8), flit=39)).check()
    Header(CoreShape(grid(8, 8), flit=40)).check()


def test_a_node_has_the_ports_that_exist():
    """Universal cores have all ports. At 0,0,5 no forward shortcut begins, and only one shortcut of each dimension ends."""
    network = parse_network("grid:8x8:k4x2")
    names = [port.name for port in CoreShape(network, hosts=2).ports]
    assert len(names) == 10
    assert names[-2:] == ["host_0", "host_1"]
    lacking = {port.name for port in network.ports if network.neighbour((0, 0, 5), port.index) is None}
    assert lacking
    assert [port.name for port in CoreShape(network, (0, 0, 5), hosts=2).ports] == [n for n in names if n not in lacking]
