"""Bench of two fabric ports joined by a line with wrong bits: every packet arrives once, intact, in order, or is counted.

Parameters: ``manifest`` (path); ``packets`` (per channel and direction); ``differs`` (names of the bits of ``mismatch`` that are
expected); those of :class:`~.drivers.fabric_link.FabricLink`.
"""

import random
from collections import Counter

import cocotb

from ..golden.fabric.line import LineReader
from .drivers.fabric_link import ENDS, FabricLink
from .drivers.parameters import load, load_manifest

PARAMETERS, MANIFEST = load(), load_manifest()
PACKETS = PARAMETERS.get("packets", 40)
DIFFERENCES = MANIFEST["fabric"]["differences"]


async def begin(dut, ends=ENDS):
    """A link that has started."""
    link = FabricLink(dut, MANIFEST, PARAMETERS, ends)
    await link.start()
    return link


@cocotb.test()
async def line_is_legal(dut):
    """Without wrong bits all packets arrive; models and gateware of 256b/260b read the line, and the model its flits."""
    link = await begin(dut)
    await link.up()
    link.fill(PACKETS)
    for end, core in link.cores.items():
        for channel in range(core.channels):
            for length in (1, 2, link.longest) * 3:
                link.packet(end, channel, length, bad=True)
    await link.drain()
    link.account()
    reader = LineReader(MANIFEST)
    blocks = [reader.read(word & (1 << link.code.k) - 1) for word in link.cables["a"].sent]
    found = [(block.channel, block.flit) for block in blocks if block and block.flit]
    # A bad packet of one flit stays in the port.
    wanted = [(channel, flit) for _, channel, flit in link.cores["a"].sent if not (flit[1] and flit[3])]
    assert len(found) == len(wanted)
    for (channel, flit), (its, original) in zip(found, wanted):
        assert (channel, *flit[1:]) == (its, *original[1:])
        assert flit[0] in (None, original[0])
    assert reader.pcs.errored_blocks == reader.pcs.header_errors == reader.pcs.corrected_blocks == 0
    assert int(dut.reader_locked.value) == 1
    assert int(dut.reader_blocks.value) > len(blocks) // 2
    for name in ("header_errors", "corrected_blocks", "errored_blocks"):
        assert int(getattr(dut, f"reader_{name}").value) == 0, name
    kinds = Counter(block.kind for block in blocks if block)
    dut._log.info("%s", dict(kinds))
    assert set(kinds) >= {"hello", "credit", "head", "data", "resume", "abort"}


@cocotb.test()
async def random_traffic(dut):
    """Packets in both directions, with wrong bits and stalls, arrive or are counted."""
    link = await begin(dut)
    await link.up()
    link.fill(PACKETS)
    await link.drain()
    total = link.account()
    assert total["good"] > 0
    wrong = PARAMETERS.get("ber", 0) * link.code.n * sum(len(cable.sent) for cable in link.cables.values())
    assert (link.status("a", "corrected") + link.status("b", "corrected") > 0) == (wrong > 5)


@cocotb.test()
async def flits_take_one_cycle_each_way(dut):
    """A head flit becomes a codeword in the next cycle, and a codeword becomes a flit in the next cycle, without gaps."""
    link = await begin(dut)
    await link.up()
    link.packet("a", 0, link.longest)
    await link.drain()
    entered = [cycle for cycle, _, _ in link.cores["a"].sent]
    left = [cycle for cycle, _, flit in link.cores["b"].received if flit]
    assert entered == list(range(entered[0], entered[0] + link.longest))
    # One cycle each for the codeword, the cable and the flit.
    assert left == [cycle + 1 + link.delay + 1 for cycle in entered]


