"""Sources of tables for the command line: a network, a graph, or a file."""

from dataclasses import dataclass

import numpy as np

from dsnswitch.net import limits
from dsnswitch.net.files.formats.infiniband_tables import is_dump, refuse_others
from dsnswitch.net.files.options import TURNS
from dsnswitch.net.files.parameters import routed, switch_of
from dsnswitch.net.messages import UsageError, refusing, shortened
from dsnswitch.net.reading import read_text
from dsnswitch.net.routing.balance import BALANCES, ideal
from dsnswitch.net.routing.ranks import Ranks
from dsnswitch.net.routing.registry import NEAR_MINIMAL, relation_of
from dsnswitch.net.routing.wiring import Wiring
from dsnswitch.net.tables.absent import links_at, reaching
from dsnswitch.net.tables.choices import with_choices
from dsnswitch.net.tables.compile import MOST_LARGE, MOST_SWITCHES, Tables, check_size, compile_tables
from dsnswitch.net.tables.dumps import dump, given_dump
from dsnswitch.net.tables.entries import Entry, Table, action_names
from dsnswitch.net.tables.files import read_file, read_tables
from dsnswitch.net.tables.trie import MISS, blocks, fewest, trie
from dsnswitch.net.topology.network import named


def algorithm_table(network, own, keys="absolute", minimise=True, relation=None):
    """The :class:`Table` of switch ``own``: for every destination the port that the relation of the network prefers.

    If the topology has a function for it (:attr:`Network.table`), the table follows from the structure of addresses, which is
    fast even in a large network. The table of any other network is made destination by destination; a :class:`UsageError` says
    if it would have too many keys. Actions are those of :func:`action_names`; keys of no destination miss.

    ``keys`` is one of ``network.keys``. ``minimise`` asks for the fewest prefixes with the same actions, else there is one entry
    for each block of keys with the same action. ``relation`` None means the default routing of the network; the port of another
    one must not depend on the arrival.
    """
    if relation is None and network.table:
        return named(network.table)(network, own, keys, minimise)
    relation, width = relation or relation_of(network), network.key_width(keys)
    limits.at_most(limits.MOST_KEYS, 1 << width, f"Keys of a table of {network.spelling}")
    answers = [MISS] * (1 << width)
    for destination in network.terminals():
        hops = relation.hops(own, None, destination)
        answers[network.key(own, destination, keys)] = hops[0][0] if hops else len(network.ports)
    cover = fewest if minimise else blocks
    entries = tuple(Entry(bits << width - length, length, action) for bits, length, action in cover(trie(answers, width)))
    return Table(f"node {network.spell_switch(own)}", width, action_names(network), entries)


# Figures of the tables of a whole graph: virtual channels, hops, load of channels, entries.

#: Maximum number of characters of a name in the line of figures, which has at most 200.
LONGEST = 20


def summary(made):
    """Figures of :class:`Tables`, measured on the walks of all pairs through the finished tables, as a dictionary.

    ``layers``: number of virtual channels. ``hops`` (``mean``, ``max``): of the pairs of different switches. ``load`` (``max``,
    ``ideal``): pairs on the busiest channel, and the bound of :func:`ideal`. ``entries``: number of entries of each switch,
    unless the network is large. Of turn classes: ``classes``, the share of the pairs by the class in which they arrive, and
    ``longer``, their hops beyond those of shortest paths, as a share. Of adaptive tables: ``choices``, the share of the switches
    and destinations with a second port.
    """
    walked, wiring = made.walked, made.wiring
    number = np.arange(len(walked.hops))
    pairs = int(walked.hops[1:].sum())
    return {
        "layers": made.layers,
        **({} if made.ranks is None else _turns(made, int(walked.hops @ number))),
        **({"adaptive": True, "choices": _choices(made)} if made.two_ports else {}),
        "hops": {
            "mean": round(float(walked.hops @ number) / pairs, 3) if pairs else 0,
            "max": int(number[walked.hops > 0].max(initial=0)),
        },
        "load": {"max": int(walked.load.max(initial=0)), "ideal": ideal(wiring)},
        **(
            {}
            if made.large
            else {"entries": {wiring.names[at]: len(table.entries) for at, table in zip(wiring.place, made.tables)}}
        ),
    }


