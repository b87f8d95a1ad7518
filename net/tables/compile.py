"""Compiles the tables of a whole graph: routes, layers, a table for every switch, and the check of all tables."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dsnswitch.net.messages import UsageError, refusing, unwatched
from dsnswitch.net.routing.balance import BALANCES
from dsnswitch.net.routing.routes import fitting_trees, updown_trees
from dsnswitch.net.routing.turns import Ranks, route
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables import choices
from dsnswitch.net.tables.entries import Entry, Table
from dsnswitch.net.tables.trie import MISS, fewest, trie
from dsnswitch.net.tables.walk import Walked, describe_cycle, faults, walk
from dsnswitch.net.topology.addresses import KEYS

#: Routings of a graph; the first is the default.
ROUTINGS = ("updown", "turns", "shortest")

#: Maximum number of switches, and of switches times destinations, because compilation and check visit every pair.
MOST_SWITCHES, MOST_PAIRS = 1 << 11, 1 << 22

#: Maximum number of virtual channels.
MOST_LAYERS = 64


@dataclass(frozen=True, eq=False)
class Tables:
    """The finished :class:`Table` of each switch, by its number, and the number of virtual channels that they need (``layers``).

    An action is ``layer * 2**port_bits + port``. The port ``arrived`` is the number after the last port of the switch with the
    most ports. The layer in an action is that of a packet that enters the network at this switch; a packet stays on its layer.
    ``root`` is the name of that of up*/down* routing, else None.

    With turn classes, actions are ports, and ``ranks`` say which channels lead up, so that a packet's class, below ``layers``,
    follows from its way; ``longer`` is the number of hops of all pairs beyond those of shortest paths. With ``two_ports``,
    entries have a second port where there is one, for packets that choose.
    """

    wiring: Wiring
    routing: str
    layers: int
    tables: list
    root: str | None = None
    ranks: Ranks | None = None
    longer: int = 0
    two_ports: bool = False

    @property
    def arrived(self) -> int:
        """Port number of a packet that has arrived."""
        return self.wiring.most_ports

    @property
    def port_bits(self) -> int:
        """Bits of a port in an action."""
        return self.wiring.most_ports.bit_length()

    def ports_up(self, switch: int) -> list[int]:
        """The ports of a switch that lead up, by its place in the wiring; with turn classes."""
        assert self.ranks is not None
        channels = self.wiring.out[switch]
        return sorted(self.wiring.port[channels[self.ranks.up[channels]]].tolist())

    def actions(self, bar=unwatched) -> np.ndarray:
        """Action of every switch for every destination, -1 on a miss: an array (S, D) in the order of :class:`Wiring`."""
        wiring = self.wiring
        found = np.empty((wiring.size, len(wiring.ends.names)), np.int64)
        for switch in bar(range(wiring.size), "reading tables"):
            found[switch] = self.tables[wiring.number[switch]].answers_to(wiring.keys(switch))
        return found

    def others(self) -> np.ndarray:
        """Second port of every switch for every destination, -1 where there is none, in the same order."""
        wiring = self.wiring
        return np.array([self.tables[wiring.number[at]].others_to(wiring.keys(at)) for at in range(wiring.size)])

    @property
    def chooses(self) -> bool:
        """Whether an entry has a second port."""
        return any(table.chooses for table in self.tables)

    def check(self, bar=unwatched) -> None:
        """Follow every pair through the tables, and search the channel dependencies of all pairs for a cycle.

        Raises :class:`UsageError` if a pair is not delivered, or the dependencies have a cycle, which the message shows.
        """
        for fault in self.faults(bar):
            raise UsageError(f"{self.wiring.name}: {fault}")

    def faults(self, bar=unwatched) -> tuple[str, ...]:
        """The same check, which returns the faults as lines of text: pairs that are lost, and a cycle of channels."""
        up, most = (None, None) if self.ranks is None else (self.ranks.up, self.layers)
        actions, more = self.actions(bar), ()
        found = walk(self.wiring, actions, bar, up)
        if self.chooses:
            followed = choices.follow(self.wiring, actions, self.others(), up, self.layers, bar)
            more = tuple(choices.faults(self.wiring, followed, self.layers))
            found = found._replace(first=followed.first, second=followed.second)
        self.__dict__["walked"] = found
        return *more, *faults(self.wiring, found, most=most)

    @cached_property
    def walked(self) -> Walked:
        """Results of the check."""
        self.check()
        return self.__dict__["walked"]


def compile_tables(
    network, routing=ROUTINGS[0], layers=1, root=None, balance="auto", broken=(), keys=KEYS[0], before=None, bar=unwatched
) -> Tables:
    """Compile the :class:`Tables` of a :class:`Network`, and check them for delivery and deadlock.

    Parameters
    ----------
    routing : str
        ``turns``: in ``layers`` turn classes (:func:`route`). ``updown``: one virtual channel, but some paths are longer.
        ``shortest``: shortest paths on ``layers``.
    layers : int or None
        Number of virtual channels; None for the smallest number that is found. If shortest paths do not fit, those of ``turns``
        become longer, and ``shortest`` is a :class:`UsageError` that shows the cycle.
    root : switch or None
        The switch of highest rank, or the root of up*/down*; by default, the one with the smallest load of the busiest channel.
    balance : str
        One of :data:`BALANCES`.
    broken, keys
        Failed links and the kind of keys, as in :class:`Wiring`.
    before : Tables or None
        Tables of the same network by turn classes, with which these are free of deadlock together: they have the same ranks.
    """
    if routing not in ROUTINGS:
        raise UsageError(f"Routing must be one of {', '.join(ROUTINGS)}, not {routing!r}")
    if balance not in BALANCES:
        raise UsageError(f"Balance must be one of {', '.join(BALANCES)}, not {balance!r}")
    if routing == "updown" and layers not in (1, None):
        raise UsageError(f"Up*/down* needs one virtual channel, not {layers}")
    check_size(network)
    if root is not None and routing == "shortest":
        raise UsageError(f"A root (= {network.spell_switch(root)}) is not for --routing shortest")
    wiring, layer = Wiring(network, broken, keys), None
    root = None if root is None else int(wiring.place[network.number(root)])
    if routing == "turns":
        ranks = before.ranks.on(wiring) if before is not None and before.ranks is not None else None
        found = route(wiring, layers, root, balance, ranks, bar)
        filled = _filled(wiring, found, None, 1, bar)
        made = Tables(wiring, routing, found.classes, filled, None, found.ranks, found.longer)
        made.check(bar)
        return made
    if routing == "updown":
        (trees, found), layers = updown_trees(wiring, root, balance, bar), 1
        root = wiring.names[found]
    else:
        trees, layer, layers = _layers(wiring, balance, layers, bar)
    made = Tables(wiring, routing, layers, _filled(wiring, trees, layer, layers, bar), root)
    made.check(bar)
    return made


def check_size(network) -> None:
    """Raise :class:`UsageError` if a network is so large that its pairs cannot be visited."""
    name = network.title if network.from_file else network.name
    if network.nodes > MOST_SWITCHES:
        raise UsageError(f"{name} must have at most {MOST_SWITCHES} switches, not {network.nodes}")
    with refusing():
        ends = len(network.ends())
    if network.nodes * ends > MOST_PAIRS:
        raise UsageError(f"{name}: switches times destinations must be at most {MOST_PAIRS}, not {network.nodes} times {ends}")


def _layers(wiring, balance, most, bar):
    """Trees of shortest paths, the layer of each pair of a tree and a switch, and the number of layers."""
    limit = most or MOST_LAYERS
    trees, found, cycle = fitting_trees(wiring, balance, limit, bar)
    if cycle is None:
        return trees, found, most or int(found.max()) + 1
    words = describe_cycle(wiring, cycle)
    raise UsageError(f"{wiring.name}: shortest paths do not fit {limit} virtual channel{'s' if limit > 1 else ''}: {words}")


def _filled(wiring, trees, layer, layers, bar):
    """The table of every switch, by its number."""
    bits, ends = wiring.most_ports.bit_length(), np.concatenate(trees.targets.members)
    tree = np.repeat(np.arange(len(trees.targets.members)), list(map(len, trees.targets.members)))
    names = action_names(wiring, layers)
    made = []
    for switch in bar(wiring.place.tolist(), "tables"):
        actions = np.empty(len(ends), np.int64)
        actions[ends] = wiring.port[trees.channel[tree, switch]]
        if layer is not None:
            actions[ends] |= layer[tree, switch].astype(np.int64) << bits
        here = wiring.ends.home == switch
        actions[here] = wiring.ends.exit[here]
        desired = [MISS] * (1 << wiring.width)
        for key, action in zip(wiring.keys(switch).tolist(), actions.tolist()):
            desired[key] = action
        found = [
            Entry(value << wiring.width - length, length, action) for value, length, action in fewest(trie(desired, wiring.width))
        ]
        made.append(Table(f"{wiring.kind} {wiring.names[switch]}", wiring.width, names, tuple(found)))
    return made


def action_names(wiring, layers=1) -> Any:
    """A name for every possible action of :class:`Tables`, including those that are not used."""
    ports = [*wiring.port_names, "arrived"]
    ports += ["-"] * ((1 << wiring.most_ports.bit_length()) - len(ports))
    if layers == 1:
        return tuple(ports)
    return tuple(f"{port}, layer {layer}" for layer in range(layers) for port in ports)
