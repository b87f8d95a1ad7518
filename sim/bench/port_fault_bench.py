"""Two fabric ports joined by a line, and what goes wrong with cables and ends: nothing is lost that no counter counts.

Parameters: ``manifest`` (path); ``packets`` (per channel and direction); ``differs`` (names of the bits of ``mismatch`` that are
expected); ``patience`` (of the ports); those of :class:`FabricLink`.
"""

import random

import cocotb

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS
from dsnswitch.sim.bench.drivers.port_link import ENDS, FabricLink

PACKETS = PARAMETERS.get("packets", 40)
DIFFERENCES = MANIFEST["fabric"]["differences"]
#: States without the other end. A line of zeros is a codeword of RS(528,514): it keeps the lock, and reads as a hello of zeros.
SILENT = {"unlocked", *({"mismatch"} if MANIFEST["fabric"]["link"] != "light" else ())}
#: Cycles, more than a word is in the pipeline of a line.
LATENCY = 300


@cocotb.test()
async def cable_is_pulled(dut):
    """After noise, silence, or a line with constant bits, packets are lost and counted, the link restarts, and credits return."""
    link = await FabricLink.begin(dut, up=False)
    noise = random.Random(5)
    await link.up()
    for word in (lambda: noise.getrandbits(link.width), lambda: (1 << link.width) - 1, lambda: 0):
        link.fill(PACKETS)
        await link.run(150)
        for cable in link.cables.values():
            cable.cut = word
        await link.until(lambda: {link.state("a"), link.state("b")} <= SILENT)
        # With retransmission, a session waits for its lock.
        await link.run(100 + (PARAMETERS["patience"] if MANIFEST["fabric"]["replay"] else 0))
        for cable in link.cables.values():
            cable.cut = None
        await link.recover()
    link.fill(PACKETS)
    before = link.account()
    await link.drain()
    after = link.account()
    assert after["good"] - before["good"] == 2 * PACKETS * link.cores["a"].channels
    assert link.status("a", "restarts") >= 3


@cocotb.test()
async def one_direction_is_cut(dut):
    """If one direction fails, the end that still receives is notified, and restarts together with the other end."""
    link = await FabricLink.begin(dut, fill=PACKETS)
    await link.run(150)
    link.cables["a"].cut = lambda: 0
    await link.until(lambda: link.state("b") in SILENT and link.state("a") != "up")
    link.cables["a"].cut = None
    await link.recover()


@cocotb.test()
async def peer_is_stuck(dut):
    """A line that repeats one data block keeps the lock, but not the link."""
    link = await FabricLink.begin(dut)
    last = link.cables["a"].sent[-1]
    link.cables["a"].cut = lambda: last
    await link.until(lambda: link.state("b") != "up", 6000)
    await link.run(3)
    assert link.status("b", "restarts") == 1
    link.cables["a"].cut = None
    await link.up()


async def goes_down(link):
    """Port ``b``, to which no word comes, goes down within its patience, and then refuses packets instead of keeping them."""
    await link.until(lambda: link.state("b") != "up", PARAMETERS["patience"] + 400)
    await link.run(100)
    assert link.status("b", "restarts") == 1
    before = link.status("b", "refused_packets")
    link.fill(5)
    await link.until(lambda: link.cores["b"].idle, 2000)
    assert link.status("b", "refused_packets") - before >= 5 * link.cores["b"].channels
    assert link.state("b") != "up"


@cocotb.test()
async def no_words_arrive(dut):
    """A line that carries no words takes the link down, and it comes up again with the words."""
    link = await FabricLink.begin(dut, ber=0, fill=PACKETS)
    await link.run(150)
    link.cables["a"].cut = lambda: None
    await goes_down(link)
    link.cables["a"].cut = None
    await link.recover()


