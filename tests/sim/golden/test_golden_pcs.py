"""The golden model of the PCS, compared with published values, and its properties."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsnswitch.sim.golden.pcs import pcs66, pcs257, pcs260
from dsnswitch.sim.golden.pcs.framing import KIND_TYPES, kind_sequences, random_words, sample_word, tour, type_sequences
from dsnswitch.sim.golden.pcs.mii import ERRORS, FAULT, IDLES, join, kind, type_of

PREAMBLE = (0xD5555555555555FB, 0x01)


@pytest.mark.parametrize(
    ("word", "header", "payload"),
    [
        # IEEE 802.3 Figure 49-7 filled in by hand: eight idles, eight errors, preamble with S in lanes 0 and 4, T in
        # lanes 0 and 7, a sequence ordered set (local fault) in both halves.
        (IDLES, 0b01, 0x0000_0000_0000_001E),
        (ERRORS, 0b01, 0x3C78F1E3C78F1E1E),
        (PREAMBLE, 0b01, 0xD5555555555555_78),
        ((0x555555FB07070707, 0x1F), 0b01, 0x555555_0_0000000_33),
        ((0x07070707070707FD, 0xFF), 0b01, 0x87),
        ((0xFD66554433221100, 0x80), 0b01, 0x66554433221100_FF),
        (FAULT, 0b01, 0x010000_00_010000_55),
        ((0x8877665544332211, 0x00), 0b10, 0x8877665544332211),
    ],
)
def test_formats(word, header, payload):
    assert pcs66.encode_word(word) == (header, payload)
    decoded = pcs66.payload_word(header, payload)
    assert decoded == (None if word == ERRORS else word)


def test_errors_are_no_word():
    """Eight errors are received as an error, and so are an invalid type field, an invalid code, and a header of two ones."""
    assert pcs66.payload_word(0b01, 0x00) is None
    assert pcs66.payload_word(0b01, 0x1E | 0x7F << 8) is None
    assert pcs66.payload_word(0b11, 0x1E) is None
    assert pcs66.payload_word(0b01, 0x4B | 0x5 << 32) is None


@pytest.mark.parametrize("block_type", [block_type for types in KIND_TYPES.values() for block_type in types])
def test_every_type_survives(block_type):
    rng = random.Random(7)
    for _ in range(50):
        word = sample_word(block_type, rng)
        assert type_of(word) == block_type
        assert (pcs66.payload_word(*pcs66.encode_word(word)) or ERRORS) == word


def test_words_that_are_no_type_are_errors():
    """A start in lane 3, data after the end, an error among idles, a reserved octet."""
    for characters in (
        [(0x07, 1)] * 3 + [(0xFB, 1)] + [(0, 0)] * 4,
        [(0, 0), (0xFD, 1), (0, 0)] + [(0x07, 1)] * 5,
        [(0x07, 1)] * 7 + [(0xFE, 1)],
        [(0x07, 1)] * 7 + [(0x00, 1)],
    ):
        assert type_of(join(characters)) is None


def test_an_error_behind_the_end_of_a_frame_is_kept():
    word = join([(1, 0), (0xFD, 1), (0xFE, 1)] + [(0x07, 1)] * 5)
    assert pcs66.payload_word(*pcs66.encode_word(word)) == word


@given(st.integers(0, 2**58 - 1), st.lists(st.integers(0, 1), min_size=1, max_size=300))
def test_scrambler(start, bits):
    """The scrambler follows its polynomial, and the descrambler undoes it from any state after 58 bits."""
    state = pcs257.bits_of(start, 58)
    sent, history = list(bits), list(state)
    pcs66.scramble(sent, state)
    for bit, out in zip(bits, sent):
        assert out == bit ^ history[-39] ^ history[-58]
        history.append(out)
    received, wrong = list(sent), [0] * 58
    pcs66.descramble(received, wrong)
    assert received[58:] == bits[58:]


def test_one_wrong_bit_on_the_line_makes_three():
    rng = random.Random(3)
    bits = [rng.getrandbits(1) for _ in range(400)]
    sent, state = list(bits), [0] * 58
    pcs66.scramble(sent, state)
    sent[100] ^= 1
    pcs66.descramble(sent, [0] * 58)
    assert [place for place, (bit, got) in enumerate(zip(bits, sent)) if bit != got] == [100, 139, 158]


@pytest.mark.parametrize(
    ("kinds", "states"),
    [
        ("CSDDTC", "CDDDTC"),
        # Frames back to back, without a word in between.
        ("STSTST", "DTDTDT"),
        # Data without a start; a start within a frame; idle within a frame; two ends.
        ("CDDT", "CEDT"),
        ("SDSDT", "DDEDT"),
        ("SDCC", "DDEC"),
        ("STTC", "DTEC"),
        # A start right after an error is an error (Figure 49-16 has no such arrow).
        ("SESDT", "DEEDT"),
    ],
)
def test_transmit_states(kinds, states):
    assert "".join(pcs66.sequence(kinds)) == states


def test_receive_states_look_at_what_follows():
    """The end of a frame counts only before control or a start (Figure 49-17)."""
    assert pcs66.sequence("SDT", following="DTC") == ["D", "D", "T"]
    assert pcs66.sequence("SDTD", following="DTDE") == ["D", "D", "E", "D"]


def test_legal_sequences_are_those_of_the_machine():
    """The enumeration by pairs against the state machine, over all 5**4 sequences of kinds."""
    from itertools import product

    # A start is legal in state INIT; data, ends and errors are legal in a frame.
    def passes(kinds):
        return any(
            [letter for letter, state in zip(kinds, states) if (letter == "E") != (state == "E")] == []
            for states in (pcs66.sequence(kinds, before) for before in "CDTE")
        )

    assert set(kind_sequences()) == {kinds for kinds in product("CSTDE", repeat=4) if passes(kinds)}
    assert (len(kind_sequences()), len(type_sequences())) == (175, 12640)


def test_transcoding_by_hand():
    """All data; control first; control last. Bits 0..4 are summed with 8..12 on the line."""
    data = (0b10, 0x0123456789ABCDEF)
    idle = pcs66.encode_word(IDLES)
    is_data, body = pcs257.compress([data] * 4)
    assert is_data
    assert pcs257.number_of(body) == sum(data[1] << 64 * place for place in range(4))
    is_data, body = pcs257.compress([idle, data, data, data])
    number = pcs257.number_of(body)
    assert (is_data, number & 0xF, number >> 4 & 0xF) == (False, 0b1110, 0xE)
    assert number >> 64 & (1 << 64) - 1 == data[1]
    assert pcs257.compress([data, data, data, idle])[1][:4] == [1, 1, 1, 0]


@given(st.integers(0, 2**32), st.sampled_from(["protected", "literal"]))
def test_blocks_survive(seed, layout):
    rng = random.Random(seed)
    words = [sample_word(block_type, rng) for block_type in rng.choice(type_sequences())]
    assert pcs260.unpack(*pcs260.pack(words, layout), layout) == (words, False)


@given(st.integers(0, 2**32))
def test_transcoder_survives(seed):
    """Four blocks of any type in any order. An invalid header makes all four blocks invalid."""
    rng = random.Random(seed)
    blocks = [pcs66.encode_word(word) for word in random_words(4, rng, disorder=1)]
    assert pcs257.receive(pcs257.transmit(blocks)) == blocks
    blocks[rng.randrange(4)] = (rng.choice((0, 3)), rng.getrandbits(64))
    assert [header for header, _ in pcs257.receive(pcs257.transmit(blocks))] == [pcs257.INVALID] * 4


def test_frames_back_to_back_without_idle():
    """A frame may end in a word and the next one begin in the following word, or in the same block many times."""
    rng = random.Random(2)
    words = [sample_word(block_type, rng) for block_type in (0x78, 0xFF, 0x78, 0xFF) * 40]
    for layout in ("protected", "literal"):
        sender, receiver = pcs260.Transmitter(layout), pcs260.Receiver(layout)
        for _ in range(65):
            receiver.step(sender.step([IDLES] * 4))
        got = [word for place in range(0, 160, 4) for word in receiver.step(sender.step(words[place : place + 4]))]
        assert got == words
        assert receiver.errored_blocks == 0


def test_lock():
    """The lock needs 64 consecutive valid headers.

    It survives 15 invalid headers of 64, but not 16. Before the lock, one invalid header is enough for a slip.
    """
    lock = pcs66.Lock()
    for _ in range(63):
        lock.test(True)
    assert not lock.locked
    lock.test(True)
    assert lock.locked
    for place in range(64):
        lock.test(place >= 15)
    assert lock.locked
    for _ in range(16):
        lock.test(False)
    assert (lock.locked, lock.slip) == (False, True)
    lock.test(True)
    lock.test(False)
    assert lock.slip


def test_the_tour_is_legal():
    """No word of the tour is refused in either format, and it contains every sequence."""
    words = tour(random.Random(1), type_sequences())
    kinds = [kind(type_of(word)) for word in words]
    assert [letter == "E" for letter in kinds] == [state == "E" for state in pcs66.sequence(kinds)]
    groups = {tuple(type_of(word) for word in words[place : place + 4]) for place in range(0, len(words), 4)}
    assert set(type_sequences()) <= groups


def test_kinds():
    assert [kind(block_type) for block_type in (None, "data", 0x1E, 0x55, 0x33, 0x78, 0x87, 0xFF)] == list("EDCCSSTT")
