"""Routes of any graph by destination: up*/down*, and balanced shortest paths on layers.

A route is a next switch for each destination: ``onward[destination switch][switch]``. What a switch does depends on the
destination alone, as a table has nothing else.
"""

from collections import deque

import networkx as nx

__all__ = ["centre", "shortest", "updown"]


def centre(fabric):
    """The switch from which the others are nearest on average, of several the first: the root of up*/down*."""

    def distance(switch):
        return sum(nx.single_source_shortest_path_length(fabric.graph, switch).values())

    return min(fabric.ports, key=distance)


def updown(fabric, root=None):
    """Up*/down* routes (Schroeder et al., Autonet, 1991): no packet goes up after it went down, so no channels wait in a circle.

    Up is nearer to the root, or at equal distance earlier in the list. By destination alone: a switch that has a way only
    down takes the shortest such; the others go up by the neighbour from which the whole way is shortest. Who comes down
    to a switch finds a way only down from there, so the rule is kept though nobody remembers where a packet came from.
    """
    root = centre(fabric) if root is None else root
    level = nx.single_source_shortest_path_length(fabric.graph, root)
    # Sorting keeps the list's order where levels are equal.
    order = {switch: place for place, switch in enumerate(sorted(fabric.ports, key=level.get))}
    neighbours = {s: sorted(fabric.graph[s], key=order.get) for s in fabric.ports}
    onward = {}
    for target in dict.fromkeys(map(fabric.home, fabric.keys)):
        down, queue, found = {target: 0}, deque([target]), {}
        while queue:
            here = queue.popleft()
            for above in neighbours[here]:
                if order[above] < order[here] and above not in down:
                    down[above], found[above] = down[here] + 1, here
                    queue.append(above)
        cost = dict(down)
        for switch in sorted(fabric.ports, key=order.get):
            if switch not in cost:
                up = [other for other in neighbours[switch] if order[other] < order[switch]]
                best = min(up, key=lambda other: (cost[other], order[other]))
                cost[switch], found[switch] = cost[best] + 1, best
        onward[target] = found
    return onward


def list_place(fabric):
    """Place of each switch in the list."""
    return {switch: place for place, switch in enumerate(fabric.ports)}


def shortest(fabric):
    """Shortest paths; of several next switches the one whose channel carries the fewest routes so far."""
    load = {(a, b): 0 for a in fabric.ports for b in fabric.graph[a]}
    place = list_place(fabric)
    onward = {}
    for target in dict.fromkeys(map(fabric.home, fabric.keys)):
        distance = nx.single_source_shortest_path_length(fabric.graph, target)
        far = sorted(distance, key=lambda s: (-distance[s], place[s]))
        found = {}
        for switch in far[:-1]:
            nearer = [other for other in fabric.graph[switch] if distance[other] < distance[switch]]
            found[switch] = min(nearer, key=lambda other: (load[switch, other], place[other]))
        # How many sources go over each channel to this target: from the leaves of the tree inwards.
        through = dict.fromkeys(distance, 1)
        for switch in far[:-1]:
            load[switch, found[switch]] += through[switch]
            through[found[switch]] += through[switch]
        onward[target] = found
    return onward
