"""Frames as words and back, and the frames that a receiver accepts as good."""

import random
from itertools import pairwise

import pytest

from dsnswitch.sim.bench.drivers.traffic import frame, traffic
from dsnswitch.sim.golden.pcs.mii import ERRORS, FAULT, IDLES, check_sequence, frame_words, receive, with_check_sequence

FRAME = with_check_sequence(bytes(range(100)))


def test_check_sequence():
    """The published check value of CRC-32, lowest octet first; frames of at least 64 octets."""
    assert check_sequence(b"123456789") == 0xCBF43926.to_bytes(4, "little")
    assert len(with_check_sequence(b"")) == 64


@pytest.mark.parametrize("lane", [0, 4])
def test_a_start_takes_the_place_of_an_octet_of_preamble(lane):
    data, control = frame_words(FRAME, lane)[0]
    assert (data >> 8 * lane & 0xFFFF, control) == (0x55FB, 0x01 if lane == 0 else 0x1F)
    words = frame_words(FRAME, lane)
    assert receive([IDLES, *words])[0] == (FRAME, True, 1, len(words))


def test_traffic_is_received_as_sent():
    words, frames = traffic(random.Random(1), 3000, short=50)
    assert [(got.frame, got.good, got.first, got.last) for got in receive(words)] == [
        (one.frame, True, one.first, one.last) for one in frames
    ]
    assert 0 in {other.first - one.last - 1 for one, other in pairwise(frames)}


@pytest.mark.parametrize("octets", [64, 65, 81, 82, 1518, 9000])
def test_frames_have_the_length_asked_for(octets):
    assert {len(frame(random.Random(seed), octets)) for seed in range(10)} == {octets}


@pytest.mark.parametrize("wrong", [ERRORS, FAULT, IDLES, (0, 0)])
def test_a_wrong_word_makes_a_bad_frame(wrong):
    words = frame_words(FRAME)
    for place in range(1, len(words)):
        assert not any(got.good for got in receive([*words[:place], wrong, *words[place + 1 :], IDLES]))
    assert [got.good for got in receive(words + words[:-1] + words)] == [True, False, True]
