"""Bench of switches joined by lines with wrong bits: each packet arrives once, intact, in order, or is counted as lost.

Parameters: ``manifest`` (path, of the universal switch); ``ber``; ``packets`` (per host); ``stall``; ``seed``;
``cycles``, after which a host that takes nothing has stopped all, and ``alone``, in which the others send all their packets;
``quiet``, as :class:`JoinedSwitches` takes it; ``faults`` of lines that repeat words, and packets whose check must be wrong then;
``moved``, whether words of lines begin at random bits; ``rounds``.
"""

import random
from itertools import product

import cocotb

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, SEED
from dsnswitch.sim.bench.drivers.joined_switches import JoinedSwitches

STALL, QUIET = PARAMETERS.get("stall", 0.2), PARAMETERS.get("quiet", 400)


@cocotb.test()
async def every_packet_is_accounted_for(dut):
    """With random traffic between all hosts, the switches count exactly the packets that are missing."""
    joined = JoinedSwitches(dut, MANIFEST, PARAMETERS.get("ber", 0), random.Random(SEED), STALL, QUIET)
    await joined.begin()
    for host in joined.hosts:
        for _ in range(PARAMETERS["packets"]):
            joined.packet(host, joined.rng.choice(joined.hosts))
    await joined.drain()
    outcome, counted, missed = joined.judge(), joined.counted(), joined.missed()
    assert not outcome["unnoticed"], outcome
    await joined.clear()
    assert not sum(joined.counted().values()), "clear leaves a count"
    dut._log.info("%s, counted %s, %d codewords missed, %d cycles", dict(outcome), dict(counted), missed, joined.cycle)
    assert outcome["sent"] == PARAMETERS["packets"] * len(joined.hosts)
    assert outcome["good"] > outcome["sent"] // 2
    wrong = sum(len(line.errors) for line in joined.lines.values())
    assert (counted["corrected"] > 0) == (wrong > 0)
    assert (counted["uncorrectable"] > 0) == (PARAMETERS.get("ber", 0) >= PARAMETERS.get("breaks", 1e-4))
    if missed:
        return
    if MANIFEST["fabric"]["replay"]:
        # Retransmission: every packet arrives.
        assert outcome["good"] == outcome["sent"], outcome
        assert bool(counted["retransmitted"]) <= bool(counted["uncorrectable"]), counted
    one_hop = len(joined.switches) == 2
    reasons = sum(counted[name] for name in ("bad_packets", "lost_packets", "refused_packets", *joined.events))
    lost = outcome["sent"] - outcome["good"]
    # If a line breaks a packet, later switches on its path count it again.
    assert lost == reasons if one_hop else lost <= reasons, f"{lost} packets are missing, {reasons} are counted"
    # A packet that a line has broken arrives at its destination as a bad packet.
    assert outcome["bad"] == counted["bad_packets"] if one_hop else outcome["bad"] <= counted["bad_packets"]
    assert not outcome["corrupted"]
    assert not joined.bad_checks
    assert bool(lost) <= bool(counted["uncorrectable"]), counted


@cocotb.test()
async def nothing_is_lost_without_wrong_bits(dut):
    """Without wrong bits nothing is lost, each flow stays in order, and each packet has the number of switches on its path.

    Packets that a switch must drop are counted.
    """
    joined = JoinedSwitches(dut, MANIFEST, 0, random.Random(SEED + 1), STALL, QUIET)
    await joined.begin()
    for source in joined.hosts:
        joined.dropped(source)
        for sink in joined.hosts:
            for _ in range(4):
                joined.packet(source, sink)
    await joined.drain()
    outcome, counted = joined.judge(), joined.counted()
    assert outcome["good"] == outcome["sent"] == 4 * len(joined.hosts) ** 2
    # Packets of several channels of one line may be interleaved.
    counted.pop("resumed")
    assert counted.pop("bad_header") == counted.pop("expired") == len(joined.hosts)
    assert not sum(counted.values()), counted
    assert joined.hops == {(a, b): {joined.switches_between(a[0], b[0])} for a in joined.hosts for b in joined.hosts}


@cocotb.test()
async def lines_repeat_words(dut):
    """Lines repeat a word in place of the next one, or become a word longer: no changed packet arrives without a mark.

    The code of a line and the counters do not notice most of these faults; the end-to-end check does.
    """
    joined = JoinedSwitches(dut, MANIFEST, 0, random.Random(SEED + 4), 0, QUIET)
    await joined.begin()
    faults = PARAMETERS["faults"]
    lines = list(joined.lines.values())
    for line in lines:
        line.remember(faults)
    for source in joined.hosts:
        others = [host for host in joined.hosts if host != source]
        for _ in range(PARAMETERS["packets"]):
            joined.packet(source, joined.rng.choice(others), joined.longest)
    for number in range(faults):
        await joined.run(joined.rng.randrange(20, 60))
        line = joined.rng.choice(lines)
        line.late += 1
        await joined.step()
        line.late -= number % 2
    await joined.drain(200_000)
    outcome, counted = joined.judge(), joined.counted()
    dut._log.info("%s, counted %s, %d wrong checks", dict(outcome), dict(+counted), joined.bad_checks)
    assert not outcome["unnoticed"], outcome
    assert joined.bad_checks > PARAMETERS["noticed"], f"{joined.bad_checks} wrong checks"
    assert outcome["good"] > outcome["sent"] // 2


