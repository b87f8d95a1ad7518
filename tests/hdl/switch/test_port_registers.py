"""Registers of a port, alone: any register is read in any cycle of random traffic, and compared with a model."""

import functools
import random

import pytest
from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.arrival import EVENTS
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.hdl.port.port import status_layout
from dsnswitch.hdl.port.session import State, differences
from dsnswitch.hdl.switch import management
from dsnswitch.hdl.switch.management import PortRegisters, link_counters
from dsnswitch.hdl.switch.register_map import DELAYS, depths_of, register_map
from dsnswitch.net.topology.torus import Torus

from ..compared import assign, joined, pins

#: Two virtual networks, with two channels and one at each port.
MORE = {"virtual_networks": 2, "spread": {"host": (2, 1), "dim0": (2, 1)}, "free_weights": True}
SHAPE = CoreShape(Torus((2,)), packet=2, depth=4, hosts=1, **MORE)


#: What an event adds, so that all bits of a count change.
STEP = 0x9E3779B1


class Steps(wiring.Component):
    """A counter that adds :data:`STEP` per event."""

    def __init__(self):
        super().__init__({"add": In(1), "clear": In(1), "count": Out(32)})

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.count.eq(Mux(self.clear, 0, self.count) + Mux(self.add, STEP, 0))
        return m


