"""Bench of two fabric ports joined by a line with wrong bits: every packet arrives once, intact, in order, or is counted.

Parameters: ``manifest`` (path); ``packets`` (per channel and direction); ``least`` (flits per cycle); ``broken`` (least number of
uncorrectable codewords and of flits that are sent again); those of :class:`FabricLink`.
"""

from collections import Counter

import cocotb

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS
from dsnswitch.sim.bench.drivers.port_link import ENDS, NO_COUNTERS, FabricLink
from dsnswitch.sim.bench.drivers.port_wires import codes_of
from dsnswitch.sim.golden.line.blocks import LineReader

PACKETS = PARAMETERS.get("packets", 40)
[STATUS] = [port for port in MANIFEST["ports"] if port["name"] == "status"]
READER = MANIFEST.get("reader", ())
COUNTERS = [field["name"] for field in STATUS["fields"] if field["name"].partition(".")[0] not in NO_COUNTERS]


def check_numbers(blocks):
    """AssertionError unless each link word of a session has the number of its flits so far, or else of its packets."""
    sent = {"flits": 0, "packets": 0}
    for block in blocks:
        if block and block.link:
            counts = "flits" if MANIFEST["fabric"]["replay"] and block.kind != "hello" else "packets"
            assert block.link["number"] == sent[counts] % 512, f"{block.kind} after {sent}"
        if block and block.flit:
            sent["flits"] += 1
            sent["packets"] += block.kind == "head"


@cocotb.test()
async def line_is_legal(dut):
    """Without wrong bits all packets arrive; a model and a receiver of the line read it, and the model its flits."""
    link = await FabricLink.begin(dut, ber=0, fill=PACKETS)
    for end, core in link.cores.items():
        for channel in range(core.channels):
            for length in (1, 2, link.longest) * 3:
                link.packet(end, channel, length, bad=True)
    await link.drain()
    link.account()
    line, codes = link.cables["a"].sent, codes_of(MANIFEST)
    reader = LineReader(MANIFEST, codes, bool(PARAMETERS.get("strict", [1])[0]))
    blocks = reader.receive(line) if codes else [reader.read(word & (1 << 260) - 1) for word in line]
    check_numbers(blocks)
    found = [(block.channel, block.flit) for block in blocks if block and block.flit]
    # A bad packet of one flit stays in the port.
    wanted = [(channel, flit) for _, channel, flit in link.cores["a"].sent if not (flit[1] and flit[3])]
    assert len(found) == len(wanted)
    for (channel, flit), (its, original) in zip(found, wanted):
        assert (channel, *flit[1:]) == (its, *original[1:])
        assert flit[0] in (None, original[0])
    assert reader.errors == 0
    assert int(dut.reader_locked.value) == 1
    assert int(dut.reader_blocks.value) > len(blocks) // 2
    for name in ("header_errors", "corrected_blocks", "errored_blocks", "uncorrectable"):
        assert name not in READER or int(getattr(dut, f"reader_{name}").value) == 0, name
    kinds = Counter(block.kind for block in blocks if block)
    dut._log.info("%s", dict(kinds))
    assert {reader.tag(block) for block in blocks if block and block.kind == "credit"} == {reader.end_tag(ENDS["a"], ENDS["b"])}
    assert set(kinds) >= {"hello", "credit", "head", "data", "resume", "abort"}


@cocotb.test()
async def random_traffic(dut):
    """Packets in both directions, with wrong bits and stalls, arrive or are counted."""
    link = await FabricLink.begin(dut, fill=PACKETS)
    await link.drain()
    total = link.account()
    assert total["good"] > 0
    wrong = sum(len(cable.errors) for cable in link.cables.values())
    assert (link.sum("corrected") > 0) == (wrong > 5)
    for name, least in PARAMETERS.get("counted", {}).items():
        assert total[name] >= least, total


@cocotb.test()
async def nothing_is_lost(dut):
    """With retransmission, wrong bits cost time only: every packet arrives once, intact and in order, and none is counted."""
    link = await FabricLink.begin(dut, fill=PACKETS)
    began = link.cycle
    await link.drain(400 * PACKETS)
    total, missed = link.account(), sum(link.missed(end) for end in "ab")
    counts = Counter({name: link.sum(name) for name in COUNTERS})
    flits = sum(len(core.sent) for core in link.cores.values())
    dut._log.info("%d flits in %d cycles, %d missed, %s", flits, link.cycle - began, missed, dict(counts))
    broken = PARAMETERS.get("broken", 0)
    assert min(counts["uncorrectable"], counts["retransmitted"]) >= broken, counts
    assert (counts["retransmitted"] > 0) <= (counts["uncorrectable"] > 0)
    if MANIFEST["parameters"]["detect"]:
        # Nothing is corrected. Before the lock, and on the cables at the end, some codewords are not counted.
        wrong = sum(len(cable.errors) for cable in link.cables.values())
        assert not counts["corrected"]
        assert 0.9 * wrong - 5 <= counts["uncorrectable"] <= wrong, (wrong, counts)
    if not missed:
        assert total["good"] == total["sent"] == 2 * PACKETS * link.cores["a"].channels
        lost = ("bad_packets", "lost_packets", "refused_packets", "dropped_flits", "gave_up", "restarts")
        assert not any(counts[name] for name in lost), counts
        assert link.most_credits <= link.cores["a"].depth, f"{link.most_credits} credits for one buffer"


