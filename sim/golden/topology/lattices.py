"""Model of mesh, torus and hypercube (a mesh of twos) as Cartesian products of paths or cycles, by networkx."""


def graph(sizes, wraps):
    """The torus, or the mesh without ``wraps``, as a networkx graph; a node is the tuple of its coordinates."""
    import networkx as nx

    if len(sizes) > 1:
        return nx.grid_graph(dim=tuple(reversed(sizes)), periodic=wraps)
    line = nx.cycle_graph(sizes[0]) if wraps and sizes[0] > 2 else nx.path_graph(sizes[0])
    return nx.relabel_nodes(line, {node: (node,) for node in line})
