"""Parts of the names of top modules that depend on the network."""

from dsnswitch.net.topology.dsn import Dsn

__all__ = ["family_prefix", "node_suffix"]


def family_prefix(network):
    """``dsn_`` for a grid or ring DSN, otherwise empty."""
    return "dsn_" if isinstance(network, Dsn) else ""


def node_suffix(node):
    """``_at_1_2_3`` for specialised logic of the node (1, 2, 3); empty for universal logic, whose node is None."""
    return "" if node is None else "_at_" + "_".join(map(str, node))
