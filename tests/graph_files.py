"""Files of graphs in tests: the graph of a text, its links and its hosts by name."""

from collections import Counter

from dsnswitch.net.files.readers import read_graph, recognised


def read(folder, text, expected=None, **stated):
    """The graph of a text. ``expected`` is the format that must be recognised; ``stated`` follows the name of the file."""
    path = folder / "file"
    path.write_text(text, encoding="utf-8")
    assert expected is None or recognised(path, text) == expected
    return read_graph(str(path) + "".join(f",{key}={value}" for key, value in stated.items() if value))


def cables(graph):
    """Every link between switches, by the names of its ends."""
    names = graph.names
    return Counter(tuple(sorted((names[link.source[0]], names[link.target[0]]))) for link in graph.links())


def homes(graph):
    """``{host: its switch}``."""
    return {host: graph.names[switch[0]] for host, (switch, _) in graph.hosts.items()}
