"""Options of a packet at a switch: the shortcut of the base routing first, then the alternatives of D 4.2.4.

An :class:`Option` depends only on the remaining distance and the header bits. It depends neither on link states nor on the
switch.
"""

from collections import namedtuple

from dsnswitch.net.routing.detour.header import Mode
from dsnswitch.net.routing.dsn.shortcut import next_shortcut

__all__ = ["Option", "active_axis", "options"]

#: A shortcut to head for: it leaves id ``leaves`` through a port of ``axis`` and ``direction``. ``mode`` and ``y_first`` are the
#: header bits of a packet on its way there.
Option = namedtuple("Option", "leaves axis direction mode y_first")

_TURNED = {"forward": "backward", "backward": "forward"}


def active_axis(distances, y_first):
    """The dimension in which a packet moves now, or None if all dimensions are done."""
    going = [axis for axis, distance in enumerate(distances) if distance]
    return going[-1 if y_first else 0] if going else None


def options(dsn, distances, mode, y_first):
    """Options of a packet at forward distances ``distances``. The first is the option that the packet's header names.

    A switch uses an option only if all options before it are failed shortcuts of this switch. The change to Y before X comes
    first, because it costs no hop. The modes follow in the order of their values. No option repeats one that the packet has
    given up, so the search for a shortcut within a supernode ends.

    Returns
    -------
    list of Option
        Empty if all dimensions are done, or if the header names a shortcut that does not exist.
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
