"""Forwarding tables of a simulated core: the routes that they hold, and the writes that bring them in."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from dsnswitch.net.messages import UsageError, unwatched
from dsnswitch.net.routing.registry import TWO_STAGE
from dsnswitch.net.tables.absent import reaching
from dsnswitch.net.tables.choices import with_choices
from dsnswitch.net.tables.compile import Tables, compile_tables
from dsnswitch.net.tables.two_stage import classes_of_tables, tables_in_two_stages
from dsnswitch.net.tables.update import empty, plan
from dsnswitch.net.topology.network import Network

__all__ = [
    "by_turns",
    "classes_needed",
    "check_tables",
    "entries_needed",
    "is_two_stage",
    "kind_of_table",
    "layers_of",
    "ports_up",
    "refuse_other_ranks",
    "tables_for",
    "writes",
]


def kind_of_table(parameters: dict[str, Any]) -> str | None:
    """``ternary`` or ``direct`` by the parameters of a core's manifest, None without a table."""
    return parameters.get("kind", "ternary") if parameters["lookup"] != "algorithm" else None


def tables_for(
    network: Network, parameters: dict[str, Any], broken: Iterable[tuple] = (), bar=unwatched, before: Tables | None = None
) -> Tables:
    """Compile the :class:`~dsnswitch.net.tables.compile.Tables` of all switches for a core.

    ``parameters`` are those of the core, as its manifest has them: lookup, keys, layers and classes; without the latter, as many
    as shortest paths take. The routes avoid the ``broken`` links, ``(switch, port index)`` or ``(switch, switch)``. A switch
    without another link has left the network: routes to it end at a dead port (:func:`~dsnswitch.net.tables.absent.reaching`).
    ``before`` is as for :func:`~dsnswitch.net.tables.compile.compile_tables`. Raises :class:`UsageError` if the switches with
    live links are not connected.
    """
    turning, adaptive, two = by_turns(parameters), bool(parameters.get("adaptive")), is_two_stage(parameters)
    classes = parameters.get("classes") if turning else 1
    if two and adaptive and classes is not None:
        # Any choices of hops fit the classes of both stages together.
        classes, two = max(1, classes // 2), False
    broken = tuple(broken) and reaching(network, broken, before)
    made = _compiled(network, classes, broken, parameters.get("keys", "absolute"), before, bar, two and not adaptive)
    return _choosing(made, bar) if turning and adaptive else made


def by_turns(parameters: dict[str, Any]) -> bool:
    """Whether the class of a packet follows from its turns, by the parameters of a core."""
    return parameters["lookup"] == "table" and parameters.get("layers", 1) == 1


def is_two_stage(parameters: dict[str, Any]) -> bool:
    """Whether packets may go over another switch first, by the parameters of a core."""
    return parameters.get("routing") in TWO_STAGE


def classes_needed(parameters: dict[str, Any], made: Tables) -> int:
    """Turn classes, or layers, of the packets that follow ``made`` in a core."""
    return classes_of_tables(made) if is_two_stage(parameters) else made.layers


# Points of a sweep share failed links.
@lru_cache(64)
def _compiled(network, classes, broken, keys, before, bar, two_stages=False):
    make = tables_in_two_stages if two_stages else compile_tables
    return make(network, classes, broken=broken, keys=keys, before=before, bar=bar)


@lru_cache(64)
def _choosing(made, bar):
    return with_choices(made, bar)


def entries_needed(some: Sequence[Tables]) -> int:
    """Entries that a ternary table needs for several :class:`~dsnswitch.net.tables.compile.Tables`, one after another.

    During a change a table holds the old and the new entries.
    """
    sets = [[{(entry.value, entry.length) for entry in table.entries} for table in made.tables] for made in some]
    return max(1, *(len(old | new) for pair in pairwise([sets[0], *sets]) for old, new in zip(*pair)))


def check_tables(network: Network, parameters: dict[str, Any], made: Tables) -> None:
    """Raise a :class:`UsageError` if tables do not fit a core: other switches, too many layers, entries, or hops."""
    if set(made.wiring.names) != set(map(network.spell_switch, network.switches())):
        raise UsageError(f"Tables of {made.wiring.name} are not those of {network.spelling}")
    what, most = ("turn classes", "classes") if made.ranks is not None else ("layers", "layers")
    if (needed := classes_needed(parameters, made)) > parameters.get(most, 1):
        raise UsageError(f"Tables need {needed} {what}, more than the {parameters.get(most, 1)} of the core")
    if kind_of_table(parameters) == "ternary":
        for table in made.tables:
            table.check_capacity(parameters["entries"])


def layers_of(network: Network, made: Tables) -> np.ndarray | None:
    """The layer of packets by the numbers of source and destination switch, (S, S); None if tables have one layer."""
    if made.layers == 1 or made.ranks is not None:
        return None
    found, ends = np.zeros((network.nodes, network.nodes), np.uint8), [network.number(at) for at in network.terminals()]
    for number, table in enumerate(made.tables):
        keys = made.wiring.keys(made.wiring.place[number])
        found[number, ends] = np.maximum(table.answers()[keys], 0) >> made.port_bits
    return found


def ports_up(made: Tables) -> list[int]:
    """The mask of the ports that lead up, by the number of the switch; without turn classes none does."""
    places = made.wiring.place.tolist()
    return [sum(1 << port for port in made.ports_up(place)) if made.ranks is not None else 0 for place in places]


def refuse_other_ranks(network: Network, made: Tables, up: list[int]) -> None:
    """Raise a :class:`UsageError` if ports of ``made`` do not lead the same way as by the masks ``up`` of :func:`ports_up`."""
    places, wiring = made.wiring.place.tolist(), made.wiring
    for number, (mask, old) in enumerate(zip(ports_up(made), up)):
        channels = wiring.out[places[number]]
        for port in wiring.port[channels[channels < wiring.count]].tolist():
            if (mask ^ old) >> port & 1:
                switch = network.spell_switch(network.switch(number))
                raise UsageError(
                    f"Tables that follow others must have the same ranks, but port {port} of switch {switch} leads up only by one"
                )


def _core_action(network, parameters, made, action, other):
    """Actions of the core: a port's index, or the number of ports for *arrived*.

    With a choice of hops, the second port is above the first; where there is none (-1), it is the first again.
    """
    port, arrived = action & (1 << made.port_bits) - 1, len(network.ports)
    port = np.where(port == made.arrived, arrived, port)
    if not parameters.get("adaptive"):
        return port
    return np.where(other < 0, port, other) << arrived.bit_length() | port


def writes(
    network: Network, parameters: dict[str, Any], made: Tables, state: list | None = None
) -> tuple[list[tuple[np.ndarray, dict]], Any]:
    """The writes of all switches, from the tables that they have to new ones.

    Every switch takes at most one write per cycle. A lookup finds its old or its new action during the whole time.

    Parameters
    ----------
    network, parameters, made
        As for :func:`check_tables`.
    state : list or None
        What the tables hold, as an earlier call has returned it; None if they are empty.

    Returns
    -------
    list of (array of int, dict)
        For each cycle the numbers of the switches that write, and arrays with the values of their ``write_..``.
    list
        What the tables hold after that.

    Raises
    ------
    UsageError
        If old and new entries do not fit the table together.
    """
    check_tables(network, parameters, made)
    if kind_of_table(parameters) == "direct":
        answers, others = (np.array([getattr(table, name)() for table in made.tables]) for name in ("answers", "others"))
        return _direct(np.where(answers < 0, -1, _core_action(network, parameters, made, answers, others)), state)
    states = state or [None] * len(made.tables)
    changes = [_ternary(table, parameters["entries"], rows) for table, rows in zip(made.tables, states)]
    steps = []
    for cycle in range(max(len(found) for found, _ in changes)):
        numbers = [number for number, (found, _) in enumerate(changes) if cycle < len(found)]
        some = [changes[number][0][cycle] for number in numbers]
        values = {"place": [place for place, _ in some], "valid": [entry is not None for _, entry in some]}
        for name in ("value", "length"):
            values[name] = [0 if entry is None else getattr(entry, name) for _, entry in some]
        action = [0 if entry is None else entry.action for _, entry in some]
        other = [-1 if entry is None or entry.other is None else entry.other for _, entry in some]
        values["action"] = _core_action(network, parameters, made, np.array(action), np.array(other))
        steps.append((np.array(numbers), {name: np.array(value) for name, value in values.items()}))
    return steps, [rows for _, rows in changes]


def _ternary(table, capacity, rows):
    """The writes of one table as ``(place, entry)``, and its rows after them."""
    if rows is not None:
        return plan(rows, table)
    # An empty table takes its entries in their order.
    return list(enumerate(table.entries)), (*table.entries, *empty(capacity - len(table.entries)))


def _direct(new, state):
    """The writes of words, -1 for a miss, and the words after them."""
    steps = []
    for word in range(new.shape[1]):
        numbers = np.arange(len(new)) if state is None else np.flatnonzero(new[:, word] != np.array(state)[:, word])
        if len(numbers):
            column = new[numbers, word]
            values = {"word": np.full(len(numbers), word), "valid": column >= 0, "action": np.maximum(column, 0)}
            steps.append((numbers, values))
    return steps, new
