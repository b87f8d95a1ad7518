"""Networks that are given by a list of links between numbered switches: the base of most topologies."""

from abc import abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import ClassVar

import numpy as np

from dsnswitch.net.checks import integer
from dsnswitch.net.topology.network import BY_TABLES, Field, Network, Port

#: Most switches, and most links, of a network that is made link by link.
MOST_SWITCHES, MOST_LINKS = 1 << 17, 1 << 21


@dataclass(frozen=True)
class Adjacency(Network):
    """A network given by :attr:`count` switches and the :meth:`edges` between them. Two switches have one link at most.

    A subclass is a frozen dataclass of parameters. Its spelling is the topology's name and ``parameter=value`` of each, with
    commas between them; a parameter that is None is not written. The address is the number of the switch, unless ``fields``
    says otherwise. Ports of each of :attr:`kinds` are numbered from 0 in the order of the numbers of the neighbours, and those
    of the first kind come first. Switches with hosts have the lowest numbers, so that keys of tables are short.
    """

    #: The topology's name.
    word: ClassVar[str]

    #: Kinds of links.
    kinds: ClassVar = ("link",)

    has_rules = True

    routings: ClassVar = {"base": BY_TABLES}

    @property
    @abstractmethod
    def count(self):
        """Number of switches."""

    @abstractmethod
    def edges(self):
        """Every link once, as ``(number, number)``, or ``(number, number, index in kinds)``; an array or any iterable."""

    def check_size(self, links):
        """Refuse a network with more than :data:`MOST_SWITCHES` switches, or with more than :data:`MOST_LINKS` links."""
        for most, number, what in ((MOST_SWITCHES, self.count, "switches"), (MOST_LINKS, links, "links")):
            if number > most:
                raise ValueError(f"{self.spelling} must have at most {most} {what}, not {number}")

    def put(self, name, value, rule, low, high):
        """Set the parameter ``name`` to an integer in ``low..high``; ``rule`` is the subject of the message."""
        object.__setattr__(self, name, integer(f"{rule} of a {self.word}", value, low, high))

    @property
    def _given(self):
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def name(self):
        values = "_".join(f"{name}{value}" for name, value in self._given.items())
        return f"{self.word}_{values}".replace("-", "_").replace(".", "p")

    @property
    def title(self):
        return f"{self.word} of {self.count} switches, {', '.join(f'{k} = {v}' for k, v in self._given.items())}"

    @property
    def spelling(self):
        return f"{self.word}:{','.join(f'{name}={value}' for name, value in self._given.items())}"

    @cached_property
    def fields(self):
        return (Field("switch", self.count),)

    @cached_property
    def nodes(self):
        return self.count

    @cached_property
    def _channels(self):
        """Channels in the order of source, kind and target: arrays of source, kind, target and number of the reverse channel."""
        listed = self.edges()
        listed = np.array(listed if isinstance(listed, np.ndarray) else list(listed), np.int64)
        listed = listed.reshape(-1, listed.shape[1] if listed.ndim > 1 else 2)
        kind = listed[:, 2] if listed.shape[1] > 2 else np.zeros(len(listed), np.int64)
        source, target = np.concatenate([listed[:, :2], listed[:, 1::-1]]).T
        kind = np.concatenate([kind, kind])
        order = np.lexsort((target, kind, source))
        source, kind, target = source[order], kind[order], target[order]
        reverse = np.empty(len(order), np.int64)
        reverse[np.lexsort((source, kind, target))] = np.arange(len(order))
        pairs = source * self.count + target
        assert len(np.unique(pairs)) == len(pairs), "two switches have one link at most"
        assert (source != target).all(), "a link has two ends"
        return source, kind, target, reverse

    @cached_property
    def _ports(self):
        """Port of every channel at its source, and the number of ports of each kind."""
        source, kind, _, _ = self._channels
        block = np.searchsorted(source * len(self.kinds) + kind, np.arange(self.count * len(self.kinds)))
        within = np.arange(len(source)) - block[source * len(self.kinds) + kind]
        most = [int(within[kind == index].max(initial=-1)) + 1 for index in range(len(self.kinds))]
        first = np.concatenate([[0], np.cumsum(most)])
        return first[kind] + within, most

    @cached_property
    def ports(self):
        rows = [(kind, index) for kind, most in zip(self.kinds, self._ports[1]) for index in range(most)]
        return tuple(Port(number, f"{kind}_{index}", kind) for number, (kind, index) in enumerate(rows))

    @cached_property
    def _table(self):
        """Lists ``[port] -> (neighbour, port there)`` by number of the switch: dictionaries in the order of ports."""
        source, _, target, reverse = self._channels
        port, found = self._ports[0], [{} for _ in range(self.count)]
        for at, here, there, back in zip(source.tolist(), port.tolist(), target.tolist(), port[reverse].tolist()):
            found[at][here] = there, back
        return found

    def ports_of(self, switch):
        return tuple(self.ports[port] for port in self._table[self.number(switch)])

    def neighbour(self, switch, port):
        end = self._table[self.number(switch)].get(port)
        return end and (self.switch(end[0]), end[1])

    @cached_property
    def _port_to(self):
        return [{end: port for port, (end, _) in ports.items()} for ports in self._table]

    def port_to(self, switch, other):
        """The port of ``switch`` that leads to ``other``, to which it must have a link."""
        return self._port_to[self.number(switch)][self.number(other)]

    @property
    def link_count(self):
        return len(self._channels[0]) // 2
