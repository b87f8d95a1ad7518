"""The local port toward an id, past local links that are down (D 4.2.4, Table 4.3)."""

from dsnswitch.net.routing.dsn.local import alternative_hop, first_hop

__all__ = ["local_hop"]


def local_hop(supernode, own, target, alternative, back, is_up):
    """Local port on which a packet leaves id ``own`` toward id ``target``, and the header bit ``alternative`` after this hop.

    The order of preference is: the local route of the base routing; another shortest local route; the local port with the
    lowest index; the port on which the packet came. After the first failed link (``alternative``), the other shortest route
    comes first, and that of the base routing, which would lead back to the failed link, is tried by index.

    Parameters
    ----------
    back : int or None
        Local port on which the packet came, or None if it may go back there.
    is_up : callable
        Whether the link of a local port is up.

    Returns
    -------
    tuple of (int, bool) or None
        None if all local links are down.
    """
    base, other = first_hop(supernode, own, target), alternative_hop(supernode, own, target)
    first = base if other is None or not alternative else other
    order = [first, *(() if other is None or alternative else (other,)), *range(len(supernode.port_names))]
    for port in order:
        if port != back and is_up(port):
            return port, alternative or port != first
    return (back, True) if back is not None and is_up(back) else None
