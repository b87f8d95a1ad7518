"""Two fabric ports joined by two cables, with checks of the outcome of every packet."""

import random
from collections import Counter, deque

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS
from dsnswitch.sim.bench.drivers.lockstep import Pins, reset, tick
from dsnswitch.sim.bench.drivers.port_wires import WIDTHS, Cable, missed, wrong_bits
from dsnswitch.sim.golden.core.core import HeaderFormat

#: Fields of the status that are not counters.
NO_COUNTERS = ("state", "mismatch", "differing", "peer")

#: Cycles until a receiver of the light format loses its lock after the boundaries of codewords have moved.
UNLOCKS = 40


class FabricStatus:
    """Reads output ``<prefix>status``. The manifest states its fields for port ``<owner>status``."""

    def __init__(self, dut, prefix, manifest, owner):
        [port] = [port for port in manifest["ports"] if port["name"] == f"{owner}status"]
        self._fields = {field["name"]: field["bits"] for field in port["fields"]}
        self._handle = getattr(dut, f"{prefix}status")
        self._states = manifest["fabric"]["states"]

    def value(self, name):
        """Value of a field."""
        low, high = self._fields[name]
        return int(self._handle.value) >> low & (1 << high - low + 1) - 1

    @property
    def state(self):
        """Name of the link's state."""
        return self._states[self.value("state")]

    def counters(self):
        """``{name: count}``."""
        return {name: self.value(name) for name in self._fields if name.partition(".")[0] not in NO_COUNTERS}


class FabricCore:
    """One core's side of a fabric port.

    Parameters
    ----------
    - prefix: Prefix of the port's signals, such as ``a_``.
    - stall: Share of cycles in which the core offers no flit of a packet, and in which no flit leaves a buffer.
    """

    #: Cycles from the decision to send a flit to its arrival at the port, as in the switch core.
    LATENCY = 2

    def __init__(self, dut, prefix, manifest, rng, stall):
        parameters = manifest["parameters"]
        self.channels, self.depth = manifest["fabric"]["channels"], parameters["depth"]
        self._width, self._rng, self.stall = parameters["flit"], rng, stall
        self._pins = Pins(dut, f"{prefix}core_")
        self._speculates = hasattr(dut, f"{prefix}core_confirmed")
        #: Waiting packets, by channel. ``(cycle, channel, flit)`` of flits that entered and left the port; None at a reset.
        self.waiting = [deque() for _ in range(self.channels)]
        #: Channels of which no flit leaves the buffer.
        self.blocked = ()
        self.sent, self.received, self.in_reset = [], [], False
        self.reset()

    def reset(self):
        """Set the state to that after a reset of the core."""
        self.credits = [self.depth] * self.channels
        self._moving = [deque() for _ in range(self.channels)]
        self._pipeline = deque([None] * self.LATENCY)
        self.buffers = [0] * self.channels
        self._stalled, self._last = False, None
        self.received.append((None, None, None))

    def drive(self, cycle):
        """Drive flits and credits. Call it after the registers have settled."""
        self._pipeline.append(None if self._stalled or self.in_reset else self._next())
        leaving = self._pipeline.popleft()
        pins = self._pins
        pins.put("tx_valid", 0 if leaving is None else 1 << leaving[0])
        if leaving is not None:
            channel, (bits, head, tail, bad) = leaving
            pins.put("tx_flit", bits | (head | tail << 1 | bad << 2) << self._width)
            self.sent.append((cycle, channel, (bits, head, tail, bad)))
        if not self._speculates:
            self._receive(cycle)
        self._return_credits()

    def _next(self):
        """The next flit, chosen as by the core's allocator: of the packet that used the port last, else of any that can move."""
        ready = [v for v in range(self.channels) if self._moving[v] and self._rng.random() >= self.stall]
        ready = [self._last] if self._last in ready else ready
        starts = [v for v in range(self.channels) if not self._moving[v] and self._fits(v)]
        if not ready and starts and self._rng.random() >= self.stall:
            v = self._rng.choice(starts)
            self._moving[v].extend(self.waiting[v].popleft())
            ready = [v]
        if not ready:
            return None
        v = self._last = self._rng.choice(ready)
        self.credits[v] -= 1
        flit = self._moving[v].popleft()
        if not self._moving[v]:
            self._last = None
        return v, flit

    def _fits(self, channel):
        return self.waiting[channel] and self.credits[channel] >= len(self.waiting[channel][0])

    def _receive(self, cycle):
        pins = self._pins
        valid = pins.get("rx_valid")
        if self._speculates and not pins.get("confirmed"):
            return
        if valid and not self.in_reset:
            assert valid.bit_count() == 1, f"cycle {cycle}: flits on channels {valid:b}"
            channel, bits = valid.bit_length() - 1, pins.get("rx_flit")
            flags = bits >> self._width
            flit = bits & (1 << self._width) - 1, flags & 1, flags >> 1 & 1, flags >> 2
            self.received.append((cycle, channel, flit))
            self.buffers[channel] += 1
            assert self.buffers[channel] <= self.depth, f"cycle {cycle}: buffer {channel} overflows"

    def _return_credits(self):
        credit = 0
        for v in range(self.channels):
            if self.buffers[v] and v not in self.blocked and self._rng.random() >= self.stall:
                self.buffers[v] -= 1
                credit |= 1 << v
        self._pins.put("rx_credit", credit)

    def finish(self, cycle):
        """Sample credits, the stall and ``confirmed`` late, as the core's registers do. Call it before the next edge."""
        if self.in_reset:
            return
        if self._speculates:
            self._receive(cycle)
        credit = self._pins.get("tx_credit")
        for v in range(self.channels):
            self.credits[v] += credit >> v & 1
            assert self.credits[v] <= self.depth, f"cycle {cycle}: too many credits for channel {v}"
        self._stalled = bool(self._pins.get("stall"))

    @property
    def idle(self):
        """Whether no flit waits or moves, and all credits have returned."""
        return not any(self.waiting) and not any(self._moving) and self.credits == [self.depth] * self.channels


