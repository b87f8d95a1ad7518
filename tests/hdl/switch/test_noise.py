"""Switches whose lines have wrong bits, most of all in codewords of heads: each packet arrives once, in order, or is counted."""

import json
import subprocess
from pathlib import Path

import pytest

from dsnswitch.net.topology.registry import network_of_manifest
from dsnswitch.sim.golden.core.core import HeaderFormat
from dsnswitch.sim.run import model
from dsnswitch.sim.topology import address_of

from .conftest import whole

pytestmark = pytest.mark.regress

#: Two switches with two hosts each. The second switch's hosts take packets of the line and of each other.
#: They compare whole packets, so the packets need no check of their own.
PAIR = {"topology": "torus:2", "flit": 56, "packet": 3, "depth": 8, "hosts": 2, "end_to_end": "none"}
RING = PAIR | {"topology": "torus:4", "hosts": 1}
COUNTERS = ("bad_packets", "lost_packets", "refused_packets", "corrected", "uncorrectable", "retransmitted")
#: Patterns of one wrong bit in a codeword, and of one or two.
ONE, ALL = 270, 270 + 270 * 269 // 2


def parts(block, about):
    """C++ of what the program must know of the switches: their hosts, lines, counters and headers."""
    network, header = network_of_manifest(about), HeaderFormat.of(about)
    ports, longest = about["core_ports"], about["parameters"]["packet"]
    switches = list(network.switches())
    ends = [(number, switch, port) for number, switch in enumerate(switches) for port in ports]
    hosts = [(number, switch, port) for number, switch, port in ends if port["kind"] == "host"]
    lines = [(number, switch, port) for number, switch, port in ends if port["kind"] != "host"]

    def listed(kind, name, items):
        return f"#define {name} std::vector<{kind}>{{{', '.join(items)}}}\n"

    def names(chosen):
        return [f"s{number}_{port['name']}" for number, _, port in chosen]

    def head(source, sink, length):
        values = {"length": length, "hops": 0}
        for end, (_, switch, port) in (("destination", sink), ("source", source)):
            values |= {f"{end}.{field.name}": value for field, value in zip(network.fields, switch)}
            values[f"{end}.host"] = port["index"]
        return header.pack({name: value for name, value in values.items() if name in header.fields})

    table = [[[head(a, b, length) for length in range(longest + 1)] for b in hosts] for a in hosts]
    straps = []
    for number, switch in enumerate(switches):
        straps += [f"top.s{number}_own_{field.name} = {value};" for field, value in zip(network.fields, switch)]
        straps += [f"top.s{number}_{name} = 0;" for name in ("clear", "patience")]
        straps += [f"top.s{number}_{port['name']}_stall = 0;" for at, _, port in hosts if at == number]
    for number, switch, port in lines:
        there, far = network.neighbour(switch, port["index"])
        straps += [
            f"top.s{number}_{port['name']}_peer_{name} = {value};"
            for name, value in (("address", address_of(network, there)), ("port", far))
            if f"{port['name']}_peer_{name}" in {one["name"] for one in about["ports"]}
        ]
    [fields] = {json.dumps(port["fields"]) for port in about["ports"] if port["name"].endswith("status")}
    places = {field["name"]: field["bits"] for field in json.loads(fields)}
    events = [port["name"] for port in about["ports"] if port["role"] == "packet-event"]
    counted = [f"__builtin_popcount(top.s{number}_{name})" for number in range(len(switches)) for name in events]
    constants = {
        "FLIT": about["parameters"]["flit"],
        "DEPTH": about["parameters"]["depth"],
        "LONGEST": longest,
        "HEADER": header.fields["check"][1] + 1,
    }
    first = "".join(f"#define {name} {value}\n" for name, value in constants.items())
    rows = json.dumps(table).replace("[", "{").replace("]", "}")
    first += f"static const uint64_t HEADERS[{len(hosts)}][{len(hosts)}][{longest + 1}] = {rows};\n"
    rest = listed("Host", "HOSTS", [f"Host HOST({name})" for name in names(hosts)])
    rest += listed("Line", "LINES", [f"Line LINE({name})" for name in names(lines)])
    rest += listed("const uint32_t*", "STATUS", [f"top.{name}_status.data()" for name in names(lines)])
    bits = (f"{{{low}, {high - low + 1}}}" for low, high in (places[name] for name in COUNTERS))
    rest += f"static const int COUNTERS[][2] = {{{', '.join(bits)}}};\n"
    rest += f"static void straps() {{ {' '.join(straps)} }}\n"
    return first, rest + f"static int event_count() {{ return {' + '.join(counted)}; }}\n"


