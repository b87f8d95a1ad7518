"""Counts of lost packets: each unit alone, compared with a model in every cycle."""

import pytest

from dsnswitch.hdl.line.line_format import NUMBER_BITS, Kind, link_word_layout
from dsnswitch.hdl.port.losses import Acknowledgement, LostPackets, Unacknowledged

from ..compared import compare, packed

NUMBERS = 1 << NUMBER_BITS


def before(rng, number):
    """A number shortly before another one, or any."""
    return (number - rng.choice((0, 0, 1, 2, 5, rng.randrange(NUMBERS)))) % NUMBERS


class Upper:
    """Counts one packet per cycle from the last that was acknowledged."""

    def __init__(self):
        self.acknowledged = self.number = 0
        self.counts = False

    def inputs(self, rng):
        if not self.counts:
            self.number = rng.choice((self.number, self.acknowledged + 3, rng.randrange(NUMBERS))) % NUMBERS
        values = {"number": self.number, "acknowledges": rng.random() < 0.5, "arrived": before(rng, self.number)}
        return values | {"restarted": rng.random() < 0.2, "pauses": rng.random() < 0.3}

    def cycle(self, number, acknowledges, arrived, restarted, pauses):
        left = (number - self.acknowledged) % NUMBERS
        shown = {"lost": self.counts and left and not pauses, "counts": self.counts}
        if self.counts:
            self.acknowledged = (self.acknowledged + bool(shown["lost"])) % NUMBERS
        elif acknowledges:
            self.acknowledged = arrived
        self.counts = restarted or (self.counts and left > 0)
        return {name: bool(value) for name, value in shown.items()}


class Arrivals:
    """The packets before one number of a flit."""

    def __init__(self):
        self.flit = self.packets = 0

    def inputs(self, rng):
        values = {"active": rng.random() < 0.9, "complete": rng.random() < 0.5, "update": rng.random() < 0.7}
        accepted = (self.flit + rng.choice((-1, 0, 255, 256, rng.randrange(NUMBERS)))) % NUMBERS
        return values | {"newest": rng.randrange(NUMBERS), "packets": rng.randrange(NUMBERS), "accepted": accepted}

    def cycle(self, active, complete, newest, packets, update, accepted):
        agrees = update and accepted in [(self.flit + more) % NUMBERS for more in range(256)]
        shown = {"acknowledges": agrees, "arrived": self.packets}
        if not active or (agrees and complete):
            self.flit, self.packets = newest if active else 0, packets
        return shown


class Missing:
    """Packets that numbers of link words, or of heads, show to be missing."""

    def __init__(self, by_heads):
        self.by_heads, self.expected, self.follows, self.lost = by_heads, 0, False, 0

    def inputs(self, rng):
        number = (self.expected + rng.choice((0, 1, 2, -1, 255, 256, rng.randrange(NUMBERS)))) % NUMBERS
        values = {name: rng.random() < 0.4 for name in ("head", "refused", "begins", "peer_fresh")}
        link = packed(link_word_layout(), kind=rng.choice((*Kind, 6)), number=number)
        return values | {"link_valid": rng.random() < 0.7, "link": link, "seen": rng.random() < 0.7}

    def cycle(self, link_valid, link, head, refused, seen, begins, peer_fresh):
        shown = {"lost": self.lost, "expected": self.expected}
        word = link_word_layout().from_bits(link)
        if says := link_valid and (begins or (seen and not self.by_heads and word.kind != Kind.HELLO)):
            missing = (word.number - self.expected) % NUMBERS
            counts = self.follows and missing < 256 and not (begins and peer_fresh)
            self.expected, self.follows = (word.number + (word.kind == Kind.HEAD)) % NUMBERS, True
        elif head:
            self.expected = (self.expected + 1) % NUMBERS
        self.lost = refused + (missing if says and counts else 0)
        return shown


def test_a_reset_of_the_other_end_loses_what_it_had_not_acknowledged(simulate):
    compare(simulate, Unacknowledged(), Upper)


def test_numbers_of_flits_tell_which_packets_have_arrived(simulate):
    compare(simulate, Acknowledgement(), Arrivals)


@pytest.mark.parametrize("by_heads", [False, True])
def test_missing_packets_are_counted(simulate, by_heads):
    compare(simulate, LostPackets(by_heads), lambda: Missing(by_heads))
