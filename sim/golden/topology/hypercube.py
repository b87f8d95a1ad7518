"""Model of the hypercube as a graph, by networkx, which only the function imports."""

__all__ = ["graph"]


def graph(n):
    """The hypercube as a networkx graph; a node is the tuple of its bits."""
    import networkx as nx

    cube = nx.hypercube_graph(n)
    return cube if n > 1 else nx.relabel_nodes(cube, {0: (0,), 1: (1,)})
