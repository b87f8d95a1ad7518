"""Virtual channel classes that are free of deadlock for any route, and the bound on hops that follows from them.

A hop goes *up* if it leads to a switch of higher id, else *down*. A packet starts on class 0, and its class rises by one whenever
a hop up follows a hop down. Along any route the triple of class, direction (up before down), and id at the start of the hop
(rising up, falling down) therefore rises strictly. So packets cannot wait for each other in a cycle, with any set of
failed links and any choices of the switches. A route ends after at most 2 (m - 1) hops per class.
"""

from functools import lru_cache

from dsnswitch.net.routing.dsn.relation import DsnRelation

__all__ = ["fault_free_classes", "goes_up", "hop_bound"]


def goes_up(network, own, port):
    """Whether the link on ``port`` of id ``own`` leads to a switch of higher id."""
    there, _ = network.neighbour((0,) * (len(network.fields) - 1) + (own,), port)
    return there[-1] > own


@lru_cache(maxsize=64)
def fault_free_classes(dsn):
    """Number of classes that the routes of the base routing take if classes count turns."""
    base = DsnRelation(dsn)
    most, seen = 0, set()
    pending = [(state, 0, False) for state in base.states()]
    while pending:
        place = pending.pop()
        if place in seen:
            continue
        seen.add(place)
        state, turns, came_down = place
        for (own, port, _), following in base.advance(state):
            up = goes_up(dsn, own, port)
            now = turns + (came_down and up)
            most = max(most, now)
            if following is not None:
                # The arrival affects only the class of the base routing's next hop, and this class is not used here.
                pending.append(((*following[:2], None, *following[3:]), now, not up))
    return most + 1


def hop_bound(dsn, classes):
    """Most hops of a route. In each class, ids can rise m - 1 times and then fall m - 1 times."""
    return 2 * (dsn.m - 1) * classes
