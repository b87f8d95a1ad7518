"""Compiles the tables of a whole graph: routes, layers, a table for every switch, and the check of all tables."""

from dataclasses import dataclass, field

import numpy as np

from dsnswitch.net.messages import UsageError, unwatched
from dsnswitch.net.routing.balance import BALANCES
from dsnswitch.net.routing.routes import fitting_trees, updown_trees
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.entries import Entry, Table
from dsnswitch.net.tables.switch_graph import SwitchGraph, text
from dsnswitch.net.tables.trie import MISS, fewest, trie
from dsnswitch.net.tables.walk import Walked, describe_cycle, faults, named_channels, walk

#: Routings of a graph.
ROUTINGS = ("updown", "shortest")

#: Maximum number of switches, and of switches times destinations, because compilation and check visit every pair.
MOST_SWITCHES, MOST_PAIRS = 1 << 11, 1 << 22

#: Maximum number of virtual channels.
MOST_LAYERS = 64


@dataclass(frozen=True)
class Tables:
    """A table for each switch of a graph (``by_switch``), and the number of virtual channels that they need (``layers``).

    An action is ``layer * 2**port_bits + port``. The port ``arrived`` is the number after the last port of the switch with the
    most ports. The layer in an action is that of a packet that enters the network at this switch; a packet stays on its layer.
    ``root`` is that of up*/down* routing, else None.
    """

    graph: SwitchGraph
    wiring: Wiring
    routing: str
    layers: int
    port_bits: int
    by_switch: dict
    root: object = None
    _walked: list = field(default_factory=list, init=False, compare=False, repr=False)

    @property
    def arrived(self):
        """Port number of a packet that has arrived."""
        return self.graph.most_ports

    def actions(self, bar=unwatched):
        """Action of every switch for every destination, -1 on a miss: an array (S, D).

        Rows have the order of the wiring's switches, columns the order of the graph's keys.
        """
        graph = self.graph
        found = np.empty((self.wiring.size, len(graph.keys)), np.int64)
        for row, switch in zip(found, bar(self.wiring.switches, "reading tables")):
            row[:] = self.by_switch[switch].answers_to(graph.keys_at(switch))
        return found

    def check(self, bar=unwatched):
        """Follow every pair through the tables, and search the channel dependencies of all pairs for a cycle: a :class:`Walked`.

        Raises :class:`UsageError` if a pair is not delivered, or the dependencies have a cycle, which the message shows.
        """
        for fault in self.faults(bar):
            raise UsageError(f"{self.graph.name}: {fault}")
        return self._walked[0]

    def faults(self, bar=unwatched):
        """The same check, which returns the faults as lines of text: pairs that are lost, and a cycle of channels."""
        self._walked[:] = [walk(self.wiring, self.actions(bar), self.port_bits, bar)]
        return tuple(faults(self, self._walked[0]))

    @property
    def walked(self) -> Walked:
        """Results of the check."""
        return self._walked[0] if self._walked else self.check()


def compile_tables(graph, routing="updown", layers=1, root=None, absent=MISS, balance="auto", bar=unwatched):
    """Compile the :class:`Tables` of a :class:`SwitchGraph`, and check them for delivery and deadlock.

    Parameters
    ----------
    routing : str
        ``updown``: one virtual channel, but some paths are longer. ``shortest``: shortest paths on ``layers``.
    layers : int or None
        Number of virtual channels; None for the smallest number that is found. If they are not enough, a :class:`UsageError`
        shows the cycle.
    root : switch or None
        Root of up*/down*; by default, the candidate of :func:`updown_trees` with the smallest load of the busiest channel.
    absent : MISS or ANY
        Action for keys without a destination.
    balance : str
        One of :data:`BALANCES`.
    """
    _refuse(graph, routing, layers, root, balance)
    wiring = Wiring(graph)
    layer = None
    if routing == "updown":
        trees, found = updown_trees(wiring, None if root is None else wiring.index[root], balance, bar)
        root = wiring.switches[found]
    else:
        trees, layer, layers = _layers(wiring, balance, layers, bar)
    layers = layers if routing == "shortest" else 1
    made = Tables(graph, wiring, routing, layers, graph.most_ports.bit_length(), {}, root)
    _fill(made, trees, layer, absent, bar)
    made.check(bar)
    return made


