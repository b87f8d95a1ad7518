"""Whole switches whose lines have flits as they are: all bits of packets from any host to any other, and of what ports show."""

import random
from collections import Counter, deque

import pytest
from amaranth.hdl import Cat, Module, Mux, Value
from amaranth.lib import wiring

from dsnswitch.gen.config import build
from dsnswitch.hdl.core.arrival import EVENTS
from dsnswitch.hdl.line.line_format import hello_layout
from dsnswitch.hdl.port.port import FabricPort
from dsnswitch.hdl.switch import switch as device
from dsnswitch.hdl.switch.end_to_end import EndToEnd
from dsnswitch.sim.golden.core.core import Flit, HeaderFormat
from dsnswitch.sim.golden.fec.crc32c import PacketCheck

from ..compared import assign, joined, pins
from .test_switch import SQUARE, TORUS

#: Packets of each host.
PACKETS = 10


class Bare(FabricPort):
    """A fabric port whose line has flits as they are. Its status repeats the word of the line and both ends."""

    def elaborate(self, platform):
        m = Module()
        core, word = self.core, self.i.payload
        shown = Cat(word, self.own_address, self.own_port, self.peer_address, self.peer_port)
        m.d.comb += [
            Cat(core.rx.flit, core.rx.valid, core.confirmed, core.tx.credit).eq(Mux(self.i.valid, word, 0)),
            self.o.payload.eq(Cat(core.tx.flit, core.tx.valid, core.rx.credit)),
            Value.cast(self.status).eq(Cat(shown, shown)),
            Cat(self.locked, self.slip).eq(word[-2:]),
        ]
        return m


class Passing(EndToEnd):
    """Passes flits as they are. What it says of a check depends on the flit and on the address of the switch."""

    def elaborate(self, platform):
        m = Module()
        wiring.connect(m, wiring.flipped(self.host.rx), wiring.flipped(self.core.rx))
        wiring.connect(m, wiring.flipped(self.core.tx), wiring.flipped(self.host.tx))
        came = self.core.tx
        m.d.comb += [
            self.core.stall.eq(self.host.stall),
            self.bad_check.eq(came.valid.any() & came.flit.data[-1] ^ self.own_address.xor()),
        ]
        return m


