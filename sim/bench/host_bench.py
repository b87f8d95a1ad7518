"""Hosts of one switch on AXI4-Stream send packets to each other, with the sources and sinks of cocotbext-axi.

Every packet arrives once, complete and in order per source, and a transfer that waits stays as it is.
Parameters: ``manifest`` (path, of the switch core); ``packets`` (per host); ``stall`` (share of pauses); ``seed``.
"""

import random
from collections import Counter

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from dsnswitch.sim.bench.drivers.given import EVENTS, MANIFEST, PARAMETERS, SEED
from dsnswitch.sim.golden.core.core import HeaderFormat
from dsnswitch.sim.golden.fec.crc32c import PacketCheck

HOSTS, LONGEST, FLIT = (MANIFEST["parameters"][name] for name in ("hosts", "packet", "flit"))
HEADER, CHECK = HeaderFormat.of(MANIFEST), PacketCheck.of(MANIFEST)
#: Bits of the first flit that the header replaces.
REPLACED = HEADER.fields["check"][1] + 1
#: The field of an address, in a network with one field, and its value for the switch.
[FIELD] = {name.partition(".")[2] for name in HEADER.fields if name.startswith("source.")} - {"host"}
OWN = 1
#: Cycles of a packet from host 0 to a host: both adapters, the core, and with detours the notifier.
LATENCY = PARAMETERS["latency"]
PERIOD = 10
#: Microseconds in which a test must end.
MOST = PERIOD * PARAMETERS["packets"]


def address_of(host, switch=OWN):
    """Address of a host: the switch, then the number of the host."""
    low, high = HEADER.fields[f"source.{FIELD}"]
    return switch | host << high - low + 1


class Hosts:
    """Sources and sinks of all hosts of the switch, and what AXI4-Stream requires of the switch."""

    def __init__(self, dut):
        self.dut, self.rng = dut, random.Random(SEED)
        self.events = Counter()
        self.sources, self.sinks = [], []
        for number in range(HOSTS):
            for kind, found, way in ((AxiStreamSource, self.sources, "rx"), (AxiStreamSink, self.sinks, "tx")):
                bus = AxiStreamBus.from_prefix(dut, f"host_{number}_{way}")
                end = kind(bus, dut.clk, dut.rst, byte_lanes=1)
                end.log.setLevel("WARNING")
                found.append(end)

    async def begin(self, stall=0):
        """Clock, reset, pauses."""
        dut = self.dut
        dut.rst.value = 1
        for port in MANIFEST["ports"]:
            name = port["name"]
            if port["direction"] == "input" and not name.startswith("host_") and hasattr(dut, name) and name != "clk":
                getattr(dut, name).value = OWN if name == f"own_{FIELD}" else int(name == "rst")
        cocotb.start_soon(Clock(dut.clk, PERIOD, unit="ns").start())
        for _ in range(4):
            await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.rst.value = 0
        if stall:
            for end in self.sources + self.sinks:
                end.set_pause_generator(self._pauses(stall))
        for sink in self.sinks:
            cocotb.start_soon(self._hold(sink))
        cocotb.start_soon(self._count())

    def _pauses(self, stall):
        """Pauses of random length."""
        while True:
            stopped, cycles = self.rng.random() < stall, self.rng.randrange(1, 12)
            for _ in range(cycles):
                yield stopped

    async def _hold(self, sink):
        """A transfer that waits stays as it is."""
        bus, waiting = sink.bus, None
        while True:
            await FallingEdge(self.dut.clk)
            now = (
                tuple(int(pin.value) for pin in (bus.tdata, bus.tid, bus.tlast, bus.tuser))
                if bus.tvalid.value
                else None
            )
            assert waiting in (None, now), "a transfer that waits has changed"
            waiting = None if bus.tready.value else now

    async def _count(self):
        while True:
            await FallingEdge(self.dut.clk)
            for name in EVENTS:
                self.events[name] += int(getattr(self.dut, name).value).bit_count()

    def frame(self, sink, length, bad=0, stated=None, switch=OWN):
        """A packet of random data with ``stated`` as its length."""
        user = (length if stated is None else stated) | bad << LONGEST.bit_length()
        words = [self.rng.getrandbits(FLIT) for _ in range(length)]
        return AxiStreamFrame(words, tdest=address_of(sink, switch), tuser=[user] * length)


