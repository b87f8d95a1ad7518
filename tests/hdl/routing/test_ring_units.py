"""Units of a ring, each alone: every output, for every pair of coordinates, by the definitions of distance and of shortcuts."""

from random import Random

import pytest
from amaranth.lib.wiring import Signature

from dsnswitch.hdl.routing.detour_options import NextShortcut
from dsnswitch.hdl.routing.local import LocalMapSignature
from dsnswitch.hdl.routing.ring import RingPosition, RingTermsSignature
from dsnswitch.hdl.routing.shortcuts import RingUnit
from dsnswitch.hdl.routing.terms import DsnTermsSignature
from dsnswitch.hdl.routing.torus import TorusRing
from dsnswitch.net.topology.supernode import parse_supernode

RINGS = [(n, backward) for n in (2, 3, 4, 5, 6, 8, 13) for backward in (True, False)]


class Ring:
    """Straps of a switch of a ring of ``n`` coordinates, and the ways to a destination."""

    def __init__(self, n, backward):
        self.n, self.backward, self.signature = n, backward, RingTermsSignature(n, backward)
        self.lengths, ways = range(self.signature.levels), [self.way(distance) for distance in range(1, n)]
        forward = [[way for distance, way in enumerate(ways, 1) if distance.bit_length() == j + 1] for j in self.lengths]
        near = {j for j, found in enumerate(forward) if all(ahead for ahead, _ in found)}
        # A distance of half a ring of 2**p has the longest shortcut, which is forward there, and the others have none.
        near |= {self.signature.levels - 1} if self.signature.power_of_two else set()
        far = {j for j, found in enumerate(forward) if any(ahead for ahead, _ in found)} - near
        back = {j for ahead, j in ways if not ahead}
        self.masks = {"near": near, "far": far, "back": back}

    def way(self, distance):
        """``(forward, j)``: a shortcut of length ``2**j`` is taken in this direction."""
        back = (self.n - distance) & -(self.n - distance)
        forward = not self.backward or 2 * distance <= self.n
        return forward, (distance if forward else back).bit_length() - 1

    def straps(self, own):
        half = own + self.n // 2
        known = {"own": own, "own_minus_n": own - self.n, "own_plus_n": own + self.n}
        known |= {"half": half % self.n, "half_wraps": half >= self.n}
        return {name: known[name] % (1 << member.shape) for name, member in self.signature.members.items() if member.shape}

    def pairs(self, ctx, unit, terms):
        """``(own, dst, distance)`` of every pair, which are set."""
        for own in range(self.n):
            for name, value in self.straps(own).items():
                ctx.set(getattr(terms, name), value)
            for dst in range(self.n):
                ctx.set(unit.dst, dst)
                yield own, dst, (dst - own) % self.n

    def taken(self, distance, masks):
        """Lengths ``(j forward or None, j backward or None)`` that straps allow, be they those of this ring or not."""
        late = self.backward and 2 * distance > self.n - self.signature.power_of_two
        j, trailing = distance.bit_length() - 1, ((self.n - distance) & -(self.n - distance)).bit_length() - 1
        if self.backward and self.signature.power_of_two and 2 << j == self.n and 2 * distance != self.n:
            j = None
        forward = j in masks["near"] or (j in masks["far"] and not late)
        return (j if forward else None), (trailing if late and trailing in masks["back"] else None)

    def straps_and_pairs(self, ctx, unit, rng):
        """``(own, dst, distance, taken)`` with the straps of this ring, then with any, so that each gate counts."""
        some = [{name: {j for j in self.lengths if rng.random() < 0.5} for name in self.masks} for _ in range(2)]
        all_far = {"near": set(), "far": set(self.lengths), "back": set(self.lengths)}
        for masks in [self.masks, *([all_far, *some] if self.backward else [])]:
            for name, mask in masks.items():
                if len(strap := getattr(unit.terms, name)):
                    ctx.set(strap, sum(1 << j for j in mask))
            for own, dst, distance in self.pairs(ctx, unit, unit.terms.ring):
                taken = self.taken(distance, masks) if distance else (None, None)
                if masks is self.masks and distance:
                    forward, j = self.way(distance)
                    assert taken == ((j, None) if forward else (None, j))
                yield own, dst, distance, taken


