"""Proof that several tables of one network close no cycle of channels together, in whatever order switches change them.

While tables change under traffic, each switch answers by its old or its new table, and a packet meets both. With turn classes of
the same ranks, the channels are numbered by class, up before down, then rank: the number rises with every hop of any walk, so no
search is necessary. Otherwise packets are followed by every answer of every switch, and by every choice of the ports that lead
up, since a switch may have the ranks of either tables.
"""

from collections import namedtuple
from graphlib import CycleError, TopologicalSorter

import numpy as np

from dsnswitch.net.messages import UsageError, unwatched
from dsnswitch.net.routing.dependencies import numbering
from dsnswitch.net.routing.ranks import Ranks
from dsnswitch.net.routing.relation import Channel
from dsnswitch.net.tables.walk import describe_cycle, find_cycle

#: States of packets that are marked at once: destinations times virtual channels.
AT_ONCE = 1 << 24

#: The proof. ``classes``: virtual channels of a link. ``ranks``: the place of each switch in the order of ranks (S,), if one
#: order holds for all tables, else None. ``numbers``: {class * (C + 1) + channel: number}, rising along every route; None if
#: there is a ``cycle``, which is text. ``dependencies``: pairs of channels that were found, 0 if none was searched for.
Together = namedtuple("Together", "classes ranks numbers cycle dependencies")


def together(some, bar=unwatched) -> Together:
    """The :class:`Together` of :class:`~dsnswitch.net.tables.compile.Tables` with the same wiring.

    Raises :class:`UsageError` if some tables have turn classes and others layers, since no core has both.
    """
    wiring = some[0].wiring
    turns = [made.ranks is not None for made in some]
    if any(turns) and any(made.ranks is None and made.layers > 1 for made in some):
        raise UsageError("Tables with turn classes and tables with layers are not for the same core")
    classes = max(made.layers for made in some)
    ranks = _one_order(wiring, some) if all(turns) else None
    if ranks is not None:
        up = np.any([made.ranks.up[:-1] for made in some], axis=0)
        place, size = ranks[wiring.source[:-1]], wiring.size
        numbers = np.where(up, place, 2 * size - 1 - place)
        of = {
            layer * (wiring.count + 1) + channel: layer * 2 * size + number
            for layer in range(classes)
            for channel, number in enumerate(numbers.tolist())
        }
        return Together(classes, ranks, of, None, 0)
    first, second = _dependencies(wiring, some, classes, any(turns), bar)
    cycle = find_cycle(first, second)
    if cycle:
        return Together(classes, None, None, describe_cycle(wiring, cycle), len(first))
    graph = {layer * (wiring.count + 1) + channel: set() for layer in range(classes) for channel in range(wiring.count)}
    for before, after in zip(first.tolist(), second.tolist()):
        graph[before].add(after)
    return Together(classes, None, numbering(graph), None, len(first))


def _one_order(wiring, some):
    """The place of each switch in an order in which all channels lead up that do so by any of the tables; None without one."""
    found, known = np.zeros(wiring.count, bool), np.zeros(wiring.count, bool)
    for made in some:
        up, here = made.ranks.up[:-1], made.ranks.directed()
        if (up != found)[here & known].any():
            return None
        found, known = found | up, known | here
    above = {switch: set() for switch in range(wiring.size)}
    for source, target in zip(wiring.source[:-1][found].tolist(), wiring.target[:-1][found].tolist()):
        above[target].add(source)
    try:
        order = list(TopologicalSorter(above).static_order())
    except CycleError:
        return None
    places = np.empty(wiring.size, np.int64)
    places[order] = np.arange(wiring.size)
    return places


def _dependencies(wiring, some, classes, turns, bar):
    """Pairs of virtual channels that a packet holds and wants by any answers of the tables: two arrays."""
    port_bits, count = wiring.most_ports.bit_length(), wiring.count
    hops, layers, masks = [], [], []
    for made in some:
        actions = made.actions(bar)
        ports = np.where(actions < 0, -1, actions & (1 << port_bits) - 1)
        hops.append(wiring.channels_at(ports))
        layers.append(np.where(actions < 0, 0, actions >> port_bits))
        if made.two_ports:
            hops.append(wiring.channels_at(np.where(made.others() < 0, ports, made.others())))
        ranks = made.ranks or Ranks(wiring, np.zeros(count + 1, bool))
        # Whether a packet that came by a channel came from a port that leads up.
        masks.append((ranks.up, np.append(ranks.directed() & ~ranks.up[:-1], False)))
    columns = np.arange(layers[0].shape[1])
    parts = np.array_split(columns, min(len(columns), -(-len(columns) * (count + 1) * classes // AT_ONCE)))
    codes = [_followed(wiring, part, hops, [] if turns else layers, masks, classes) for part in bar(parts, "walks")]
    return np.divmod(np.unique(np.concatenate(codes)), (count + 1) * classes)


def _followed(wiring, columns, hops, layers, masks, classes):
    """Pairs of virtual channels of packets to some destinations, each as one number. ``layers`` are empty with turn classes."""
    count, size = wiring.count, (wiring.count + 1) * classes
    seen, found = np.zeros((len(columns), size), bool), [np.zeros(0, np.int64)]
    sources, new = np.flatnonzero(wiring.hosts), []
    column, source = (axis.ravel() for axis in np.meshgrid(np.arange(len(columns)), sources, indexing="ij"))
    for hop in hops:
        channel = hop[source, columns[column]]
        for layer in [one[source, columns[column]] for one in layers] or [np.zeros(len(source), np.int64)]:
            live = channel < count
            new.append(column[live] * size + (layer * (count + 1) + channel)[live])
    while len(states := np.unique(np.concatenate(new))):
        states = states[~seen.ravel()[states]]
        seen.ravel()[states] = True
        column, held = np.divmod(states, size)
        layer, before = np.divmod(held, count + 1)
        here, new = wiring.target[before], [np.zeros(0, np.int64)]
        for hop in hops:
            channel = hop[here, columns[column]]
            for up, fell in masks if not layers else masks[:1]:
                later = layer if layers else layer + (fell[before] & up[channel])
                live = (channel < count) & (later < classes)
                wanted = (later * (count + 1) + channel)[live]
                found.append(np.unique(held[live] * size + wanted))
                new.append(column[live] * size + wanted)
    return np.unique(np.concatenate(found))


def certificate_of(network, wiring, proof: Together):
    """``(channel, target, number)`` of every virtual channel, as the certificates of other routings have them."""
    for place, number in proof.numbers.items():
        layer, channel = divmod(place, wiring.count + 1)
        switch, there = (network.switch(int(wiring.number[end[channel]])) for end in (wiring.source, wiring.target))
        yield Channel(switch, int(wiring.port[channel]), layer), there, number
