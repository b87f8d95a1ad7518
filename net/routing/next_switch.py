"""Routings in closed form that choose the next switch from the own address and the destination alone."""

from abc import abstractmethod
from typing import Any

from dsnswitch.net.routing.relation import Relation


class NextSwitch(Relation):
    """Subclasses define :meth:`following` and ``bound``; ``classes`` and :meth:`virtual_class` if a kind of port has several."""

    @abstractmethod
    def following(self, switch, destination) -> Any:
        """The next switch on the way to another switch, which is ``destination``."""

    def virtual_class(self, switch, following, destination) -> int:
        """Virtual channel class of the hop to ``following``."""
        return 0

    # The automaton of the deadlock search: a channel is the pair of its ends, up to the symmetry of the network and its routing.

    def states(self) -> Any:
        for source in self.network.representatives():
            if self.network.hosts_of(source):
                for destination in self.network.terminals():
                    if source != destination:
                        yield source, None, destination

    def label(self, channel) -> Any:
        end, _ = self.network.neighbour(channel.switch, channel.port)
        return *self.network.canonical(channel.switch, end), channel.virtual_class

    def spell_label(self, label) -> str:
        one, other = map(self.network.spell_switch, label[:2])
        return f"{one} to {other} class {label[2]}"

    def hops(self, switch: tuple[int, ...], arrival, destination: tuple[int, ...]) -> Any:
        if switch == destination:
            return ()
        there = self.following(switch, destination)
        return ((self.network.port_to(switch, there), self.virtual_class(switch, there, destination)),)
