"""Registers of every kind through the APB target, against a plain model; rules of the description."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from dsnswitch.hdl.registers.description import Field, Group, Register, RegisterMap
from dsnswitch.hdl.registers.register_file import Apb, ApbTarget, RegisterFile

from .requester import Requester

MIXED = Register(
    "mixed",
    "A register with a field of each kind.",
    (
        Field("number", "A constant.", 4, 0, "constant", 9),
        Field("seen", "A value.", 6, 4, "ro", None),
        Field("kept", "A setting.", 7, 12, "rw", 5),
        Field("event", "An event.", 1, 19, "w1c"),
        Field("go", "A pulse.", 1, 31, "pulse"),
    ),
)
COUNTS = Register("counts", "An array.", (Field("count", "A count.", 32),), 3)
SMALL = Group("small", "Two registers and a gap.", ((0, MIXED), (2, COUNTS)))
OTHER = Group("other", "One register.", ((1, Register("wide", "A word.", (Field("bits", "Bits.", 32, 0, "rw", 1),))),))
MAP = RegisterMap("chip", "Three slots, the last of another group.", (("a", SMALL), ("b", SMALL), ("c", OTHER)))


class Chip(wiring.Component):
    """The register files of a map, as ports ``<slot>_<field>``."""

    def __init__(self, registers):
        self._registers = registers
        self._files = {name: RegisterFile(group, registers.stride // 4) for name, group in registers.slots}
        ports = {
            f"{slot}_{name}": member
            for slot, file in self._files.items()
            for name, member in file.signature.members.items()
            if name != "access"
        }
        super().__init__({"apb": In(Apb(registers.address_width)), **ports})

    def elaborate(self, platform):
        m = Module()
        m.submodules.target = target = ApbTarget(self._registers)
        wiring.connect(m, wiring.flipped(self.apb), target.apb)
        for slot, file in self._files.items():
            m.submodules[slot] = file
            wiring.connect(m, getattr(target, slot), file.access)
            for name, member in file.signature.members.items():
                if name != "access":
                    ports = getattr(self, f"{slot}_{name}"), getattr(file, name)
                    outer, inner = ports if member.flow == Out else reversed(ports)
                    m.d.comb += outer.eq(inner)
        return m


def bits(word, low, width):
    return word >> low & (1 << width) - 1


def test_every_address_reads_what_the_description_says(simulate):
    chip = Chip(MAP)

    async def bench(ctx):
        apb = Requester(ctx, chip.apb)
        ctx.set(chip.a_mixed_seen, 0x2A)
        for index in range(3):
            ctx.set(getattr(chip, f"b_counts_{index}_count"), 0xDEAD0000 + index)
        expected = {0: 9 | 0x2A << 4 | 5 << 12, MAP.stride: 9 | 5 << 12, 2 * MAP.stride + 4: 1}
        expected |= {8 + 4 * i: 0 for i in range(3)} | {MAP.stride + 8 + 4 * i: 0xDEAD0000 + i for i in range(3)}
        for address in range(1 << MAP.address_width):
            data, error = await apb.transfer(address)
            assert (data, error) == ((expected[address], 0) if address in expected else (0, 1)), hex(address)
            assert apb.cycles == 4

    simulate(chip, bench, clocked=True)


def test_random_transfers(simulate):
    """Reads and writes with random strobes, with gaps and without, while the hardware changes values and sets events."""
    chip, rng = Chip(MAP), random.Random(5)

    async def bench(ctx):
        apb, kept, event = Requester(ctx, chip.apb), {"a": 5, "b": 5}, {"a": 0, "b": 0}
        wide = 1
        for _ in range(600):
            slot, number = rng.choice((("a", 0), ("b", MAP.stride), ("c", 2 * MAP.stride)))
            address = number + 4 * rng.randrange(MAP.stride // 4)
            write, strobe = rng.choice((None, rng.getrandbits(32))), rng.getrandbits(4)
            counts = [rng.getrandbits(32) for _ in range(3)]
            for index, count in enumerate(counts):
                ctx.set(getattr(chip, f"b_counts_{index}_count"), count)
            if rng.random() < 0.3 and slot != "c":
                ctx.set(getattr(chip, f"{slot}_mixed_event"), 1)
                await ctx.tick()
                ctx.set(getattr(chip, f"{slot}_mixed_event"), 0)
                event[slot] = 1
            data, error = await apb.transfer(address, write, strobe)
            mask = sum(0xFF << 8 * lane for lane in range(4) if strobe >> lane & 1)
            here = address - number
            if slot == "c":
                assert error == (here != 4)
                if not error and write is None:
                    assert data == wide
                elif not error:
                    wide = wide & ~mask | write & mask
            elif here == 0:
                assert not error
                if write is None:
                    assert data == 9 | kept[slot] << 12 | event[slot] << 19
                else:
                    assert data == 0
                    kept[slot] = kept[slot] & ~bits(mask, 12, 7) | bits(write & mask, 12, 7)
                    event[slot] &= ~bits(write & mask, 19, 1)
            else:
                assert error == (here == 4 or here > 16 or write is not None)
                if not error and slot == "b":
                    assert data == counts[(here - 8) // 4]
            assert [ctx.get(getattr(chip, f"{name}_mixed_kept")) for name in "ab"] == [kept["a"], kept["b"]]
            assert ctx.get(chip.c_wide_bits) == wide
            for _ in range(rng.randrange(3)):
                await ctx.tick()

    simulate(chip, bench, clocked=True)


def test_a_pulse_lasts_one_cycle_and_an_event_survives_its_clearing(simulate):
    chip = Chip(MAP)
    seen = []

    async def watch(ctx):
        async for *_, go, other in ctx.tick().sample(chip.a_mixed_go, chip.b_mixed_go):
            seen.append((go, other))
            if len(seen) > 40:
                break

    async def bench(ctx):
        apb = Requester(ctx, chip.apb)
        await apb.transfer(0, 1 << 31)
        await apb.transfer(0, 1 << 31, strobe=0b0111)
        assert await apb.transfer(0) == (9, 0)
        await apb.transfer(0, 1 << 19, during=[chip.a_mixed_event])
        assert (await apb.transfer(0))[0] >> 19 & 1
        await apb.transfer(0, 0)
        assert (await apb.transfer(0))[0] >> 19 & 1
        await apb.transfer(0, 1 << 19)
        assert not (await apb.transfer(0))[0] >> 19 & 1

    simulator = Simulator(chip)
    simulator.add_clock(1e-9)
    simulator.add_testbench(bench)
    simulator.add_testbench(watch)
    simulator.run()
    assert sum(go for go, _ in seen) == 1
    assert not any(other for _, other in seen)


def test_a_transfer_that_is_given_up_leaves_no_answer(simulate):
    chip = Chip(MAP)

    async def bench(ctx):
        apb = chip.apb
        for cycles in range(1, 4):
            for name, value in (("psel", 1), ("penable", 0), ("pwrite", 0), ("paddr", 0)):
                ctx.set(getattr(apb, name), value)
            await ctx.tick()
            ctx.set(apb.penable, 1)
            for _ in range(cycles - 1):
                await ctx.tick()
            ctx.set(apb.psel, 0)
            ctx.set(apb.penable, 0)
            for _ in range(5):
                await ctx.tick()
                assert not ctx.get(apb.pready)
            assert await Requester(ctx, apb).transfer(0) == (9 | 5 << 12, 0)

    simulate(chip, bench, clocked=True)


def one(**changes):
    return Field(**{"name": "f", "description": "A field."} | changes)


def register(name="r", fields=None, count=None):
    return Register(name, "A register.", fields or (one(),), count)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: one(name="F"), "Name of a field must be lower-case letters, digits and underscores, not 'F'"),
        (lambda: one(low=32), "Lowest bit of field f must be in 0..31, not 32"),
        (lambda: one(low=30, width=3), "Width of field f must be in 1..2, not 3"),
        (lambda: one(access="wo"), "Access to a field must be one of constant, ro, rc, rw, w1c, pulse, not 'wo'"),
        (lambda: one(access="pulse", width=2), "Width of field f, which is pulse, must be in 1..1, not 2"),
        (lambda: one(access="rw", reset=None), "Field f is rw, so its reset must be a number, not None"),
        (lambda: one(reset=2), "Reset of field f must be in 0..1, not 2"),
        (lambda: register("R"), "Name of a register must be"),
        (lambda: register(count=0), "Words of register r must be in 1..256, not 0"),
        (lambda: register(fields=(one(), one(low=1))), "Names of fields of register r must differ, not two times 'f'"),
        (lambda: register(fields=(one(), one(name="g"))), "Field g of register r must have bits of its own, not 0x1"),
        (lambda: Group("g", "", ((0, register()), (1, register()))), "Names of registers of group g must differ"),
        (lambda: Group("g", "", ((1, register()), (1, register("s")))), "Word of register s must be in 2..65536, not 1"),
        (
            lambda: Group("g", "", ((0, register("r_0")), (1, register(count=1)))),
            "Names of signals of group g must differ, not two times 'r_0_f'",
        ),
        (lambda: RegisterMap("m", "", ()), "Slots of map m must be in 1..256, not 0"),
        (lambda: RegisterMap("m", "", (("a", SMALL), ("a", SMALL))), "Names of slots of map m must differ"),
        (lambda: MAP.address("a", "counts", 3), r"Map chip has no register a.counts\[3\]"),
    ],
)
def test_rules(make, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        make()


def test_addresses():
    assert (MAP.stride, MAP.size, MAP.address_width) == (32, 96, 7)
    assert MAP.address("b", "counts", 2) == 32 + 16
    assert RegisterMap("m", "", (("a", Group("g", "", ((0, register()),))),)).stride == 8
