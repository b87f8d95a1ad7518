"""Faults of finished tables, each as a line: pairs that are not delivered, and a cycle of channels that wait for each other."""

from dsnswitch.net.tables.deadlock import describe_cycle, find_cycle
from dsnswitch.net.tables.switch_graph import text

__all__ = ["faults", "named_channels"]

#: Number of switches of a loop that a line lists.
LISTED = 6


def faults(made, walked):
    """Yield a line for each fault.

    Parameters
    ----------
    made : Tables
    walked : Walked
        Results of the walks through ``made``.
    """
    for lost in walked.lost:
        yield f"{text(lost.source)} to {text(lost.destination)} is lost {_where(made, lost)}"
    more = walked.undelivered - len(walked.lost)
    if more:
        yield f"{more} more pair{'s are' if more > 1 else ' is'} lost"
    found = find_cycle(walked.first, walked.second)
    if found:
        yield f"the routes can deadlock: {describe_cycle(named_channels(made.wiring, found))}"


def named_channels(wiring, numbers):
    """Channels ``(layer, switch, switch)`` for the channel numbers of :class:`Walked`."""
    names = wiring.switches
    for number in numbers:
        layer, channel = divmod(number, wiring.count + 1)
        yield layer, names[wiring.source[channel]], names[wiring.target[channel]]


def _where(made, lost):
    fabric, at = made.fabric, lost.at[-1]
    if len(lost.at) > 1:
        loop = [text(switch) for switch in (*lost.at, lost.at[0])]
        if len(loop) > LISTED:
            loop[LISTED - 2 : -1] = [f"{len(loop) - LISTED + 1} more"]
        return f"in the loop {' > '.join(loop)}"
    if lost.port is None:
        return f"at {text(at)}, which has no action for key {fabric.keys_at(at)[list(fabric.keys).index(lost.destination)]}"
    peers = fabric.ports[at]
    peer = peers[lost.port] if lost.port < len(peers) else None
    if lost.port == made.arrived:
        return f"at {text(at)}, where it counts as arrived"
    return f"at {text(at)}, port {lost.port}, " + (
        "which has no link" if peer is None else f"which leads to host {text(peer)}"
    )
