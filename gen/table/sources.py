"""Where tables come from: a network, a graph, a file; for the command line."""

from ...sim.golden.topology import nodes
from .. import limits
from ..errors import UsageError
from ..network import switch_of
from .compile import compile_fabric
from .dsn import compile_node, fields
from .fabric import text
from .load import read_tables
from .readers import read_graph

__all__ = ["from_file", "from_graph", "from_network"]

_OF_NETWORK = ("node", "keys", "expand")
_OF_GRAPH = ("graph_form", "hosts", "routing", "layers", "root", "switch")
_DEFAULTS = {"hosts": 0, "layers": 1, "expand": False}


def _refuse(values, keys, what):
    for key in keys:
        if values[key] != _DEFAULTS.get(key):
            name = "graph-format" if key == "graph_form" else key
            raise UsageError(f"{what} takes no --{name} (= {values[key]})")


def from_network(dsn, values):
    """``(tables, {key: value})`` of one node, or of all."""
    _refuse(values, _OF_GRAPH, "A network")
    keys = values["keys"] or "absolute"
    if values["node"] is not None:
        places = [switch_of(dsn, values["node"])]
    elif keys == "absolute":
        limits.at_most(limits.MOST_TABLES, dsn.nodes, "Nodes of a network to make absolute tables for")
        places = list(nodes(dsn))
    else:
        # Nodes of equal id share a table.
        places = [(*(0,) * len(dsn.sizes), node) for node in range(dsn.m)]
    tables = [compile_node(dsn, place, keys, not values["expand"]) for place in places]
    return tables, {"network": dsn.name, "keys": keys, "fields": fields(dsn, keys)}


def from_graph(path, values):
    """``(tables, {key: value})`` of one switch, or of all."""
    _refuse(values, _OF_NETWORK, "A graph")
    fabric = read_graph(path, values["graph_form"], values["hosts"])
    made = compile_fabric(fabric, values["routing"] or "updown", values["layers"], values["root"])
    wanted = values["switch"]
    if wanted is not None and wanted not in made.by_switch:
        raise UsageError(f"{fabric.name} has no switch {wanted}")
    tables = list(made.by_switch.values()) if wanted is None else [made.by_switch[wanted]]
    return tables, {
        "network": fabric.name,
        "routing": made.routing,
        "layers": made.layers,
        "port_bits": made.port_bits,
        "ports": {text(switch): [peer and text(peer) for peer in peers] for switch, peers in fabric.ports.items()},
        "destinations": {text(label): key for label, key in fabric.keys.items()},
    }


def from_file(path, values):
    """``(tables, {})`` as they stand there."""
    _refuse(values, (*_OF_NETWORK, *_OF_GRAPH), "A file of tables")
    return read_tables(path), {}
