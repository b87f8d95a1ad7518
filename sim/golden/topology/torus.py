"""Model of the torus as a graph: the Cartesian product of cycles, by networkx, which only a function that needs it imports."""

__all__ = ["graph"]


def graph(sizes):
    """The torus as a networkx graph; a node is the tuple of its coordinates."""
    import networkx as nx

    return nx.grid_graph(dim=tuple(reversed(sizes)), periodic=True) if len(sizes) > 1 else _ring(sizes[0])


def _ring(size):
    import networkx as nx

    ring = nx.cycle_graph(size) if size > 2 else nx.path_graph(size)
    return nx.relabel_nodes(ring, {node: (node,) for node in ring})