@cocotb.test()
async def a_flit_that_never_arrives(dut):
    """A head that the other end refuses each time: retransmission gives up, the state says so, and the link starts again."""
    link = await FabricLink.begin(dut, ber=0)
    link.packet("a", 0, 1)
    [(bits, *marks)] = link.cores["a"].waiting[0][0]
    link.cores["a"].waiting[0][0] = [(bits ^ 1, *marks)]
    for _ in range(5):
        link.packet("a", 0)
    await link.until(lambda: link.state("a") == "failed", 2000 + 20 * MANIFEST["parameters"]["round_trip"])
    assert link.status("a", "gave_up") == 1
    assert link.status("a", "retransmitted") >= 16
    await link.until(lambda: link.state("a") != "failed")
    await link.up()
    assert link.status("a", "restarts") == link.status("b", "restarts") == 1
    link.fill(PACKETS)
    await link.drain()
    outcome = link.judge("a", "b")
    # One for each replay, and the first.
    assert outcome["bad header"] == 17, outcome
    lost = [link.status("b", name) for name in ("lost_packets", "bad_packets")] + [link.status("a", "refused_packets")]
    assert outcome["sent"] - outcome["good"] == sum(lost) > 0, (outcome, lost)
    assert link.judge("b", "a")["good"] == PACKETS * link.cores["b"].channels


@cocotb.test()
async def flits_take_one_cycle_each_way(dut):
    """A flit becomes a codeword in the next cycle, and a codeword a flit in the next cycle, or at once, without gaps."""
    link = await FabricLink.begin(dut, ber=0, stall=0)
    link.packet("a", 0, link.longest)
    await link.drain()
    entered = [cycle for cycle, _, _ in link.cores["a"].sent]
    left = [cycle for cycle, _, flit in link.cores["b"].received if flit]
    assert entered == list(range(entered[0], entered[0] + link.longest))
    late = MANIFEST["fabric"]["rx_latency_cycles"]
    assert left == [cycle + 1 + link.delay + late for cycle in entered]


@cocotb.test()
async def counts_are_urgent(dut):
    """Long packets in both directions run at full rate: credits return although there is no idle block."""
    link = await FabricLink.begin(dut)
    for end in "ab":
        for _ in range(PACKETS):
            link.packet(end, 0, link.longest)
    began = link.cycle
    await link.drain()
    flits, cycles = PACKETS * link.longest, link.cycle - began
    dut._log.info("%d flits per direction in %d cycles", flits, cycles)
    link.account()
    assert flits > PARAMETERS["least"] * cycles


@cocotb.test()
async def latency_of_single_flits(dut):
    """Single flits take the cycles that the manifest states, or a few more: a block may wait for its word of the line."""
    link = await FabricLink.begin(dut, ber=0, stall=0)
    fabric = MANIFEST["fabric"]
    for number in range(PACKETS):
        link.packet("a", 0, 1)
        await link.run(20 + number)
    await link.drain()
    entered = [cycle for cycle, _, _ in link.cores["a"].sent]
    left = [cycle for cycle, _, flit in link.cores["b"].received if flit]
    took = Counter(after - before - link.delay for before, after in zip(entered, left, strict=True))
    dut._log.info("latency of a flit without the cable %s", dict(took))
    least = fabric["tx_latency_cycles"] + fabric["rx_latency_cycles"]
    assert set(took) == set(range(least, least + fabric["latency_spread_cycles"] + 1))


@cocotb.test()
async def formats_change(dut):
    """The formats of both lines change under traffic, each on its own. Without wrong bits nothing is lost."""
    link = await FabricLink.begin(dut, ber=0, fill=PACKETS)
    seen = set()
    for ends in ("a", "b", "a", "b", "ab"):
        for end in ends:
            link.select(end, 1 - int(getattr(dut, f"{end}_strict").value))
        await link.run(450)
        formats = tuple(int(getattr(dut, f"{end}_is_strict").value) for end in "ab")
        # Each end shows the format of the other's line.
        assert formats == tuple(int(getattr(dut, f"{end}_strict").value) for end in "ba")
        seen.add(formats)
        assert link.state("a") == link.state("b") == "up"
    assert len(seen) == 4
    await link.drain()
    link.all_good(PACKETS)
    assert not sum(link.status(end, name) for end in "ab" for name in ("restarts", "uncorrectable", "dropped_flits"))


@cocotb.test()
async def other_code(dut):
    """Ends with different codes never get lock: the state says so, nothing is accepted, and nothing hangs."""
    link = await FabricLink.begin(dut, ber=0, up=False)
    link.fill(PACKETS)
    await link.run(PARAMETERS.get("cycles", 3000))
    assert link.state("a") == link.state("b") == "unlocked"
    total = link.account()
    assert total["refused_packets"] == total["sent"] == 2 * PACKETS * link.cores["a"].channels
    if PARAMETERS.get("joins"):
        # The end that selects its format can follow the other.
        link.select("b", 1)
        # Up to 33 words to the boundary of a codeword.
        await link.until(lambda: link.state("a") == link.state("b") == "up", 9000)
