"""Protocols of hosts: which packets a host takes only if it can send others, and whether virtual networks exclude deadlock.

The proof of a routing assumes hosts that take every packet. A host that must send a reply for each request takes no request while
its replies wait. So packets of the virtual network of requests wait for those of the virtual network of replies. Channels of
different virtual networks depend on each other in no other way, because a packet stays in its virtual network.
"""

import re
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

__all__ = ["Protocol", "ProtocolError", "protocol_of"]


class ProtocolError(ValueError):
    """Packets of a protocol can wait for each other in a cycle. The message has the cycle."""


@dataclass(frozen=True)
class Protocol:
    """Kinds of messages, and which of them wait for which.

    Attributes
    ----------
    networks : dict
        ``{kind: virtual network}``.
    waits : tuple of (kind, kind)
        A host takes a message of the first kind only if it can send one of the second.
    """

    networks: dict
    waits: tuple

    def ranks(self, count: int) -> list[int]:
        """A rank of each of ``count`` virtual networks: packets wait only for those of a higher rank.

        Raises
        ------
        ProtocolError
            If there is a cycle.
        """
        graph: dict[int, set] = {number: set() for number in range(count)}
        for one, other in self.waits:
            # The one that is waited for comes last.
            graph[self.networks[other]].add(self.networks[one])
        for one, other in self.waits:
            if self.networks[one] == self.networks[other]:
                raise ProtocolError(self._text([self.networks[one]] * 2))
        try:
            order = list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            raise ProtocolError(self._text(error.args[1])) from None
        return [order.index(number) for number in range(count)]

    def _text(self, cycle):
        """A cycle of virtual networks as text: each waits for the next one."""
        steps = []
        for here, there in pairwise(cycle):
            one, other = next(pair for pair in self.waits if (self.networks[pair[0]], self.networks[pair[1]]) == (here, there))
            steps.append(f"{one} in virtual network {here} waits at its host for {other} in virtual network {there}")
        if len(steps) == 1:
            steps.append(f"which may stand behind {steps[0].split(' waits')[0]}")
        return ", ".join(steps)


def protocol_of(spelt: str, waits: tuple, count: int) -> Protocol:
    """The protocol of texts such as ``request:0,reply:1`` and ``request:reply``, for ``count`` virtual networks.

    Raises
    ------
    ValueError
        If a text has another form, or names a kind or a virtual network that does not exist.
    """
    networks = {}
    for kind, number in _pairs("protocol", spelt.split(","), r"\d"):
        if kind in networks:
            raise ValueError(f"protocol names {kind} twice: {spelt!r}")
        if int(number) >= count:
            raise ValueError(f"Virtual network of {kind} must be in 0..{count - 1}, not {number}")
        networks[kind] = int(number)
    pairs = tuple(_pairs("waits", waits, "[a-z][a-z0-9-]{0,30}"))
    for kind in (kind for pair in pairs for kind in pair):
        if kind not in networks:
            raise ValueError(f"Kind of messages must be one of {', '.join(networks)}, not {kind!r}")
    return Protocol(networks, pairs)


def _pairs(name, words, second):
    """``(kind, second)`` of words such as ``request:0``."""
    for word in words:
        if not re.fullmatch(f"[a-z][a-z0-9-]{{0,30}}:{second}", word):
            form = "KIND:NETWORK with commas between them" if name == "protocol" else "KIND:KIND"
            raise ValueError(f"{name} must be {form}, not {word[:40]!r}")
        kind, value = word.split(":")
        yield kind, value
