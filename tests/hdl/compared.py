"""Compares a unit alone with a model in plain Python, in every cycle, on Amaranth's simulator."""

import random

from amaranth.hdl import Cat, ClockDomain, Module, Value
from amaranth.lib.wiring import In


def pins(unit):
    """``({name: input}, {name: output})`` of a component; names of members in members have ``__`` between them."""
    found = {}, {}
    for path, member, value in unit.signature.flatten(unit):
        found[member.flow != In]["__".join(map(str, path))] = Value.cast(value)
    return found


def compare(simulate, unit, model, cycles=400, seed=1, resets=0.02):
    """Compare every output of a unit with what a model says.

    ``model()`` is the unit after a reset. Its ``inputs(rng)`` are those of a cycle, all others are 0. ``cycle(**inputs)`` says
    what the outputs are in this cycle, and goes on to the next. None stands for an output that does not matter. Names are
    those of :func:`pins`.
    """
    m = Module()
    m.domains.sync = domain = ClockDomain("sync")
    m.submodules.unit = unit
    rng = random.Random(seed)
    inputs, outputs = pins(unit)
    into, out = [domain.rst, *inputs.values()], Cat(*outputs.values())

    async def bench(ctx):
        one = model()
        for number in range(cycles):
            given = dict.fromkeys(inputs, 0) | {name: int(value) for name, value in one.inputs(rng).items()}
            assert given.keys() == inputs.keys()
            ends = rng.random() < resets
            assign(ctx, into, [ends, *given.values()])
            wanted = one.cycle(**given)
            assert wanted.keys() == outputs.keys()
            bits, found = ctx.get(out), {}
            for name, signal in outputs.items():
                found[name], bits = bits & (1 << len(signal)) - 1, bits >> len(signal)
            right = {name: found[name] if value is None else int(value) for name, value in wanted.items()}
            assert found == right, f"cycle {number}"
            await ctx.tick()
            one = model() if ends else one

    simulate(m, bench, clocked=True)


def assign(ctx, signals, values):
    """Set signals to values in one assignment, so that the design settles once."""
    ctx.set(Cat(signals), joined(zip(map(len, signals), values, strict=True)))


class AnyInputs:
    """Inputs of a model of ``unit``: random, and each that has one bit is 1 in three of four cycles, but ``clear`` seldom."""

    def __init__(self, unit):
        self._widths = [(name, len(signal)) for name, signal in pins(unit)[0].items()]

    def inputs(self, rng):
        given = {name: rng.getrandbits(width) | (width == 1 and rng.getrandbits(1)) for name, width in self._widths}
        return given | {name: rng.random() < 0.03 for name in given if name.endswith("clear")}


def joined(fields):
    """The bits of ``(width, value)`` each, the first lowest."""
    bits, place = 0, 0
    for width, value in fields:
        bits |= int(value) << place
        place += width
    return bits


def packed(layout, **values):
    """The bits of a structure whose other fields are 0."""
    return layout.const(values).as_value().value