def header_of(source, sink, length, more=()):
    """Header of a packet after it has passed the switch; ``more`` fields are not 0."""
    values = {
        "destination.host": sink,
        "source.host": source,
        f"destination.{FIELD}": OWN,
        f"source.{FIELD}": OWN,
        "length": length,
        **dict(more),
    }
    return HEADER.next_hop(HEADER.pack(values), {})


def words_of(source, sink, frame, more=()):
    """Data of a packet as it arrives."""
    first = frame.tdata[0] >> REPLACED << REPLACED | header_of(source, sink, len(frame.tdata), more)
    return checked([first, *frame.tdata[1:]])


def checked(words):
    """The packet with its end-to-end check, if there is one."""
    return CHECK.stamped(words) if CHECK else words


def once(values):
    """The value that is the same for every flit of a packet."""
    found = set(values) if isinstance(values, list) else {values}
    assert len(found) == 1, found
    return found.pop()


@cocotb.test(timeout_time=MOST, timeout_unit="us")
async def random_packets(dut):
    """Packets between all pairs of hosts with pauses on all sides: nothing is lost, changed or out of order."""
    hosts = Hosts(dut)
    await hosts.begin(PARAMETERS.get("stall", 0))
    flows = {}
    for source in range(HOSTS):
        for _ in range(PARAMETERS["packets"]):
            sink, bad = hosts.rng.randrange(HOSTS), hosts.rng.random() < 0.1
            frame = hosts.frame(sink, hosts.rng.choice((1, 1, 2, LONGEST)), bad)
            flows.setdefault((source, sink), []).append((words_of(source, sink, frame), bad))
            hosts.sources[source].send_nowait(frame)
    for sink in range(HOSTS):
        for _ in range(sum(len(sent) for (_, there), sent in flows.items() if there == sink)):
            frame = await hosts.sinks[sink].recv()
            source = next(source for source in range(HOSTS) if address_of(source) == once(frame.tid))
            words, bad = flows[source, sink].pop(0)
            assert list(frame.tdata) == words
            users = frame.tuser if isinstance(frame.tuser, list) else [frame.tuser] * len(words)
            assert [user & (1 << LONGEST.bit_length()) - 1 for user in users] == [len(words)] * len(words)
            assert [user >> LONGEST.bit_length() for user in users] == [0] * (len(words) - 1) + [bad]
    assert not any(flows.values())
    assert not sum(hosts.events.values()), hosts.events


@cocotb.test(timeout_time=MOST, timeout_unit="us")
async def zero_load_latency(dut):
    """A packet alone takes the stated cycles from the first transfer in to the first transfer out, and has no gaps."""
    hosts = Hosts(dut)
    await hosts.begin()
    for sink in range(HOSTS):
        for length in (1, 2, LONGEST):
            frame, sent = hosts.frame(sink, length), []
            frame.tx_complete = sent.append
            await hosts.sources[0].send(frame)
            found = await hosts.sinks[sink].recv()
            # The source's time is the beginning of the cycle in which the last flit is at the input, the sink's is the end of
            # the cycle in which it is at the output.
            assert found.sim_time_end - sent[0].sim_time_end == (LATENCY + 1) * PERIOD * 1000
            assert found.sim_time_end - found.sim_time_start == (length - 1) * PERIOD * 1000


