"""Retransmission: each unit alone, compared with a model in every cycle."""

from dsnswitch.hdl.port.retransmission import Acceptance, ReplayBuffer

from ..compared import compare
from .receiver_models import Accepts
from .transmitter_models import Replays


class ReplayInputs(Replays):
    """Reports of an end that accepts flits, of one that is silent, and of one that asks in vain."""

    mode = "busy"

    def inputs(self, rng):
        if rng.random() < 0.04:
            self.mode = rng.choice(("busy", "busy", "silent", "stuck"))
        stuck, active = self.mode == "stuck", rng.random() < 0.99
        accepted = self.oldest + rng.choice(
            (0, self.level, rng.randint(0, self.level), self.level + 1, rng.randrange(self.numbers))
        )
        return {
            "active": active,
            "sent": active and (self.replaying or not self.full) and rng.random() < 0.7,
            "entry": rng.randrange(1 << self.width),
            "update": rng.random() < (0.05 if self.mode == "silent" else 0.6),
            "accepted": (self.oldest if stuck and rng.random() < 0.97 else accepted) % self.numbers,
            "request": self.request ^ (rng.random() < (0.8 if stuck else 0.2)),
        }


def test_flits_are_kept_and_sent_again(simulate):
    compare(simulate, ReplayBuffer(8, 6, 4), lambda: ReplayInputs(8, 6, 16), 3000, resets=0.01)


def test_flits_are_accepted_and_missing_ones_requested(simulate):
    compare(simulate, Acceptance(16, 5, 5), lambda: Accepts(16, 5, 32), 2000, resets=0.01)
