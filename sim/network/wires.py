"""How the switches of a network are connected, by the manifest of its universal switch."""

from dsnswitch.sim.topology import address_of

__all__ = ["cables", "hosts", "links", "straps"]

#: ``(driver, its port, reader's port)`` for a direction of a cable, by the kind of link: ``a`` is the end that sends.
WIRES = {
    "fabric": (
        ("a", "o_payload", "i_payload"),
        ("a", "o_valid", "i_valid"),
        ("b", "i_ready", "o_ready"),
    ),
    "flits": (
        ("a", "tx_valid", "rx_valid"),
        ("a", "tx_flit", "rx_flit"),
        ("b", "rx_credit", "tx_credit"),
    ),
}

#: Ports of a host.
HOST = ("rx_valid", "rx_flit", "rx_credit", "tx_valid", "tx_flit", "tx_credit")


def cables(manifest, network):
    """``(switch, port, switch, port)``: an output and the input that it drives, for every signal of every cable."""
    kind = "fabric" if "switch_ports" in manifest else "flits"
    for switch, name, there, far in links(manifest, network):
        for driver, output, reader in WIRES[kind]:
            a, b = (switch, name), (there, far)
            (one, one_port), (other, other_port) = (a, b) if driver == "a" else (b, a)
            yield one, f"{one_port}_{output}", other, f"{other_port}_{reader}"


def links(manifest, network):
    """``(switch, port name, switch, port name)`` of both directions of every cable."""
    names = {port["index"]: port["name"] for port in manifest["core_ports"] if port["kind"] != "host"}
    for switch in network.switches():
        for index, name in names.items():
            end = network.neighbour(switch, index)
            if end is not None:
                yield switch, name, end[0], names[end[1]]


def straps(manifest, network, switch):
    """``{port: value}`` of the constant inputs of a switch: its address, and what its cables must lead to."""
    found = {f"own_{field.name}": value for field, value in zip(network.fields, switch)}
    for port in manifest["core_ports"]:
        end = None if port["kind"] == "host" else network.neighbour(switch, port["index"])
        if end is not None:
            name = port["name"]
            found |= {f"{name}_peer_address": address_of(network, end[0]), f"{name}_peer_port": end[1]}
    present = {port["name"] for port in manifest["ports"]}
    return {name: value for name, value in found.items() if name in present}


def hosts(manifest, network):
    """``(switch, number, names of its ports)`` of every host."""
    for switch in network.switches():
        for port in manifest["core_ports"]:
            if port["kind"] == "host":
                yield switch, port["index"], [f"{port['name']}_{part}" for part in HOST]
