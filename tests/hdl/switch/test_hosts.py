"""Host ports with packets: AXI4-Stream with cocotbext-axi at a switch core, and streams in a loop."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from dsnswitch.gen.config import build
from dsnswitch.gen.emit.manifest import manifest
from dsnswitch.gen.emit.verilog.convert import convert
from dsnswitch.gen.fields import fields
from dsnswitch.hdl.core.arrival import EVENTS
from dsnswitch.hdl.core.core import SwitchCore
from dsnswitch.hdl.core.packet import Header
from dsnswitch.hdl.switch.byte_count import ByteCountFormat
from dsnswitch.hdl.switch.end_to_end import EndToEnd
from dsnswitch.hdl.switch.host_port import HostPort, Injector, beat_layout, host_signature
from dsnswitch.hdl.switch.notifier import NoticeFormat, Notifier, notice_counts
from dsnswitch.sim.golden.core.core import HeaderFormat
from dsnswitch.sim.golden.fec.crc32c import PacketCheck

from .conftest import NAMES
from .notifier_bench import bits_of

VALUES = {"block": "switch-core", "topology": "torus:2", "flit": 40, "packet": 4, "depth": 8, "hosts": 3, "channels": "host=2"}


#: A switch with detours, all of whose lines are down. Three packets of four flits fill the wait for notices.
DETOURS = VALUES | {"topology": "ring:1:ring-3", "routing": "detour"}


class CoreWithHosts(wiring.Component):
    """A switch core whose hosts have AXI4-Stream, without lines: as the switch joins them, and much faster to simulate."""

    clocked, latency = True, 5

    def __init__(self, shape, space, byte_count=None):
        self._shape, self._space, self._byte_count = shape, space, byte_count
        ports = {"own_id": In(2), "notice_counts": Out(notice_counts())}
        host = Out(host_signature(shape, "axi", byte_count is not None))
        ports |= {port.name: host for port in shape.ports if port.is_host}
        super().__init__(ports | {name: Out(len(shape.ports)) for name in EVENTS})

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = SwitchCore(self._shape)
        m.d.comb += [core.own.id.eq(self.own_id), core.dead.eq(-1)]
        m.d.comb += [getattr(self, name).eq(getattr(core, name)) for name in EVENTS]
        for port in self._shape.ports:
            if port.is_host:
                m.submodules[f"{port.name}_adapter"] = adapter = HostPort(self._shape, port, "axi", self._byte_count)
                m.d.comb += adapter.own_address.eq(self.own_id)
                m.submodules[f"{port.name}_check"] = check = EndToEnd(self._shape, port)
                m.d.comb += check.own_address.eq(self.own_id)
                connect(m, check.core, getattr(core, port.name))
                inner = check.host
                if port.index == 0:
                    m.submodules.notifier = notifier = Notifier(self._shape, port, self._space)
                    m.d.comb += [notifier.own_address.eq(self.own_id), self.notice_counts.eq(notifier.counts)]
                    connect(m, notifier.core, inner)
                    inner = notifier.host
                connect(m, adapter.core, inner)
                for way in ("rx", "tx"):
                    connect(m, flipped(getattr(getattr(self, port.name), way)), getattr(adapter, way))
        return m


@pytest.fixture
def hosts(lab):
    """A function that runs tests of the bench of hosts on a core with AXI4-Stream."""

    def run(tests, label="", space=4, bench="host_bench", **parameters):
        tkeep = bench == "tkeep_bench"
        values = DETOURS | ({"flit": 64} if tkeep else {})
        switch = build(values | {"block": "switch", "host_interface": "axi", "tkeep": tkeep})
        block, parameters["latency"] = build(values), 5
        first, content = Header(block.shape).width, fields(NoticeFormat(block.shape).layout)
        parameters["notice"] = [field | {"bits": [first + bit for bit in field["bits"]]} for field in content]
        about = manifest(block, block.component(), NAMES)
        about |= {name: switch.facts[name] for name in ("end_to_end", "byte_count") if name in switch.facts}
        top = CoreWithHosts(block.shape, space, ByteCountFormat(block.shape, True) if tkeep else None)
        text = convert(top, "hosts", ("hosts: a core with hosts.",))
        return lab.bench_of(text, "hosts", about, bench, tests, label, **parameters)

    return run


TESTS = ["random_packets", "zero_load_latency", "wrong_packets"]


def test_axi_stream(hosts):
    """With a notifier at host 0, and few places for notices."""
    assert hosts([*TESTS, "notices"], packets=60, stall=0.4, overflows=True) == 4


TKEEP_TESTS = ["partial_beats", "partial_beats_without_pauses", "wrong_tkeep", "bytes_of_a_notice"]


@pytest.mark.regress
def test_tkeep(hosts):
    """The count is at one place in packets of one flit, at another one in longer packets."""
    assert hosts(TKEEP_TESTS, "-tkeep", bench="tkeep_bench", packets=60, stall=0.4) == 4


@pytest.mark.regress
@pytest.mark.parametrize(("flit", "check"), [(56, "none"), (256, "crc32c")])
def test_tkeep_of_a_switch(lab, flit, check):
    """The whole switch, also without a check of packets and with bits of a head that no line carries."""
    values = VALUES | {"block": "switch", "host_interface": "axi", "tkeep": True, "apb": False}
    values |= {"flit": flit, "end_to_end": check}
    assert lab.bench("tkeep_bench", values, TKEEP_TESTS[:3], packets=200, stall=0.4, latency=4) == 3


@pytest.mark.regress
def test_axi_stream_of_a_switch(lab):
    """The whole switch, without peers on its lines."""
    values = VALUES | {"block": "switch", "host_interface": "axi", "apb": False}
    assert lab.bench("host_bench", values, TESTS, packets=60, stall=0.4, latency=4) == 3


@pytest.mark.regress
@pytest.mark.parametrize(("networks", "channels"), [(2, "1"), (3, "host=1/2/1")])
def test_virtual_networks_of_a_switch(lab, networks, channels):
    """The whole switch, with hosts on AXI4-Stream that have no space for packets of some virtual networks."""
    values = VALUES | {"block": "switch", "host_interface": "axi", "apb": False}
    values |= {"virtual_networks": networks, "channels": channels}
    tests = ["random_spaces", "no_space_for_the_first", "no_space_for_the_last"]
    assert lab.bench("space_bench", values, tests, packets=60, stall=0.3) == 3


@pytest.mark.regress
def test_notices_of_a_switch(lab):
    """The whole switch: no link is up, so that each port to another switch is dead."""
    values = DETOURS | {"block": "switch", "host_interface": "axi", "apb": False}
    assert lab.bench("host_bench", values, [*TESTS, "notices"], packets=60, stall=0.4, latency=5, overflows=True) == 4


@pytest.mark.regress
@pytest.mark.parametrize("stall", [0, 0.8])
def test_axi_stream_for_long(hosts, stall):
    assert hosts(TESTS[:1], packets=3000, stall=stall, seed=7) == 1


class Loop(wiring.Component):
    """A host port with streams and the end-to-end check, whose flits come back."""

    def __init__(self, shape):
        self._port, self._check = HostPort(shape, shape.ports[-1], "stream"), EndToEnd(shape, shape.ports[-1])
        members = self._port.signature.members
        super().__init__({name: members[name] for name in ("own_address", "rx", "tx")})

    def elaborate(self, platform):
        m = Module()
        m.submodules.port = port = self._port
        m.submodules.check = check = self._check
        m.d.comb += [port.own_address.eq(self.own_address), check.own_address.eq(self.own_address)]
        connect(m, flipped(self.rx), port.rx)
        connect(m, port.tx, flipped(self.tx))
        connect(m, port.core, check.host)
        core = check.core
        m.d.comb += [core.tx.valid.eq(core.rx.valid), core.tx.flit.eq(core.rx.flit), core.rx.credit.eq(core.tx.credit)]
        return m


def test_streams(simulate):
    """Packets with random gaps come back complete, in order per destination, with header, source and check.

    Those of several flits for another host are marked: the check is for that host.
    """
    block = build(VALUES | {"block": "switch"})
    shape, check = block.core.shape, PacketCheck({"parameters": block.parameters, **block.facts})
    rng, loop, layout, width = random.Random(3), Loop(shape), beat_layout(shape), Header(shape).width
    ends = [{"dim0": rng.getrandbits(1), "host": rng.randrange(3)} for _ in range(80)]
    packets = [(end, [rng.getrandbits(40) for _ in range(rng.randrange(1, 5))], rng.getrandbits(1)) for end in ends]
    waiting = [
        {"data": word, "address": end, "user": {"length": len(words), "bad": bad}, "last": place == len(words) - 1}
        for end, words, bad in packets
        for place, word in enumerate(words)
    ]
    found, number = [], len(waiting)

    async def bench(ctx):
        ctx.set(loop.own_address, 1)
        for _ in range(3000):
            sends, takes = bool(waiting) and rng.random() < 0.7, rng.random() < 0.6
            if sends:
                ctx.set(loop.rx.payload, layout.const(waiting[0]))
            ctx.set(loop.rx.valid, sends)
            ctx.set(loop.tx.ready, takes)
            _, _, taken, valid, payload = await ctx.tick().sample(loop.rx.ready, loop.tx.valid, loop.tx.payload)
            if sends and taken:
                waiting.pop(0)
            if takes and valid:
                found.append(payload)

    simulate(loop, bench, clocked=True)
    assert len(found) == number
    while found:
        length = found[0].user.length
        beats, found = found[:length], found[length:]
        header = data.Const(Header(shape).layout, beats[0].data & (1 << width) - 1)
        end = {"dim0": header.destination.dim0, "host": header.destination.host}
        sent = next(packet for packet in packets if packet[0] == end)
        packets.remove(sent)
        mask, mine = (1 << width) - 1, length == 1 or end == {"dim0": 1, "host": 2}
        words = [beats[0].data & mask | sent[1][0] & ~mask, *sent[1][1:]]
        assert [beat.data for beat in beats] == check.stamped(words)
        assert [beat.last for beat in beats] == [0] * (length - 1) + [1]
        assert [beat.user.bad for beat in beats] == [0] * (length - 1) + [sent[2] | (not mine)]
        assert {(beat.address.dim0, beat.address.host, beat.user.length) for beat in beats} == {(1, 2, len(sent[1]))}
    assert not packets


@pytest.mark.parametrize("digits", [False, True])
def test_a_mark_of_order_is_in_the_header(simulate, digits):
    """With adaptive routing, and no other bit of the flags is set."""
    values = {"topology": "grid:2x2:ring-2", "routing": "minimal", "adaptive": True, "digits": digits, "flit": 48}
    shape = build({"block": "switch-core", "packet": 2, "depth": 4} | values).shape
    unit, layout, rng = Injector(shape, shape.ports[-1]), beat_layout(shape), random.Random(1)
    width, form = Header(shape).width, HeaderFormat(bits_of(Header(shape).layout), Header(shape).code.columns, 2)

    async def bench(ctx):
        begins, left, held = True, 4, None
        for _ in range(300):
            user = {name: rng.getrandbits(1) for name in ("ordered", "bad")} | {"length": rng.randrange(3)}
            beat = {"data": rng.getrandbits(48), "user": user, "last": rng.getrandbits(1)}
            valid, credit, leaves = rng.random() < 0.8, left < 4 and rng.random() < 0.6, held and left > 0
            ctx.set(unit.i.payload, layout.const(beat))
            ctx.set(unit.i.valid, valid)
            ctx.set(unit.flits.credit, credit)
            assert (ctx.get(unit.i.ready), ctx.get(unit.flits.valid)) == (bool(leaves or not held), bool(leaves))
            if leaves:
                flit, (head, sent) = ctx.get(unit.flits.flit), held
                assert (flit.head, flit.tail, flit.bad) == (head, sent["last"], sent["last"] & sent["user"]["bad"])
                assert flit.data >> width == sent["data"] >> width
                header = data.Const(Header(shape).layout, flit.data & (1 << width) - 1)
                if head:
                    assert (header.flags.ordered, header.length) == (sent["user"]["ordered"], sent["user"]["length"])
                    assert header.flags.as_value().value.bit_count() == header.flags.ordered
                    assert form.pack(form.read(header.as_value().value)) == header.as_value().value
                else:
                    assert flit.data == sent["data"]
                held = None
            left += credit - bool(leaves)
            if valid and not held:
                held, begins = (begins, beat), beat["last"]
            await ctx.tick()

    simulate(unit, bench, clocked=True)
