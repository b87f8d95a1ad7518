"""What hosts do with virtual networks, and whether they answer packets, as users write it."""

import re
from typing import Any

import numpy as np

from dsnswitch.net.files.options import Traffic
from dsnswitch.net.messages import UsageError, shortened
from dsnswitch.net.topology.network import Network
from dsnswitch.sim.network.engine.points import ClosedLoop

__all__ = ["hosts_of"]


def hosts_of(traffic: Traffic, network: Network, hosts: int, virtual_networks: int) -> dict[str, Any]:
    """Attributes of a :class:`~dsnswitch.sim.network.engine.points.Point`: ``shares``, ``loop``, ``blocked``."""
    found: dict[str, Any] = {}
    if traffic.shares:
        if traffic.outstanding:
            raise UsageError("Option --outstanding chooses the virtual networks of packets, so it takes no --shares")
        found["shares"] = _shares(traffic.shares, virtual_networks)
    if traffic.outstanding:
        found["loop"] = ClosedLoop(traffic.outstanding, traffic.reply_queue, traffic.reply_delay)
    if traffic.blocked:
        found["blocked"] = _blocked(traffic.blocked, network.nodes * hosts, virtual_networks)
    return found


def _shares(spelt, count):
    """The share of each of ``count`` virtual networks."""
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?(:\d{1,9}(\.\d{1,9})?)*", spelt):
        raise UsageError(f"Option --shares must be numbers with : between them, not {shortened(spelt, 40)!r}")
    shares = [float(word) for word in spelt.split(":")]
    if len(shares) != count:
        numbers = f"{count} number{'s' * (count > 1)}, one per virtual network"
        raise UsageError(f"Option --shares must have {numbers}, not {len(shares)}")
    if not sum(shares):
        raise UsageError("Shares of --shares must not all be 0")
    return shares


def _blocked(spelt, hosts, count):
    """For each host the virtual networks of which it takes no packet, as bits."""
    found = np.zeros(hosts, np.uint8)
    for word in spelt:
        if not re.fullmatch(r"\d{1,9}(:\d)?", word):
            raise UsageError(f"Option --blocked must be HOST or HOST:NETWORK, not {shortened(word, 40)!r}")
        host, _, number = word.partition(":")
        if int(host) >= hosts:
            raise UsageError(f"Host of --blocked must be in 0..{hosts - 1}, not {int(host)}")
        if number and int(number) >= count:
            raise UsageError(f"Virtual network of --blocked must be in 0..{count - 1}, not {number}")
        found[int(host)] |= 1 << int(number) if number else (1 << count) - 1
    return found
