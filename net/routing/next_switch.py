"""Routings in closed form that choose the next switch from the own address and the destination alone."""

from abc import abstractmethod

from dsnswitch.net.routing.relation import Relation


class NextSwitch(Relation):
    """Subclasses define :meth:`following`, ``classes`` and ``bound``, and :meth:`virtual_class` if a kind of port has several."""

    @abstractmethod
    def following(self, switch, destination):
        """The next switch on the way to another switch, which is ``destination``."""

    def virtual_class(self, switch, following, destination):
        """Virtual channel class of the hop to ``following``."""
        return 0

    @property
    def classes(self):
        return dict.fromkeys(self.network.kinds, 1)

    def hops(self, switch, arrival, destination):
        if switch == destination:
            return ()
        there = self.following(switch, destination)
        return ((self.network.port_to(switch, there), self.virtual_class(switch, there, destination)),)
