"""Next hop of a packet past the failed links of a switch, in plain integers. The number of classes is not limited here."""

from collections import namedtuple
from enum import IntEnum
from functools import lru_cache

from dsnswitch.net.routing.dsn.local import alternative_hop, first_hop
from dsnswitch.net.routing.dsn.relation import DsnRelation, next_shortcut
from dsnswitch.net.topology.dsn import Dsn

# Header bits of a packet that makes detours.


class Mode(IntEnum):
    """The shortcut that a packet takes next, relative to that of the base routing. Lower values are tried first."""

    #: The shortcut of the base routing.
    DIRECT = 0
    #: The next longer one; the base routing then goes back as far as necessary (D 4.2.4, alternative 2).
    LONGER = 1
    #: The next shorter one; the base routing then takes another of the same length (D 4.2.4, alternative 1).
    SHORTER = 2
    #: One of the same length in the opposite direction; the base routing then takes the next longer one.
    OPPOSITE = 3


#: Header bits. ``mode``: :class:`Mode`, back to DIRECT after any shortcut. ``alternative``: the packet has met a failed local
#: link since its last shortcut, or since it gave one up, and takes the other local routes (D Table 4.3). ``y_first``: y comes
#: before x from now on.
Detour = namedtuple("Detour", "mode alternative y_first")

#: Header of a packet that has met no failed link.
NO_DETOUR = Detour(Mode.DIRECT, False, False)


def header_width(dsn):
    """Number of header bits that a network needs. ``y_first`` exists only with two dimensions."""
    return 4 if sum(size > 1 for size in dsn.sizes) > 1 else 3


def pack(detour):
    """The header bits as an integer: ``mode`` from bit 0, then ``alternative``, then ``y_first``."""
    return int(detour.mode) | detour.alternative << 2 | detour.y_first << 3


def unpack(bits):
    """Inverse of :func:`pack`."""
    return Detour(Mode(bits & 3), bool(bits >> 2 & 1), bool(bits >> 3 & 1))


def local_hop(supernode, own, target, alternative, back, is_up):
    """Local port on which a packet leaves id ``own`` toward id ``target``, and the header bit ``alternative`` after this hop.

    The order of preference is: the local route of the base routing; another shortest local route; the local port with the
    lowest index; the port ``back`` on which the packet came, None if it may go back there. After the first failed link
    (``alternative``), the other shortest route comes first, and that of the base routing, which would lead back to the failed
    link, is tried by index. None if ``is_up(port)`` is false for all local ports.
    """
    base, other = first_hop(supernode, own, target), alternative_hop(supernode, own, target)
    first = base if other is None or not alternative else other
    order = [first, *(() if other is None or alternative else (other,)), *range(len(supernode.port_names))]
    for port in order:
        if port != back and is_up(port):
            return port, alternative or port != first
    return (back, True) if back is not None and is_up(back) else None


# Options of a packet at a switch: the shortcut of the base routing first, then the alternatives of D 4.2.4.

#: A shortcut to head for: it leaves id ``leaves`` through a port of ``axis`` and ``direction``. ``mode`` and ``y_first`` are the
#: header bits of a packet on its way there.
Option = namedtuple("Option", "leaves axis direction mode y_first")

_TURNED = {"forward": "backward", "backward": "forward"}


def active_axis(distances, y_first):
    """The dimension in which a packet moves now, or None if all dimensions are done."""
    going = [axis for axis, distance in enumerate(distances) if distance]
    return going[-1 if y_first else 0] if going else None


def options(dsn, distances, mode, y_first):
    """Every :class:`Option` of a packet at forward distances ``distances``. The first is the one that the packet's header names.

    A switch uses an option only if all options before it are failed shortcuts of this switch. The change to Y before X comes
    first, because it costs no hop. The modes follow in the order of their values. No option repeats one that the packet has given
    up, so the search for a shortcut within a supernode ends. There is none if all dimensions are done, or if the header names a
    shortcut that does not exist.
    """
    axis = active_axis(distances, y_first)
    if axis is None:
        return []
    found = [_option(dsn, distances, axis, mode, y_first)]
    if found == [None]:
        return []
    other = active_axis(distances, True)
    if mode == Mode.DIRECT and not y_first and other != axis:
        found.append(_option(dsn, distances, other, mode, True))
    found += [_option(dsn, distances, axis, later, y_first) for later in Mode if later > mode]
    return [option for option in found if option is not None]


def _option(dsn, distances, axis, mode, y_first):
    """The option of one mode, or None if there is no such shortcut."""
    base = next_shortcut(dsn, axis, distances[axis])
    level = base.level + {Mode.LONGER: -1, Mode.SHORTER: 1}.get(mode, 0)
    if not 1 <= level <= dsn.levels[axis]:
        return None
    direction = _TURNED[base.direction] if mode == Mode.OPPOSITE else base.direction
    leaves = level - 1 if direction == "forward" else level % dsn.m
    return Option(leaves, axis, direction, mode, y_first)


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


class Decisions:
    """The choices of the switches of a DSN with detours.

    Attributes
    ----------
    up : list of list
        By id and port: whether the link leads to a higher id; None for a port without a link.
    """

    def __init__(self, dsn: Dsn):
        self._dsn = dsn
        self._locals = len(dsn.supernode.port_names)
        self._port = {(port.kind, port.direction): port.index for port in dsn.ports}
        self.up = [[self._goes_up(own, port.index) for port in dsn.ports] for own in range(dsn.m)]

    def _goes_up(self, own, port):
        there = self._dsn.neighbour((0,) * len(self._dsn.sizes) + (own,), port)
        return None if there is None else goes_up(self._dsn, own, port)

    def turns(self, own, entry, port):
        """1 if a hop through ``port`` of id ``own`` goes up after a hop down, which ended at port ``entry``; else 0.

        At the source of a packet, ``entry`` is None.
        """
        return int(entry is not None and self.up[own][entry] and self.up[own][port])

    def next(self, switch, entry, detour, destination, is_up):
        """Port and header bits of the next hop to another switch, or None if no option has a link that is up.

        ``entry`` is the port on which the packet came, None at its source; ``detour`` are its header bits. ``is_up(port)`` says
        whether the link on a port of this switch is up.
        """
        own = switch[-1]
        back = entry if entry is not None and entry < self._locals else None
        distances = tuple((d - s) % n for s, d, n in zip(switch, destination, self._dsn.sizes))
        if not any(distances):
            return self._local(own, destination[-1], detour, back, is_up)
        for index, option in enumerate(options(self._dsn, distances, detour.mode, detour.y_first)):
            port = self._port[self._dsn.dimensions[option.axis], option.direction]
            if option.leaves != own:
                # A packet that gives up a shortcut may go back to the port on which it came, and forgets the failed local link.
                heading = Detour(option.mode, not index and detour.alternative, option.y_first)
                return self._local(own, option.leaves, heading, None if index else back, is_up)
            if is_up(port):
                return port, NO_DETOUR._replace(y_first=option.y_first)
        return None

    def _local(self, own, target, detour, back, is_up):
        """Port and header bits of the next local hop, or None."""
        found = local_hop(self._dsn.supernode, own, target, detour.alternative, back, is_up)
        return found and (found[0], detour._replace(alternative=found[1]))
