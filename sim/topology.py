"""The network that a manifest describes, and the addresses of its switches."""

from dsnswitch.net.topology.registry import TOPOLOGIES, network_of, topology_of


def network(manifest):
    """The network that a manifest's parameters describe."""
    return network_of(_own(manifest))


def largest_network(manifest):
    """The largest network of a block whose sizes are inputs."""
    return network_of(_own(manifest) | {"p": manifest["parameters"]["max_p"]})


def _own(manifest):
    """Those of a manifest's parameters that describe the network."""
    found = manifest["parameters"]
    name = found["topology"]
    keys = topology_of(name).properties if name in TOPOLOGIES else ()
    return {key: found[key] for key in ("topology", *keys) if key in found}


def address_of(network, switch):
    """The address of a switch as one number: the fields of the network, the first from bit 0."""
    number = 0
    for field, value in reversed([*zip(network.fields, switch)]):
        number = number << field.width | value
    return number
