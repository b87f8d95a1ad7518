"""Model of the mesh as a graph: the Cartesian product of paths, by networkx, which only the function imports."""

__all__ = ["graph"]


def graph(sizes):
    """The mesh as a networkx graph; a node is the tuple of its coordinates."""
    import networkx as nx

    if len(sizes) == 1:
        return nx.relabel_nodes(nx.path_graph(sizes[0]), {node: (node,) for node in range(sizes[0])})
    return nx.grid_graph(dim=tuple(reversed(sizes)))
