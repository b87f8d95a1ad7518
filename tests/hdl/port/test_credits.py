"""Credits of a fabric link: each unit alone, compared with a model in every cycle."""

import pytest

from dsnswitch.gen.config import build
from dsnswitch.hdl.port.credits import BufferLevel, CreditCheck, CreditLedger, PoolLevel, Reports

from ..compared import compare


class Ledger:
    """Flits in flight, and credits that the core has not got yet."""

    def __init__(self, depth, width):
        self.depth, self.counts = depth, 1 << width
        self.flight = self.owed = self.count = self.last = self.credit = 0
        self.report = None

    def inputs(self, rng):
        comes = self.flight + self.owed + self.credit < self.depth and rng.random() < 0.8
        active = rng.random() < 0.95
        sent = comes and active and rng.random() < 0.8
        freed = self.last + rng.choice((0, self.flight, self.flight, self.flight + 1, rng.randrange(self.counts)))
        values = {"active": active, "sent": sent, "dropped": comes and not sent, "update": rng.random() < 0.5}
        return values | {"freed": freed % self.counts}

    def cycle(self, active, sent, dropped, update, freed):
        shown = {"credit": self.credit, "count": self.count}
        returned, ignores = 0, self.report is not None
        if not active:
            returned = self.flight
        elif ignores and self.report <= self.flight:
            returned = self.report
        self.report = (freed - self.last) % self.counts if active and update and not ignores else None
        self.credit = self.owed > 0
        self.flight += sent - returned
        self.owed += returned + dropped - self.credit
        self.count = (self.count + sent) % self.counts if active else 0
        self.last = (self.last + returned) % self.counts if active else 0
        return shown


class Check:
    """Cycles in which the core's buffers were empty and nothing moved, while a credit was missing."""

    def __init__(self):
        self.quiet = self.left = 0

    def inputs(self, rng):
        """A pause of about the period, after which one input changes."""
        self.left = self.left - 1 if self.left else rng.choice((0, 1, 63, 64, 65, 130))
        change = rng.choice(("buffers_empty", "moves", "credits_home")) if not self.left else ""
        values = {"buffers_empty": 1, "moves": 0, "credits_home": 0}
        return {name: value ^ (name == change) for name, value in values.items()}

    def cycle(self, buffers_empty, moves, credits_home):
        due = self.quiet == CreditCheck.PERIOD
        self.quiet = self.quiet + 1 if buffers_empty and not (moves or credits_home or due) else 0
        return {"lost": due and not credits_home}


class Level:
    """Flits of a buffer, and the count of those that have left it."""

    def __init__(self, depth, width, reserved):
        self.depth, self.counts, self.reserved = depth, 1 << width, reserved
        self.level = self.freed = 0
        self.space, self.corrected, self.often = False, None, 0.5

    def inputs(self, rng):
        if rng.random() < 0.05:
            self.often = rng.choice((0.1, 0.5, 0.9))
        values = {
            "delivered": self.space and rng.random() < 0.8,
            "credit": rng.random() < self.often,
            "lost": rng.random() < 0.03,
        }
        return values | {"active": rng.random() < 0.95, "update": rng.random() < 0.3, "sent": rng.randrange(self.counts)}

    def cycle(self, active, delivered, credit, lost, update, sent):
        held = self.level + delivered
        self.space = held < self.depth
        shown = {"space": self.space, "empty": held == 0, "freed": self.freed}
        if self.reserved:
            shown |= {"full": self.level >= self.reserved, "above": self.level > self.reserved, "nearly": held >= self.reserved}
        after = max(held - credit, 0)
        base = self.freed if self.corrected is None else self.corrected
        self.freed = (base + credit) % self.counts if active else 0
        self.corrected = sent - after if update and active else None
        self.level = 0 if lost else after
        return shown


class Pool:
    """Levels of all channels, each with a reserve, and a pool that they share."""

    RESERVED = 2

    def __init__(self, channels, pool):
        self.levels, self.pool, self.space = [0] * channels, pool, [False] * channels

    def inputs(self, rng):
        one, reserved = rng.randrange(len(self.levels)), self.RESERVED
        goes = {one} if self.space[one] and rng.random() < 0.9 else set()
        often = rng.choice((0.1, 0.3, 0.8))
        leaves = {v for v, level in enumerate(self.levels) if level + (v in goes) and rng.random() < often}
        sets = {
            "delivered": goes,
            "credit": leaves,
            "full": {v for v, level in enumerate(self.levels) if level >= reserved},
            "above": {v for v, level in enumerate(self.levels) if level > reserved},
            "nearly": {v for v, level in enumerate(self.levels) if level + (v in goes) >= reserved},
        }
        return {name: sum(1 << v for v in chosen) for name, chosen in sets.items()} | {"lost": rng.random() < 0.02}

    def cycle(self, delivered, credit, lost, **_):
        held = [level + (delivered >> v & 1) for v, level in enumerate(self.levels)]
        fits = sum(max(level - self.RESERVED, 0) for level in held) < self.pool
        self.space = [level < self.RESERVED or fits for level in held]
        self.levels = [0 if lost else level - (credit >> v & 1) for v, level in enumerate(held)]
        return {"space": sum(one << v for v, one in enumerate(self.space))}


