"""Registers of a whole switch over APB: what each port has shown, and what each register drives, compared with models."""

import random

import pytest

from dsnswitch.hdl.port.session import State
from dsnswitch.hdl.switch import management
from dsnswitch.hdl.switch.management import Management
from dsnswitch.hdl.switch.notifier import NOTICE_COUNTERS
from dsnswitch.hdl.switch.register_map import depths_of

from ..compared import assign, pins
from ..registers.requester import Requester
from .test_management import begin, detouring, networks, weighted
from .test_notices import shape
from .test_port_registers import Model, Steps, Traffic, random_status, shown_by, shown_of

#: Two virtual networks, of two channels and one; detours; two hosts.
SHAPE = shape(virtual_networks=2, spread=(("host", (2, 1)), ("local", (2, 1))), free_weights=True)
INPUTS = {"write": 1, "write_valid": 1, "write_value": 40, "mode": 1, "loaded": 1, "dead": len(SHAPE.network.ports)}
INPUTS |= dict.fromkeys(SHAPE.service_inputs, 14)

#: A cycle after the last of traffic, in which counters are cleared.
CLEARED = 999


class Watch:
    """A context that keeps what signals are in each cycle."""

    def __init__(self, ctx, *signals):
        self._ctx, self._signals, self.seen = ctx, signals, []
        self.get, self.set = ctx.get, ctx.set

    def tick(self):
        self.seen.append(tuple(self.get(signal) for signal in self._signals))
        return self._ctx.tick()


async def compare(ctx, component, read, shown):
    """Read each register, and compare each of its fields with ``{(slot, field): value}``, or with its reset value."""
    for slot, group in component.registers.slots:
        words = {}
        for word, name, field in group.fields():
            value = shown.get((slot, name), field.reset or 0)
            words[word] = words.get(word, 0) | (0 if field.access == "pulse" else value) << field.low
        for word, register in group.places:
            for index in range(register.words):
                assert await read(slot, register.name, index) == words[word + index], (slot, register.name, index)


