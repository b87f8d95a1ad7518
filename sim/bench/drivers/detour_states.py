"""Inputs of the route logic with detours, collected along whole routes of the golden model, with the model's decisions."""

from collections import namedtuple

from ...golden.routing.detour import ARRIVED, UNDELIVERABLE, DetourModel

__all__ = ["DetourStates", "State"]

#: Inputs of one decision. ``arrival``: port on which the packet came, or None; ``dead``: bits of the failed ports.
State = namedtuple("State", "switch arrival virtual_class header target dead")


class DetourStates:
    """Decisions of the golden model, in the port numbers of the network.

    Parameters
    ----------
    network : Dsn
        The network.
    classes : int
        Virtual channel classes.
    """

    def __init__(self, network, classes):
        self._network, self._model = network, DetourModel(network, classes)
        self._exits = {}
        for node in range(network.m):
            switch = (0,) * len(network.sizes) + (node,)
            for port in network.ports:
                end = network.neighbour(switch, port.index)
                if end is not None:
                    where = end[0][-1] if port.kind == "local" else port.direction
                    self._exits[node, (port.kind, where)] = port.index

    def answer(self, state):
        """``(port, class, header)`` of the next hop, or the name of the route's end."""
        came = None
        if state.arrival is not None:
            (exit_,) = (
                way for (node, way), port in self._exits.items() if (node, port) == (state.switch[-1], state.arrival)
            )
            came = exit_, self._network.neighbour(state.switch, state.arrival)[0][-1]

        def is_up(way):
            return not state.dead >> self._exits[state.switch[-1], way] & 1

        found = self._model.decide(state.switch, came, state.virtual_class, state.header, state.target, is_up)
        if found in (ARRIVED, UNDELIVERABLE):
            return found
        return self._exits[state.switch[-1], found[0]], *found[1:]

    def route(self, source, target, failed):
        """Every :class:`State` of a route. ``failed`` is a set of switch and port of both ends of each failed link."""
        states = [State(source, None, 0, 0, target, self._dead(source, failed))]
        while (found := self.answer(states[-1])) not in (ARRIVED, UNDELIVERABLE):
            port, virtual_class, header = found
            there, entry = self._network.neighbour(states[-1].switch, port)
            states.append(State(there, entry, virtual_class, header, target, self._dead(there, failed)))
        return states

    def _dead(self, switch, failed):
        return sum(1 << port.index for port in self._network.ports if (switch, port.index) in failed)