@pytest.fixture
def noisy(lab, arranged):
    """A function that runs switches with wrong bits, and returns the numbers of packets and the sums of counters."""

    def run(values, **how):
        block, about, text = arranged(whole, values)
        folder = lab.folder / f"noisy-{block.name}{lab.worker}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "joined.v").write_text(text)
        first, rest = parts(block, about)
        source = Path(__file__).with_name("noisy.cpp").read_text().replace('#include "parts.inc"\n', rest)
        program = f'#include "Vtop.h"\n#include <cstdint>\n{first}{source}'
        made = model(folder / "joined.v", "joined", lab.folder / "tools", optimise="-O1", program=program)
        keys = ("seed", "packets", "ber", "stall", "first", "last", "gap", "busy", "noise", "apart")
        line = " ".join(str(how.get(key, 0)) for key in keys) + "\n"
        done = subprocess.run([made], input=line, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
        return dict(zip(("sent", "good", "bad", *COUNTERS, "events"), map(int, done.stdout.split())))

    return run


def reasons(found):
    """Packets of which a counter says that they are missing."""
    return sum(found[name] for name in ("bad_packets", "lost_packets", "refused_packets", "events"))


@pytest.mark.parametrize(("busy", "gap"), [(0, 6), (1, 0)])
def test_every_wrong_bit_of_a_head_is_corrected(noisy, busy, gap):
    """At an idle and at a busy output: no packet is lost, and no slot of the output stays held."""
    found = noisy(PAIR, seed=1, last=ONE, busy=busy, gap=gap)
    assert found["good"] == found["sent"] >= 2 * ONE - 1
    assert found["corrected"] == ONE
    assert not reasons(found) + found["uncorrectable"]


def doubles(noisy, found):
    """Check that heads with two wrong bits are missing and counted once."""
    lost = found["sent"] - found["good"]
    assert found["good"] > found["sent"] // 10
    assert lost == reasons(found)
    assert found["bad"] == found["bad_packets"]
    assert found["uncorrectable"]


@pytest.mark.parametrize(("busy", "noise", "gap"), [(0, 0, 0), (0, 0.3, 6), (1, 0, 6)])
def test_every_two_wrong_bits_of_a_head_are_counted(noisy, busy, noise, gap):
    doubles(noisy, noisy(PAIR, seed=gap, first=ONE, last=ALL, busy=busy, gap=gap, noise=noise))


RETRY = PAIR | {"retry": True, "round_trip": 16}


@pytest.mark.parametrize("speculate", ["on", "off"])
def test_heads_that_stay_wrong_end_a_session(noisy, speculate):
    """With two wrong bits in every second head, also in replays, a port gives up after its attempts: all packets are counted."""
    found = noisy(RETRY | {"speculate": speculate}, seed=3, first=ONE, last=ONE + 400, gap=20)
    assert found["retransmitted"] > 2 * found["uncorrectable"]
    assert found["lost_packets"]
    assert found["sent"] - found["good"] == reasons(found)


#: Cycles, more than a replay takes.
REPLAYED = 160


@pytest.mark.parametrize("busy", [0, 1])
def test_no_head_is_lost_with_retransmission(noisy, busy):
    found = noisy(RETRY, seed=3, last=ALL, busy=busy, gap=20, apart=REPLAYED)
    assert found["good"] == found["sent"] >= 2 * ALL - 1
    assert found["retransmitted"]
    assert not reasons(found)


@pytest.mark.parametrize(("busy", "gap"), [(0, 20), (1, 0)])
def test_every_wrong_bit_of_a_head_is_sent_again(noisy, busy, gap):
    """Ports that only detect errors: the flit that was offered early is withdrawn, and comes once."""
    found = noisy(RETRY | {"detect": True}, seed=5, last=ONE, busy=busy, gap=gap, apart=REPLAYED)
    assert found["good"] == found["sent"] >= 2 * ONE - 1
    assert found["uncorrectable"] == ONE
    assert not found["corrected"] + reasons(found)


def traffic(noisy, values, packets, ber, stall):
    """Check random traffic; at each rate each packet arrives once, or a counter has it."""
    found = noisy(values, seed=7, packets=packets, ber=ber, stall=stall)
    assert found["sent"] == packets
    lost = found["sent"] - found["good"]
    if "retry" in values:
        assert not lost + reasons(found), found
    elif values["topology"] == "torus:2":
        assert lost == reasons(found), found
    else:
        # Later switches count a broken packet again.
        assert lost <= reasons(found), found
    assert found["good"] > packets // 2
    assert found["corrected"]


@pytest.mark.parametrize(
    ("values", "ber", "stall"),
    [
        *((PAIR, 1e-3, 0), (PAIR, 1e-4, 0.2), (RING, 1e-3, 0.2), (RING, 1e-4, 0), (RETRY, 1e-3, 0), (RETRY, 1e-4, 0.2)),
        (PAIR | {"speculate": "off"}, 1e-3, 0.2),
    ],
)
def test_a_million_packets(noisy, values, ber, stall):
    """10^6 packets in all."""
    traffic(noisy, values, 170_000, ber, stall)
