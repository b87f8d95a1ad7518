"""Inputs of the route logic with detours, collected along whole routes of the golden model, with the model's decisions."""

from collections import Counter, namedtuple
from functools import cache

from dsnswitch.sim.golden.routing.detour import ARRIVED, UNDELIVERABLE, DetourModel

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
        self._model = DetourModel(network, classes)
        self._exits = {}
        for node in range(network.m):
            switch = (0,) * len(network.sizes) + (node,)
            for port in network.ports:
                end = network.neighbour(switch, port.index)
                if end is not None:
                    where = end[0][-1] if port.kind == "local" else port.direction
                    self._exits[node, (port.kind, where)] = port.index
        self._ways = {(node, port): way for (node, way), port in self._exits.items()}
        #: ``(port, class, header)`` of the next hop of a :class:`State`, or the name of the route's end. Routes share states.
        self.answer = cache(self._answer)
        self._neighbour = cache(network.neighbour)

    def _answer(self, state):
        came = None
        if state.arrival is not None:
            came = self._ways[state.switch[-1], state.arrival], self._neighbour(state.switch, state.arrival)[0][-1]

        def is_up(way):
            return not state.dead >> self._exits[state.switch[-1], way] & 1

        found = self._model.decide(state.switch, came, state.virtual_class, state.header, state.target, is_up)
        if found in (ARRIVED, UNDELIVERABLE):
            return found
        return self._exits[state.switch[-1], found[0]], *found[1:]

    def route(self, source, target, failed):
        """Every :class:`State` of a route. ``failed`` is a set of switch and port of both ends of each failed link."""
        dead = Counter()
        for switch, port in failed:
            dead[switch] |= 1 << port
        states = [State(source, None, 0, 0, target, dead[source])]
        while (found := self.answer(states[-1])) not in (ARRIVED, UNDELIVERABLE):
            port, virtual_class, header = found
            there, entry = self._neighbour(states[-1].switch, port)
            states.append(State(there, entry, virtual_class, header, target, dead[there]))
        return states
