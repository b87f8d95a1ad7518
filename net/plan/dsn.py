"""New addresses of the switches of a ring or grid DSN that gains supernodes, rows or columns.

A shortcut of level k has length ``2^(p - k)`` and joins id ``k - 1`` to id ``k mod m``. If a ring gains ``j`` levels, shortcuts
of the same level become ``2^j`` times as long. So the distance of old supernodes that were neighbours becomes ``2^j``:

- *Same number of levels:* new supernodes are inserted together, at the end of the ring. Each gap in which supernodes are
  inserted cuts all shortcuts that pass over it, so one gap is better than several. Shortcuts that do not wrap around keep
  their cables.
- *More levels:* old supernodes are the stops of a walk around the new ring in steps of ``2^j``. If the ring grows to exactly
  ``2^j`` times its size, new supernodes are interleaved with old ones, and every cable stays.

In a supernode that is a ring, all ids can also increase by ``r``. A shortcut of level k then becomes one of level ``k + r``, and
the steps are ``2^(j - r)``. The plan uses the smallest ``r`` that keeps the most cables.
"""

from itertools import product

from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.supernode import RingSupernode

__all__ = ["candidates", "require_growth"]


def require_growth(before, after):
    """Refuse two DSNs unless the first can grow to the second.

    Raises
    ------
    UsageError
        If the supernodes differ, the number of dimensions differs, or no dimension grows.
    """
    if before.topology != after.topology:
        raise UsageError(f"A {before.topology} DSN grows to a {before.topology} DSN, not to {after.spelling}")
    if before.supernode != after.supernode:
        raise UsageError(f"The supernode {before.supernode.name} must stay as it is, not become {after.supernode.name}")
    for name, old, new in zip(before.dimensions, before.sizes, after.sizes):
        if new < old:
            raise UsageError(f"Supernodes along {name} must be at least {old}, not {new}")
    if before.sizes == after.sizes:
        raise UsageError(f"The network must grow: {after.spelling} has as many supernodes as {before.spelling}")


def _walk(old, new, step):
    """The first ``old`` stops of a walk around ``new`` positions. When it closes, it continues at the next free position."""
    stops, seen, here = [], set(), 0
    while len(stops) < old:
        while here in seen:
            here = (here + 1) % new
        stops.append(here)
        seen.add(here)
        here = (here + step) % new
    return stops


def candidates(before, after):
    """Relabellings ``{switch before: switch after}``, one per possible ``r``.

    Parameters
    ----------
    before, after : Dsn
        Two networks that :func:`require_growth` accepts.

    Yields
    ------
    dict
        Every switch of ``before`` with its address in ``after``.
    """
    gained = [new - old for old, new in zip(before.levels, after.levels)]
    turns = range(max(gained) + 1) if isinstance(before.supernode, RingSupernode) else (0,)
    for turn in turns:
        axes = [
            _walk(old, new, 1 << max(levels - turn, 0)) for old, new, levels in zip(before.sizes, after.sizes, gained)
        ]
        places = product(*(list(enumerate(stops)) for stops in axes))
        yield {
            (*(old for old, _ in place), own): (*(new for _, new in place), (own + turn) % before.m)
            for place in places
            for own in range(before.m)
        }
