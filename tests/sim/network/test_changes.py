"""Tables by turn classes that change under traffic: links fail and return at random, and the network never stops.

Each change fails or repairs up to three links at once. After a random time new tables, of the same ranks, are written while the
traffic goes on; without pauses, the next change comes before the last write of the one before.
"""

import numpy as np
import pytest
from changes import GRAPHS, SIZES, run

from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.network.engine import lookup

#: Greatest share of links that are dead at a time.
MOST = 0.1


def sequence(values, count, seed):
    """The tables of the whole network, and ``[(links that fail or return, tables after that)]``."""
    network, rng = parse_network(values["topology"]), np.random.default_rng(seed)
    links = [(link.source, link.port) for link in network.links()]
    first, dead, found = lookup.tables_for(network, values), set(), []
    while len(found) < count:
        some = {links[at] for at in rng.choice(len(links), rng.integers(1, 4), replace=False)}
        # Half of the changes repair.
        if dead and rng.random() < 0.5:
            some = set(sorted(dead)[: len(some)])
        after = dead ^ some
        if len(after) > MOST * len(links) + 1:
            continue
        try:
            made = lookup.tables_for(network, values, broken=sorted(after), before=first)
        except UsageError:
            # The links divide the network, or the routes do not fit the classes.
            continue
        found.append((sorted(some), made))
        dead = after
    return first, found


def core_values(graph, kind, changes, classes):
    """The parameters of a core, and the changes for it."""
    values = SIZES | {"topology": GRAPHS[graph], "kind": kind, "classes": classes}
    first, found = sequence(values, changes, 1)
    if kind == "ternary":
        values |= {"entries": lookup.entries_needed([first, *(made for _, made in found)])}
    return values, first, found


CASES = [
    pytest.param(graph, kind, count, marks=() if (graph, kind, count) == ("torus", "direct", 10) else pytest.mark.regress)
    for graph, kind, count in [
        ("torus", "direct", 10),
        *((graph, kind, 100) for graph in GRAPHS for kind in ("direct", "ternary")),
    ]
]


@pytest.mark.parametrize(("graph", "kind", "count"), CASES)
def test_links_fail_and_return_under_traffic(core, graph, kind, count):
    """Nothing stops; packets are lost only at dead ports or without a further class, ``no_route``, and every one is counted."""
    values, first, changes = core_values(graph, kind, count, 3)
    made = core(values)
    for pauses in (True, False):
        found = run(made, values, first, changes, pauses)
        assert 0 < found.lost["no_route"] < 0.1 * found.offered_packets
        assert {cause for cause, number in found.lost.items() if number} == {"no_route"}


@pytest.mark.regress
@pytest.mark.parametrize("graph", GRAPHS)
def test_nothing_is_lost_without_dead_links_and_with_classes_to_spare(core, graph):
    """The same tables, while all links live, in a core of twice the classes: mixtures of routes lose no packet."""
    count = 10 if graph == "torus" else 100
    _, first, changes = core_values(graph, "direct", count, 3)
    made = core(SIZES | {"topology": GRAPHS[graph], "kind": "direct", "classes": 6})
    found = run(made, {}, first, changes, pauses=False, dying=False)
    assert not any(found.lost.values())