class Network:
    """Equal switches, of which one at a time is simulated, with checks or with units that pass flits in place of them.

    ``waiting``: ``{switch: {port: flits that enter it}}``.
    """

    def __init__(self, values, checks):
        block = build({"block": "switch", "apb": False, **values})
        self.shape, self.switch, self.rng = block.core.shape, block.component(), random.Random(1)
        self.into, self.out = pins(self.switch)
        about = {"header": block.facts["header"], "code": block.facts["code"], "parameters": block.parameters}
        self.header, self.checks = HeaderFormat.of(about), checks
        self.stamped = PacketCheck(about | block.facts).stamped if checks else list
        kept = [bits for name, bits in self.header.fields.items() if name not in block.facts["end_to_end"]["not_covered"]]
        top = self.header.fields["check"][1] + 1
        #: Bits of a head that no switch changes.
        self.covered = sum((2 << high) - (1 << low) for low, high in kept) | (1 << self.shape.flit) - (1 << top)
        self.network = self.shape.network
        self.axes = [field.name for field in self.network.fields]
        hosts = [port.name for port in self.shape.ports if port.is_host]
        ends = [(at, host) for at in self.network.switches() for host in range(len(hosts))]
        self.waiting = {at: {port.name: deque() for port in self.shape.ports} for at in self.network.switches()}
        self.expected, self.arrived = Counter(), Counter()
        for at, host in ends:
            for to in self.rng.choices([end for end in ends if end != (at, host)], k=PACKETS):
                self.packet(self.waiting[at][hosts[host]], (at, host), to)

    def packet(self, queue, source, destination):
        """Queue a packet, and expect it at the other end."""
        length, bad = self.rng.randint(1, self.shape.packet), self.rng.getrandbits(1)
        values = {"length": length}
        for name, (at, host) in (("source", source), ("destination", destination)):
            values |= {f"{name}.{axis}": place for axis, place in zip(self.axes, at)}
            values |= {f"{name}.host": host} if f"{name}.host" in self.header.fields else {}
        words = [self.rng.getrandbits(self.shape.flit) for _ in range(length)]
        top = self.header.fields["check"][1] + 1
        words[0] = words[0] >> top << top | self.header.pack(values)
        last = length - 1
        queue.extend(Flit(word, int(not n), int(n == last), bad * (n == last)) for n, word in enumerate(words))
        first, *rest = self.stamped(words)
        self.expected[destination, first & self.covered, *rest, bad] += 1

    async def run(self, ctx):
        """Simulate each switch as long as flits wait for it."""
        while any(map(any, (queues.values() for queues in self.waiting.values()))):
            for at, queues in self.waiting.items():
                if any(queues.values()):
                    await self._round(ctx, at, queues)

    async def _round(self, ctx, at, queues):
        """One switch, until it is empty."""
        able, owed, quiet = dict.fromkeys(queues, self.shape.depth), dict.fromkeys(queues, 0), 0
        packets = dict.fromkeys(queues, ())
        while quiet < 12:
            given, words = dict.fromkeys(self.into, 0) | {f"own__{axis}": place for axis, place in zip(self.axes, at)}, {}
            for port in self.shape.ports:
                name, queue, rng = port.name, queues[port.name], self.rng
                sends = bool(queue) and able[name] > 0 and rng.random() < 0.8
                flit = queue.popleft().word(self.shape.flit) if sends else rng.getrandbits(self.shape.flit + 3)
                able[name] -= sends
                credit = owed[name] > 0 and rng.random() < 0.7
                owed[name] -= credit
                if port.is_host:
                    given |= {f"{name}__rx__valid": sends, f"{name}__rx__flit": flit, f"{name}__tx__credit": credit}
                    continue
                # A flit that is not confirmed does not count.
                parts = [(self.shape.flit + 3, flit), (1, sends or rng.random() < 0.1), (1, sends), (1, credit)]
                used = sum(width for width, _ in parts)
                words[name] = joined([*parts, (270 - used, rng.getrandbits(270 - used))])
                given |= {f"{name}__i__payload": words[name], f"{name}__i__valid": 1}
                ends = [pin for pin in (f"{name}__peer_address", f"{name}__peer_port") if pin in self.into]
                given |= {pin: rng.getrandbits(len(self.into[pin])) for pin in ends}
            assign(ctx, [self.into[name] for name in given], given.values())
            bits, found = ctx.get(Cat(self.out.values())), {}
            for name, signal in self.out.items():
                found[name], bits = bits & (1 << len(signal)) - 1, bits >> len(signal)
            assert not any(found[name] for name in (*EVENTS, "untaken"))
            quiet, wrong = quiet + 1, 0
            for port in self.shape.ports:
                name, width = port.name, self.shape.flit + 3
                if port.is_host:
                    flit, valid, credit = (found[f"{name}__{pin}"] for pin in ("tx__flit", "tx__valid", "rx__credit"))
                    wrong |= (valid & flit >> self.shape.flit - 1 ^ sum(at)) % 2 << port.index
                else:
                    self._show(port, at, words[name], given, found)
                    word = found[f"{name}__o__payload"]
                    flit, valid, credit = word & (1 << width) - 1, word >> width & 1, word >> width + 1
                able[name] += credit
                if not valid:
                    continue
                owed[name], quiet, flit = owed[name] + 1, 0, Flit.of(flit, self.shape.flit)
                assert flit.head == (not packets[name])
                packets[name] = (*packets[name], flit)
                if flit.tail:
                    self._leaves(at, port, packets[name])
                    packets[name] = ()
            assert found["bad_check"] == (0 if self.checks else wrong)
            await ctx.tick()
        assert able == dict.fromkeys(queues, self.shape.depth)

    def _show(self, port, at, word, given, found):
        """Compare what a fabric port shows with what it was given."""
        layout = hello_layout()
        peer = [given.get(f"{port.name}__peer_{end}", 0) for end in ("address", "port")]
        ends = (joined((1, place) for place in at), port.index, *peer)
        widths = [layout[name].width for name in ("address", "port")] * 2
        shown = [(270, word), *zip(widths, ends)]
        status = len(self.out[f"{port.name}__status"])
        assert found[f"{port.name}__status"] == joined(shown * 2) & (1 << status) - 1
        assert found[f"{port.name}__locked"] | found[f"{port.name}__slip"] << 1 == word >> 268

    def _leaves(self, at, port, packet):
        """A packet goes on to the next switch, or has arrived."""
        if not port.is_host:
            there, far = self.network.neighbour(at, port.index)
            self.waiting[there][next(one.name for one in self.shape.ports if one.index == far)].extend(packet)
            return
        first, *rest = (flit.data for flit in packet)
        self.arrived[(at, port.index), first & self.covered, *rest, packet[-1].bad] += 1


@pytest.mark.parametrize(("values", "checks"), [(SQUARE, True), (TORUS, False)], ids=["2x2", "two-hosts"])
def test_every_packet_arrives(simulate, monkeypatch, values, checks):
    monkeypatch.setattr(device, "FabricPort", Bare)
    if not checks:
        monkeypatch.setattr(device, "EndToEnd", Passing)
    network = Network(values, checks)
    simulate(network.switch, network.run, clocked=True)
    assert network.arrived == network.expected
