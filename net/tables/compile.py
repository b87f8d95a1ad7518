"""Compiles the tables of a whole graph: routes in turn classes, a table for every switch, and the check of all tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from dsnswitch.net.files.options import TURNS
from dsnswitch.net.messages import UsageError, refusing, unwatched
from dsnswitch.net.routing.balance import BALANCES
from dsnswitch.net.routing.ranks import Ranks
from dsnswitch.net.routing.turns import choose, route
from dsnswitch.net.routing.wiring import Wiring, targets
from dsnswitch.net.tables import choices
from dsnswitch.net.tables.entries import Entry, Table, Words
from dsnswitch.net.tables.prefixes import MOST_ACTIONS, fewest_of
from dsnswitch.net.tables.trie import MISS, fewest, trie
from dsnswitch.net.tables.walk import Walked, faults, walk
from dsnswitch.net.topology.addresses import KEYS

#: Maximum number of switches, and of switches times destinations, because compilation and check visit every pair; and those of
#: which direct images or single tables are made: 16,384 switches of degree 6 take about 320 s and 4.5 GB.
MOST_SWITCHES, MOST_PAIRS = 1 << 11, 1 << 22
MOST_LARGE, MOST_LARGE_PAIRS = 1 << 14, 1 << 28

#: Most turn classes of a core, and those by default of a core whose network has more than :data:`MOST_SWITCHES` switches.
MOST_CLASSES, LARGE_CLASSES = 16, 4


@dataclass(frozen=True, eq=False)
class Tables:
    """The finished :class:`Table` of each switch, by its number, and the number of virtual channels that they need (``layers``).

    An action is ``layer * 2**port_bits + port``. The port ``arrived`` is the number after the last port of the switch with the
    most ports.

    With ``ranks``, actions are ports. The ranks say which channels lead up, so that a packet's turn class, below ``layers``,
    follows from its way; ``longer`` is the number of hops of all pairs beyond those of shortest paths. With ``two_ports``,
    entries have a second port where there is one, for packets that choose. Without ranks, the layer in an action is that of a
    packet that enters the network at this switch, and a packet stays on its layer. Such tables are only read from files.
    """

    wiring: Wiring
    routing: str
    layers: int
    tables: Any
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

    @property
    def large(self) -> bool:
        """Whether the tables are too many to make all of them. Their check then reads the actions of which they are made."""
        return isinstance(self.tables, Compiled) and self.wiring.size * len(self.wiring.ends.names) > MOST_PAIRS

    def actions(self, bar=unwatched) -> np.ndarray:
        """Action of every switch for every destination, -1 on a miss: an array (S, D) in the order of :class:`Wiring`."""
        wiring = self.wiring
        if self.large:
            return self.tables.actions
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
        return not self.large and any(table.chooses for table in self.tables)

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
        found = walk(self.wiring, actions, bar, up, self.tables.trees.load if self.large else None)
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
    network, classes=None, root=None, balance=BALANCES[0], broken=(), keys=KEYS[0], before=None, bar=unwatched, large=False
) -> Tables:
    """Compile the :class:`Tables` of a :class:`Network` by :func:`route`, and check them for delivery and deadlock.

    Parameters
    ----------
    classes : int or None
        Turn classes, the virtual channels of every link; None for as many as shortest paths take. Fewer classes make some routes
        longer. One class is up*/down* routing.
    root : switch or None
        The switch of highest rank; by default, ranks are chosen by how evenly classes share channels.
    balance : str
        One of :data:`BALANCES`.
    broken, keys
        Failed links and the kind of keys, as in :class:`Wiring`.
    before : Tables or None
        Tables of the same network, with which these are free of deadlock together: they have the same ranks.
    large : bool
        Whether the network may have up to :data:`MOST_LARGE` switches.
    """
    if balance not in BALANCES:
        raise UsageError(f"Balance must be one of {', '.join(BALANCES)}, not {balance!r}")
    check_size(network, *((MOST_LARGE, MOST_LARGE_PAIRS) if large else ()))
    wiring = Wiring(network, broken, keys)
    root = None if root is None else int(wiring.place[network.number(root)])
    found = route(wiring, classes, root, balance, None if before is None else before.ranks.on(wiring), bar)
    made = Tables(wiring, TURNS, found.classes, Compiled(wiring, found), found.ranks, found.longer)
    made.check(bar)
    return made


@lru_cache(64)
def usual_classes(network) -> int:
    """Turn classes of a core that routes by tables, by default: as many as shortest paths take.

    They are the classes of :func:`compile_tables`, at most :data:`MOST_CLASSES`; :data:`LARGE_CLASSES` in a large network.
    """
    if network.nodes > MOST_SWITCHES:
        return LARGE_CLASSES
    wiring = Wiring(network)
    return min(choose(wiring, None, targets(wiring))[1], MOST_CLASSES)


def check_size(network, switches=MOST_SWITCHES, pairs=MOST_PAIRS) -> None:
    """Raise :class:`UsageError` if a network is so large that its pairs cannot be visited."""
    name = network.title if network.from_file else network.name
    if network.nodes > switches:
        raise UsageError(f"{name} must have at most {switches} switches, not {network.nodes}")
    with refusing():
        ends = len(network.ends())
    if network.nodes * ends > pairs:
        raise UsageError(f"{name}: switches times destinations must be at most {pairs}, not {network.nodes} times {ends}")


class Compiled(Sequence):
    """The :class:`Table` of each switch, by its number, made when it is asked for from the routes ``trees``.

    ``actions`` (S, D) are those of the tables, in the order of :class:`Wiring`.
    """

    def __init__(self, wiring: Wiring, trees):
        self.wiring, self.trees, self._made = wiring, trees, {}
        self._names, members = action_names(wiring), trees.targets.members
        self.actions = np.empty((wiring.size, len(wiring.ends.names)), np.int16)
        for some, channel in zip(members, trees.channel):
            self.actions[:, some] = wiring.port[channel][:, None]
        self.actions[wiring.ends.home, np.arange(len(wiring.ends.names))] = wiring.ends.exit

    def __len__(self):
        return self.wiring.size

    def __getitem__(self, number):
        if number not in self._made:
            self._made[number] = self._table(self.wiring.place[number])
        return self._made[number]

    def words(self, number) -> Words:
        """The same table as a direct one."""
        switch = self.wiring.place[number]
        return Words(self._name(switch), self.wiring.width, self._names, lambda: self._answers(switch))

    def _name(self, switch):
        return f"{self.wiring.kind} {self.wiring.names[switch]}"

    def _answers(self, switch):
        found = np.full(1 << self.wiring.width, -1, np.int64)
        found[self.wiring.keys(switch)] = self.actions[switch]
        return found

    def _table(self, switch):
        width, answers = self.wiring.width, self._answers(switch)
        if len(self._names) <= MOST_ACTIONS:
            prefixes = fewest_of(answers, width)
        else:
            prefixes = fewest(trie([MISS if action < 0 else action for action in answers.tolist()], width))
        entries = (Entry(value << width - length, length, action) for value, length, action in prefixes)
        return Table(self._name(switch), width, self._names, tuple(entries))


def action_names(wiring, layers=1) -> Any:
    """A name for every possible action of :class:`Tables`, including those that are not used."""
    ports = [*wiring.port_names, "arrived"]
    ports += ["-"] * ((1 << wiring.most_ports.bit_length()) - len(ports))
    if layers == 1:
        return tuple(ports)
    return tuple(f"{port}, layer {layer}" for layer in range(layers) for port in ports)
