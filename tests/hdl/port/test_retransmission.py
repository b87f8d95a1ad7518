"""Retransmission: each unit alone, compared with a model in every cycle."""

from dsnswitch.hdl.port.retransmission import Acceptance, ReplayBuffer

from .compared import compare
from .receiver_models import Accepts


class Replays:
    """Flits by their numbers; those from ``oldest`` on may be needed again."""

    def __init__(self, depth, width, numbers):
        self.depth, self.width, self.numbers = depth, width, numbers
        self.entries, self.restarts, self.replaying, self.failed, self.target = {}, False, False, False, 0
        self.mode = "busy"
        self.clear()

    def clear(self):
        self.oldest = self.level = self.number = self.request = self.answered = self.attempts = 0
        self.full = False

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

    def cycle(self, active, sent, entry, update, accepted, request):
        newest = (self.oldest + self.level) % self.numbers
        following = (self.number + 1) % self.numbers
        replays = bool(active and (self.restarts or (self.replaying and not (sent and following == newest))))
        shown = {name: getattr(self, name) for name in ("full", "replaying", "restarts", "answered", "failed", "number")}
        shown |= {"replays": replays, "following": following, "newest": newest}
        shown["front"] = self.entries[self.number] if self.replaying else None
        shown["target"] = self.target if self.restarts else None
        fresh = sent and not self.replaying
        if fresh:
            self.entries[self.number] = entry
        self.full, self.answered = self.level >= self.depth - 2, self.request
        # A report.
        freed = (accepted - self.oldest) % self.numbers
        believed, newer = update and freed <= self.level, update and request != self.request
        advances, tries = believed and freed > 0, newer and freed != self.level
        self.failed = tries and not advances and self.attempts == ReplayBuffer.LIMIT
        if tries or advances:
            self.attempts = min((0 if advances else self.attempts) + tries, ReplayBuffer.LIMIT)
        self.number = self.target if self.restarts else following if sent else self.number
        self.level += fresh
        if believed:
            self.oldest, self.level, self.request = accepted, self.level - freed, request
        self.restarts, self.target, self.replaying = active and tries and believed, accepted, replays
        if not active:
            self.clear()
        return shown


def test_flits_are_kept_and_sent_again(simulate):
    compare(simulate, ReplayBuffer(8, 6, 4), lambda: Replays(8, 6, 16), 3000, resets=0.01)


def test_flits_are_accepted_and_missing_ones_requested(simulate):
    compare(simulate, Acceptance(16, 5, 5), lambda: Accepts(16, 5, 32), 2000, resets=0.01)