def _choices(made):
    others, away = made.others(), np.arange(made.wiring.size)[:, None] != made.wiring.ends.home
    return round(float((others >= 0)[away].mean()), 4) if away.any() else 0


def _turns(made, hops):
    shares = (made.walked.classes / max(1, made.walked.classes.sum())).round(5).tolist()
    return {"classes": shares, "longer": round(made.longer / max(1, hops - made.longer), 5)}


def sentence(made, figures):
    """The ``figures`` of :func:`summary` as a line of at most 200 characters."""
    layers, hops, load = (figures[key] for key in ("layers", "hops", "load"))
    what = "virtual channel" if made.ranks is None else "turn class"
    channels = f"{layers} {what}{'' if layers == 1 else 's' if made.ranks is None else 'es'}"
    longer = f" ({figures['longer']:.2%} longer than shortest)" if figures.get("longer") else ""
    parts = [
        f"{made.routing}, {channels}; hops {hops['mean']:.2f} mean, {hops['max']} max{longer}",
        f"pairs on a channel {load['max']} max, {load['ideal']} ideal",
    ]
    if entries := figures.get("entries"):
        most = max(entries, key=entries.get)
        mean = sum(entries.values()) / len(entries)
        parts.append(f"entries {mean:.1f} mean, {entries[most]} max ({made.wiring.kind} {shortened(most, LONGEST)})")
    return "; ".join([*parts, *([f"second ports {figures['choices']:.0%}"] if made.two_ports else [])])


def given_tables(network, path):
    """The tables of a file as :class:`Tables` of a network, which are not checked.

    Raises :class:`UsageError` if a switch has no table, a table has no switch, or keys or ports cannot be those of the network.
    """
    check_size(network)
    wiring, (found, head) = Wiring(network), read_file(path)
    by_name = {table.name: table for table in found}
    wanted = [f"{wiring.kind} {wiring.names[at]}" for at in wiring.place]
    missing = next((name for name in wanted if name not in by_name), None)
    if missing is not None:
        raise UsageError(f"{path} has no table {missing!r}, a switch of {wiring.name}")
    for table in found:
        if table.name not in wanted:
            raise UsageError(f"{path}: table {table.name!r} is of no switch of {wiring.name}")
        if table.width < wiring.width:
            raise UsageError(f"{path}, {table.name}: keys have {table.width} bits, {wiring.name} has keys of {wiring.width}")
    port_bits = wiring.most_ports.bit_length()
    keys = dict(zip(wiring.ends.names, wiring.ends.key.tolist()))
    if head.get("port_bits", port_bits) != port_bits:
        raise UsageError(f"{path}: port_bits must be {port_bits} for {wiring.name}, not {head['port_bits']}")
    if head.get("destinations", keys) != keys:
        raise UsageError(f"{path}: destinations have other names or keys than in {wiring.name}")
    greatest = max((entry.action for table in found for entry in table.entries), default=0)
    made = [by_name[name] for name in wanted]
    two = head.get("adaptive", False) or any(table.chooses for table in made)
    if two and "up" not in head:
        raise UsageError(f"{path}: entries have a second port (other), but the file does not state which ports lead up")
    if "up" not in head:
        return Tables(wiring, "given", 1 + (greatest >> port_bits), made)
    used = [{port & (1 << port_bits) - 1 for entry in table.entries for port in entry.word if port is not None} for table in made]
    ranks = _given_ranks(wiring, path, head["up"], used)
    return Tables(wiring, "given", head.get("layers", 1), made, ranks, two_ports=two)


