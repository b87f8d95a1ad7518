"""Failed links of a network, in the spelling of users."""

__all__ = ["parse_link"]


def parse_link(network, word):
    """``(node, node)`` or ``(node, port)`` of a link such as ``0,0,0:2,0,1`` or ``0,0,0:x_forward``.

    The first form means every link between two nodes, the second the one link at a port of a node.

    Raises
    ------
    ValueError
        If the spelling is wrong, or the network has no such link.
    """
    first, colon, second = word.partition(":")
    if not colon:
        raise ValueError(f"A failed link must be two nodes or a node and a port, such as 0,0,0:x_forward, not {word!r}")
    node = network.parse_switch(first)
    links = {port.index: network.neighbour(node, port.index) for port in network.ports}
    by_name = {port.name: port.index for port in network.ports}
    if second in by_name:
        if links[by_name[second]] is None:
            raise ValueError(f"{network.name}: node {network.spell_switch(node)} has no link at port {second}")
        return node, by_name[second]
    if not second[:1].isdigit():
        raise ValueError(f"A port must be one of {', '.join(by_name)}, not {second!r}")
    other = network.parse_switch(second)
    if other not in [link[0] for link in links.values() if link]:
        ends = f"{network.spell_switch(node)} and {network.spell_switch(other)}"
        raise ValueError(f"{network.name}: nodes {ends} have no link")
    return node, other