def test_traffic_at_all_ports(simulate, monkeypatch):
    """All ports at once, then their registers; then random values in all registers, what they drive, and a clear."""
    monkeypatch.setattr(management, "Counter", Steps)
    component, rng = Management(SHAPE, INPUTS, "selected", ("delays",)), random.Random(1)
    traffic = {port.name: (port, Traffic(rng, depths_of(SHAPE, port)), Model(port)) for port in SHAPE.ports}
    links = [port for port in SHAPE.ports if not port.is_host]

    into, _ = pins(component)

    def step(ctx, cycle):
        given = {}
        for name, (port, source, model) in traffic.items():
            now = source.next(cycle)
            if cycle >= 150:
                now = {key: [0] * len(value) if isinstance(value, list) else 0 for key, value in now.items()}
            now["clear"] = cycle == CLEARED
            given |= {f"{name}__{pin}": value for pin, value in shown_by(port, now).items()}
            model.step(now, ())
        assign(ctx, [into[name] for name in given], given.values())

    def measured():
        return {(name, field): value for name, (_, _, model) in traffic.items() for field, value in model.values().items()}

    async def bench(ctx):
        ctx = Watch(ctx, component.clear, component.write)
        read, write = await begin(ctx, component)
        shown, address = {}, rng.getrandbits(len(component.own_address))
        ctx.set(component.own_address, address)
        for cycle in range(156):
            step(ctx, cycle)
            await ctx.tick()
        for number, port in enumerate(links):
            inputs, status = {name: rng.getrandbits(1) for name in ("locked", "is_strict")}, random_status(rng)
            status["state"] = State.UP if number % 2 else State.WAIT
            for name, value in (*inputs.items(), ("status", status)):
                ctx.set(getattr(getattr(component, port.name), name), value)
            shown |= {(port.name, name): value for name, value in shown_of(status, inputs).items()}
        up = sum((shown[port.name, "link_state"] == State.UP) << number for number, port in enumerate(links))
        notices = {name: rng.getrandbits(32) for name in NOTICE_COUNTERS}
        ctx.set(component.notice_counts, notices)
        shown |= {("device", f"{name}_count"): value for name, value in notices.items()}
        shown |= {("device", "own_address_0_bits"): address, ("device", "links_up_0_bits"): up}
        await compare(ctx, component, read, shown | measured())
        for slot, group in component.registers.slots:
            for word, register in group.places:
                for index in range(register.words):
                    fields = {name: field for at, name, field in group.fields() if at == word + index}
                    if {field.access for field in fields.values()} <= {"constant", "ro", "rc"}:
                        continue
                    value, ctx.seen[:] = rng.getrandbits(32), []
                    await write(value, slot, register.name, index)
                    for name, field in fields.items():
                        if field.access == "rw":
                            shown[slot, name] = value >> field.low & (1 << field.width) - 1
                    pulses = [sum(bits) for bits in zip(*ctx.seen)]
                    names = "control_clear", "table_write_write"
                    wanted = [slot == "device" and name in fields and value >> fields[name].low & 1 for name in names]
                    assert pulses == wanted, (slot, register.name)
                    driven(ctx, shown)
        await write(1, "device", "control")
        shown |= {("device", "control_table_mode"): 0, ("device", "control_table_loaded"): 0}
        step(ctx, CLEARED)
        await compare(ctx, component, read, shown | measured())

    def driven(ctx, shown):
        """Outputs that registers drive; ``shown`` has those that were written."""
        dead = 0
        for port in SHAPE.ports:
            outside = getattr(component, port.name)
            if port.is_host:
                assert ctx.get(outside.patience) == shown.get((port.name, "patience_cycles"), 0)
            else:
                down = shown.get((port.name, "port_control_down"), 0)
                dead |= down << port.index
                found = ctx.get(outside.down), ctx.get(outside.strict)
                assert found == (down, shown.get((port.name, "port_control_strict"), 0))
            service = [[shown.get((port.name, f"service_{n}_{part}")) for n in (0, 1)] for part in ("weight", "priority")]
            if None not in (*service[0], *service[1]):
                (weight, other), (level, last) = service
                found = ctx.get(getattr(component, f"service_{port.name}"))
                assert found == weight | other << 4 | level << 8 | last << 11
        assert ctx.get(component.dead) == dead
        device = {name: value for (slot, name), value in shown.items() if slot == "device"}
        value = device.get("table_value_0_bits", 0) | device.get("table_value_1_bits", 0) << 32
        assert ctx.get(component.write_value) == value % (1 << INPUTS["write_value"])
        assert ctx.get(component.write_valid) == device.get("table_valid_bits", 0)
        for name in ("mode", "loaded"):
            assert ctx.get(getattr(component, name)) == device.get(f"control_table_{name}", 0)

    simulate(component, bench, clocked=True)


@pytest.mark.parametrize("make", [networks, weighted, detouring])
def test_every_word(simulate, make):
    """Each register has a value of its own, and those that can be written one that was written with any strobes."""
    (shape, component), rng, shown = make(), random.Random(1), {}

    async def bench(ctx):
        read, _ = await begin(ctx, component)
        requester = Requester(ctx, component.apb)
        for port in shape.ports:
            if not port.is_host:
                status = random_status(rng, shape.virtual_networks) | {"state": State.WAIT}
                ctx.set(getattr(component, port.name).status, status)
                values = shown_of(status, {"locked": 0, "is_strict": 0})
                shown.update({(port.name, name): value for name, value in values.items()})
        if shape.has_detours:
            notices = {name: rng.getrandbits(32) for name in NOTICE_COUNTERS}
            ctx.set(component.notice_counts, notices)
            shown.update({("device", f"{name}_count"): value for name, value in notices.items()})
        stride = component.registers.stride
        for number, (slot, group) in enumerate(component.registers.slots):
            words = {}
            for word, name, field in group.fields():
                words.setdefault(word, []).append((name, field))
            for word in range(stride // 4):
                fields, value, strobe = words.get(word, ()), rng.getrandbits(32), rng.getrandbits(4)
                writable = any(field.access in ("rw", "w1c", "pulse") for _, field in fields)
                if writable or rng.random() < 0.1:
                    assert await requester.transfer(stride * number + 4 * word, value, strobe) == (0, not writable)
                mask = sum(0xFF << 8 * lane for lane in range(4) if strobe >> lane & 1)
                for name, field in fields:
                    if field.access == "rw":
                        old = shown.get((slot, name), field.reset)
                        shown[slot, name] = (old & ~(mask >> field.low) | (value & mask) >> field.low) & (1 << field.width) - 1
                if not fields:
                    assert await requester.transfer(stride * number + 4 * word) == (0, 1)
        await compare(ctx, component, read, shown)

    simulate(component, bench, clocked=True)