#: Ends of the link: own address and port number of each.
ENDS = {"a": (0x123456789, 3), "b": (0xFEDCBA987, 200)}
#: Number of bits of a head flit on the line.
HEAD_BITS = 184


class FabricLink:
    """Both ports, the cables and the cores.

    Parameters
    ----------
    - dut: Module ``joined``: ports ``a`` and ``b``, and perhaps ``reader``, which receives the codewords of ``a``.
    - manifest: Manifest of a port.
    - parameters: ``seed``; ``stall`` of the cores, ``line_stall`` of the line (shares of cycles); those of
      :func:`wrong_bits`; ``delay`` of a cable in cycles; ``second``, the second port's kind of link, if it is another;
      ``strict``, the format of each end that selects one.
    - ends: Own address and port number that each end is given. :data:`ENDS` are the correct ones.

    Attributes
    ----------
    - looped: Each end receives its own words.
    - most_credits: Greatest sum of a channel's credits and of the flits in the buffer that they are for; at most the depth of
      the buffer.
    """

    def __init__(self, dut, manifest, parameters, ends=ENDS):
        seed, stall = parameters.get("seed", 1), parameters.get("stall", 0.3)
        self.dut, self.rng, self.cycle, self.ends = dut, random.Random(seed), 0, ends
        self._pins = Pins(dut)
        self.manifest, self.link = manifest, manifest["fabric"]["link"]
        self._has_reader = bool(manifest.get("reader"))
        self._parts = ("a", "b", "reader") if self._has_reader else ("a", "b")
        self.width, self._line_stall = WIDTHS[self.link], parameters.get("line_stall", 0)
        self._kinds = {"a": self.link, "b": parameters.get("second", self.link)}
        self._strict = dict(zip("ab", parameters.get("strict", (1, 1))))
        self.delay, self._flit = parameters.get("delay", 3), manifest["parameters"]["flit"]
        self.longest = manifest["parameters"]["packet"]
        self._fields = {field["name"]: field["bits"] for field in manifest["header"]}
        self.header = HeaderFormat(self._fields, manifest["fabric"]["header_code"]["columns"], self.longest)
        abouts = {"a": manifest, "b": manifest.get("second", manifest)}
        self._status = {end: FabricStatus(dut, f"{end}_", about, "") for end, about in abouts.items()}
        self.cores = {
            end: FabricCore(dut, f"{end}_", about, random.Random(seed + n), stall)
            for n, (end, about) in enumerate(abouts.items())
        }
        self.cables = {
            end: Cable(wrong_bits(self._kinds[end], seed + 10 + n, parameters), self.delay, self._kinds[end], other)
            for n, (end, other) in enumerate(zip("ab", (self._kinds["b"], self._kinds["a"])))
        }
        self.made, self._serial, self.most_credits = {end: {} for end in "ab"}, 0, 0
        self.looped = False
        #: Cycle of the last reset of each end in the account.
        self._resets = {}

    @classmethod
    async def begin(cls, dut, ends=ENDS, up=True, fill=0, **changes):
        """A link after a reset, and ``up``, with ``fill`` packets as by :meth:`fill`; ``changes`` replace parameters."""
        link = cls(dut, MANIFEST, PARAMETERS | changes, ends)
        await link.start()
        if up:
            await link.up()
        link.fill(fill)
        return link

    async def start(self):
        """Reset, with addresses and port numbers."""
        dut = self.dut
        if self._has_reader:
            dut.reader_o_ready.value = 1
        for name, strict in self._strict.items():
            if self._kinds[name] == "selected":
                self.select(name, strict)
        for end, other in ("ab", "ba"):
            for side, whose, source in (("own", end, self.ends), ("peer", other, ENDS)):
                for name, value in zip(("address", "port"), source[whose]):
                    getattr(dut, f"{end}_{side}_{name}").value = value
        for name in self._parts:
            self._pins.put(f"{name}_i_valid", 0)
        await reset(dut, [f"{name}_rst" for name in self._parts])

    def select(self, end, strict):
        """Ask for a format at an end that selects one, and at the reader of its line."""
        getattr(self.dut, f"{end}_strict").value = strict
        if end == "a" and hasattr(self.dut, "reader_strict"):
            self.dut.reader_strict.value = strict

    def packet(self, end, channel, length=None, bad=False):
        """Queue a packet with a unique number at the core of ``end``."""
        rng, self._serial = self.rng, self._serial + 1
        length = length or rng.choice((1, 1, 2, 3, self.longest))
        top = max(high for _, high in self._fields.values()) + 1
        payload = min(min(self._flit, HEAD_BITS) - top, 24)
        flits = [self.header.pack({"length": length, "hops": 1}) | (self._serial & (1 << payload) - 1) << top]
        flits += [rng.getrandbits(self._flit) for _ in range(length - 1)]
        last = length - 1
        self.cores[end].waiting[channel].append(
            [(bits, int(n == 0), int(n == last), int(bad and n == last)) for n, bits in enumerate(flits)]
        )
        self.made[end][flits[0]] = channel, flits

    def fill(self, packets):
        """Queue ``packets`` packets of random lengths for each channel and direction."""
        for end, core in self.cores.items():
            for channel in range(core.channels):
                for _ in range(packets):
                    self.packet(end, channel)

    async def step(self):
        """One cycle."""
        pins, arriving = self._pins, {}
        for other in "ba":
            goes = int(self.rng.random() >= self._line_stall)
            pins.put(f"{other}_o_ready", goes)
            sent = goes and pins.get(f"{other}_o_valid")
            word = pins.get(f"{other}_o_payload") if sent else None
            if other == "a" and self._has_reader:
                # The reader of a light line reads blocks without check bits.
                pins.put("reader_i_payload", (word or 0) & (1 << min(self.width, 260)) - 1)
                pins.put("reader_i_valid", int(bool(sent)))
            arriving[other] = self.cables[other].step(word)
        for end, other in ("ab", "ba"):
            arrives = arriving[end if self.looped else other]
            pins.put(f"{end}_i_valid", int(arrives is not None))
            if arrives is not None:
                pins.put(f"{end}_i_payload", arrives)
            self.cores[end].drive(self.cycle)
            if pins.get(f"{end}_slip"):
                self.cables[end if self.looped else other].slip()
        await tick(self.dut, lambda: [core.finish(self.cycle) for core in self.cores.values()])
        self.cycle += 1
        for sender, receiver in (("a", "b"), ("b", "a")):
            held = zip(self.cores[sender].credits, self.cores[receiver].buffers)
            self.most_credits = max(self.most_credits, *(sum(pair) for pair in held))

    async def reset_one(self, end):
        """Reset one port with its core."""
        core, self.cores[end].in_reset = self.cores[end], True
        self._resets[end] = self.cycle
        other = "ba"["ab".index(end)]
        getattr(self.dut, f"{end}_rst").value = 1
        for _ in range(3):
            core.reset()
            await self.step()
        self.cables[end].restart_sender()
        self.cables[other].restart_receiver()
        core.reset()
        core.in_reset = False
        getattr(self.dut, f"{end}_rst").value = 0

    def status(self, end, name):
        """Value of a field of the status."""
        return self._status[end].value(name)

    def state(self, end):
        """The name of the link's state."""
        return self._status[end].state

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
        """Step until both ends are up. A selected line tests each word of a codeword for its first."""
        cycles = 9000 if "selected" in self._kinds.values() else 4000
        await self.until(lambda: self.state("a") == self.state("b") == "up", cycles)

    async def run(self, cycles):
        """Step ``cycles`` times."""
        for _ in range(cycles):
            await self.step()

    async def forget(self):
        """Begin a new account: without the packets and counts before."""
        for name in "ab":
            self.made[name].clear()
            self.cores[name].sent.clear()
            self.cores[name].received.clear()
        self._resets.clear()
        for value in (1, 0):
            for name in "ab":
                getattr(self.dut, f"{name}_clear").value = value
            await self.step()

    async def drain(self, cycles=40_000):
        """Step until all packets have been sent and none is under way."""
        await self.until(lambda: all(core.idle and not any(core.buffers) for core in self.cores.values()), cycles)
        await self.run(3 * self.delay + 60)

    async def recover(self, unknown=0):
        """Step until both ends are up and nothing is under way; returns the account."""
        await self.up()
        await self.drain()
        return self.account(unknown)

    def sum(self, name):
        """Sum of a counter of both ends."""
        return self.status("a", name) + self.status("b", name)

    def all_good(self, packets):
        """Check that all packets that :meth:`fill` has queued have arrived."""
        total = self.account()
        assert total["good"] == total["sent"] == 2 * packets * self.cores["a"].channels

    async def all_arrive(self, packets):
        """New packets, ``packets`` per channel and direction, all arrive, and none is counted as lost."""
        await self.forget()
        self.fill(packets)
        await self.drain()
        self.all_good(packets)

    def judge(self, end, other):
        """Compare the packets that ``end`` sent with those that ``other`` received. Returns a Counter of outcomes."""
        made, outcome = self.made[end], Counter()
        newest, building = {}, {}
        order = {flit[0]: n for n, (_, _, flit) in enumerate(self.cores[end].sent) if flit[1]}
        outcome["sent"] = len(order)
        for cycle, channel, flit in self.cores[other].received:
            at = f"cycle {cycle}, channel {channel}"
            if flit is None:
                building.clear()
                continue
            bits, head, tail, bad = flit
            if head and not self.header.is_sane(bits & (1 << self._fields["check"][1] + 1) - 1):
                outcome["bad header"] += 1
                continue
            single = channel in building and self.header.read(building[channel][0])["length"] == 1
            if head and single and self.missed(end):
                # A codeword that was missed has hidden that the packet before has a single flit. The core counts a wrong length.
                outcome["corrupted"] += 1
                del building[channel]
            assert head != (channel in building), f"{at}: a head in a packet, or a flit of no packet"
            building.setdefault(channel, []).append(bits)
            if not tail:
                continue
            flits = building.pop(channel)
            if bad:
                outcome["bad"] += 1
            elif made.get(flits[0]) != (channel, flits):
                outcome["completed" if self._moves(end, cycle) else "corrupted"] += 1
            else:
                assert order[flits[0]] > newest.get(channel, -1), f"{at}: out of order or twice"
                newest[channel] = order[flits[0]]
                outcome["good"] += 1
        assert not building, f"packets without an end on channels {list(building)}"
        return outcome

    def _moves(self, end, cycle):
        """Whether a reset of ``end`` has moved the boundaries of codewords, and the receiver may still have its lock.

        It then takes wrong codewords, of which some look like those with a single wrong bit. So it is in the light format of a
        selected link, which has no boundaries of its own.
        """
        is_light = self._kinds[end] == "selected" and not self._strict[end]
        return is_light and end in self._resets and cycle - self._resets[end] < UNLOCKS

    def missed(self, end):
        """Codewords from ``end`` with wrong bits that no flag shows."""
        return missed(self.manifest, self.cables[end].errors, self._strict[end])

    def account(self, unknown=0):
        """Check that every packet, except at most ``unknown``, is good or counted once. Returns the sum of outcomes.

        A codeword with at least three wrong bits may look like one with a single wrong bit. Each such codeword allows the number
        of exceptions that it can cause. On each channel, one packet may be completed by a reset (:meth:`_moves`).
        """
        total = Counter()
        for end, other in ("ab", "ba"):
            outcome = self.judge(end, other)
            counted = {name: self.status(other, name) for name in ("bad_packets", "lost_packets")}
            counted["refused_packets"] = self.status(end, "refused_packets")
            missed = self.missed(end)
            self.dut._log.info("%s to %s: %s, counted %s, missed %d", end, other, dict(outcome), counted, missed)
            total.update(outcome)
            total.update(counted)
            # A wrong codeword without a flag makes the next wrong, too. Each can belong to two packets, or have any contents.
            doubtful = 4 * missed
            assert outcome["corrupted"] <= doubtful, outcome
            assert outcome["completed"] <= self.cores[end].channels, outcome
            lost = outcome["sent"] - outcome["good"] - sum(counted.values())
            fine = -unknown - doubtful <= lost <= unknown + doubtful
            assert fine, f"{end} to {other}: {lost} packets are neither good nor counted"
            assert outcome["bad"] == counted["bad_packets"] or unknown, outcome
        return total
