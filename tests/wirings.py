"""The arrays of a wiring as dictionaries by name, and as a graph of networkx."""

import networkx as nx


def names(wiring):
    """Names of the switches in the order of their numbers."""
    return [wiring.names[at] for at in wiring.place]


def ports(wiring):
    """``{switch: its neighbours by port}``."""
    return {wiring.names[at]: tuple(wiring.peers(at)) for at in wiring.place}


def keys(wiring):
    """``{destination: key}``."""
    return dict(zip(wiring.ends.names, wiring.ends.key.tolist()))


def tables(made):
    """``{switch: its table}``."""
    return dict(zip(names(made.wiring), made.tables))


def simple(wiring):
    """The switches and their links, parallel ones once."""
    found = nx.Graph()
    found.add_nodes_from(names(wiring))
    ends = zip(wiring.source[:-1].tolist(), wiring.target[:-1].tolist())
    found.add_edges_from((wiring.names[a], wiring.names[b]) for a, b in ends)
    return found