def _given_ranks(wiring, path, given, used):
    """The :class:`Ranks` of a file, which states the ports of each switch that lead up.

    ``used`` are the ports in the entries of each switch, by its number. The file does not state the direction of links that had
    failed, which no entry uses.
    """
    up, channels = np.zeros(wiring.count + 1, bool), {}
    for channel, (source, port) in enumerate(zip(wiring.source[:-1].tolist(), wiring.port[:-1].tolist())):
        channels[wiring.names[source], port] = channel
    for name, ports in given.items():
        for port in ports:
            if (name, port) not in channels:
                raise UsageError(f"{path}: port {port} of {shortened(name, 40)} leads up, but has no link in {wiring.name}")
            up[channels[name, port]] = True
    # A link leads up from one of its ends. Parallel links may lead only the same way.
    ends = list(zip(wiring.source[:-1].tolist(), wiring.target[:-1].tolist()))
    rises = {end for end, is_up in zip(ends, up.tolist()) if is_up}
    for (a, b), port, is_up in zip(ends, wiring.port.tolist(), up.tolist()):
        if is_up == ((b, a) in rises) and (is_up or port in used[wiring.number[a]]):
            one, other = sorted((wiring.names[a], wiring.names[b]))
            raise UsageError(f"{path}: links of {one} and {other} must lead up from one end, and from all ports of this end")
    return Ranks(wiring, up)


_OF_NETWORK = ("keys", "expand", "broken")
_OF_ROUTES = ("routing", "classes", "root", "before", "balance", "adaptive")
_DEFAULTS = {"expand": False, "broken": (), "adaptive": False}


@dataclass(frozen=True)
class Source:
    """Tables, further keys of their JSON file, a line of figures for people or None, words of a direct table, and faults.

    ``words`` is None if a direct table ends at the greatest key with an action. ``faults`` are lines of text. ``dump`` returns
    the tables as those of an InfiniBand fabric, None if they are not those of a whole network.
    """

    tables: list
    more: dict
    line: str | None = None
    words: int | None = None
    faults: tuple = ()
    dump: object = None


def _refuse(values, keys, what):
    for key in keys:
        if values.get(key) != _DEFAULTS.get(key):
            value = values[key][0] if key == "broken" else values[key]
            raise UsageError(f"{what} takes no --{key} (= {value})")


def from_network(network, values, bar):
    """Tables of one node or of all nodes of a network.

    They contain the routes of the algorithm. With failed links or another routing, they contain routes on the remaining graph.
    """
    keys, node = values["keys"] or "absolute", switch_of(network, values["node"])
    if keys not in network.keys:
        raise UsageError(f"Keys of {network.spelling} must be one of {', '.join(network.keys)}, not {keys!r}")
    relation = None
    if values["routing"] == NEAR_MINIMAL:
        _refuse(values, (*(key for key in _OF_ROUTES if key != "routing"), "broken"), "Minimal routing")
        relation = routed(network, NEAR_MINIMAL)
    elif values["broken"] or values["routing"]:
        return _around_faults(network, keys, node, values, bar)
    else:
        _refuse(values, _OF_ROUTES, "A network without --broken or --routing")
    if node is not None:
        nodes = [node]
    elif keys == "absolute":
        limits.at_most(limits.MOST_TABLES, network.nodes, "Nodes of a network to make absolute tables for")
        nodes = list(network.switches())
    else:
        # Nodes with the same id share a table.
        nodes = network.representatives()
    tables = [algorithm_table(network, node, keys, not values["expand"], relation=relation) for node in bar(nodes, "tables")]
    more = {"network": network.name, "keys": keys, "fields": network.key_fields(keys)}
    return Source(tables, more, words=1 << network.key_width(keys))


