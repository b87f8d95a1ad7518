"""Notices of packets that cannot be delivered: the notifier against its golden model, and proofs."""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.switch import notifier
from dsnswitch.hdl.switch.notifier import NoticeInjector, NoticeWriter, Notifier
from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.registry import parse_network

from .monitors import NotifierMonitor
from .notifier_bench import NotifierBench
from .test_port_registers import STEP, Steps

SPACE = 3


def shape(**options):
    """Two hosts with two channels each; packets of up to three flits."""
    options = {"flit": 60, "packet": 3, "depth": 4, "hosts": 2, "spread": (("host", 2),)} | options
    return CoreShape(parse_network("ring:3:ring-3"), routing="detour", **options)


def monitored(channels):
    """A small notifier with its monitor."""
    small = shape(flit=48, packet=2, depth=2, hosts=1, spread=(("host", channels),))
    port = next(port for port in small.ports if port.is_host)
    return NotifierMonitor(Notifier(small, port, SPACE), small.depth, SPACE)


def run(simulate, bench):
    """Run a bench; returns the counters of notices."""
    found = {}

    async def body(ctx):
        await bench.run(ctx)
        await ctx.tick().repeat(2)
        found.update(bench.counts())

    simulate(bench.unit, body, clocked=True)
    return found


@pytest.mark.parametrize(("lazy", "share"), [(0.5, 0.8), (1, 1)])
def test_traffic_and_notices(simulate, monkeypatch, lazy, share):
    """Packets to and from the host, some undeliverable: each is reported once, or passes to the host, marked and counted."""
    monkeypatch.setattr(notifier, "Counter", Steps)
    bench = NotifierBench(shape(), SPACE, lazy=lazy, share=share, step=STEP)
    lengths = [bench.rng.randrange(1, 4) for _ in range(120)]
    marks = [bench.rng.choices(({}, {"undeliverable": 1}, {"notice": 1}), (2, 2, 1))[0] for _ in lengths]
    bench.queue(bench.core, [bench.packet(length, **mark) for length, mark in zip(lengths, marks)])
    bench.queue(bench.host, [bench.packet(length) for length in lengths])
    found = run(simulate, bench)
    assert found["notices"]
    assert found["unreported_packets"]
    assert found["notices"] + found["unreported_packets"] == sum("undeliverable" in mark for mark in marks)
    assert found["lost_notices"] == 0


def test_a_host_that_sends_in_every_cycle(simulate):
    """Notices leave between the packets of a host that never pauses by itself."""
    bench = NotifierBench(shape(spread=(), depth=8), SPACE, lazy=1)
    bench.queue(bench.core, [bench.packet(1, undeliverable=1) for _ in range(SPACE)])
    bench.queue(bench.host, [bench.packet(2) for _ in range(60)])

    async def body(ctx):
        with pytest.raises(TimeoutError):
            await bench.run(ctx, 60)
        assert bench.sent_notices == SPACE
        assert sum(map(len, bench.host.queues)) > 40

    simulate(bench.unit, body, clocked=True)


def test_no_storm(simulate):
    """A notice that cannot be delivered is consumed and counted, and causes no other notice."""
    bench = NotifierBench(shape(), SPACE)
    bench.queue(bench.core, [bench.packet(1, undeliverable=1, notice=1) for _ in range(9)])
    assert run(simulate, bench) == {"notices": 0, "unreported_packets": 0, "lost_notices": 9}
    assert not bench.at_host


@pytest.mark.parametrize("channels", [1, 2])
def test_notices_never_overflow(induct, channels):
    """Queue, places of the core and the flit that waits never overflow, and a flit to the host never waits."""
    proved, log = induct(monitored(channels))
    assert proved, log


FAULTS = {
    "queue-overflows": (NoticeWriter, "written.eq(fails & ~again & self.space)", "written.eq(fails & ~again)"),
    "two-places": (NoticeInjector, " & ~full & ~self.owes & ", " & ~full & "),
}


@pytest.mark.parametrize("name", FAULTS)
def test_broken_notifier_is_noticed(induct, mutate, name):
    owner, old, new = FAULTS[name]
    mutate(owner, "elaborate", old, new)
    proved, log = induct(monitored(1))
    assert not proved
    assert "proof did fail" in log


def test_a_flit_too_narrow_for_a_notice():
    with pytest.raises(UsageError) as error:
        build({"block": "switch", "topology": "ring:3:ring-3", "flit": 31, "packet": 2, "routing": "detour"})
    assert str(error.value) == "Flit width must be at least that of a notice, 32 bits, not 31"
