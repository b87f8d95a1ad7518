"""Hosts of one switch on AXI4-Stream send packets to each other, with the sources and sinks of cocotbext-axi.

Every packet arrives once, complete and in order per source, and a transfer that waits stays as it is.
Parameters: ``manifest`` (path, of the switch core); ``packets`` (per host); ``stall`` (share of pauses); ``seed``.
"""

from collections import Counter

import cocotb
from cocotb.triggers import RisingEdge

from dsnswitch.sim.bench.drivers.axi_hosts import (
    FIELD,
    HOSTS,
    LONGEST,
    MOST,
    OWN,
    PERIOD,
    REPLACED,
    Hosts,
    address_of,
    notice_of,
    once,
    words_of,
)
from dsnswitch.sim.bench.drivers.given import PARAMETERS

#: Cycles of a packet from host 0 to a host: both adapters, the core, and with detours the notifier.
LATENCY = PARAMETERS["latency"]


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
            flows.setdefault((source, sink), []).append((words_of(source, sink, frame.tdata), bad))
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
                expected[sink][tuple(words_of(source, sink, frame.tdata)), 0] += 1
            else:
                expected[source][(notice_of(source, frame.tdest, frame.tdata),), 2] += 1
                words = words_of(source, sink, frame.tdata, {f"destination.{FIELD}": switch})
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