def tables_around(network, values, bar, keys="absolute"):
    """The :class:`Tables` of every switch of ``network`` that avoid its failed links and switches, and these as text.

    ``values`` has ``broken``, ``routing``, ``classes``, ``root`` and ``balance``, as ``dsnswitch table`` has them, and perhaps
    ``large``, for networks of up to :data:`MOST_LARGE` switches.
    Raises :class:`UsageError` if a link does not exist, or the remaining network is not connected. Routes to a switch that has
    failed end at a dead port (:func:`reaching`).
    """
    # A large network has one table, or direct ones, whose keys are the same at every switch.
    large = values.get("large", False) and keys == "absolute" and not (values.get("adaptive") or values.get("before"))
    if not network.from_file:
        most = MOST_LARGE if large else MOST_SWITCHES
        limits.at_most(most, network.nodes, "Nodes of a network with --broken or --routing")
    words = [word for given in values["broken"] for word in _listed(given)]
    with refusing():
        broken = [link for word in words for link in links_at(network, word)]
    if values["routing"] not in (TURNS, None):
        raise UsageError(f"Routing of tables must be {TURNS}, or {NEAR_MINIMAL} of a DSN, not {values['routing']!r}")
    root, balance = switch_of(network, values["root"]), values["balance"] or BALANCES[0]
    before = given_tables(network, values["before"]) if values.get("before") else None
    if before is not None and root is not None:
        raise UsageError(f"Option --before (= {values['before']}) keeps the ranks of tables, so there is no --root")
    if before is not None and before.ranks is None:
        raise UsageError(f"{values['before']} has no ranks: it does not state which ports lead up")
    if any(":" not in word for word in words):
        broken = list(reaching(network, broken, before))
    made = compile_tables(network, values["classes"], root, balance, broken, keys, before, bar, large)
    return with_choices(made, bar) if values.get("adaptive") else made, words


def _around_faults(network, keys, node, values, bar):
    """Tables of one node or of all nodes that avoid failed links."""
    _refuse(values, ("expand",), "A network with --broken or --routing")
    made, words = tables_around(network, values, bar, keys)
    more = {"network": network.name, "keys": keys, "fields": network.key_fields(keys), "broken": words}
    return _source(network, made, node, more, 1 << network.key_width(keys))


def _listed(given):
    """The links of one option: the option itself, or the lines of the file ``@FILE``."""
    if not given.startswith("@"):
        return [given]
    lines = (line.partition("#")[0].strip() for line in read_text(given[1:], "Failed links").splitlines())
    return [line for line in lines if line]


def _source(network, made, wanted, more, words=None):
    """One table or all tables, with the figures of the whole graph."""
    wiring, figures = made.wiring, summary(made)
    numbers = range(wiring.size) if wanted is None else [network.number(wanted)]
    more = more | {
        "routing": made.routing,
        "port_bits": made.port_bits,
        **figures,
        "ports": {wiring.names[at]: wiring.peers(at) for at in wiring.place},
    }
    if made.ranks is not None:
        more["up"] = {wiring.names[at]: made.ports_up(at) for at in wiring.place}
    if wiring.own_keys is None:
        more["destinations"] = dict(zip(wiring.ends.names, wiring.ends.key.tolist()))
    return Source(
        # Of a large network, one table or direct ones.
        [made.tables.words(number) if made.large and wanted is None else made.tables[number] for number in numbers],
        more,
        sentence(made, figures),
        words,
        dump=lambda: dump(network, made, numbers),
    )


def from_graph(network, values, bar, load=None):
    """Tables of one switch or of all switches of the graph of a file.

    They are compiled or, if ``load`` is the path of a file of tables, read from there and checked. With the keys ``switch``, they
    are for switch cores: keys are numbers of switches, and ports those of the core.
    """
    _refuse(values, [key for key in _OF_NETWORK if (key, values[key]) != ("keys", "switch")], "A graph")
    if load is not None:
        _refuse(values, _OF_ROUTES, "A file of tables")
    if values["keys"] == "switch":
        with refusing():
            network = network.fabric
    wanted, more = switch_of(network, values["node"]), {"network": network.title}
    if load is None:
        made, _ = tables_around(network, values, bar)
        return _source(network, made, wanted, more)
    words = read_text(load, "Tables")
    if is_dump(words):
        made, found = given_dump(network, load, words, bar)
    else:
        refuse_others(load, words)
        made = given_tables(network, load)
        found = made.faults(bar)
    return Source([], {}, faults=found) if found else _source(network, made, wanted, more)


def from_file(path, values):
    """Tables of a file, unchanged."""
    _refuse(values, ("node", *_OF_NETWORK, *_OF_ROUTES), "A file of tables")
    if is_dump(read_text(path, "Table")):
        raise UsageError(f"{path}: a dump of forwarding tables needs --topology graph:FILE with the output of ibnetdiscover")
    return Source(read_tables(path), {})
