"""Channel dependency graph of a routing relation, and the proof that the routing is free of deadlock.

A routing is free of deadlock if its channels can be numbered so that every packet takes them in rising order. This is
possible exactly if the channel dependency graph has no cycle (Dally and Seitz, 1987). Where a network looks the same from
every switch, the search works on one representative per class of equal channels: if the symmetry group is finite, a cycle
among representatives is the image of a cycle in the network, and vice versa.

A relation that leaves a choice may have cycles as long as some of its channels are *escape channels* (Duato, 1993): every packet
may always choose one, and the escape channels by themselves have no cycle, where an escape channel also depends on the next one
that its packet may take after any number of other channels.

A ring with bubbles is one channel. Its packets wait for each other in a cycle, but one of them can always move: a packet enters
the ring only where a flit of the buffer stays free after it, and packets that move in the ring take a flit and free another.
"""

from graphlib import CycleError, TopologicalSorter


class DeadlockError(ValueError):
    """The channel dependency graph has a cycle, so packets can wait for each other forever.

    Attributes
    ----------
    cycle : list
        Labels of the channels in the cycle, in the order in which packets wait for them.
    """

    def __init__(self, labels):
        super().__init__(f"{len(labels)} channels wait for each other in a cycle")
        self.cycle = labels


class EscapeError(ValueError):
    """A packet has no escape channel to choose. ``state`` is that of the relation's automaton."""

    def __init__(self, state):
        super().__init__(f"there is no escape channel at {state}")
        self.state = state


def dependencies(relation) -> dict:
    """The dependency graph ``{label: set of labels that a packet takes next}``, over all routes of ``relation``.

    It has the escape channels only, which by default are all channels; a packet takes one next if there are none but other
    channels in between. Raises :class:`EscapeError` if some packet may choose none.
    """
    graph, seen = {}, set()
    for start in relation.states():
        pending = [(None, start)]
        while pending:
            pair = pending.pop()
            if pair in seen:
                continue
            seen.add(pair)
            previous, state = pair
            steps = relation.advance(state)
            if not any(relation.is_escape(label) for label, _ in steps):
                raise EscapeError(state)
            for label, following in steps:
                held = previous
                if relation.is_escape(label):
                    held = label
                    graph.setdefault(label, set())
                    if previous is not None and not (previous == label and relation.is_ring(label)):
                        graph[previous].add(label)
                if following is not None:
                    pending.append((held, following))
    return graph


def cycle(graph: dict) -> list | None:
    """A cycle of a dependency graph as a list of labels, or None."""
    try:
        numbering(graph)
    except DeadlockError as error:
        return error.cycle
    return None


def numbering(graph: dict) -> dict:
    """A number for every label, such that the numbers rise along every route.

    Raises :class:`DeadlockError` if the graph has a cycle.
    """
    # The sorter expects predecessors. Given successors, it yields the last channels first.
    try:
        order = list(TopologicalSorter({label: sorted(graph[label], key=str) for label in sorted(graph, key=str)}).static_order())
    except CycleError as error:
        raise DeadlockError(error.args[1][:0:-1]) from None
    return {label: len(order) - 1 - index for index, label in enumerate(order)}
