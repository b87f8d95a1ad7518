"""Rules of one switch id: an ordered list of ports, each with a sum of products. The first rule whose sum is 1 selects the port.

Where several ports lie on a shortest path, the switch may take any of them. That freedom, the rules that come first and the
combinations that never occur make the sums of products small: an order of ports and of variables is improved step by step.
"""

from collections import namedtuple
from typing import Any

import numpy as np

# Two-level minimisation: a sum of products between two bounds, the inputs that must be covered and those that may be.


def cover(least, most, variables) -> list:
    """An irredundant sum of products ``f`` with ``least <= f <= most`` (Minato and Morreale's recursion): its cubes, and ``f``.

    Functions of a number of ``variables`` are integers, one bit per input; ``least`` must lie in ``most``.
    """
    return _cover(least, most, 1 << variables >> 1, (1 << (1 << variables)) - 1, {})


def _cover(least, most, half, full, known):
    """As :func:`cover`. ``full`` always holds; ``half`` is the number of inputs at which the last variable is 0."""
    if not least:
        return (), 0
    if most == full:
        return ((0, 0),), most
    key = least, most, half
    if key in known:
        return known[key]
    low, quarter = full >> half, half >> 1
    least0, least1, most0, most1 = least & low, least >> half, most & low, most >> half
    if least0 == least1 and most0 == most1:
        cubes, covered = _cover(least0, most0, quarter, low, known)
        known[key] = cubes, covered | covered << half
        return known[key]
    # Cubes that need the variable at 0, at 1, and for what is left those that do not need it.
    cubes0, covered0 = _cover(least0 & ~most1, most0, quarter, low, known)
    cubes1, covered1 = _cover(least1 & ~most0, most1, quarter, low, known)
    cubes, covered = _cover(least0 & ~covered0 | least1 & ~covered1, most0 & most1, quarter, low, known)
    found = (*[(mask | half, value) for mask, value in cubes0], *[(mask | half, value | half) for mask, value in cubes1], *cubes)
    known[key] = found, covered0 | covered | (covered1 | covered) << half
    return known[key]


def literals(cubes) -> int:
    """Number of literals of a sum of products."""
    return sum(mask.bit_count() for mask, _ in cubes)


def table_number(table) -> int:
    """An array of bool as an integer, the first entry in the lowest bit."""
    return int.from_bytes(np.packbits(table, bitorder="little").tobytes(), "little")


def greatest_part(table, free, values) -> tuple:
    """Cubes that together hold only where the arrays ``table`` or ``free`` do, and the array of where they hold.

    Of a sum of products for all of ``table``, those are taken whose ``values`` there sum to more than their literals and one, the
    most profitable first. Each value counts once.
    """
    inputs = np.arange(table.size)
    wanted, covered, found = table & ~free, np.zeros(table.size, bool), []
    left = cover(table_number(wanted), table_number(table | free), table.size.bit_length() - 1)[0]
    left = [((mask, value), inputs & mask == value) for mask, value in left]

    def profit(cube, where):
        return values[where & wanted & ~covered].sum() - literals([cube]) - 1

    while left and profit(*(best := max(left, key=lambda one: profit(*one)))) > 0:
        found.append(best[0])
        covered |= best[1]
        left = [one for one in left if one[0] != best[0]]
    return tuple(found), covered


#: Take output port ``port`` where one of ``cubes`` holds and no rule before it does. A cube ``(mask, value)`` holds where
#: ``input & mask == value``.
Rule = namedtuple("Rule", "port cubes")

#: A set of rules, the order of variables and of ports that it was found with, and its cost. The last rule holds always.
Found = namedtuple("Found", "cost order ports rules")

#: Sets of rules that the search for each id returns at most.
POOL = 8


def cost(rules) -> int:
    """Literals and rules: close to the area of the logic."""
    return sum(literals(rule.cubes) + 1 for rule in rules)


def matches(rules, number) -> int | None:
    """Port of the first rule that holds for the input ``number``; None if none does."""
    for rule in rules:
        if any(number & mask == value for mask, value in rule.cubes):
            return rule.port
    return None


class Search:
    """Local search for short rules of one id.

    ``tables`` is ``{port: array of bool}``: where the port may be taken. Arrays have ``2**n`` entries, by input; ``free`` are the
    inputs for which any answer will do. ``rising`` are the ports to switches of higher id. Their rules stand together, before all
    others or after them, so that the direction of the next hop is known from the sums of products of one of the two groups.
    ``value`` is the cost of a list of rules.

    The search goes on from ``best``, as short as anything that it has tried since it began or was changed. ``pool`` has the
    shortest sets of rules so far, at most :data:`POOL`, the shortest first.
    """

    def __init__(self, tables, free, rising, value=cost):
        self._value = value
        self._tables, self._free, self._rising = dict(tables), free, rising
        self._random = _Random()
        variables = free.size.bit_length() - 1
        self.best = self._try(range(variables), [port for port, where in tables.items() if (where & ~free).any()])
        self.pool = [self.best]

    def _try(self, order, ports):
        ports = sorted(ports, key=lambda port: (port in self._rising) != (ports[0] in self._rising))
        rules = _rules(self._tables, self._free, order, ports)
        return Found(self._value(rules), tuple(order), tuple(ports), rules)

    def go_on_from(self, found) -> None:
        """Make ``found`` the best."""
        self.best, self.pool = found, [found]

    def forbid(self, port, where) -> None:
        """Take a port no more where the array ``where`` says so; the search goes on from the best orders."""
        self._tables[port] = self._tables[port] & ~where
        self.go_on_from(self._try(self.best.order, self.best.ports))

    def run(self, steps) -> None:
        """Try ``steps`` more orders."""
        below = self._random.below
        for _ in range(steps):
            order, ports = list(self.best.order), list(self.best.ports)
            for moved in ((order,), (ports,), (order, ports))[below(3)]:
                if len(moved) > 1:
                    moved.insert(below(len(moved)), moved.pop(below(len(moved))))
            found = self._try(order, ports)
            if all(found.rules != other.rules for other in self.pool):
                self.pool = sorted([*self.pool, found], key=lambda one: one.cost)[:POOL]
            if found.cost <= self.best.cost:
                self.best = found


