"""Tables of the PCS: the standard's block types and codes, and the protected format's layout."""

from itertools import combinations

import pytest

from dsnswitch.hdl.pcs import characters
from dsnswitch.hdl.pcs import characters as block_types
from dsnswitch.hdl.pcs.characters import BLOCK_TYPES, KINDS, type_byte
from dsnswitch.hdl.pcs.pcs260 import framing as header
from dsnswitch.hdl.pcs.pcs260.framing import LAYOUTS, arguments, counts_data, fields, says_place
from dsnswitch.sim.golden.pcs import framing, mii, pcs66, pcs260


def test_type_fields_are_the_8_4_4_code():
    """The 15 types and 0 are closed under sums, have distance 4, and all low nibbles and all high nibbles occur."""
    words = {0, *(kind.byte for kind in BLOCK_TYPES)}
    assert {type_byte(nibble) for nibble in range(16)} == words
    assert {a ^ b for a in words for b in words} == words
    assert min(word.bit_count() for word in words - {0}) == 4
    assert len({word & 0xF for word in words}) == len({word >> 4 for word in words}) == 16
    assert tuple(map(type_byte, range(16))) == framing.FIELD_WORDS


def test_block_types_are_the_golden_models():
    assert {kind.byte: kind.lanes[::-1] for kind in BLOCK_TYPES} == mii.LANES
    assert {kind.byte: kind.kind for kind in BLOCK_TYPES} == {byte: mii.kind(byte) for byte in mii.LANES}
    assert {kind.byte: kind.name for kind in BLOCK_TYPES} | {None: "E"} == framing.NAMES
    assert {kind.kind for kind in (*BLOCK_TYPES, block_types.DATA)} == set(KINDS)


def test_every_bit_of_a_block_has_one_meaning():
    """Fields of the standard's formats do not overlap, and are within the block."""
    for kind in BLOCK_TYPES:
        taken = set(range(8))
        for lane, letter in enumerate(kind.lanes):
            start, width = {
                "D": (block_types.data_bit(kind, lane), 8),
                "C": (block_types.code_bit(lane), 7),
                "O": (block_types.ordered_set_bit(lane), 4),
            }.get(letter, (0, 0))
            bits = set(range(start, start + width))
            assert not bits & taken
            assert not bits or max(bits) < 64
            taken |= bits


def test_codes():
    """Seven-bit codes are those of the standard. Four-bit codes differ, and idle with one wrong bit is no other character."""
    assert characters.CODES == mii.CODES
    short = characters.SHORT_CODES
    assert set(short) == set(characters.CODES)
    assert len(set(short.values())) == len(short)
    assert not {1 << bit for bit in range(4)} & set(short.values())
    assert short[characters.IDLE] == 0


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name):
    """Every character of a word has one position, the number of fields is that of the layout, and all field values differ."""
    parts = [part for part in LAYOUTS[name] if part != "-"]
    shown = [part for part in parts if part[0] == "F"]
    cases = list(arguments(name))
    assert {len(fields(name, **one)) for one in cases} == {len(shown)}
    assert [f"F{number + 1}" for number in range(len(shown))] == list(LAYOUTS[name][: len(shown)])
    lanes = {int(lane) for part in parts if part[0] in "DC" for lane in part[1:] if lane != "."}
    kind = next((kind for kind in BLOCK_TYPES if kind.name == name), None)
    letters = "" if kind is None else kind.lanes
    assert lanes == {lane for lane, letter in enumerate(letters) if letter in "DC"}
    for one in cases:
        sets = (one["set0"], one["set4"])
        assert fields(name, **one) == framing.info(name, one["place"], one["data"], sets)
        assert says_place(name) or one["place"] == 0
        assert counts_data(name) or one["data"] == 0


def test_no_information_is_the_beginning_of_another():
    """After each field, a receiver knows whether another field follows."""
    seen = [fields(name, **one) for name in LAYOUTS for one in arguments(name)]
    assert len(set(seen)) == len(seen)
    for one, other in combinations(seen, 2):
        assert one[: len(other)] != other[: len(one)]


def test_golden_codes_and_headers():
    """The golden model has the same headers, which differ in four bits and have a transition each."""
    assert (header.DATA, header.CONTROL) == (pcs260.DATA, pcs260.CONTROL)
    assert (header.DATA ^ header.CONTROL).bit_count() == 4
    assert bin(header.DATA ^ header.DATA >> 1)[2:].count("1") >= 2
    assert (pcs66.DATA, pcs66.CONTROL) == (0b10, 0b01)
