"""The network that a manifest describes, and the addresses of its switches."""

from dsnswitch.net.topology.dsn import Dsn
from dsnswitch.net.topology.spelling import parse_network
from dsnswitch.net.topology.supernode import parse_supernode

__all__ = ["address_of", "largest_network", "network"]


def network(manifest):
    """The network that a manifest's parameters describe."""
    parameters = manifest["parameters"]
    if ":" in parameters["topology"]:
        return parse_network(parameters["topology"])
    sizes = tuple(parameters[name] for name in (("n",) if parameters["topology"] == "ring" else ("x", "y")))
    return Dsn(sizes, parse_supernode(parameters["supernode"]), parameters["directions"])


def largest_network(manifest):
    """The largest network of a block whose sizes are inputs."""
    parameters = manifest["parameters"]
    sizes = (1 << parameters["max_p"],) * (1 if parameters["topology"] == "ring" else 2)
    return Dsn(sizes, parse_supernode(parameters["supernode"]), parameters["directions"])


def address_of(network, switch):
    """The address of a switch as one number: the fields of the network, the first from bit 0."""
    number = 0
    for field, value in reversed([*zip(network.fields, switch)]):
        number = number << field.width | value
    return number
