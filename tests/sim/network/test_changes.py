"""Tables by turn classes that change under traffic: links fail and return at random, and the network never stops.

Each change fails or repairs up to three links at once. After a random time new tables, of the same ranks, are written while the
traffic goes on; without pauses, the next change comes before the last write of the one before.
"""

import pytest
from changes import GRAPHS, SIZES, core_values, run


def link_changes(graph, kind, count, classes):
    """A core, and changes of up to three links."""
    return core_values(
        graph, kind, classes, lambda network: [(one.source, one.port) for one in network.links()], lambda _, some: some, 3, count
    )


CASES = [
    pytest.param(graph, kind, count, marks=() if (graph, kind, count) == ("torus", "direct", 10) else pytest.mark.regress)
    for graph, kind, count in [
        ("torus", "direct", 10),
        # The two kinds of tables in turn.
        *((graph, ("ternary", "direct")[place % 2], 100) for place, graph in enumerate(GRAPHS)),
    ]
]


@pytest.mark.parametrize(("graph", "kind", "count"), CASES)
def test_links_fail_and_return_under_traffic(core, graph, kind, count):
    """Nothing stops; packets are lost only at dead ports or without a further class, ``no_route``, and every one is counted."""
    values, first, changes = link_changes(graph, kind, count, 3)
    made = core(values)
    for pauses in (True, False):
        found = run(made, values, first, changes, pauses)
        assert 0 < found.lost["no_route"] < 0.1 * found.offered_packets
        assert {cause for cause, number in found.lost.items() if number} == {"no_route"}


@pytest.mark.regress
@pytest.mark.parametrize("graph", ["dragonfly", "torus"])
def test_nothing_is_lost_without_dead_links_and_with_classes_to_spare(core, graph):
    """The same tables, while all links live, in a core of twice the classes: mixtures of routes lose no packet."""
    count = 10 if graph == "torus" else 100
    _, first, changes = link_changes(graph, "direct", count, 3)
    made = core(SIZES | {"topology": GRAPHS[graph], "kind": "direct", "classes": 6})
    found = run(made, {}, first, changes, pauses=False, dying=False)
    assert not any(found.lost.values())
