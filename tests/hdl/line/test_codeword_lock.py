"""Codeword lock and pacer, each alone on Amaranth's simulator."""

import random

import pytest

from dsnswitch.hdl.line.codeword_lock import CodewordLock, Pacer

MOST = 4


class Lock:
    """The promise of the codeword lock. ``codewords``: whether each one in the decoder is tested; ``old``: words to come."""

    def __init__(self, settle=0, make=2, lose=3, trust=0, stay=64):
        self._settle, self._make, self._lose, self._trust, self._stay = settle, make, lose, trust, stay
        self.codewords = []
        self.restart(0)

    @property
    def stays(self):
        return not self.locked and self.left > 0

    def restart(self, locked):
        self.locked, self.left, self.old, self.slip = locked, locked * self._stay, 0, 0
        self.score = 0 if locked else self._trust

    def step(self, goes, begins, done, clean, bad, heavy, hopeless, start, start_locked):
        tested = bool(self.codewords) and self.codewords[0]
        hunts = not self.locked and not self.left
        self.slip = int(hunts and tested and (hopeless or (done and bad and not self.score)))
        if done and tested and not self.slip:
            self.count(clean, bad, heavy)
        self.codewords = self.codewords[done:] + [not self.old] * begins
        self.old -= goes and self.old > 0
        if self.slip:
            self.codewords, self.old, self.score = [False] * len(self.codewords), self._settle + 1, self._trust
        if start:
            self.restart(start_locked)

    def count(self, clean, bad, heavy):
        if self.locked:
            # The score counts bad codewords in a row.
            self.score = self.score + 1 + heavy if bad else 0
            if self.score >= self._lose:
                self.locked, self.score = 0, self._trust
        elif bad and self.left:
            self.left, self.score = self.left - 1, self._trust
        else:
            self.score += clean - bad
            if self.score == self._trust + self._make:
                self.locked, self.score, self.left = 1, 0, self._stay


@pytest.mark.parametrize("values", [{"settle": 3, "make": 4, "lose": 6, "trust": 2, "stay": 5}, {"settle": 4}])
def test_codeword_lock(simulate, values):
    """Good and bad times, full and empty decoders, slips with more codewords in the decoder, and restarts."""
    unit, model, rng, seen = CodewordLock(**values, most=MOST), Lock(**values), random.Random(1), set()
    names = ("goes", "begins", "done", "clean", "bad", "heavy", "hopeless", "start", "start_locked")

    async def bench(ctx):
        for number in range(3000):
            if number % 50 == 0:
                good, leaves, hopeless = (
                    rng.choice((0.05, 0.4, 0.8, 0.95)),
                    rng.choice((0.3, 0.6, 0.9)),
                    rng.choice((0, 0.05, 0.3)),
                )
                begins_at, restarts = rng.choice((0.4, 0.9)), rng.choice((0, 0.5))
            if number % 500 < 250:
                # A lock, and more bad codewords than the old boundary stays for.
                good, leaves, hopeless, begins_at, restarts = 0.95 * (number % 500 < 50), 0.9, 0, 0.9, 0
            held = len(model.codewords)
            done = int(held and rng.random() < leaves)
            start = int(not held and rng.random() < restarts)
            goes = int(not start and rng.random() < 0.8)
            begins = int(goes and held - done < MOST and rng.random() < begins_at)
            clean = int(rng.random() < good)
            bad = int(not clean and rng.random() < 0.8)
            now = (goes, begins, done, clean, bad, rng.getrandbits(1))
            now += (int((held or start) and rng.random() < hopeless), start, rng.getrandbits(1))
            for name, value in zip(names, now, strict=True):
                ctx.set(getattr(unit, name), value)
            model.step(*now)
            await ctx.tick()
            found = tuple(ctx.get(value) for value in (unit.locked, unit.slip, unit.stays))
            assert found == (model.locked, model.slip, model.stays), number
            seen.add((*found, len(model.codewords)))

    simulate(unit, bench, clocked=True)
    # Locked, a slip, or the old boundary, or none of them, each with a full decoder.
    assert {(1, 0, 0, MOST), (0, 1, 0, MOST), (0, 0, 1, MOST), (0, 0, 0, MOST)} <= seen


def test_pacer(simulate):
    """A block is due in the cycle of the word that has its first bit; the pacer waits for blocks and for the line."""
    bits, out, blocks, words = 270, 160, 16, 27
    unit, rng = Pacer(bits, out, blocks, words), random.Random(2)

    async def bench(ctx):
        for number in range(20 * words):
            word = number % words
            block = -(-word * out // bits)
            due = block < blocks and block * bits < (word + 1) * out
            moves = False
            while not moves:
                go, accepted = rng.random() < 0.8, due and rng.random() < 0.7
                moves = go and (accepted or not due)
                ctx.set(unit.go, go)
                ctx.set(unit.accepted, go and accepted)
                assert (ctx.get(unit.due), ctx.get(unit.begins)) == (due, word == 0), number
                assert ctx.get(unit.ends) == (due and block == blocks - 1), number
                await ctx.tick()

    simulate(unit, bench, clocked=True)
