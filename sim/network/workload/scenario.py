"""Links and tables of a simulation as users write them: delays of cables, failed links, forwarding tables."""

import csv
import math
import os
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dsnswitch.net import limits
from dsnswitch.net.files.options import TURNS
from dsnswitch.net.messages import UsageError, shortened, unwatched
from dsnswitch.net.reading import read_text
from dsnswitch.net.topology.network import Network

__all__ = ["MOST_DELAY", "Failure", "Lookup", "delay_of", "delays_of", "failures", "lookup_of"]

#: Maximum number of cycles of a link.
MOST_DELAY = 1000

#: Columns of a file of delays.
COLUMNS = ("from", "port", "delay")


def delay_of(text: str, per_metre: float, clock: float, what: str = "Option --link-delay") -> int:
    """Cycles of a link: a number of cycles, or metres such as ``5m``."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?) ?(m?)", text)
    if not match or (not match[2] and "." in match[1]):
        raise UsageError(f"{what} must be cycles, such as 3, or metres, such as 5m, not {shortened(text, 40)!r}")
    cycles = math.ceil(float(match[1]) * per_metre * clock - 1e-9) if match[2] else int(match[1])
    limits.at_most(MOST_DELAY, cycles, "Cycles of a link")
    return cycles


def delays_of(network: Network, text: str, per_metre: float, clock: float) -> int | dict[tuple, int]:
    """The delay of all links as a number, or ``{(switch, port index): cycles}`` if ``text`` is the name of a CSV file.

    The file has the columns ``from,port,delay``: the address of a switch, the name of its port, and cycles or metres. A cable may
    be stated at either end; one that is not stated has no delay. Further columns are ignored. With the text ``graph``, delays are
    those of the graph's file: a latency of n cycles is n - 1 registers besides the output register of a core.
    """
    if text == "graph":
        cycles = {(link.source, link.port): network.cycles(link.source, link.port) for link in network.links()}
        if None in cycles.values():
            raise UsageError(f"{network.spelling} states no latencies of links, so --link-delay must not be graph")
        limits.at_most(MOST_DELAY, max(cycles.values(), default=1) - 1, "Cycles of a link")
        return {place: max(latency - 1, 0) for place, latency in cycles.items()}
    if re.fullmatch(r"[\d. ]*m?", text) or not (os.sep in text or "." in text):
        return delay_of(text, per_metre, clock)
    rows = list(csv.DictReader(read_text(text, "Delays of links").splitlines()))
    if not rows or any(name not in rows[0] for name in COLUMNS):
        raise UsageError(f"Delays of links {text} must have the columns {','.join(COLUMNS)} and a line for each cable")
    ports, found = {port.name: port.index for port in network.ports}, {}
    for number, row in enumerate(rows, 2):
        where = f"{text}, line {number}"
        try:
            switch = network.parse_switch(row["from"] or "")
        except ValueError as error:
            raise UsageError(f"{where}: {error}") from None
        port = ports.get(row["port"])
        end = None if port is None else network.neighbour(switch, port)
        if end is None:
            raise UsageError(f"{where}: switch {row['from']} has no link at port {shortened(str(row['port']), 40)!r}")
        delay = delay_of(row["delay"] or "", per_metre, clock, f"{where}: a delay")
        key = min((network.number(switch), port), (network.number(end[0]), end[1]))
        if found.setdefault(key, (delay, switch, port))[0] != delay:
            raise UsageError(f"{where}: the cable has a delay of {found[key][0]} cycles already, not {delay}")
    return {(switch, port): delay for delay, switch, port in found.values()}


class Failure(NamedTuple):
    """A link that is dead from a cycle on, None for from the start, and before the cycle ``end``, None for ever."""

    switch: tuple
    port: int
    begin: int | None = None
    end: int | None = None

    def is_dead(self, cycle: int) -> bool:
        """Whether the link is dead in a cycle; -1 is the time before the first cycle."""
        return (self.begin is None or self.begin <= cycle) and (self.end is None or cycle < self.end)


def failures(network: Network, words: Iterable[str]) -> list[Failure]:
    """The :class:`Failure` of each link that fails. Those of one link neither overlap nor touch.

    A word such as ``5%:1`` is a share of all links at random by seed 1, as in :func:`~dsnswitch.net.analysis.faults.measure`, and
    the address of a switch is all of its links.
    """
    from dsnswitch.net.tables.absent import links_at

    failed = []
    for word in words:
        link, at, cycles = word.partition("@")
        match = re.fullmatch("([0-9]{1,9})(?:-([0-9]{1,9}))?", cycles)
        if at and not match:
            raise UsageError(
                "A link fails at a cycle such as 0,0,0:x_forward@5000, or until another such as @5000-9000, not "
                f"{shortened(word, 40)!r}"
            )
        begin, end = (int(match[1]), int(match[2]) if match[2] else None) if match else (None, None)
        if begin is not None and end is not None and end <= begin:
            raise UsageError(
                f"A link returns after the cycle {begin} in which it fails, not in cycle {end} ({shortened(word, 40)})"
            )
        if "%" in link:
            share = re.fullmatch(r"(\d{1,2}(?:\.\d{1,6})?)%(?::(\d{1,9}))?", link)
            if not share:
                raise UsageError(
                    "Links that fail at random must have the form PERCENT%[:SEED], such as 5% or 5%:7, with a percentage of at"
                    f" least 0 and below 100, not {shortened(word, 40)!r}"
                )
            links = list(network.links())
            random.Random(int(share[2] or 0)).shuffle(links)
            count = round(float(share[1]) / 100 * len(links))
            failed += [Failure(one.source, one.port, begin, end) for one in links[:count]]
            continue
        try:
            found = links_at(network, link)
        except ValueError as error:
            raise UsageError(str(error)) from None
        for switch, port in found:
            ports = [port]
            if isinstance(port, tuple):
                ports = [one.index for one, end_of in network.links_of(switch) if end_of[0] == port]
            failed += [Failure(switch, index, begin, end) for index in ports]
    return _joined(network, failed)


def _joined(network, failed):
    """The same failures, without those of one link that overlap or touch, in the order of the first of each link."""
    found = {}
    for one in failed:
        other, port = network.neighbour(one.switch, one.port)
        found.setdefault(min((one.switch, one.port), (other, port)), []).append(one)
    joined = []
    for some in found.values():
        some.sort(key=lambda one: -1 if one.begin is None else one.begin)
        last = some[0]
        for one in some[1:]:
            if last.end is None or one.begin is None or one.begin <= last.end:
                end = None if last.end is None or one.end is None else max(last.end, one.end)
                last = last._replace(end=end)
            else:
                joined.append(last)
                last = one._replace(switch=last.switch, port=last.port)
        joined.append(last)
    return joined


@dataclass
class Lookup:
    """How the switches of a simulation find outputs: the algorithm, or tables.

    Attributes
    ----------
    label : str
        What results call it.
    values : dict
        Parameters of the core.
    tables : Tables or None
        At the start.
    later : list of (cycle, Tables)
        Tables that are written while traffic goes on.
    """

    label: str
    values: dict
    tables: object = None
    later: list = field(default_factory=list)


def lookup_of(
    network: Network,
    values: dict[str, Any],
    spelt: str | None,
    failed: list[Failure],
    reroute: int | None,
    bar=unwatched,
    tell: Callable[[str], object] = lambda text: None,
) -> Lookup:
    """The :class:`Lookup` of a simulation.

    Parameters
    ----------
    network : Network
    values : dict
        Parameters of the core as the user gives them.
    spelt : str or None
        The name of the file of the tables; None or ``turns`` means that they are compiled.
    failed : list of Failure
    reroute : int or None
        Cycles from a failure, or the return of a link, until tables that avoid the links dead by then are written.
    bar : callable
        Wraps what takes long, for a progress bar.
    tell : callable
        Called with each fault of given tables: lost pairs and cycles of channels. They are simulated all the same, which shows
        what they do.
    """
    from dsnswitch.net.tables.compile import MOST_CLASSES
    from dsnswitch.sim.network.engine.lookup import (
        by_turns,
        check_tables,
        classes_needed,
        entries_needed,
        is_two_stage,
        kind_of_table,
        tables_for,
    )

    routing, lookup = values.get("routing") or "base", values.get("lookup", "algorithm")
    if lookup == "algorithm":
        if failed and routing != "detour":
            raise UsageError("Links fail only in a core with detours or tables: --fail needs --routing detour or --lookup")
        choices = "".join(f", {name}" for name in ("adaptive", "digits") if values.get(name))
        return Lookup(f"{routing}{choices}", values)
    parameters = {"kind": "ternary", "keys": "absolute", **values}
    given = spelt not in (None, TURNS)
    if reroute is not None and (given or not any(one.begin is not None for one in failed)):
        raise UsageError("Option --reroute needs --fail with a cycle, and tables that are compiled")

    def without(last, before=None):
        links = [(one.switch, one.port) for one in failed if one.is_dead(last)]
        return tables_for(network, parameters, links, bar, before)

    first = _given(network, spelt, bar, tell) if given else without(-1)
    if by_turns(parameters):
        # By default the core has the classes of the tables.
        turns = 1 if first.ranks is None else min(classes_needed(values, first), MOST_CLASSES)
        parameters, values = ({"classes": turns, **some} for some in (parameters, values))
    changes = {cycle for one in failed for cycle in (one.begin, one.end) if cycle is not None}
    later = [] if reroute is None else [(cycle + reroute, without(cycle, first)) for cycle in sorted(changes)]
    made = [first, *(tables for _, tables in later)]
    if kind_of_table(parameters) == "ternary":
        parameters.setdefault("entries", entries_needed(made))
        values = values | {"entries": parameters["entries"]}
    for tables in made:
        check_tables(network, parameters, tables)
    by = "table" if lookup == "table" else f"{routing}, else table"
    number = classes_needed(values, first)
    what = f" {os.path.basename(spelt or '')}" if given else f", {number} turn class{'es' * (number > 1)}"
    more = ", adaptive" * bool(values.get("adaptive")) + f", {routing}" * is_two_stage(values)
    return Lookup(f"{by}{what}{more}", values, first, later)


def _given(network, path, bar, tell):
    """Tables of a file."""
    from dsnswitch.net.tables.sources import given_tables

    made = given_tables(network, path)
    for fault in made.faults(bar):
        tell(f"{path}: {fault}")
    return made