def _refuse(graph, routing, layers, root, balance):
    if routing not in ROUTINGS:
        raise UsageError(f"Routing must be one of {', '.join(ROUTINGS)}, not {routing!r}")
    if balance not in BALANCES:
        raise UsageError(f"Balance must be one of {', '.join(BALANCES)}, not {balance!r}")
    if routing == "updown" and layers not in (1, None):
        raise UsageError(f"Up*/down* needs one virtual channel, not {layers}")
    check_size(graph)
    if root is not None and root not in graph.ports:
        raise UsageError(f"{graph.name} has no switch {text(root)}")
    if root is not None and routing != "updown":
        raise UsageError(f"A root (= {text(root)}) needs --routing updown")


def check_size(graph):
    """Raise :class:`UsageError` if a graph is so large that its pairs cannot be visited."""
    switches, destinations = len(graph.ports), len(graph.keys)
    if switches > MOST_SWITCHES:
        raise UsageError(f"{graph.name} must have at most {MOST_SWITCHES} switches, not {switches}")
    if switches * destinations > MOST_PAIRS:
        raise UsageError(
            f"{graph.name}: switches times destinations must be at most {MOST_PAIRS}, not {switches} times {destinations}"
        )


def _layers(wiring, balance, most, bar):
    """Trees of shortest paths, the layer of each pair of a tree and a switch, and the number of layers."""
    limit = most or MOST_LAYERS
    trees, found, cycle = fitting_trees(wiring, balance, limit, bar)
    if cycle is None:
        return trees, found, most or int(found.max()) + 1
    words = describe_cycle(named_channels(wiring, cycle))
    raise UsageError(
        f"{wiring.graph.name}: shortest paths do not fit {limit} virtual channel{'s' if limit > 1 else ''}: {words}"
    )


def _fill(made, trees, layer, absent, bar):
    """Compile the table of every switch."""
    graph, wiring, bits = made.graph, made.wiring, made.port_bits
    column = {end: number for number, end in enumerate(graph.keys)}
    exits = np.array([graph.exit(end) for end in graph.keys])
    of_tree = [[column[end] for end in members] for members in trees.targets.members]
    ends = np.concatenate(of_tree)
    tree = np.repeat(np.arange(len(of_tree)), [len(members) for members in of_tree])
    names = _names(graph, made.layers, bits)
    # Tables have the order of the switches in the graph, which is that of the user's file.
    for switch in bar(list(graph.ports), "tables"):
        at = wiring.index[switch]
        actions = np.empty(len(graph.keys), np.int64)
        actions[ends] = wiring.port[trees.channel[tree, at]]
        if layer is not None:
            actions[ends] |= layer[tree, at].astype(np.int64) << bits
        here = ends[trees.targets.home[tree] == at]
        actions[here] = exits[here]
        keys = graph.keys_at(switch)
        desired = [absent] * (1 << graph.width)
        for key, action in zip(keys.tolist(), actions.tolist()):
            desired[key] = action
        found = [
            Entry(value << graph.width - length, length, action)
            for value, length, action in fewest(trie(desired, graph.width))
        ]
        made.by_switch[switch] = Table(f"{graph.kind} {text(switch)}", graph.width, names, tuple(found))


def _names(graph, layers, bits):
    """A name for every possible action, including those that are not used."""
    ports = [*(graph.port_names or [f"port {port}" for port in range(graph.most_ports)]), "arrived"]
    ports += ["-"] * ((1 << bits) - len(ports))
    if layers == 1:
        return tuple(ports)
    return tuple(f"{port}, layer {layer}" for layer in range(layers) for port in ports)
