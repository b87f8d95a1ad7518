"""A choice of hops: tables in which an entry holds a second port, which a waiting packet may take, and their check.

The check follows packets by every choice at every switch. A packet in front of a switch is described by the channel on which it
came, its turn class and its destination. The search visits every such state that any choices lead to, once. It is independent of
how the second ports were chosen.
"""

from collections import namedtuple
from dataclasses import replace

import numpy as np

from dsnswitch.net.messages import UsageError, unwatched
from dsnswitch.net.routing.turns import Trees, second_trees
from dsnswitch.net.routing.wiring import Targets
from dsnswitch.net.tables.entries import Entry
from dsnswitch.net.tables.trie import MISS, fewest, trie


def with_choices(made, bar=unwatched):
    """The :class:`~dsnswitch.net.tables.compile.Tables` by turn classes, with second ports where there are any; and checked.

    Raises :class:`UsageError` if the tables are not by turn classes.
    """
    if made.ranks is None:
        raise UsageError(f"A choice of hops (adaptive) needs turn classes, not routing {made.routing}")
    wiring, actions, groups = made.wiring, made.actions(bar), {}
    for end, home in enumerate(wiring.ends.home.tolist()):
        actions[home, end] = -1
        groups.setdefault((home, actions[:, end].tobytes()), []).append(end)
    ends, homes = list(groups.values()), np.array([home for home, _ in groups])
    weight = np.array([wiring.ends.weight[some].sum() for some in ends])
    channel = wiring.channels_at(actions[:, [some[0] for some in ends]]).T
    trees = Trees(made.ranks, made.layers, Targets(ends, homes, weight), channel, made.walked.load, 0)
    ports = np.append(wiring.port[:-1], -1)[second_trees(trees, bar)]
    others = np.empty_like(actions)
    for row, some in zip(ports, ends):
        others[:, some] = row[:, None]
    tables = list(made.tables)
    for switch in bar(range(wiring.size), "tables"):
        number = wiring.number[switch]
        tables[number] = _filled(tables[number], wiring.keys(switch), others[switch])
    found = replace(made, tables=tables, two_ports=True)
    found.check(bar)
    return found


def _filled(table, keys, others):
    """A table with second ports (D,), -1 for none, for its keys (D,)."""
    words, place = np.unique(np.stack([table.answers_to(keys), others]), axis=1, return_inverse=True)
    desired = [MISS] * (1 << table.width)
    for key, word in zip(keys.tolist(), place.ravel().tolist()):
        desired[key] = word
    entries = []
    for value, length, word in fewest(trie(desired, table.width)):
        action, other = words[:, word].tolist()
        entries.append(Entry(value << table.width - length, length, action, other=None if other < 0 else other))
    return replace(table, entries=tuple(entries))


#: Channels times destinations that are followed at once.
AT_ONCE = 1 << 22

#: Results of :func:`follow`. ``first``, ``second``: dependencies of channels, as :class:`Walked` has them. ``lost``: places of
#: the switch and the destination of a state from which no channel leads on, None if there is none. ``over``: states on a channel
#: for which there is no class.
Followed = namedtuple("Followed", "first second lost over")


def follow(wiring, actions, others, up, classes: int, bar=unwatched) -> Followed:
    """Follow packets from every switch of a :class:`Wiring` at which they enter the network, by every choice.

    ``actions`` and ``others`` (S, D) are the ports of each switch for each destination, -1 where there is none. ``up`` (C + 1,)
    says which channels lead up; there are ``classes`` turn classes.
    """
    none, columns = wiring.count, actions.shape[1]
    channel = np.stack([wiring.channels_at(ports) for ports in (actions, others)])
    parts = np.array_split(np.arange(columns), min(columns, -(-columns * none * classes // AT_ONCE)))
    found, lost, over = [np.zeros(0, np.int64)], None, 0
    for part in bar(parts, "choices"):
        codes, gone, more = _follow(wiring, channel[:, :, part], others[:, part] >= 0, wiring.ends.home[part], up, classes)
        found.append(codes)
        over += more
        if lost is None and gone is not None:
            lost = gone[0], int(part[gone[1]])
    first, second = np.divmod(np.unique(np.concatenate(found)), classes * (none + 1))
    return Followed(first, second, lost, over)


def _follow(wiring, channel, chooses, home, up, classes):
    """The dependencies of packets to some destinations, each as one number; a state that is lost; states beyond the classes."""
    size, columns = wiring.count + 1, np.arange(len(home))
    seen = np.zeros(classes * size * len(home), bool)
    starts, codes, lost, over = np.flatnonzero(wiring.hosts), [np.zeros(0, np.int64)], None, 0
    here, end = (axis.ravel() for axis in np.meshgrid(starts, columns, indexing="ij"))
    number, before = np.zeros(len(here), np.int64), np.full(len(here), wiring.count)
    while len(here):
        travels = here != home[end]
        here, end, number, before = (row[travels] for row in (here, end, number, before))
        ahead = []
        for hop in (0, 1):
            some = np.flatnonzero(chooses[here, end]) if hop else np.arange(len(here))
            onward = channel[hop, here[some], end[some]]
            if (onward == wiring.count).any() and lost is None:
                gone = some[onward == wiring.count][0]
                lost = int(here[gone]), int(end[gone])
            some, onward = some[onward != wiring.count], onward[onward != wiring.count]
            came = before[some]
            risen = number[some] + (up[onward] & ~up[came] & (came != wiring.count))
            over += int((risen >= classes).sum())
            some, onward, came, risen = (row[risen < classes] for row in (some, onward, came, risen))
            held = came != wiring.count
            code = (number[some] * size + came)[held] * classes * size + (risen * size + onward)[held]
            codes.append(np.unique(code))
            ahead.append((risen * size + onward) * len(home) + end[some])
        states = np.unique(np.concatenate(ahead))
        states = states[~seen[states]]
        seen[states] = True
        number, before = np.divmod(states // len(home), size)
        end = states % len(home)
        here = wiring.target[before]
    return np.unique(np.concatenate(codes)), lost, over


def faults(wiring, found: Followed, classes: int):
    """Yield a line for each fault: a packet that has no way on, and packets that run out of classes."""
    if found.lost is not None:
        switch, end = found.lost
        yield f"a packet to {wiring.ends.names[end]} that chooses among its hops is lost at {wiring.names[switch]}"
    if found.over:
        yield f"packets that choose among their hops need more than {classes} class{'es' * (classes > 1)}"
