"""Parts of the 64b/66b receiver: sums during descrambling, codes by syndromes, early decision about the end of a frame."""

import itertools
import random

import pytest
from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.characters import CODES, ERROR, KINDS, code_bit
from dsnswitch.hdl.pcs.layouts import ALL_TYPES, block66, kinds_of
from dsnswitch.hdl.pcs.pcs66.pcs import MASKS
from dsnswitch.hdl.pcs.pcs66.words import CHECKS, BlockFields, BlockTypes, CodeCheck, GapCheck, syndrome
from dsnswitch.hdl.pcs.scrambler import SumDescrambler
from dsnswitch.sim.golden.pcs import pcs66
from dsnswitch.sim.golden.pcs.pcs257 import bits_of, number_of


def test_sums_are_of_descrambled_bits(simulate):
    """Consecutive random words: every sum is compared with the golden descrambler."""
    rng, descrambler, state = random.Random(1), SumDescrambler(64, MASKS), [0] * 58

    async def bench(ctx):
        for _ in range(50):
            word = rng.getrandbits(64)
            ctx.set(descrambler.scrambled, word)
            await ctx.delay(1e-9)
            bits = bits_of(word, 64)
            pcs66.descramble(bits, state)
            plain = number_of(bits)
            assert ctx.get(descrambler.sums) == sum(((plain & mask).bit_count() & 1) << i for i, mask in enumerate(MASKS))
            ctx.set(descrambler.previous, ctx.get(descrambler.latest))

    simulate(descrambler, bench)


def test_descrambler_of_sums_needs_wide_words(quiet):
    with pytest.raises(ValueError, match="Words of a descrambler of sums must have 58 bits or more, not 57"):
        quiet(SumDescrambler)(57, [1])


def test_code_check(simulate):
    """The check is exhaustive over all 128 codes."""
    check = CodeCheck()

    async def bench(ctx):
        for code in range(128):
            ctx.set(check.syndrome, syndrome(code))
            ctx.set(check.high, code >> 4)
            await ctx.delay(1e-9)
            assert ctx.get(check.known) == (code in CODES.values())
            assert not ctx.get(check.known) or ctx.get(check.error) == (code == CODES[ERROR])

    simulate(check, bench)


def test_a_block_may_follow_a_frame(simulate):
    """Every kind of block with every set of valid codes: exactly those of kind C and S whose fields are valid."""
    check, rng = GapCheck(), random.Random(3)

    async def bench(ctx):
        for place, kind in enumerate(ALL_TYPES):
            lanes = [lane for lane in range(8) if kind.lanes[lane] == "C"]
            for lower, sets in itertools.product(range(16), range(4)):
                upper, good, errors = rng.getrandbits(4), int(rng.random() < 0.8), rng.choice((0, 0, 1 << rng.randrange(8)))
                fields = {"named": 1 << place, "codes": lower | upper << 4, "errors": errors, "sets": sets}
                ctx.set(check.fields, fields)
                ctx.set(check.good, good)
                await ctx.delay(1e-9)
                right = all(lower >> lane & 1 for lane in lanes if lane < 4)
                right &= all(sets >> index & 1 for index, lane in enumerate((0, 4)) if kind.lanes[lane] == "O")
                right &= not (errors and len(lanes) == 8)
                may = bool(good and right and kind.kind in "CS")
                has_upper = any(lane > 3 for lane in lanes)
                found = ctx.get(check.follows), ctx.get(check.follows_with_upper)
                assert found == (may and not has_upper, may and has_upper), (kind, fields)

    simulate(check, bench)


class Miter(wiring.Component):
    """Compares fields by syndromes with fields by comparison, and the early decision with the kind, for any block."""

    coded: In(block66())
    good: In(1)
    differs: Out(1)

    def __init__(self, checks=CHECKS):
        self._checks = checks
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.checked = checked = BlockFields(checked=True)
        m.submodules.compared = compared = BlockFields()
        m.submodules.types_checked = types_checked = BlockTypes()
        m.submodules.types_compared = types_compared = BlockTypes()
        m.submodules.gap_check = gap_check = GapCheck()
        codes = [self.coded.payload[code_bit(lane) : code_bit(lane) + 7] for lane in range(8)]
        kinds = kinds_of(m, types_compared.types, "kinds")
        follows = (kinds[KINDS.index("C")] | kinds[KINDS.index("S")]) & self.good
        gap = gap_check.follows | gap_check.follows_with_upper & checked.fields.codes[4:].all()
        m.d.comb += [
            checked.coded.eq(self.coded),
            checked.syndromes.eq(Cat((code & check).xor() for code in codes for check in self._checks)),
            compared.coded.eq(self.coded),
            types_checked.fields.eq(checked.fields),
            types_compared.fields.eq(compared.fields),
            gap_check.fields.eq(checked.fields),
            gap_check.good.eq(self.good),
            self.differs.eq((types_checked.types != types_compared.types) | (gap != follows)),
        ]
        return m


def test_fields_by_syndromes_are_proved(prove):
    proved, log = prove(Miter(), "differs")
    assert proved, log


def test_proof_of_fields_can_fail(prove):
    proved, log = prove(Miter((*CHECKS[:3], 0b0110110)), "differs")
    assert not proved
    assert "FAIL" in log
