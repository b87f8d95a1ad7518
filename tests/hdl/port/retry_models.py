"""Model of the receiver's side of retransmission, which the models of larger units use, too."""


class Accepts:
    """Numbers of accepted flits, those in doubt apart, and the request for the missing ones."""

    def __init__(self, depth, pause, numbers):
        self.depth, self.pause, self.numbers, self.often = depth, pause, numbers, 0.5
        self.asked = self.urgent = False
        self.clear()

    def clear(self):
        self.taken = self.asks = False
        self.counted = self.accepted = self.request = self.known = self.news = self.waits = 0

    def inputs(self, rng):
        if rng.random() < 0.05:
            self.often = rng.choice((0, 0.1, 0.5, 0.9))
        free = ("active", "present", "answered", "none_missing", "missing", "reported", "doubts")
        values = {name: rng.random() < 0.5 for name in free} | {"active": rng.random() < 0.99, "missing": rng.random() < 0.3}
        values |= {
            "reported": rng.random() < self.often,
            "doubts": rng.random() < 0.3,
            "undone": self.taken and rng.random() < 0.2,
        }
        values["revoked"] = values["doubts"] and not self.taken and rng.random() < 0.3
        return values | {"taken": not values["undone"] and not values["revoked"] and rng.random() < 0.7}

    @property
    def expected(self):
        return (self.counted + self.taken) % self.numbers

    def cycle(self, active, taken, undone, missing, none_missing, present, answered, reported, doubts, revoked):
        names = ("taken", "expected", "accepted", "request", "urgent")
        shown = {"was_taken" if name == "taken" else name: getattr(self, name) for name in names}
        self.known = answered if present else self.known
        lacks = missing and not doubts
        requests = lacks and self.known == self.request
        self.urgent = not reported and ((self.asks and not self.waits) or self.news >= self.depth // 4)
        if requests:
            self.waits = 0
        elif reported and self.asked and not self.waits:
            self.waits = self.pause
        else:
            self.waits = max(self.waits - 1, 0)
        self.asked = self.asks and not requests
        self.asks = lacks or (self.asks and not none_missing)
        self.request ^= requests
        self.news = min((0 if reported else self.news) + self.taken, self.depth)
        counted = self.counted if undone else self.expected
        self.counted = self.accepted if revoked else counted
        self.accepted = self.accepted if doubts else counted
        self.taken = taken
        if not active:
            self.clear()
        return shown
