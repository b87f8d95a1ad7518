"""Hosts of one switch on AXI4-Stream, with the sources and sinks of cocotbext-axi, and their packets as they arrive."""

import random
from collections import Counter

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from dsnswitch.sim.bench.drivers.given import EVENTS, MANIFEST, PARAMETERS, SEED
from dsnswitch.sim.golden.core.byte_count import ByteCount
from dsnswitch.sim.golden.core.core import HeaderFormat
from dsnswitch.sim.golden.fec.crc32c import PacketCheck

HOSTS, LONGEST, FLIT = (MANIFEST["parameters"][name] for name in ("hosts", "packet", "flit"))
HEADER, CHECK, COUNT = (form.of(MANIFEST) for form in (HeaderFormat, PacketCheck, ByteCount))
#: Bits of the first flit that the header replaces.
REPLACED = HEADER.fields["check"][1] + 1
#: The field of an address, in a network with one field, and its value for the switch.
[FIELD] = {name.partition(".")[2] for name in HEADER.fields if name.startswith("source.")} - {"host"}
OWN = 1
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
                end = kind(bus, dut.clk, dut.rst, **({} if COUNT else {"byte_lanes": 1}))
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
        pins = (bus.tdata, bus.tid, bus.tlast, bus.tuser, *([bus.tkeep] if COUNT else []))
        while True:
            await FallingEdge(self.dut.clk)
            now = tuple(int(pin.value) for pin in pins) if bus.tvalid.value else None
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


def words_of(source, sink, words, more=(), count=None):
    """Data of a packet as it arrives; with TKEEP, ``count`` of the bytes of its last flit count."""
    first = words[0] >> REPLACED << REPLACED | header_of(source, sink, len(words), more)
    words = [first, *words[1:]]
    return checked(words if count is None else COUNT.stamped(words, count))


def checked(words):
    """The packet with its end-to-end check, if there is one."""
    return CHECK.stamped(words) if CHECK else words


def once(values):
    """The value that is the same for every flit of a packet."""
    found = set(values) if isinstance(values, list) else {values}
    assert len(found) == 1, found
    return found.pop()


def notice_of(source, address, words):
    """The only word of the notice to host ``source`` about a packet for ``address`` at another switch, as it arrives."""
    found = header_of(0, source, 1, {"flags.notice": 1})
    values = {f"destination.{FIELD}": address & 3, "destination.host": address >> 2}
    values |= {"length": len(words), "payload": words[0] >> REPLACED}
    for field in PARAMETERS.get("notice") or MANIFEST["notice"]:
        low, high = field["bits"]
        found |= (values[field["name"]] & (1 << high - low + 1) - 1) << low
    return checked([found])[0]
