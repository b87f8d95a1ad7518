"""New addresses of the switches of a DSN-F that grows (F III-D), with or without a change of the number of levels p.

While p stays, every switch keeps its number, as in F. A cable is removed only if the last supernode is partly filled. This cable
is the link that closes the supernode's local ring.

From p to p + j levels, supernode S becomes supernode ``2^j S``, followed by ``2^j - 1`` others. A row is the set of switches of
one layer in one supernode. A row keeps its levels, so all of its local links stay, except one. All shortcuts of layer 0 stay,
except the Succ link. The rules are:

1. Layer 0 of S becomes layer 0 of ``2^j S`` (F's S_A).
2. A higher row stays above the row that was below it if the new network has that row (``n`` is large enough). Its layer links
   then stay too. F always splits.
3. Otherwise the row becomes layer 0 of one of the other supernodes of S (F's S_B). If they are all taken, it becomes any free
   row.
4. If there is no free row, the switches of the row are scattered. This happens only in layer 2. F assumes that layer 2 has two
   switches in every supernode; by F's own numbering, it has p in some supernodes and none in others. The switch of level 1
   becomes level p + 1 of the supernode before the one with its layer link, so that this cable becomes the Succ link. The switch
   of level p becomes level p + 1 of the latter supernode, so that this cable becomes a local link. The other switches take
   free addresses.

These rules do not always keep as many cables as the best relabelling would.
"""

from dsnswitch.net.messages import UsageError

__all__ = ["candidates", "require_growth"]


def require_growth(before, after):
    """Refuse a DSN-F ``after`` that is not larger than ``before``.

    Raises
    ------
    UsageError
        If ``after`` does not have more switches than ``before``.
    """
    if after.n <= before.n:
        raise UsageError(f"The network must grow: switches must be more than {before.n}, not {after.n}")


def candidates(before, after):
    """A list with the one relabelling ``{switch before: switch after}``.

    Parameters
    ----------
    before, after : DsnF
        Two networks that :func:`require_growth` accepts.
    """
    if before.p == after.p:
        return [{switch: switch for switch in before.switches()}]
    rows = _place_rows(before, after)
    moved = {switch: (*rows[switch[:2]], switch[2]) for switch in before.switches() if switch[:2] in rows}
    return [_scatter(before, after, rows, moved)]


def _rows(network):
    """``{(layer, x): switches}`` of all rows that are not empty."""
    rows = {}
    for layer, x, _ in network.switches():
        rows[layer, x] = rows.get((layer, x), 0) + 1
    return rows


def _place_rows(before, after):
    """``{row before: row after}`` of all rows whose switches stay together."""
    split = 1 << (after.p - before.p)
    lengths, free = _rows(before), _rows(after)
    placed = {}

    def place(row, choices):
        chosen = next((choice for choice in choices if free.get(choice, 0) >= lengths[row]), None)
        if chosen is not None:
            placed[row] = chosen
            del free[chosen]

    for layer, x in lengths:
        if layer == 0:
            place((layer, x), [(0, split * x)])
        else:
            above, below = placed[layer - 1, x]
            place((layer, x), [(above + 1, below), *((0, split * x + part) for part in range(1, split))])
    for row in lengths:
        if row not in placed:
            place(row, list(free))
    return placed


def _scatter(before, after, rows, moved):
    """``moved``, and new addresses of the switches whose rows are not in ``rows``."""
    moved, single = dict(moved), []
    for switch in before.switches():
        layer, x, own = switch
        if switch in moved:
            continue
        upper = rows[layer - 1, x]
        if own == 0:
            moved[switch] = (0, upper[1] - 1, before.p)
        elif own == before.p - 1:
            moved[switch] = (0, upper[1], before.p)
        else:
            single.append(switch)
    taken = set(moved.values())
    free = (switch for switch in after.switches() if switch not in taken)
    return moved | dict(zip(single, free))