def outputs(ctx, unit, *names):
    return [ctx.get(getattr(unit, name)) if len(getattr(unit, name)) else 0 for name in names]


@pytest.mark.parametrize(("n", "backward"), RINGS)
def test_position(simulate, n, backward):
    ring = Ring(n, backward)
    unit = RingPosition(ring.signature)

    async def bench(ctx):
        for own, dst, distance in ring.pairs(ctx, unit, unit.terms):
            below = sum(1 << j for j in ring.lengths if distance < 1 << j)
            origin = own if ring.signature.power_of_two or dst < own else own + n
            residue = (dst ^ origin) % (1 << ring.signature.levels)
            late = 2 * distance > n, 2 * distance > n - ring.signature.power_of_two
            wanted = [own == dst, below, dst < own, *([residue, *late] if backward else [0, 0, 0])]
            assert outputs(ctx, unit, "done", "below", "wraps", "residue", "way_back", "backward") == wanted, (own, dst)

    simulate(unit, bench)


@pytest.mark.parametrize("n", range(2, 10))
@pytest.mark.parametrize("dateline", [True, False])
def test_torus(simulate, n, dateline):
    ring = Ring(n, True)
    unit = TorusRing(n, dateline)

    async def bench(ctx):
        for own, dst, distance in ring.pairs(ctx, unit, unit.terms):
            back = 2 * distance > n
            passes = (dst > own) if back else (dst < own)
            wanted = [distance == 0, distance > 0 and not back, back, dateline and n > 3 and distance > 0 and not passes]
            assert outputs(ctx, unit, "done", "forward", "backward", "passed") == wanted, (own, dst)

    simulate(unit, bench)


@pytest.mark.parametrize("n", [n for n, backward in RINGS if backward])
def test_next_shortcut(simulate, n):
    ring = Ring(n, True)
    unit = NextShortcut(DsnTermsSignature(ring.signature, Signature({})))

    async def bench(ctx):
        for own, dst, distance, taken in ring.straps_and_pairs(ctx, unit, Random(n)):
            levels = [0 if j is None else 1 << len(ring.lengths) - 1 - j for j in taken]
            assert outputs(ctx, unit.next, "done", "forward", "backward") == [distance == 0, *levels], (own, dst)

    simulate(unit, bench)


@pytest.mark.parametrize(("n", "backward"), RINGS)
@pytest.mark.parametrize(("shape", "wraps"), [("k4x2", False), ("ring-3", True)])
def test_ring_unit(simulate, n, backward, shape, wraps):
    """With sets of ids that no supernode has, so that each column and each length counts."""
    ring, rng = Ring(n, backward), Random(n)
    row = LocalMapSignature(parse_supernode(shape), wraps)
    unit = RingUnit(DsnTermsSignature(ring.signature, row))

    async def bench(ctx):
        for own, dst, distance, taken in ring.straps_and_pairs(ctx, unit, rng):
            held = dict.fromkeys(("here", "wraps", *row.columns), (False, False))
            for name in row.members:
                ways = [getattr(getattr(unit.terms, way), name) for way in ("ahead", "behind")]
                values = [rng.randrange(1 << len(column)) for column in ways]
                for column, value in zip(ways, values):
                    if len(column):
                        ctx.set(column, value)
                held[name] = tuple(j is not None and bool(value >> j & 1) for j, value in zip(taken, values))
            hop = sum(any(held[name]) << place for place, name in enumerate(row.columns))
            wanted = [distance == 0, *held["here"], any(held["wraps"]), backward and 2 * distance > n, hop]
            assert outputs(ctx, unit, "done", "forward", "backward", "wraps", "way_back", "hop") == wanted, (own, dst)

    simulate(unit, bench)