class _Random:
    """Numbers that look random and are the same on every machine (Knuth's MMIX generator)."""

    def __init__(self):
        self._state = 1

    def below(self, limit):
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self._state >> 33) % limit


def _rules(tables, free, order, ports):
    """Rules in the order ``ports``; the recursion that finds the cubes splits the last variable of ``order`` first."""
    variables = len(order)

    def number(table):
        """A table as an integer, its variables permuted."""
        cube = table.reshape((2,) * variables)  # axis 0 is the most significant variable
        moved = cube.transpose([variables - 1 - place for place in reversed(order)])
        return int.from_bytes(np.packbits(moved, axis=None, bitorder="little").tobytes(), "little")

    wanted, open_ = {port: number(tables[port]) for port in ports}, number(free)
    found, decided = [], open_
    for index, port in enumerate(ports):
        others = 0
        for other in ports[index + 1 :]:
            others |= wanted[other]
        if not wanted[port] & ~decided:
            continue
        must = wanted[port] & ~others & ~decided
        if index + 1 == len(ports) or not others & ~decided & ~wanted[port]:
            # Nothing that is still open needs another port.
            found.append(Rule(port, ((0, 0),)))
            break
        cubes, covered = cover(must, wanted[port] | decided, variables)
        if cubes:
            found.append(Rule(port, tuple(_original(cube, order) for cube in cubes)))
            decided |= covered
    return found


def _original(cube, order):
    """A cube over permuted variables as one over the variables themselves."""
    mask, value = cube
    return tuple(sum(1 << place for bit, place in enumerate(order) if part >> bit & 1) for part in (mask, value))


# Selection among equally short sets of rules: each id uses one that spreads uniform traffic best.

#: Rounds through all ids at most; a round without a change is the last.
ROUNDS = 4


def mirrored(dsn, found, width) -> Any:
    """Rules with x and y exchanged, for a network as wide as it is high, whose distances have ``width`` bits of the input."""
    low = (1 << width) - 1
    of = {(port.kind, port.direction): port.index for port in dsn.ports}
    other = {"x": "y", "y": "x"}

    def port(index):
        found = dsn.ports[index]
        return of.get((other.get(found.kind), found.direction), index)

    def exchanged(bits):
        return bits >> 2 * width << 2 * width | (bits & low) << width | bits >> width & low

    return found._replace(
        order=tuple(exchanged(1 << variable).bit_length() - 1 for variable in found.order),
        ports=tuple(map(port, found.ports)),
        rules=[Rule(port(rule.port), tuple((exchanged(m), exchanged(v)) for m, v in rule.cubes)) for rule in found.rules],
    )


def loads(distances, ports) -> dict:
    """Routes over each channel that leaves supernode 0, between all pairs: ``{(own id, port): number}``.

    ``ports[own id, destination id, *distances]`` is the port that is taken.
    """
    return _followed(distances, ports)[0]


def passing(distances, ports) -> np.ndarray:
    """Routes that pass each state, ``[own id, destination id, *distances]``, relative to the mean; as of :func:`loads`."""
    waiting = _followed(distances, ports)[1]
    return (waiting / waiting.mean()).reshape(ports.shape)


def _followed(distances, ports):
    """The loads, and the routes that pass each state of the flat ``[own id, destination id, *distances]``."""
    many, following = len(distances.dsn.ports), distances.following
    own = np.arange(ports.size) // ports[0].size
    # A state's channel is -1 where no port is taken.
    channel = np.where(ports < 0, -1, own.reshape(ports.shape) * many + ports).ravel()
    waiting, totals = distances.starts.ravel().astype(float), np.zeros(len(ports) * many)
    for states in distances.by_hops:
        states = states[channel[states] >= 0]
        going = waiting[states]
        totals += np.bincount(channel[states], going, totals.size)
        waiting += np.bincount(following[channel[states], states % ports[0].size], going, waiting.size)
    return {divmod(index, many): int(totals[index]) for index in map(int, np.flatnonzero(totals))}, waiting


def balanced(distances, pools, ports_of, allowed=lambda ports: True) -> Any:
    """One of each id's ``pools``: from the first of each, the greatest load falls as long as a single change makes it fall.

    ``pools`` are lists of :class:`Found`, by own id. ``ports_of(own, rules)`` are the ports that rules choose, ``[destination id,
    *distances]``, and ``allowed(ports)`` says whether ports of all ids go together.
    """
    answers = [[ports_of(own, found.rules) for found in pool] for own, pool in enumerate(pools)]
    chosen = [0] * len(pools)
    ports = np.stack([answer[0] for answer in answers])

    def value():
        costs = (pool[index].cost for pool, index in zip(pools, chosen))
        return max(loads(distances, ports).values(), default=0), sum(costs)

    best = value()
    for _ in range(ROUNDS):
        before = best
        for own, pool in enumerate(pools):
            for index in range(len(pool)):
                kept, chosen[own] = chosen[own], index
                ports[own] = answers[own][index]
                if (found := value()) < best and allowed(ports):
                    best = found
                else:
                    chosen[own] = kept
                    ports[own] = answers[own][kept]
        if best == before:
            break
    return [pool[index] for pool, index in zip(pools, chosen)]
