"""Selection among equally short sets of rules: each id uses one that spreads uniform traffic best.

All rules lead over shortest paths, but the ties that they break load the links differently. In a network as wide as it is high
rules with x and y exchanged are as good as the rules themselves.
"""

import numpy as np

from dsnswitch.net.routing.minimal.rules import Rule

__all__ = ["balanced", "loads", "mirrored"]

#: Rounds through all ids at most; a round without a change is the last.
ROUNDS = 4


def mirrored(dsn, found):
    """Rules with x and y exchanged, for a network as wide as it is high."""
    width = dsn.levels[0]
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
        rules=[
            Rule(port(rule.port), tuple((exchanged(m), exchanged(v)) for m, v in rule.cubes)) for rule in found.rules
        ],
    )


def loads(distances, ports):
    """Routes over each channel that leaves supernode 0, between all pairs: ``{(own id, port): number}``.

    Parameters
    ----------
    distances : Distances
    ports : ndarray
        ``[own id, destination id, *distances]``: the port that is taken.
    """
    many, following = len(distances.dsn.ports), distances.following
    own = np.arange(ports.size) // ports[0].size
    # A state's channel is -1 where no port is taken.
    channel = np.where(ports < 0, -1, own.reshape(ports.shape) * many + ports).ravel()
    waiting, totals = np.ones(ports.size), np.zeros(len(ports) * many)
    for states in distances.by_hops:
        states = states[channel[states] >= 0]
        going = waiting[states]
        totals += np.bincount(channel[states], going, totals.size)
        waiting += np.bincount(following[channel[states], states % ports[0].size], going, waiting.size)
    return {divmod(index, many): int(totals[index]) for index in map(int, np.flatnonzero(totals))}


def balanced(distances, pools, ports_of, allowed=lambda ports: True):
    """One of each id's ``pools``: from the first of each, the greatest load falls as long as a single change makes it fall.

    Parameters
    ----------
    distances : Distances
    pools : list of list of Found
        By own id.
    ports_of : callable
        ``ports_of(own, rules)``: the ports that rules choose, ``[destination id, *distances]``.
    allowed : callable
        ``allowed(ports)``: whether ports of all ids go together.
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