class Traffic:
    """Legal inputs of a cycle: flits arrive while a buffer has space, and leave in a later cycle."""

    def __init__(self, rng, depths):
        self._rng, self._depths, self.fills, self._stalls = rng, depths, [0] * len(depths), 0

    def next(self, cycle):
        rng, size = self._rng, len(self._depths)
        # Slow times, and times in which most buffers are full, or empty.
        arrives, leaves = ((0.9, 0.15), (0.3, 0.9), (0.9, 0.3), (0.05, 0.01))[cycle // 100 % 4]
        # A long delay.
        leaves *= not 600 <= cycle < 880
        credit = [int(fill and rng.random() < leaves) for fill in self.fills]
        able = [v for v in range(size) if self.fills[v] < self._depths[v]]
        channel = rng.choice(able) if able and rng.random() < arrives else None
        valid = [int(v == channel) for v in range(size)]
        self.fills = [fill + one - other for fill, one, other in zip(self.fills, valid, credit)]
        for v in range(size):
            self._stalls ^= (rng.random() < 0.1) << v
        return {
            **{"rx_valid": valid, "rx_marks": rng.getrandbits(3), "rx_credit": credit},
            **{"tx_valid": rng.choice((0, 1 << rng.randrange(size))), "tx_marks": rng.getrandbits(3)},
            **{"credit_stalls": [self._stalls >> v & 1 for v in range(size)], "events": rng.getrandbits(len(EVENTS))},
            **{"untaken": rng.getrandbits(1), "bad_check": rng.getrandbits(1), "clear": rng.random() < 0.003 and leaves > 0},
        }


class Model:
    """What the registers show. Events are counted one cycle after they were registered."""

    def __init__(self, port):
        self._networks = [list(share.range) for share in port.shares]
        self._classes = [[v for v in range(port.channels) if port.class_of(v) == c] for c in range(port.classes)]
        channels, networks = port.channels, len(port.shares)
        self.counts, self._now = {}, {}
        self._arrives, self._leaves, self._head = [0] * channels, [0] * channels, 0
        self.fills, self.greatest = [0] * channels, [0] * channels
        # The head that is timed: its channel, the flits before it, and the cycles since it arrived.
        self._timed = None
        self.held, self.most_held = [0] * networks, [0] * networks
        self._waits, self._follows = [0] * networks, [0] * networks
        self.waited, self.most_waited = [0] * networks, [0] * networks

    def step(self, now, reads):
        """``reads``: names of fields that are read in this cycle."""
        clear, added = now["clear"], dict(self._now)
        self._time(clear, added)
        for v, (comes, goes) in enumerate(zip(self._arrives, self._leaves)):
            self.greatest[v] = self.fills[v] if clear else max(self.fills[v], self.greatest[v])
            self.fills[v] += comes - goes
        for n, own in enumerate(self._networks):
            added[f"network_blocked_{n}"] = self._waits[n]
            # A wait of one cycle shows in the cycle after it.
            wait = self.waited[n] if self._follows[n] else 0
            for name, value, most in (("fill", self.held[n], self.most_held), ("wait", wait, self.most_waited)):
                anew = clear or f"network_{name}_{n}_greatest" in reads
                most[n] = value if anew else max(value, most[n])
            if self._waits[n]:
                self.waited[n] = self.waited[n] + 1 if self._follows[n] else 1
            self.held[n] += sum(now["rx_valid"][v] - now["rx_credit"][v] for v in own)
            self._follows[n], self._waits[n] = self._waits[n], any(now["credit_stalls"][v] for v in own)
        for name in added.keys() | self.counts.keys():
            self.counts[name] = (0 if clear else self.counts.get(name, 0)) + added.get(name, 0)
        self._register(now)

    def _register(self, now):
        self._now = {name: now["events"] >> bit & 1 for bit, name in enumerate(EVENTS)}
        self._now |= {"untaken_packets": now["untaken"], "bad_check": now["bad_check"]}
        for c, own in enumerate(self._classes):
            self._now[f"credit_stalls_{c}"] = any(now["credit_stalls"][v] for v in own)
        for way, valid, marks in (("in", any(now["rx_valid"]), now["rx_marks"]), ("out", now["tx_valid"] > 0, now["tx_marks"])):
            self._now |= {f"flits_{way}": valid, f"packets_{way}": valid and marks & 1, f"bad_{way}": valid and marks >> 1 == 3}
        self._arrives, self._leaves, self._head = now["rx_valid"], now["rx_credit"], now["rx_marks"] & 1

    def _time(self, clear, added):
        if self._timed:
            v, ahead, delay = self._timed
            self._timed = v, ahead - self._leaves[v], delay + 1
            if self._leaves[v] and not ahead:
                added[f"delays_{sum(delay >= bound for bound in DELAYS)}"] = 1
                self._timed = None
        elif self._head and any(self._arrives):
            v = self._arrives.index(1)
            self._timed = v, self.fills[v] - self._leaves[v], 1
        if clear:
            self._timed = None

    def values(self):
        """``{field: value}``."""
        shown = {f"{name}_count": count * STEP & 0xFFFFFFFF for name, count in self.counts.items()}
        shown |= {f"greatest_fill_{v}_flits": fill for v, fill in enumerate(self.greatest)}
        for n in range(len(self.held)):
            shown |= {f"network_fill_{n}_now": self.held[n], f"network_fill_{n}_greatest": self.most_held[n]}
            shown |= {f"network_wait_{n}_last": self.waited[n], f"network_wait_{n}_greatest": self.most_waited[n]}
        return shown


def shown_by(port, now):
    """``{input: value}`` of the registers of a port in a cycle of traffic."""
    vectors = {"rx__valid": now["rx_valid"]} | {name: now[name] for name in ("rx_credit", "credit_stalls")}
    shown = {name: sum(bit << v for v, bit in enumerate(bits)) for name, bits in vectors.items()}
    shown |= {"tx__valid": now["tx_valid"]} | {f"{way}__marks": now[f"{way}_marks"] for way in ("rx", "tx")}
    return shown | {name: now[name] for name in ("events", *(("untaken", "bad_check") if port.is_host else ()))}


def shown_of(status, unit_inputs):
    """``{field: value}`` of a link."""
    shown = {f"{name}_count": status[name] for name in link_counters()}
    shown |= {"link_state": status["state"], "link_networks": status.get("differing")}
    shown |= {f"link_{name}": unit_inputs[name] for name in ("locked", "is_strict")}
    names = differences(2)
    shown |= {f"link_differs_{name}": status["mismatch"] >> bit & 1 for bit, name in enumerate(names)}
    peer = status["peer"]
    shown |= {f"peer_{name}": peer[name] for name in ("version", "port", "channels", "packet")}
    shown |= {f"peer_sizes_{name}": peer.get(name) for name in ("flit", "depth", "virtual_network", "last_network")}
    return shown | {f"peer_address_{word}_bits": peer["address"] >> 32 * word & 0xFFFFFFFF for word in (0, 1)}


@functools.cache
def widths_of(networks):
    """``({field: bits}, those of its peer)`` of a status."""
    layout = status_layout(networks)
    return tuple({name: field.width for name, field in one} for one in (layout, layout["peer"].shape))


def random_status(rng, networks=2):
    """``{field: value}`` of a random status."""
    status, peer = ({name: rng.getrandbits(bits) for name, bits in widths.items()} for widths in widths_of(networks))
    return status | {"peer": peer, "state": rng.choice((State.UP, *State))}


def bits_of_status(status):
    """The bits of a status of two virtual networks."""
    widths, of_peer = widths_of(2)
    peer = joined((bits, status["peer"][name]) for name, bits in of_peer.items())
    return joined((bits, peer if name == "peer" else status[name]) for name, bits in widths.items())


@pytest.mark.parametrize("place", [0, -1], ids=["fabric", "host"])
def test_registers_of_a_port(simulate, monkeypatch, place):
    monkeypatch.setattr(management, "Counter", Steps)
    port, rng = SHAPE.ports[place], random.Random(1)
    slots = register_map(SHAPE, link_counters(), {}, "selected", ("delays",)).slots
    group = dict(slots)[port.name]
    unit = PortRegisters(group, group.words, SHAPE, port, True, ("delays",))
    words = {}
    for word, name, field in group.fields():
        words.setdefault(word, []).append((name, field))
    kept = {name: field.reset for fields in words.values() for name, field in fields if field.access in ("rw", "w1c")}
    traffic, model = Traffic(rng, depths_of(SHAPE, port)), Model(port)

    into, _ = pins(unit)

    async def bench(ctx):
        was_up, read = False, (0, 0)
        for cycle in range(1200):
            now, inputs, status = traffic.next(cycle), {}, random_status(rng)
            given = shown_by(port, now) | {"clear": now["clear"]}
            if not port.is_host:
                inputs = {name: rng.getrandbits(1) for name in ("locked", "is_strict")}
                given |= inputs | {"status": bits_of_status(status)}
            select, write, word = rng.random() < 0.9, rng.random() < 0.1, rng.randrange(group.words)
            value, mask = rng.getrandbits(32), rng.getrandbits(32)
            access = {"select": select, "write": write, "word": word, "value": value, "mask": mask}
            given |= {f"access__{name}": bits for name, bits in access.items()}
            assign(ctx, [into[name] for name in given], given.values())
            assert (ctx.get(unit.access.data), ctx.get(unit.access.good)) == read, cycle
            if port.is_host:
                assert ctx.get(unit.patience) == kept["patience_cycles"]
            else:
                found = ctx.get(unit.is_up), ctx.get(unit.down), ctx.get(unit.strict)
                assert found == (was_up, kept["port_control_down"], kept["port_control_strict"]), cycle
            service = ctx.get(unit.service)
            for n in range(2):
                assert service.weights[n] == kept[f"service_{n}_weight"]
                assert service.levels[n] == kept[f"service_{n}_priority"]
            shown = model.values() | kept | (shown_of(status, inputs) if inputs else {})
            fields = words.get(word, []) if select else []
            read = (0, 0)
            if fields and not write:
                read = sum(shown.get(name, 0) << field.low for name, field in fields), 1
            reads = set() if write else {name for name, _ in fields}
            if write:
                for name, field in fields:
                    bits, of_field = value >> field.low, mask >> field.low & (1 << field.width) - 1
                    if field.access in ("rw", "w1c"):
                        read = (0, 1)
                        written = bits if field.access == "rw" else kept[name] & ~bits
                        kept[name] = kept[name] & ~of_field | written & of_field
            if inputs:
                kept["link_events_went_down"] |= was_up and status["state"] != State.UP
                was_up = status["state"] == State.UP
            model.step(now, reads)
            await ctx.tick()

    simulate(unit, bench, clocked=True)


class FallingWait(wiring.Component):
    """Whether a wait of a virtual network shows fewer cycles than one cycle before, although it goes on: ``wrong``."""

    def __init__(self, unit, words):
        self._unit, self._words = unit, words
        super().__init__({"stalls": In(1), "network": In(1), "wrong": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.unit = unit = self._unit
        access = unit.access
        chosen = Signal()
        before = Signal(16)
        steady = Signal(6)
        m.d.sync += [
            chosen.eq(self.network),
            before.eq(access.data),
            steady.eq(Cat(self.stalls & (self.network == chosen), steady)),
        ]
        m.d.comb += [
            access.select.eq(1),
            access.word.eq(Mux(self.network, self._words[1], self._words[0])),
            unit.credit_stalls.eq(self.stalls.replicate(len(unit.credit_stalls))),
            self.wrong.eq(steady.all() & (access.data[:16] < before)),
        ]
        return m


def test_a_long_wait_stays_at_its_greatest_value(prove):
    """From any state, so that no 65,535 cycles pass."""
    port = SHAPE.ports[-1]
    group = dict(register_map(SHAPE, link_counters(), {}, "selected", ("delays",)).slots)[port.name]
    words = [word for word, name, _ in group.fields() if name.startswith("network_wait_") and name.endswith("_last")]
    proved, log = prove(FallingWait(PortRegisters(group, group.words, SHAPE, port, True, ("delays",)), words), "wrong", 7)
    assert proved, log
