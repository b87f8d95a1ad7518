"""Figures of random failed links: shares of pairs, average paths, and tables for the pairs that are not delivered.

Networks with detours route around failed links. In other networks, a pair is delivered if its route meets no failed link."""

import random
from dataclasses import astuple, dataclass
from statistics import mean

import numpy as np

from dsnswitch.net import limits
from dsnswitch.net.files.plotting import BLUE, GREY, ORANGE, RED, new_figure, svg
from dsnswitch.net.messages import unwatched
from dsnswitch.net.routing.detour.relation import without_detours
from dsnswitch.net.routing.next_hops import next_hops
from dsnswitch.net.routing.ranks import from_root
from dsnswitch.net.routing.registry import DETOUR, ROUTINGS, relation_of
from dsnswitch.net.routing.wiring import Channels, hops

#: Growth of the average path by share of failed links, for XY/YX and for shortest paths (D 4.3.3, Fig. 4.10; 1,024 switches).
PAPER = {0.1: (0.0882, 0.0945), 0.2: (0.2486, 0.1949)}


@dataclass(frozen=True)
class FaultRow:
    """Figures at one share of failed links. Shares of pairs refer to all ordered pairs of different switches with hosts.

    ``rate`` is the share of failed links, ``links`` their number.

    - *Pairs:* ``connected`` have a path, ``delivered`` are delivered by the routing. ``tables`` need tables: they have a path,
      but the routing does not deliver them.
    - *Hops:* ``average_path`` of the delivered pairs, and its ``growth`` relative to the network without failures; ``longest`` of
      any packet, delivered or not; ``shortest`` paths of the connected pairs, and ``shortest_growth``.
    - ``reported``: share of undeliverable packets for which the routing delivers a report to the source.
    - Table ``entries`` for the pairs that need tables, mean per switch, and ``most_entries``: one for each switch and destination
      on routes of one turn class from the switches at which packets were undeliverable. Prefixes are not merged.
    """

    rate: float
    links: int
    connected: float
    delivered: float
    average_path: float
    growth: float
    longest: int
    shortest: float
    shortest_growth: float
    tables: float
    reported: float
    entries: float
    most_entries: int


def measure(network, rates, *, seeds=(0,), classes=None, bar=unwatched):
    """For each of ``rates``, a :class:`FaultRow` over all pairs for each of ``seeds``.

    With one seed, a higher rate includes the failed links of a lower rate.
    """
    walks = _Walks(network, classes)
    whole = walks.row(0.0, [])
    found = {rate: [] for rate in rates}
    for seed, rate in bar([(seed, rate) for seed in seeds for rate in found], "failures"):
        links = list(network.links())
        random.Random(seed).shuffle(links)
        row = walks.row(rate, links[: round(rate * len(links))])
        growths = row["average_path"] / whole["average_path"] - 1, row["shortest"] / whole["shortest"] - 1
        found[rate].append(FaultRow(**row, growth=growths[0], shortest_growth=growths[1]))
    return list(found.values())


def routing_of(network):
    """Name of the routing past failed links: detours, or else the default, whose routes end at failed links."""
    return DETOUR if DETOUR in network.routings and not without_detours(network) else ROUTINGS[0]


def spread(rows):
    """Mean, least and largest value of each field over ``rows``, as three rows."""
    columns = list(zip(*map(astuple, rows)))
    return tuple(FaultRow(*map(of, columns)) for of in (mean, min, max))


