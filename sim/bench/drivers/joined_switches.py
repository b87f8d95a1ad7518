"""Universal switches of a small network, joined by lines with wrong bits, and the packets of their hosts."""

from collections import Counter, deque
from types import SimpleNamespace

from dsnswitch.net.topology.registry import network_of_manifest
from dsnswitch.sim.bench.drivers.flit_ends import Receiver, Sender
from dsnswitch.sim.bench.drivers.given import PARAMETERS
from dsnswitch.sim.bench.drivers.lockstep import Pins, reset, tick
from dsnswitch.sim.bench.drivers.port_link import FabricStatus
from dsnswitch.sim.bench.drivers.port_wires import WIDTHS, missed, random_errors
from dsnswitch.sim.golden.core.channels import Channels
from dsnswitch.sim.golden.core.core import Flit, HeaderFormat, flits_of
from dsnswitch.sim.golden.fec.crc32c import PacketCheck
from dsnswitch.sim.golden.routing.registry import path
from dsnswitch.sim.topology import address_of

#: Cycles after which every wrong bit of a line has been decoded and counted, whatever its code.
FLUSH = 400


class Line:
    """Wrong bits of one line. ``flips`` has them by the number of a word; ``errors`` has those that have passed.

    The words of ``instead``, another line, arrive in place of its own. After :meth:`remember`, words arrive ``late`` cycles late.
    A boundary that is ``off`` bits early has the last bits of the previous word first; :meth:`slip` moves it by one bit.
    """

    def __init__(self, dut, name, seed, width):
        self._flip, self.flips, self.errors = getattr(dut, f"{name}_flip"), {}, {}
        self._word, self.instead = getattr(dut, name), None
        self.late, self._past = 0, None
        self.off, self._previous = 0, 0
        self._seed, self._width = seed, width
        self._number, self._driven = 0, None

    def begin(self, ber):
        """Start to insert wrong bits at the rate ``ber``."""
        self.flips = random_errors(self._seed, 1 << 17, self._width, ber) if ber else {}
        self._number = 0

    def step(self):
        """One word."""
        flip = self.flips.get(self._number, 0)
        if flip:
            self.errors[self._number] = flip
        own = int(self._word.value)
        word = int(self.instead._word.value) if self.instead else own
        if self._past is not None:
            word ^= self._lag()
        bits, self._previous = self._previous | word << self._width, word
        flip ^= own ^ bits >> self._width - self.off & (1 << self._width) - 1
        if flip != self._driven:
            self._driven = self._flip.value = flip
        self._number += 1

    def remember(self, most):
        """From now on, ``late`` may be up to ``most``."""
        self._past = deque([int(self._word.value)] * (most + 1), maxlen=most + 1)

    def slip(self):
        """The receiver asks for another boundary."""
        self.off = (self.off - 1) % self._width

    def _lag(self):
        """Difference between the word that leaves now and the word that arrives."""
        word = int(self._word.value)
        self._past.append(word)
        return word ^ self._past[-1 - self.late]