@cocotb.test(timeout_time=MOST, timeout_unit="us")
async def wrong_packets(dut):
    """A destination that does not exist, and a length that is not that of the packet, are counted; other packets arrive."""
    hosts = Hosts(dut)
    await hosts.begin()
    expected = Counter(invalid=HOSTS, bad_header=HOSTS, bad_length=2 * HOSTS)
    for source in range(HOSTS):
        for frame in (
            hosts.frame(HOSTS, 2),
            hosts.frame(0, 1, stated=0),
            hosts.frame(0, 2, stated=1),
            hosts.frame(0, 1, stated=2),
        ):
            hosts.sources[source].send_nowait(frame)
        hosts.sources[source].send_nowait(hosts.frame(source, LONGEST))
    good = 0
    for sink in range(HOSTS):
        for _ in range(2 * HOSTS + 1 if sink == 0 else 1):
            frame = await hosts.sinks[sink].recv()
            user = frame.tuser[-1] if isinstance(frame.tuser, list) else frame.tuser
            good += not user >> LONGEST.bit_length()
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert good == HOSTS
    assert +hosts.events == expected, hosts.events


def notice_of(source, frame):
    """The only word of the notice to host ``source`` about a packet for another switch, as it arrives."""
    found = header_of(0, source, 1, {"flags.notice": 1})
    values = {f"destination.{FIELD}": frame.tdest & 3, "destination.host": frame.tdest >> 2}
    values |= {"length": len(frame.tdata), "payload": frame.tdata[0] >> REPLACED}
    for field in PARAMETERS.get("notice") or MANIFEST["notice"]:
        low, high = field["bits"]
        found |= (values[field["name"]] & (1 << high - low + 1) - 1) << low
    return checked([found])[0]


@cocotb.test(timeout_time=MOST, timeout_unit="us")
async def notices(dut):
    """No switch but this one can be reached: each packet for another one is reported to its host, or comes to host 0, marked.

    Meanwhile, packets between the hosts arrive.
    """
    hosts = Hosts(dut)
    await hosts.begin(PARAMETERS.get("stall", 0))
    expected, marked = [Counter() for _ in range(HOSTS)], Counter()
    for source in range(HOSTS):
        for _ in range(PARAMETERS["packets"]):
            sink, switch = hosts.rng.randrange(HOSTS), hosts.rng.choice((OWN, OWN, 0, 2))
            frame = hosts.frame(sink, hosts.rng.choice((1, 1, 2, LONGEST)), switch=switch)
            if switch == OWN:
                expected[sink][tuple(words_of(source, sink, frame)), 0] += 1
            else:
                expected[source][(notice_of(source, frame),), 2] += 1
                words = words_of(source, sink, frame, {f"destination.{FIELD}": switch})
                marked[tuple(words[1:]), words[0] >> REPLACED] += 1
            hosts.sources[source].send_nowait(frame)
    total, found = HOSTS * PARAMETERS["packets"], [Counter() for _ in range(HOSTS)]
    unreported = 0
    while sum(map(Counter.total, found)) + unreported < total:
        await RisingEdge(dut.clk)
        for sink, number in zip(hosts.sinks, range(HOSTS)):
            while not sink.empty():
                frame = sink.recv_nowait()
                marks = once(frame.tuser) >> LONGEST.bit_length() + 1
                if marks == 1:
                    unreported += 1
                    assert number == 0
                    assert marked[tuple(frame.tdata[1:]), frame.tdata[0] >> REPLACED]
                else:
                    found[number][tuple(frame.tdata), marks] += 1
    counts = int(dut.notice_counts.value)
    sent, passed, lost = (counts >> low & (1 << 32) - 1 for low in (0, 32, 64))
    dut._log.info("%d notices, %d packets unreported", sent, passed)
    assert sum((more - there).total() for more, there in zip(found, expected)) == 0, "a frame that nobody expects"
    assert (sent, passed, lost) == (sum(n for each in found for (_, marks), n in each.items() if marks), unreported, 0)
    assert sent + passed == marked.total()
    assert sent > 0
    assert (passed > 0) == PARAMETERS["overflows"]
    assert not sum(hosts.events.values()), hosts.events