class _Walks:
    """Walks between all pairs of switches with hosts."""

    def __init__(self, network, classes):
        self._network = network
        self._walks = relation_of(network, routing_of(network), classes).many_walks()
        self._ends = np.fromiter(map(network.number, network.terminals()), np.int64)
        limits.pairs(len(self._ends), network)
        self._pairs = len(self._ends) * (len(self._ends) - 1)
        # Sources of one run: few runs, whose arrays remain in the cache.
        self._at_once = max(1, 16_384 // len(self._ends))

    def row(self, rate, failed):
        """The fields of a :class:`FaultRow` without the growths."""
        network, ends = self._network, self._ends
        up = self._walks.there >= 0
        for link in failed:
            up[network.number(link.source), link.port] = up[network.number(link.target), link.target_port] = False
        shortest = self._distances(up)
        delivered, total, longest, stuck = 0, 0, 0, []
        for first in range(0, len(ends), self._at_once):
            sources = ends[first : first + self._at_once]
            source, target = np.repeat(sources, len(ends)), np.tile(ends, len(sources))
            found = self._walks.run(source, target, up)
            arrived = found.end == target
            # A packet to its own switch does not travel.
            delivered += int(arrived.sum()) - len(sources)
            total += int(found.hops[arrived].sum())
            longest = max(longest, int(found.hops.max()))
            stuck += zip(*(values[~arrived].tolist() for values in (source, found.end, target)))
        lengths = shortest[np.ix_(ends, ends)]
        connected = lengths > 0
        rest = [(source, end, to) for source, end, to in stuck if shortest[source, to] >= 0]
        entries = self._entries(up, rest)
        return {
            "rate": rate,
            "links": len(failed),
            "connected": int(connected.sum()) / self._pairs,
            "delivered": delivered / self._pairs,
            "average_path": total / max(delivered, 1),
            "longest": longest,
            "shortest": int(lengths[connected].sum()) / max(int(connected.sum()), 1),
            "tables": len(rest) / self._pairs,
            "reported": self._reported(up, stuck),
            "entries": float(entries.mean()),
            "most_entries": int(entries.max()),
        }

    def _reported(self, up, stuck):
        """Share of undeliverable packets whose report reaches the source."""
        if not stuck:
            return 1.0
        source, end, _ = np.array(stuck).T
        return float((self._walks.run(end, source, up).end == source).mean())

    def _distances(self, up):
        """Hops of shortest paths between all switches; -1 if there is no path."""
        source, port = np.nonzero(up)
        return hops(len(up), source, self._walks.there[source, port])

    def _entries(self, up, stuck):
        """Entries at each switch, on routes of one turn class over the remaining links from the ends of the ``stuck`` packets."""
        network = self._network
        needed = {(end, to) for _, end, to in stuck}
        used = np.zeros(network.nodes, int)
        for part in np.unique(self._distances(up) >= 0, axis=0):
            inside = set(np.flatnonzero(part).tolist())
            wanted = {(end, to) for end, to in needed if end in inside}
            if wanted:
                self._add(used, self._channels(up, inside), wanted)
        return used

    def _channels(self, up, part):
        """Channels of one connected part, in which the name of a switch is its number."""
        numbers = np.array(sorted(part))
        at, port = np.nonzero(up[numbers])
        target = np.searchsorted(numbers, self._walks.there[numbers[at], port])
        links, hosts = np.column_stack([at, target, port]), np.ones(len(numbers), np.int64)
        return Channels(self._network.name, list(map(str, numbers.tolist())), links, hosts)

    @staticmethod
    def _add(used, wiring, wanted):
        """Count the entries along the route of every wanted pair."""
        ranks = from_root(wiring, int(wiring.distance.sum(axis=1).argmin()))
        number, none, every = np.array(wiring.names).astype(int), np.zeros(wiring.count + 1), np.ones(wiring.size, bool)
        place = dict(zip(number.tolist(), range(wiring.size)))
        starts = {}
        for end, to in wanted:
            starts.setdefault(to, set()).add(place[end])
        for to, going in starts.items():
            home = place[to]
            channel, _ = next_hops(ranks, home, 1, every)[0].tree(1, every, none)
            seen = {home}
            for at in going:
                while at not in seen:
                    seen.add(at)
                    used[number[at]] += 1
                    at = int(wiring.target[channel[at]])


def fault_plot(title, rows, routing=DETOUR):
    """Plot of the share of delivered pairs and of the growth of the average path against the share of failed links.

    Figures of D stand in the plot of ``routing`` detour.
    """
    name, paper = ("detours", PAPER) if routing == DETOUR else ("routes", {})
    figure, grid = new_figure(title, 8.4, 3.6, ncols=2)
    share, growth = grid.flat
    rates = [100 * row.rate for row in rows]
    share.plot(rates, [100 * row.delivered for row in rows], color=BLUE, marker="o", label=f"{name} deliver")
    share.plot(rates, [100 * row.connected for row in rows], "--", color=GREY, label="pairs with a path")
    share.set_ylabel("pairs, %")
    growth.plot(rates, [100 * row.growth for row in rows], color=BLUE, marker="o", label=name)
    growth.plot(rates, [100 * row.shortest_growth for row in rows], "--", color=GREY, label="shortest paths")
    for column, (label, colour) in enumerate((("XY/YX, D Fig. 4.10", RED), ("shortest, D Fig. 4.10", ORANGE))):
        if paper:
            values = [100 * pair[column] for pair in paper.values()]
            growth.scatter([100 * rate for rate in paper], values, c=colour, marker="s", label=label)
    growth.set_ylabel("growth of the average path, %")
    for axes in (share, growth):
        axes.set_xlabel("failed links, %")
        axes.legend()
    return svg(figure)
