"""Two fabric ports joined by a line with wrong bits: every packet arrives once, intact, in order, or is counted.

Parameters: ``manifest`` (path); ``packets`` (per channel and direction); ``stall``; ``ber``; ``delay`` (cycles of the cable);
``seed``.
"""

import random
from collections import Counter, deque

import cocotb
from cocotb.triggers import Timer

from ..golden.fabric.line import LineReader
from ..golden.switch.core import HeaderFormat
from .drivers.fabric_core import FabricCore
from .drivers.line_errors import random_errors, verdicts
from .drivers.lockstep import reset
from .drivers.parameters import code_of, load, load_manifest

PARAMETERS, MANIFEST = load(), load_manifest()
SEED, STALL, BER = PARAMETERS.get("seed", 1), PARAMETERS.get("stall", 0.3), PARAMETERS.get("ber", 0)
DELAY, PACKETS = PARAMETERS.get("delay", 3), PARAMETERS.get("packets", 40)
FLIT, LONGEST = MANIFEST["parameters"]["flit"], MANIFEST["parameters"]["packet"]
FIELDS = {field["name"]: field["bits"] for field in MANIFEST["header"]}
HEADER = HeaderFormat(FIELDS, MANIFEST["fabric"]["header_code"]["columns"], LONGEST)
STATES = MANIFEST["fabric"]["states"]
STATUS = {
    field["name"]: field["bits"]
    for port in MANIFEST["ports"]
    for field in port.get("fields", ())
    if port["name"] == "status"
}
#: Ends of the link: own address and port number of each.
ENDS = {"a": (0x123456789, 3), "b": (0xFEDCBA987, 200)}
#: Bits of a head flit that travel.
HEAD_BITS = min(FLIT, 184)
CODE = code_of(MANIFEST)


class Cable:
    """Codewords from one port to the other, ``DELAY`` cycles later, with wrong bits; ``cut`` gives what arrives instead."""

    def __init__(self, seed):
        self.sent, self._way = [], deque([0] * DELAY)
        self._errors = random_errors(seed, 1 << 20, CODE.n, BER) if BER else {}
        self.errors, self.cut = {}, None

    def step(self, word):
        """The codeword that arrives while ``word`` is sent."""
        error = self._errors.get(len(self.sent), 0)
        if error and self.cut is None:
            self.errors[len(self.sent)] = error
        self.sent.append(word)
        self._way.append(word ^ error)
        arrives = self._way.popleft()
        return arrives if self.cut is None else self.cut()


