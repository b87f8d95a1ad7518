"""Model of the detours around failed links (D 4.2.4; the rules of docs/detours.md), one decision at a time.

It computes whole paths, while the hardware uses closed forms: the next shortcut is the first one of the whole ring path, and a
local hop is the first one of a whole local path.
"""

from functools import cache

from dsnswitch.sim.golden.routing.dsn import local_path, ring_moves
from dsnswitch.sim.golden.topology.dsn import level_count, local_graph

ARRIVED, UNDELIVERABLE = "arrived", "undeliverable"

#: Header bits after the two bits for the kind of shortcut.
OTHER_LOCAL_ROUTES, Y_FIRST = 4, 8


class DetourModel:
    """Decisions of a switch about a packet.

    An exit of a switch is ``("local", id)``, the link to a switch of its supernode, or ``(dimension, direction)`` for a shortcut.

    Parameters
    ----------
    dsn : Dsn
        The network.
    classes : int
        Virtual channel classes.
    """

    def __init__(self, dsn, classes):
        self.dsn, self.classes = dsn, classes

    def decide(self, here, came, virtual_class, header, target, is_up):
        """Next exit, class and header, or the name of the route's end.

        Parameters
        ----------
        here, target : tuple of int
            This switch and the destination.
        came : tuple or None
            Exit that leads back to the previous switch, and the id of that switch; None from a host.
        virtual_class, header : int
            Class and header of the packet when it arrived.
        is_up : callable
            Whether the link of an exit is up.
        """
        if here == target:
            return ARRIVED
        found = self._exit(here, came, header, target, is_up)
        if found is None:
            return UNDELIVERABLE
        (kind, where), bits = found
        there = where if kind == "local" else self._far_id(kind, here[-1], where)
        if came and came[1] > here[-1] and there > here[-1]:
            virtual_class += 1
        return ((kind, where), virtual_class, bits) if virtual_class < self.classes else UNDELIVERABLE

    def _exit(self, here, came, header, target, is_up):
        own, back = here[-1], came[0] if came and came[0][0] == "local" else None
        plans = self._plans(here, header, target)
        if plans == []:
            return None
        if plans is None:
            return self._inside(own, target[-1], header & 12, back, is_up)
        for place, (kind, level, direction, bits) in enumerate(plans):
            near = level - 1 if direction == "forward" else level % self.dsn.m
            if near != own and not place:
                return self._inside(own, near, bits | header & OTHER_LOCAL_ROUTES, back, is_up)
            if near != own:
                return self._inside(own, near, bits, None, is_up)
            if is_up((kind, direction)):
                return (kind, direction), bits & Y_FIRST
        return None

    def _plans(self, here, header, target):
        """Shortcuts to try as ``(dimension, level, direction, header)``; None in the supernode of the destination."""
        going = {
            "xy"[axis]: ring_moves(n, here[axis], target[axis])[0]
            for axis, n in enumerate(self.dsn.sizes)
            if here[axis] != target[axis]
        }
        if not going:
            return None
        y_first = header & Y_FIRST
        kind = (max if y_first else min)(going)
        plans = [self._plan(kind, going[kind], header & 3, y_first)]
        if plans == [None]:
            return []
        if not header & 3 and not y_first and len(going) == 2:
            plans.append(self._plan("y", going["y"], 0, Y_FIRST))
        plans += [self._plan(kind, going[kind], change, y_first) for change in (1, 2, 3) if change > header & 3]
        return [plan for plan in plans if plan]

    def _plan(self, kind, move, change, y_first):
        """One plan. ``kind`` is 0 for the shortcut itself, 1 for the next longer, 2 for the next shorter, 3 for the opposite."""
        level, direction = move
        if change in (1, 2):
            level += 2 * change - 3
        if change == 3:
            direction = "backward" if direction == "forward" else "forward"
        p = level_count(self.dsn.sizes["xy".index(kind)])
        return (kind, level, direction, change | y_first) if 0 < level <= p else None

    def _inside(self, own, goal, bits, back, is_up):
        """A local exit toward id ``goal``, and the header."""
        usual, other = local_path(self.dsn.supernode, own, goal)[1], self._other(own, goal)
        tried = [usual, *other]
        if bits & OTHER_LOCAL_ROUTES:
            tried = other or [usual]
        favourite = tried[0]
        tried += [self.dsn.supernode.neighbour(own, port) for port in range(len(self.dsn.supernode.port_names))]
        usable = [there for there in tried if ("local", there) != back and is_up(("local", there))]
        if usable and usable[0] == favourite:
            return ("local", favourite), bits
        if usable or (back and is_up(back)):
            return (("local", usable[0]) if usable else back), bits | OTHER_LOCAL_ROUTES
        return None

    def _other(self, own, goal):
        """First id of every other shortest local path."""
        usual = local_path(self.dsn.supernode, own, goal)
        first = {path[1] for path in _shortest(self.dsn.supernode, own, goal)}
        return sorted(first - {usual[1]})

    def _far_id(self, kind, own, direction):
        """Id at the far end of a shortcut."""
        p = level_count(self.dsn.sizes["xy".index(kind)])
        if direction == "forward":
            return (own + 1) % self.dsn.m
        return next(k - 1 for k in range(1, p + 1) if k % self.dsn.m == own)


@cache
def _shortest(supernode, own, goal):
    """Every shortest local path."""
    import networkx as nx

    return list(nx.all_shortest_paths(local_graph(supernode), own, goal))