@cocotb.test()
async def boundaries_move_and_switches_are_reset(dut):
    """Switches are reset under traffic with wrong bits, and a line moves by some bits: no changed packet arrives without a mark.

    In the end all links come up, and nothing is lost any more.
    """
    for number in range(PARAMETERS["rounds"]):
        joined = JoinedSwitches(dut, MANIFEST, PARAMETERS["ber"], random.Random(SEED + 5 + number), STALL, QUIET)
        await joined.begin()
        for _ in range(PARAMETERS["packets"]):
            for way in product(joined.hosts, repeat=2):
                joined.packet(*way)
        await joined.run(joined.rng.randrange(40, 120))
        line = joined.rng.choice(list(joined.lines.values()))
        line.off = joined.rng.randrange(1, joined.width)
        await joined.run(joined.rng.randrange(10, 400))
        outcome = joined.judge(ended=False)
        assert outcome["good"], outcome
        assert not outcome["unnoticed"], outcome
    for line in joined.lines.values():
        line.begin(0)
    await joined.until_up(16 * joined.width)
    await joined.drain()
    assert joined.counted()["restarts"] >= 2, joined.counted()
    joined.forget()
    for way in product(joined.hosts, repeat=2):
        joined.packet(*way)
    await joined.drain()
    outcome = joined.judge()
    assert outcome["good"] == outcome["sent"], outcome


async def with_a_blocked_host(dut, patience, cycles):
    """``(joined, blocked host, {host: flits that wait})`` after ``cycles`` in which all send to all and one takes nothing."""
    joined = JoinedSwitches(dut, MANIFEST, 0, random.Random(SEED + 2), STALL, QUIET)
    await joined.begin(patience)
    blocked = joined.hosts[-1]
    joined.block(blocked)
    for _ in range(PARAMETERS["packets"]):
        for way in product(joined.hosts, repeat=2):
            joined.packet(*way)
    await joined.run(cycles)
    return joined, blocked, joined.waiting()


@cocotb.test()
async def one_host_takes_nothing(dut):
    """Without patience, one host that takes nothing stops every host. With patience, the others lose no packet."""
    flits = 2 * PARAMETERS["packets"] * 3
    joined, blocked, waiting = await with_a_blocked_host(dut, 0, PARAMETERS.get("cycles", 20 * flits))
    assert all(waiting.values()), f"without patience, hosts go on: {waiting}"
    await joined.run(1000)
    assert joined.waiting() == waiting, "without patience, hosts go on"
    joined.block(blocked, False)
    await joined.drain()
    outcome = joined.judge()
    assert outcome["good"] == outcome["sent"], outcome
    joined, blocked, waiting = await with_a_blocked_host(dut, 50, PARAMETERS.get("alone", 20 * flits))
    assert not any(waiting.values()), f"with patience, hosts stop: {waiting}"
    # Packets arrive again at the host that takes again.
    made, dropped = len(joined.made), joined.untaken[blocked]
    assert dropped == joined.untaken.total(), joined.untaken
    joined.block(blocked, False)
    await joined.drain()
    for source in joined.hosts:
        joined.packet(source, blocked)
    await joined.drain()
    outcome = joined.judge()
    assert outcome["sent"] - outcome["good"] == dropped == joined.untaken.total(), (outcome, joined.untaken)
    heads = sum(flit.head for (host, _), flits in joined.received.items() if host == blocked for flit in flits)
    assert heads == PARAMETERS["packets"] * len(joined.hosts) - dropped + len(joined.made) - made
    dut._log.info("%s, %d packets dropped", dict(outcome), dropped)


@cocotb.test()
async def one_network_takes_nothing(dut):
    """A host that takes nothing of one virtual network, without patience, stops this one only."""
    joined = JoinedSwitches(dut, MANIFEST, 0, random.Random(SEED + 5), STALL, QUIET)
    for network in range(len(joined.networks)):
        await joined.begin()
        joined.block(joined.hosts[-1], True, network)
        for _ in range(PARAMETERS["packets"]):
            for way in product(joined.hosts, repeat=2):
                for number in range(len(joined.networks)):
                    joined.packet(*way, virtual_network=number)
        await joined.run(60 * PARAMETERS["packets"])
        for number in range(len(joined.networks)):
            waiting = joined.waiting(number).values()
            assert all(waiting) if number == network else not any(waiting), (network, number, waiting)
        joined.block(joined.hosts[-1], False)
        await joined.drain()
        outcome = joined.judge()
        assert outcome["good"] == outcome["sent"], outcome
        joined.forget()


@cocotb.test()
async def lines_are_looped_or_crossed(dut):
    """Lines that are looped, or crossed with those of other ports, at a word boundary under traffic: no host stops for good.

    In each round, the lines are right again after 100 cycles. Then all links come up, all hosts send what they have, and
    nothing is lost any more.
    """
    joined = JoinedSwitches(dut, MANIFEST, 0, random.Random(SEED + 3), 0, QUIET)
    await joined.begin()
    names = list(joined.lines)
    back = {name: other for name in names for other in names if name != other and joined.joins(name, other)}
    for number in range(PARAMETERS.get("rounds", 10)):
        for _ in range(PARAMETERS["packets"]):
            for source in joined.hosts:
                joined.packet(source, joined.rng.choice(joined.hosts))
        await joined.run(100 + 7 * number)
        if PARAMETERS.get("crossed") and number % 2:
            joined.swap(dict(zip(names, joined.rng.sample(names, len(names)))))
        else:
            joined.swap(back)
        await joined.run(100)
        joined.swap({})
        await joined.until_up()
        await joined.drain(200_000)
    restarts = joined.counted()["restarts"]
    assert restarts >= len(names), f"{restarts} restarts"
    joined.forget()
    for way in product(joined.hosts, repeat=2):
        joined.packet(*way)
    await joined.drain(200_000)
    outcome = joined.judge()
    assert outcome["good"] == outcome["sent"], outcome