class Joined:
    """Both ports, the cables and the cores."""

    def __init__(self, dut, seed=SEED, stall=STALL, ends=ENDS):
        self.dut, self.rng, self.cycle = dut, random.Random(seed), 0
        self.cores = {
            end: FabricCore(dut, f"{end}_", MANIFEST, random.Random(seed + n), stall) for n, end in enumerate("ab")
        }
        self.cables = {end: Cable(seed + 10 + n) for n, end in enumerate("ab")}
        self.made = {end: {} for end in "ab"}
        self._serial, self.ends = 0, ends

    async def start(self):
        """Reset, with addresses and port numbers."""
        for end, other in ("ab", "ba"):
            for side, whose in (("own", end), ("peer", other)):
                for name, value in zip(("address", "port"), (self.ends if side == "own" else ENDS)[whose]):
                    getattr(self.dut, f"{end}_{side}_{name}").value = value
            getattr(self.dut, f"{end}_o_ready").value = 1
            getattr(self.dut, f"{end}_i_valid").value = 0
        await reset(self.dut)

    def packet(self, end, channel, length=None, bad=False):
        """A packet with a number of its own; queued at the core of ``end``."""
        rng, self._serial = self.rng, self._serial + 1
        length = length or rng.choice((1, 1, 2, 3, LONGEST))
        header = HEADER.pack({"length": length, "hops": 1})
        top = max(high for _, high in FIELDS.values()) + 1
        room = HEAD_BITS - top
        flits = [header | (self._serial & (1 << min(room, 24)) - 1) << top]
        flits += [rng.getrandbits(FLIT) for _ in range(length - 1)]
        packet = [
            (bits, int(n == 0), int(n == length - 1), int(bad and n == length - 1)) for n, bits in enumerate(flits)
        ]
        self.cores[end].waiting[channel].append(packet)
        self.made[end][flits[0]] = channel, flits
        return packet

    async def step(self):
        """One cycle."""
        dut = self.dut
        for end, other in ("ab", "ba"):
            sent = int(getattr(dut, f"{other}_o_payload").value)
            valid = int(getattr(dut, f"{other}_o_valid").value)
            getattr(dut, f"{end}_i_payload").value = self.cables[other].step(sent)
            getattr(dut, f"{end}_i_valid").value = valid
            self.cores[end].drive(self.cycle)
        dut.reader_i_payload.value = self.cables["a"].sent[-1] & (1 << CODE.k) - 1
        dut.reader_i_valid.value = int(dut.a_o_valid.value)
        dut.reader_o_ready.value = 1
        dut.clk.value = 0
        await Timer(5, unit="ns")
        for core in self.cores.values():
            core.finish(self.cycle)
        dut.clk.value = 1
        await Timer(5, unit="ns")
        self.cycle += 1

    def status(self, end, name):
        """A field of the status."""
        low, high = STATUS[name]
        return int(getattr(self.dut, f"{end}_status").value) >> low & (1 << high - low + 1) - 1

    def state(self, end):
        """The name of the link's state."""
        return STATES[self.status(end, "state")]

    async def until(self, done, cycles=4000):
        """Step until ``done()``."""
        for _ in range(cycles):
            if done():
                return
            await self.step()
        states = {end: self.state(end) for end in "ab"}
        credits = {end: core.credits for end, core in self.cores.items()}
        raise AssertionError(f"not done after {cycles} cycles: {states}, credits {credits}")

    async def up(self):
        """Step until both ends are up."""
        await self.until(lambda: self.state("a") == self.state("b") == "up")

    async def drain(self, cycles=40_000):
        """Step until all has been sent and nothing is on the way."""
        await self.until(lambda: all(core.idle and not any(core.buffers) for core in self.cores.values()), cycles)
        for _ in range(3 * DELAY + 40):
            await self.step()

    def judge(self, end, other):
        """Compare what ``end`` sent with what ``other`` received: a Counter of outcomes."""
        made, outcome = self.made[end], Counter()
        newest, building = {}, {}
        order = {flit[0]: n for n, (_, _, flit) in enumerate(self.cores[end].sent) if flit[1]}
        outcome["sent"] = len(order)
        for cycle, channel, (bits, head, tail, bad) in self.cores[other].received:
            at = f"cycle {cycle}, channel {channel}"
            if head:
                assert channel not in building, f"{at}: a head in a packet"
                building[channel] = []
            if channel not in building:
                raise AssertionError(f"{at}: a flit of no packet")
            building[channel].append(bits)
            if not tail:
                continue
            flits = building.pop(channel)
            if bad:
                outcome["bad"] += 1
            elif not HEADER.is_sane(flits[0] & (1 << FIELDS["check"][1] + 1) - 1):
                outcome["bad header"] += 1
            elif flits[0] not in made or made[flits[0]] != (channel, flits):
                outcome["corrupted"] += 1
            else:
                assert order[flits[0]] > newest.get(channel, -1), f"{at}: out of order or twice"
                newest[channel] = order[flits[0]]
                outcome["good"] += 1
        assert not building, f"packets without an end on channels {list(building)}"
        return outcome

    def missed(self, end):
        """Codewords from ``end`` with wrong bits that no flag shows."""
        return sum(verdict.missed for verdict in verdicts(CODE, self.cables[end].errors).values())

    def account(self, log, unknown=0):
        """Every packet is good, or is counted with its reason."""
        for end, other in ("ab", "ba"):
            outcome = self.judge(end, other)
            counted = {name: self.status(other, name) for name in ("bad_packets", "lost_packets")}
            counted["refused_packets"] = self.status(end, "refused_packets")
            missed = self.missed(end)
            log.info("%s to %s: %s, counted %s, %d codewords missed", end, other, dict(outcome), counted, missed)
            if not missed:
                assert not outcome["corrupted"] and not outcome["bad header"], outcome
                lost = outcome["sent"] - outcome["good"] - sum(counted.values())
                assert 0 <= lost <= unknown, f"{end} to {other}: {lost} packets are neither good nor counted"
                assert outcome["bad"] == counted["bad_packets"] or unknown


@cocotb.test()
async def line_is_legal(dut):
    """Without wrong bits all packets arrive; models and gateware of 256b/260b read the line, and the model its flits."""
    link = Joined(dut)
    await link.start()
    reader = LineReader(MANIFEST)
    await link.up()
    for end in "ab":
        for channel in range(link.cores[end].channels):
            for number in range(PACKETS):
                link.packet(end, channel, bad=number % 9 == 8)
    await link.drain()
    link.account(dut._log)
    blocks = [reader.read(word & (1 << CODE.k) - 1) for word in link.cables["a"].sent[2:]]
    found = [(block.channel, block.flit) for block in blocks if block and block.flit]
    # A bad packet of one flit stays in the port.
    wanted = [(channel, flit) for _, channel, flit in link.cores["a"].sent if not (flit[1] and flit[3])]
    assert len(found) == len(wanted)
    for (channel, flit), (its, original) in zip(found, wanted):
        assert channel == its and flit[1:] == original[1:]
        assert flit[0] in (None, original[0])
    assert reader.pcs.errored_blocks == reader.pcs.header_errors == reader.pcs.corrected_blocks == 0
    assert int(dut.reader_locked.value) == 1 and int(dut.reader_blocks.value) > len(blocks) // 2
    for name in ("header_errors", "corrected_blocks", "errored_blocks"):
        assert int(getattr(dut, f"reader_{name}").value) == 0, name
    kinds = Counter(block.kind for block in blocks if block)
    dut._log.info("%s", dict(kinds))
    assert set(kinds) >= {"hello", "credit", "head", "data", "resume", "abort"}


@cocotb.test()
async def random_traffic(dut):
    """Packets both ways with wrong bits and stalls."""
    link = Joined(dut)
    await link.start()
    await link.up()
    for end in "ab":
        for channel in range(link.cores[end].channels):
            for _ in range(PACKETS):
                link.packet(end, channel)
    await link.drain()
    link.account(dut._log)