class JoinedSwitches:
    """All switches of a network as instances ``s0``, ``s1``, ... of module ``joined``.

    After ``quiet`` cycles without a flit at any host, no flit is under way.

    Attributes
    ----------
    - hosts: ``(switch, host)`` of every host.
    - networks: First channel of each virtual network at a host.
    - received: ``{(host, channel): flits}`` that have arrived.
    - hops: ``{(source, sink): hop counts}`` of the packets that have arrived.
    - untaken: ``{host: packets}`` that were dropped because the host has taken nothing.
    - width: Bits of a word of a line.
    - bad_checks: Packets to hosts whose end-to-end check is wrong.
    """

    def __init__(self, dut, manifest, ber, rng, stall, quiet):
        self.dut, self.rng, self.cycle, self._ber, self._pins = dut, rng, 0, ber, Pins(dut)
        self._quiet = quiet
        self._manifest, self.network = manifest, network_of_manifest(manifest)
        parameters, self._ports = manifest["parameters"], manifest["core_ports"]
        self._flit, self.longest, depth = parameters["flit"], parameters["packet"], parameters["depth"]
        self.header, self._check = HeaderFormat.of(manifest), PacketCheck.of(manifest)
        self.switches = list(self.network.switches())
        self.width = WIDTHS[manifest["fabric"]["link"]]
        self.lines, self._status, self.hosts, self._ends, self._far = {}, [], [], {}, {}
        names = {port["index"]: port["name"] for port in self._ports if port["kind"] != "host"}
        for number, switch in enumerate(self.switches):
            for port in self._ports:
                name = f"s{number}_{port['name']}"
                if port["kind"] != "host":
                    seed = rng.getrandbits(30)
                    there, far = self.network.neighbour(switch, port["index"])
                    self._far[name] = f"s{self.switches.index(there)}_{names[far]}"
                    self.lines[name] = Line(dut, f"{name}_line", seed, self.width)
                    self._status.append(FabricStatus(dut, f"{name}_", manifest, f"{port['name']}_"))
                    continue
                host = switch, port["index"]
                self.hosts.append(host)
                self._ends[host] = SimpleNamespace(
                    sender=Sender(port["channels"], depth, rng, stall),
                    receiver=Receiver(port["channels"], depth, rng, stall),
                    pins=Pins(dut, f"{name}_"),
                )
        self.events = [port["name"] for port in manifest["ports"] if port["role"] == "packet-event"]
        self._dropped = Counter()
        port = next(port for port in self._ports if port["kind"] == "host")
        channels = Channels(port)
        self.networks = [channels.place(number, 0) for number in range(len(channels.spreads))]
        self.made, self.hops = {}, {}
        self.received = {(host, channel): [] for host in self.hosts for channel in range(port["channels"])}
        self.untaken, self.bad_checks = Counter(), 0
        self._has_check = any(port["name"] == "bad_check" for port in manifest["ports"])

    async def begin(self, patience=0):
        """Reset, with addresses and ``patience`` with hosts, then run until every link is up. Then wrong bits begin.

        Until then, boundaries of words are off by random bits if the bench has the parameter ``moved``.
        """
        dut, net = self.dut, self.network
        for number, switch in enumerate(self.switches):
            values = {"clear": 0, "patience": patience}
            for name, value in zip((field.name for field in net.fields), switch):
                values[f"own_{name}"] = value
            for port in self._ports:
                if port["kind"] == "host":
                    values |= {f"{port['name']}_{pin}": 0 for pin in ("rx_valid", "rx_flit", "tx_credit", "stall")}
                else:
                    there, far = net.neighbour(switch, port["index"])
                    values[f"{port['name']}_peer_address"] = address_of(net, there)
                    values[f"{port['name']}_peer_port"] = far
                    values[f"{port['name']}_strict"] = 1
            present = {port["name"] for port in self._manifest["ports"]}
            for name, value in values.items():
                if name in present:
                    getattr(dut, f"s{number}_{name}").value = value
        for line in self.lines.values():
            line.off = self.rng.randrange(1, self.width) if PARAMETERS.get("moved") else 0
            line.step()
        await reset(dut)
        await self.until_up(4 * self._manifest["fabric"]["wait_blocks"] + (16 * self.width if PARAMETERS.get("moved") else 800))
        assert not any(line.off for line in self.lines.values()), "a link is up at a wrong boundary"
        for line in self.lines.values():
            line.begin(self._ber)

    def packet(self, source, sink, length=None, virtual_network=None):
        """Queue a packet with a unique number at the host ``source``, in a random virtual network if none is given."""
        length = length or self.rng.choice((1, 1, 2, self.longest))
        if virtual_network is None:
            virtual_network = self.rng.randrange(len(self.networks)) if len(self.networks) > 1 else 0
        values = {"length": length, "hops": 0, "virtual_network": virtual_network}
        for end, (switch, host) in (("destination", sink), ("source", source)):
            for field, value in zip(self.network.fields, switch):
                values[f"{end}.{field.name}"] = value
            values[f"{end}.host"] = host
        values = {name: value for name, value in values.items() if name in self.header.fields}
        top = self.header.fields["check"][1] + 1
        number = len(self.made)
        end = self._check.place(1) if self._check and length == 1 else None
        assert number < 1 << (end or self._flit) - top, "more packets than numbers"
        words = [self.header.pack(values) | number << top]
        words += [self.rng.getrandbits(self._flit) for _ in range(length - 1)]
        # The switch writes the check.
        self.made[number] = source, sink, self._check.stamped(words) if self._check else words
        self._ends[source].sender.queues[self.networks[virtual_network]].append(deque(flits_of(words)))

    def dropped(self, source):
        """Queue a packet with a wrong check bit, and one that has passed too many switches. The first switch drops both."""
        low, high = self.header.fields["hops"]
        wrong = self.header.pack({"length": 1}) ^ 1 << self.header.fields["check"][0]
        for word in (wrong, self.header.pack({"length": 1, "hops": (1 << high - low + 1) - 1})):
            self._ends[source].sender.queues[0].append(deque([Flit(word, 1, 1, 0)]))

    async def step(self):
        """One cycle."""
        for name, line in self.lines.items():
            if self._pins.get(f"{self._far[name]}_slip"):
                line.slip()
            line.step()
        for number in range(len(self.switches)):
            for name in self.events:
                self._dropped[name] += self._pins.get(f"s{number}_{name}").bit_count()
            self.bad_checks += self._pins.get(f"s{number}_bad_check").bit_count() if self._has_check else 0
            word = self._pins.get(f"s{number}_untaken")
            self.untaken.update((self.switches[number], host) for host in range(word.bit_length()) if word >> host & 1)
        for host, end in self._ends.items():
            self._move(host, end)
        await tick(self.dut)
        self.cycle += 1

    async def run(self, cycles):
        """Some cycles."""
        for _ in range(cycles):
            await self.step()

    def _move(self, host, end):
        """Run one cycle of the host's side of a port."""
        back = end.pins.get("rx_credit")
        for v in range(len(end.sender.credits)):
            end.sender.credits[v] += back >> v & 1
        if valid := end.pins.get("tx_valid"):
            channel = valid.bit_length() - 1
            self.received[host, channel].append(Flit.of(end.pins.get("tx_flit"), self._flit))
            end.receiver.take(self.cycle, channel)
        sent = end.sender.send()
        end.pins.put("rx_valid", 1 << sent[0] if sent else 0)
        if sent:
            end.pins.put("rx_flit", sent[1].word(self._flit))
        end.pins.put("tx_credit", end.receiver.credits(self.cycle))

    async def drain(self, limit=60_000):
        """Run until every host has sent all packets and has all credits, and no flit has arrived for ``quiet`` cycles."""
        last, since = None, self.cycle
        while self.cycle - since < self._quiet:
            await self.step()
            state = [(end.sender.waiting(), sum(end.sender.credits), end.receiver.flits) for end in self._ends.values()]
            if state != last:
                last, since = state, self.cycle
            assert self.cycle < limit, f"still moving after {limit} cycles"
        for host, end in self._ends.items():
            assert not end.sender.waiting(), f"{host} waits for credits"
            assert all(credit == self._manifest["parameters"]["depth"] for credit in end.sender.credits), host

    def swap(self, lines):
        """From now on, the words of the line ``lines[name]`` arrive where those of the line ``name`` would, and no others."""
        for name, line in self.lines.items():
            line.instead = self.lines[lines[name]] if name in lines else None

    def joins(self, name, other):
        """Whether two lines are the two directions of one cable."""
        return self._far[name] == other

    def forget(self):
        """Begin a new account: without the packets that were made and received."""
        self.made.clear()
        for received in self.received.values():
            received.clear()

    async def until_up(self, limit=4000):
        """Run until all links are up."""
        for _ in range(limit):
            if all(status.state == "up" for status in self._status):
                return
            await self.step()
        raise AssertionError(f"links are {[status.state for status in self._status]} after {limit} cycles")

    def block(self, host, blocked=True, virtual_network=None):
        """Let a host take nothing, or nothing of a virtual network, or take again."""
        receiver = self._ends[host].receiver
        ends = [*self.networks, len(receiver.full)]
        own = range(ends[-1]) if virtual_network is None else range(*ends[virtual_network : virtual_network + 2])
        receiver.blocked = set(own) if blocked else set()

    def waiting(self, virtual_network=None):
        """``{host: flits}`` that wait to be sent, perhaps of one virtual network."""
        if virtual_network is None:
            return {host: end.sender.waiting() for host, end in self._ends.items()}
        queue = self.networks[virtual_network]
        return {host: sum(map(len, end.sender.queues[queue])) for host, end in self._ends.items()}

    def switches_between(self, source, sink):
        """Number of switches on the golden route, including the first and the last."""
        if source == sink:
            return 1
        return 1 + len(path(self.network, source, sink))

    def judge(self, ended=True):
        """Counter of outcomes, from the packets that the hosts received, the last of which are whole if traffic has ``ended``."""
        outcome, seen = Counter(sent=len(self.made)), set()
        top = self.header.fields["check"][1] + 1
        for (host, _), flits in self.received.items():
            packet, newest = [], {}
            for flit in flits:
                assert flit.head == (not packet), f"{host}: a head in a packet, or a flit of no packet"
                packet.append(flit)
                if not flit.tail:
                    continue
                words, packet = [item.data for item in packet], []
                # The check of a packet of one flit stands above its number.
                end = self._check.place(1) if self._check and len(words) == 1 else None
                number = (words[0] & (1 << (end or self._flit)) - 1) >> top
                if flit.bad:
                    outcome["bad"] += 1
                    continue
                source, sink, expected = self.made.get(number, (None, host, None))
                assert sink == host, f"{host}: packet {number} is for {sink}"
                hops = self.header.read(words[0])["hops"]
                if expected is None or words != [self._after(expected[0], hops), *expected[1:]]:
                    checked = self._check and self._check.place(len(words)) is not None
                    outcome["corrupted"] += 1
                    outcome["unnoticed"] += bool(checked)
                    continue
                assert number not in seen, f"{host}: packet {number} arrived twice"
                assert number > newest.get(source, -1), f"{host}: packet {number} is out of order"
                seen.add(number)
                newest[source] = number
                self.hops.setdefault((source, host), set()).add(hops)
                outcome["good"] += 1
            assert not (packet and ended), f"{host}: a packet without an end"
        return outcome

    def _after(self, word, hops):
        """The header ``word`` after it has passed ``hops`` switches."""
        for _ in range(hops):
            word = self.header.next_hop(word, {})
        return word

    def counted(self):
        """Sum of all counters of all ports, and of the events of all cores."""
        total = Counter(self._dropped)
        for status in self._status:
            total.update(status.counters())
        return total

    async def clear(self):
        """Set all counters to 0, after the last wrong bits have passed."""
        self._dropped.clear()
        for value, cycles in ((0, FLUSH), (1, 4), (0, 4)):
            for number in range(len(self.switches)):
                getattr(self.dut, f"s{number}_clear").value = value
            for line in self.lines.values():
                line.begin(0)
            await self.run(cycles)

    def missed(self):
        """Codewords with wrong bits that no flag of the decoder shows."""
        named = {"code": self._manifest["line_code"], **{key: self._manifest[key] for key in ("fabric", "parameters")}}
        return sum(missed(named, line.errors) for line in self.lines.values())
