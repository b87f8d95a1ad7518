"""Hosts of one switch on AXI4-Stream with TKEEP send each other packets of any number of bytes.

Parameters: those of :mod:`host_bench`.
"""

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamFrame

from dsnswitch.sim.bench.drivers.axi_hosts import COUNT, HOSTS, LONGEST, MOST, OWN, Hosts, address_of, notice_of, words_of
from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS

FULL = (1 << COUNT.lanes) - 1
BAD = LONGEST.bit_length()


def words_in(data):
    """The flits of some bytes; those that are missing in the last one are 0."""
    return [int.from_bytes(data[at : at + COUNT.lanes], "little") for at in range(0, len(data), COUNT.lanes)]


def frame_to(sink, data, flits, bad=0, keep=None, switch=OWN):
    """A packet; with ``keep``, the TKEEP of each flit, it has all bytes of ``data``, whole flits."""
    lanes = None if keep is None else [mask >> lane & 1 for mask in keep for lane in range(COUNT.lanes)]
    return AxiStreamFrame(data, tkeep=lanes, tdest=address_of(sink, switch), tuser=flits | bad << BAD)


async def beats_of(sink):
    """``(source, [(flit, TKEEP, marks)])`` of the next packet at a host."""
    frame = await sink.recv(compact=False)
    beats = range(0, len(frame.tdata), COUNT.lanes)
    keeps = [sum(bit << lane for lane, bit in enumerate(frame.tkeep[at : at + COUNT.lanes])) for at in beats]
    users = [frame.tuser[at] for at in beats]
    assert {user & (1 << BAD) - 1 for user in users} == {len(beats)}
    assert len(set(frame.tid)) == 1
    source = next(source for source in range(HOSTS) if address_of(source) == frame.tid[0])
    return source, list(zip(words_in(frame.tdata), keeps, [user >> BAD for user in users]))


def beats(words, keep, marks=0):
    """The beats of a packet as :func:`beats_of` gives them."""
    return [(word, FULL, 0) for word in words[:-1]] + [(words[-1], keep, marks)]


async def exchange(dut, stall):
    """Packets between all pairs of hosts. Their last flits have one byte, all that there are, or some."""
    hosts = Hosts(dut)
    await hosts.begin(stall)
    flows, counts = {}, set()
    for source in range(HOSTS):
        for _ in range(PARAMETERS["packets"]):
            sink, bad = hosts.rng.randrange(HOSTS), hosts.rng.random() < 0.1
            flits = hosts.rng.choice((1, 1, 2, LONGEST))
            most = COUNT.place(flits)
            count = hosts.rng.choice((1, most, hosts.rng.randint(1, most)))
            data = hosts.rng.randbytes((flits - 1) * COUNT.lanes + count)
            words = words_of(source, sink, words_in(data), count=count)
            flows.setdefault((source, sink), []).append(beats(words, COUNT.kept(count), bad))
            hosts.sources[source].send_nowait(frame_to(sink, data, flits, bad))
            counts.add((flits, count))
    for sink in range(HOSTS):
        for _ in range(sum(len(sent) for (_, there), sent in flows.items() if there == sink)):
            source, found = await beats_of(hosts.sinks[sink])
            assert found == flows[source, sink].pop(0)
    assert not any(flows.values())
    assert not sum(hosts.events.values()), hosts.events
    assert {(flits, count) for flits in (1, 2, LONGEST) for count in (1, COUNT.place(flits))} <= counts


@cocotb.test(timeout_time=MOST, timeout_unit="us")
async def partial_beats(dut):
    """With pauses on all sides."""
    await exchange(dut, PARAMETERS["stall"])


@cocotb.test(timeout_time=MOST, timeout_unit="us")
async def partial_beats_without_pauses(dut):
    """At full speed."""
    await exchange(dut, 0)


def wrong_keeps(flits):
    """TKEEP of each flit of packets that break its rules: one rule each."""
    most, whole = COUNT.place(flits), [FULL] * (flits - 1)
    last = [0, FULL, COUNT.kept(most + 1), COUNT.kept(most) & ~1, 1 << most - 1 if most > 1 else 0, FULL & ~1]
    yield from ([*whole, mask] for mask in last)
    for number in range(flits - 1):
        for mask in (0, FULL >> 1, FULL & ~1):
            yield [*whole[:number], mask, *whole[number + 1 :], 1]


@cocotb.test(timeout_time=MOST, timeout_unit="us")
async def wrong_tkeep(dut):
    """A packet whose TKEEP breaks a rule arrives marked as bad, with count 0 and all bytes; the next packet is not marked."""
    hosts = Hosts(dut)
    await hosts.begin(PARAMETERS["stall"])
    expected = []
    for flits in (1, 2, LONGEST):
        for keep in wrong_keeps(flits):
            data = hosts.rng.randbytes(flits * COUNT.lanes)
            hosts.sources[0].send_nowait(frame_to(1, data, flits, keep=keep))
            expected.append(beats(words_of(0, 1, words_in(data), count=0), FULL, 1))
            data = hosts.rng.randbytes(1)
            hosts.sources[0].send_nowait(frame_to(1, data, 1))
            expected.append(beats(words_of(0, 1, words_in(data), count=1), 1))
    for packet in expected:
        assert await beats_of(hosts.sinks[1]) == (0, packet)
    assert not sum(hosts.events.values()), hosts.events


@cocotb.test(timeout_time=MOST, timeout_unit="us")
async def bytes_of_a_notice(dut):
    """A notice has the bytes of its header and content. A packet that no notice reports keeps its number of bytes."""
    hosts = Hosts(dut)
    await hosts.begin(PARAMETERS["stall"])
    content = PARAMETERS.get("notice") or MANIFEST["notice"]
    keep = COUNT.kept(max(field["bits"][1] for field in content) // 8 + 1)
    waiting = set()
    for source in range(HOSTS):
        for _ in range(PARAMETERS["packets"]):
            data = hosts.rng.randbytes(COUNT.place(1))
            words = COUNT.stamped(words_in(data), COUNT.place(1))
            waiting.add((source, notice_of(source, address_of(1, 0), words)))
            hosts.sources[source].send_nowait(frame_to(1, data, 1, switch=0))
    reported = unreported = 0
    while reported + unreported < HOSTS * PARAMETERS["packets"]:
        await RisingEdge(dut.clk)
        for number, sink in enumerate(hosts.sinks):
            while not sink.empty():
                _, [(word, kept, marks)] = await beats_of(sink)
                reported += marks == 4
                unreported += marks == 2
                assert (number, word) in waiting if marks == 4 else (number, marks) == (0, 2)
                assert kept == (keep if marks == 4 else COUNT.kept(COUNT.place(1)))
    dut._log.info("%d reported, %d not", reported, unreported)
    assert reported
    assert unreported