class Counts:
    """Counts of all channels: what was reported of each, and how long ago."""

    def __init__(self, shape):
        self.shape, self.width, self.quarter = shape, shape.count_width, shape.core.depth // 4
        self.freed, self.sent, self.reported, self.many = ([0] * shape.channels for _ in range(4))
        self.turn = self.entered = self.group = self.waited = self.pair = 0
        self.rest = Reports.PERIOD + 9

    def inputs(self, rng):
        """Rests of about the period, during which little is freed; and times of many counts."""
        self.rest = self.rest - 1 if self.rest else (rng.random() < 0.0015) * (Reports.PERIOD + 9)
        for v in range(self.shape.channels):
            if rng.random() < (0.001 if self.rest else 0.05):
                news = rng.choice((self.quarter - 1, self.quarter - 1, self.quarter, rng.randrange(1 << self.width)))
                self.freed[v] = (self.reported[v] + news) % (1 << self.width)
            self.sent[v] = rng.randrange(1 << self.width) if rng.random() < 0.1 else self.sent[v]
        counts = rng.random() < (0.3 if not self.rest or self.waited == Reports.PERIOD or self.pair else 0.0)
        values = {"active": rng.random() < 0.95, "counts_sent": counts, "entry_sent": rng.random() < (0.01 if self.rest else 0.2)}
        return values | {name: self.joined(getattr(self, name)) for name in ("sent", "freed")}

    def joined(self, counts):
        return sum(count << self.width * place for place, count in enumerate(counts))

    def cycle(self, active, counts_sent, entry_sent, **_):
        shape, full = self.shape, self.waited == Reports.PERIOD
        first = shape.groups[self.group]
        channels = range(first, min(first + shape.per_block, shape.channels))
        shown = {
            "urgent": (active and any(self.many)) or full or self.pair,
            "entry": self.turn,
            "entry_freed": self.freed[self.turn],
            "first": first,
            "details": self.joined([count[v] for v in channels for count in (self.freed, self.sent)]),
        }
        for v, freed in enumerate(self.freed):
            reports = counts_sent or (entry_sent and self.entered == v)
            self.many[v] = not reports and (freed - self.reported[v]) % (1 << self.width) >= self.quarter
            self.reported[v] = freed if reports or not active else self.reported[v]
        if counts_sent:
            self.group = self.group if full else (self.group + 1) % len(shape.groups)
            self.waited, self.pair = 0, full
        else:
            self.waited += not full
        self.entered = self.turn
        self.turn = (self.turn + bool(entry_sent)) % shape.channels
        return shown


#: Two groups of channels, of which the last has one.
VALUES = {"block": "fabric-port", "topology": "torus:5", "packet": 3, "flit": 64, "depth": 2000}
VALUES |= {"virtual_networks": 2, "channels": "dim0=2/1"}


def test_reports_become_credits(simulate):
    compare(simulate, CreditLedger(5, 4), lambda: Ledger(5, 4), 1500)


def test_credits_are_lost_if_they_are_missing_for_a_period(simulate):
    compare(simulate, CreditCheck(), Check, 2500, resets=0.002)


@pytest.mark.parametrize("reserved", [0, 3])
def test_level_of_a_buffer(simulate, reserved):
    compare(simulate, BufferLevel(6, 4, reserved), lambda: Level(6, 4, reserved), 1000)


def test_a_pool_is_used_up(simulate):
    """A channel has space in its reserve, or while the pool has."""
    compare(simulate, PoolLevel(3, 5), lambda: Pool(3, 5), 1000)


def test_counts_become_urgent(simulate):
    """When a quarter of a buffer has become free, while this end accepts flits; and after a period without counts, twice."""
    shape = build(VALUES).shape
    compare(simulate, Reports(shape), lambda: Counts(shape), 3500, resets=0.0005)