@cocotb.test()
async def peer_stays_in_reset(dut):
    """A port held in reset sends no words: the other end goes down, and comes up again after the reset."""
    link = await FabricLink.begin(dut, ber=0)
    link.cores["a"].in_reset, dut.a_rst.value = True, 1
    await goes_down(link)
    link.cores["a"].reset()
    await link.reset_one("a")
    await link.up()
    await link.drain()


@cocotb.test()
async def peer_takes_nothing(dut):
    """A core that takes no flits: packets wait with the link up, none is lost, and all arrive when it goes on."""
    link = await FabricLink.begin(dut, ber=0, fill=PACKETS)
    core, link.cores["b"].stall = link.cores["b"], 1
    await link.run(PARAMETERS["patience"] + 500)
    assert link.state("a") == link.state("b") == "up"
    assert all(level > core.depth - link.longest for level in core.buffers), core.buffers
    core.stall = 0.1
    await link.drain()
    link.all_good(PACKETS)
    assert not link.sum("restarts")


@cocotb.test()
async def counts_are_lost(dut):
    """No count of freed flits arrives for a while, so no credit returns; the next that arrives repairs it."""
    link = await FabricLink.begin(dut, ber=0, fill=PACKETS)
    back = link.cables["b"]
    # Two wrong bits in each codeword, not so long that the lock ends.
    back.cut = lambda: back.sent[-1] ^ 3 << 100
    await link.run(PARAMETERS["patience"] // 2)
    assert link.state("a") == "up"
    core = link.cores["a"]
    assert all(credits < link.longest for credits in core.credits), "credits returned without a count"
    back.cut = None
    await link.drain()
    total = link.account()
    assert link.judge("a", "b")["good"] == PACKETS * core.channels
    assert total["good"] + total["lost_packets"] + total["bad_packets"] == total["sent"]


@cocotb.test()
async def one_side_is_reset(dut):
    """After a reset of one port and its core, flits flow again in both directions, and no new packet is lost."""
    link = await FabricLink.begin(dut)
    for end in "abba":
        link.fill(PACKETS)
        await link.run(150)
        await link.reset_one(end)
        await link.until(lambda: not link.state("a") == link.state("b") == "up")
        # A reset clears packets and counters of its side, and the other side counts packets that it may have received.
        await link.recover(unknown=10_000)
        await link.all_arrive(PACKETS)


@cocotb.test()
async def line_is_looped(dut):
    """Ends that receive their own words at a word boundary notice it: the state is mismatch, then up again after the repair.

    In each round the loop lasts 100 cycles under traffic, in the last ones until both ends have noticed.
    """
    link = await FabricLink.begin(dut, ber=0)
    for number in range(PARAMETERS.get("rounds", 10)):
        link.fill(PACKETS)
        await link.run(100 + number)
        before = link.sum("restarts")
        link.looped = True
        await link.run(100)
        if number > 6:
            await link.until(lambda: link.state("a") == link.state("b") == "mismatch")
            assert {link.status(end, "mismatch") for end in "ab"} == {
                1 << DIFFERENCES.index("address") | 1 << DIFFERENCES.index("port")
            }
        link.looped = False
        # The last looped words may still be in a decoder.
        await link.run(LATENCY)
        await link.up()
        await link.drain()
        assert link.sum("restarts") > before, "nobody has noticed the loop"
        await link.all_arrive(PACKETS)


@cocotb.test()
async def cable_in_the_wrong_port(dut):
    """The state names the mismatch and shows the value that the other end sent, and no flit passes."""
    link = await FabricLink.begin(dut, {"a": (ENDS["a"][0], 9), "b": (7, ENDS["b"][1])}, up=False)
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
    link = await FabricLink.begin(dut, up=False)
    await link.until(lambda: link.state("a") == link.state("b") == "mismatch")
    wanted = sum(1 << DIFFERENCES.index(name) for name in PARAMETERS["differs"])
    assert link.status("a", "mismatch") == link.status("b", "mismatch") == wanted


@cocotb.test()
async def one_network_takes_nothing(dut):
    """A virtual network of which the core takes no flit stops no other, however full; it goes on when the core does."""
    link = await FabricLink.begin(dut, ber=0)
    first = 0
    for network in MANIFEST["fabric"]["virtual_networks"]:
        own = range(first, first + network["channels"])
        first += network["channels"]
        link.cores["b"].blocked = own
        link.fill(PACKETS)
        others = [v for v in range(link.cores["a"].channels) if v not in own]
        await link.until(lambda others=others: not any(link.cores["a"].waiting[v] for v in others), 3000)
        await link.run(PARAMETERS["patience"] + 200)
        levels = [link.cores["b"].buffers[v] for v in range(link.cores["b"].channels)]
        assert all(levels[v] > link.cores["b"].depth - link.longest for v in own), levels
        assert not any(levels[v] for v in others), levels
        assert all(link.cores["a"].waiting[v] for v in own)
        assert link.state("a") == link.state("b") == "up"
        link.cores["b"].blocked = ()
        await link.drain()
        link.all_good(PACKETS)
        await link.forget()
    assert not link.sum("restarts")


@cocotb.test()
async def networks_differ(dut):
    """The second port has other virtual networks: both ends name what differs, and nothing hangs."""
    link = await FabricLink.begin(dut, up=False)
    link.fill(PACKETS)
    await link.until(lambda: link.state("a") == link.state("b") == "mismatch")
    # Rounds of hellos: the bits are those of all of them, and stay.
    await link.run(100)
    for end, names, networks in zip("ab", PARAMETERS["differs"], PARAMETERS["networks"]):
        wanted = sum(1 << DIFFERENCES.index(name) for name in names)
        found = {end: (link.status(end, "mismatch"), link.status(end, "differing") if networks is not None else None)}
        assert found == {end: (wanted, networks)}
    await link.until(lambda: all(core.idle for core in link.cores.values()))
    total = link.account()
    assert total["refused_packets"] == total["sent"] > 0
    assert link.state("a") == link.state("b") == "mismatch"


@cocotb.test()
async def lost_packets_of_a_reset_are_counted(dut):
    """A reset of one side at many phases: the other end counts each packet that has not arrived, and few that have.

    Some resets last until the other end has gone down.
    """
    link = await FabricLink.begin(dut, ber=0)
    core = link.cores["a"]
    # The packets that fit on both lines and in the buffers of the side that is reset, if each is one flit.
    pipeline = sum(MANIFEST["fabric"][f"{side}_latency_cycles"] for side in ("rx", "tx"))
    bound = 2 * (link.delay + pipeline) + core.depth * core.channels
    for phase in range(PARAMETERS.get("rounds", 12)):
        for end, other in ("ab", "ba"):
            await link.forget()
            link.fill(PACKETS)
            await link.run(100 + 7 * phase)
            if phase % 4 == 3:
                link.cores[other].in_reset, getattr(dut, f"{other}_rst").value = True, 1
                await link.until(lambda end=end: link.state(end) != "up", PARAMETERS["patience"] + 400)
            await link.reset_one(other)
            await link.until(lambda: not link.state("a") == link.state("b") == "up")
            await link.up()
            await link.drain()
            outcome = link.judge(end, other)
            counted = link.status(end, "refused_packets")
            ended = sum(outcome[name] for name in ("good", "bad", "bad header"))
            dut._log.info("%s: phase %d, %s, counted %d", end, phase, dict(outcome), counted)
            assert outcome["sent"] <= ended + counted <= outcome["sent"] + bound
            assert outcome["sent"] > ended, "nothing was lost"
    # All packets have arrived, and the other end knows it.
    await link.all_arrive(PACKETS)
    await link.reset_one("b")
    await link.until(lambda: link.state("a") != "up")
    await link.up()
    assert not link.status("a", "refused_packets")