@cocotb.test()
async def counts_are_urgent(dut):
    """Long packets in both directions run at full rate: credits return although there is no idle block."""
    link = await begin(dut)
    await link.up()
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
async def cable_is_pulled(dut):
    """After noise, silence, or a line with constant bits, packets are lost and counted, the link restarts, and credits return."""
    link = await begin(dut)
    noise = random.Random(5)
    await link.up()
    for word in (lambda: noise.getrandbits(link.code.n), lambda: 0, lambda: (1 << link.code.n) - 1):
        link.fill(PACKETS)
        await link.run(150)
        for cable in link.cables.values():
            cable.cut = word
        await link.until(lambda: link.state("a") == link.state("b") == "unlocked")
        await link.run(100)
        for cable in link.cables.values():
            cable.cut = None
        await link.up()
        await link.drain()
        link.account()
    link.fill(PACKETS)
    before = link.account()
    await link.drain()
    after = link.account()
    assert after["good"] - before["good"] == 2 * PACKETS * link.cores["a"].channels
    assert link.status("a", "restarts") >= 3


@cocotb.test()
async def one_direction_is_cut(dut):
    """If one direction fails, the end that still receives is notified, and restarts together with the other end."""
    link = await begin(dut)
    await link.up()
    link.fill(PACKETS)
    await link.run(150)
    link.cables["a"].cut = lambda: 0
    await link.until(lambda: link.state("b") == "unlocked" and link.state("a") != "up")
    link.cables["a"].cut = None
    await link.up()
    await link.drain()
    link.account()


@cocotb.test()
async def peer_is_stuck(dut):
    """A line that repeats one data block keeps the lock, but not the link."""
    link = await begin(dut)
    await link.up()
    last = link.cables["a"].sent[-1]
    link.cables["a"].cut = lambda: last
    await link.until(lambda: link.state("b") != "up", 6000)
    await link.run(3)
    assert link.status("b", "restarts") == 1
    link.cables["a"].cut = None
    await link.up()


@cocotb.test()
async def one_side_is_reset(dut):
    """After a reset of one port and its core, flits flow again in both directions, and no new packet is lost."""
    link = await begin(dut)
    await link.up()
    for end in "abba":
        link.fill(PACKETS)
        await link.run(150)
        await link.reset_one(end)
        await link.until(lambda: not link.state("a") == link.state("b") == "up")
        await link.up()
        await link.drain()
        # A reset clears the counters of its side. Packets that were in its core are lost, and are not counted.
        link.account(unknown=10_000)
        for name in "ab":
            link.made[name].clear()
            link.cores[name].sent.clear()
            link.cores[name].received.clear()
            getattr(dut, f"{name}_clear").value = 1
        await link.step()
        for name in "ab":
            getattr(dut, f"{name}_clear").value = 0
        await link.step()
        link.fill(PACKETS)
        await link.drain()
        total = link.account()
        assert total["good"] == total["sent"] == 2 * PACKETS * link.cores["a"].channels


@cocotb.test()
async def cable_in_the_wrong_port(dut):
    """The state names the mismatch and shows the value that the other end sent, and no flit passes."""
    link = await begin(dut, {"a": (ENDS["a"][0], 9), "b": (7, ENDS["b"][1])})
    await link.until(lambda: link.state("a") == link.state("b") == "mismatch")
    assert link.status("b", "mismatch") == 1 << DIFFERENCES.index("port")
    assert link.status("a", "mismatch") == 1 << DIFFERENCES.index("address")
    assert (link.status("b", "peer.port"), link.status("a", "peer.address")) == (9, 7)
    link.fill(PACKETS)
    await link.drain()
    total = link.account()
    assert total["refused_packets"] == total["sent"]
    assert link.state("a") == link.state("b") == "mismatch"
    # The right cable.
    for end in "ab":
        for name, value in zip(("address", "port"), ENDS[end]):
            getattr(dut, f"{end}_own_{name}").value = value
    await link.up()


@cocotb.test()
async def other_parameters_differ(dut):
    """The second port has other parameters than the first."""
    link = await begin(dut)
    await link.until(lambda: link.state("a") == link.state("b") == "mismatch")
    wanted = sum(1 << DIFFERENCES.index(name) for name in PARAMETERS["differs"])
    assert link.status("a", "mismatch") == link.status("b", "mismatch") == wanted
