"""Why a network has stopped: the channels that wait for each other, read from the state of the cores."""

from collections.abc import Callable

import numpy as np

from dsnswitch.sim.network.engine.core import Core

__all__ = ["describe", "waiting_cycle"]

#: Channels of a cycle that a message lists.
LISTED = 8


class _Fronts:
    """What the packets in front of the input buffers of a network wait for.

    A *channel* is ``(switch number, port, channel)``: the buffer of a virtual channel at the input of a switch, with the place of
    the port in the manifest's ``core_ports``.
    """

    def __init__(self, core, state, replies):
        self._core, self._ports, self._state = core, core.manifest["core_ports"], state
        self._replies = replies.reshape(core.network.nodes, -1)

    def _bits(self, name):
        """A register of all switches, ``[bit][switch]``; zeros for a bit that is constant."""
        none = np.zeros(self._core.network.nodes, bool)
        return np.array([none if row < 0 else self._state(row) for row in self._core.layout.registers.get(name, [-1])])

    def waits(self):
        """``{channel: channel}``: where the packet in front of each buffer goes; None for a host.

        A packet for a host that takes no request waits for the buffer that the replies of the host enter.
        """
        found, network = {}, self._core.network
        for number, state in enumerate(self._core.manifest["state"]):
            for channel, names in enumerate(state["channels"]):
                [taken] = self._bits(names["waits"])
                if not taken.any():
                    continue
                route, choice = self._bits(names["route"]), self._bits(names["choice"])
                for switch in np.flatnonzero(taken & route.any(0)).tolist():
                    out = int(route[:, switch].argmax())
                    if self._ports[out]["kind"] == "host":
                        replies = int(self._replies[switch, self._ports[out]["index"]])
                        found[switch, number, channel] = (switch, out, replies) if replies >= 0 else None
                        continue
                    end = network.neighbour(network.switch(switch), self._ports[out]["index"])
                    chosen = self._chosen(out, choice[:, switch], self._virtual_network(number, channel))
                    found[switch, number, channel] = (network.number(end[0]), self._place(end[1]), chosen) if end else None
        return found

    def _place(self, index):
        return next(n for n, port in enumerate(self._ports) if port["kind"] != "host" and port["index"] == index)

    def _virtual_network(self, number, channel):
        """The virtual network of a channel of a port."""
        counts = [share["channels"] for share in self._ports[number].get("virtual_networks", [self._ports[number]])]
        return int(np.searchsorted(np.cumsum(counts), channel, "right"))

    def _chosen(self, out, choice, virtual_network):
        """The channel of an output by the choices of a packet of a virtual network."""
        state = self._core.manifest["state"][out]
        own = state.get("virtual_networks", [state])[virtual_network]
        # A virtual network with one channel has no choice.
        first, last = own.get("choice_bits", (0, -1))
        return own.get("first_channel", 0) + (int(choice[first : last + 1].argmax()) if last >= first else 0)


def waiting_cycle(core: Core, state: Callable[[int], np.ndarray], replies: np.ndarray) -> tuple[list[tuple], tuple | None]:
    """``(cycle, end)`` of a network that does not move.

    Parameters
    ----------
    core : Core
    state : callable
        The value of a flip-flop, by its row, in all switches: an array of bool.
    replies : array of int
        Of each host the channel on which its replies wait, if it takes no request because of them; else -1.

    Returns
    -------
    list of (switch number, port, channel)
        Input buffers of which each has a packet in front that waits for the next, the last for the first. The port is its place
        in the manifest's ``core_ports``. Empty if there is no such cycle.
    tuple or None
        Without a cycle: a buffer without a packet that a packet waits for, so that credits are missing.
    """
    waits = _Fronts(core, state, replies).waits()
    known, end = set(), None
    for start in waits:
        path, here = [], start
        while here is not None and here not in known:
            known.add(here)
            path.append(here)
            if here not in waits:
                end = here
                break
            here = waits[here]
        if here in path and here in waits:
            return path[path.index(here) :], None
    return [], end


def describe(core: Core, cycle: list[tuple], end: tuple | None) -> str:
    """The two answers of :func:`waiting_cycle` as text. A channel has the name of the switch and port that send to it."""
    network, ports = core.network, core.manifest["core_ports"]

    def name(channel):
        switch, number, virtual = channel
        port = ports[number]
        more = f" channel {virtual}" if port["channels"] > 1 else ""
        if port["kind"] == "host":
            return f"{network.spell_switch(network.switch(switch))} {port['name']}{more}"
        other, index = network.neighbour(network.switch(switch), port["index"])
        sender = next(one["name"] for one in ports if one["kind"] != "host" and one["index"] == index)
        return f"{network.spell_switch(other)} {sender}{more}"

    if cycle:
        words = [name(channel) for channel in cycle]
        if len(words) > LISTED:
            words[LISTED - 1 : -1] = [f"{len(words) - LISTED} more"]
        hosts = any(ports[number]["kind"] == "host" for _, number, _ in cycle)
        more = "; a host takes no request while its replies wait" if hosts else ""
        return f"these channels wait for each other: {' > '.join([*words, words[0]])}{more}"
    if end:
        return f"channel {name(end)} is empty, but packets wait for its credits"
    return "no cycle of waiting channels was found"
