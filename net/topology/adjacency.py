"""Networks that are given by a list of links between numbered switches: the base of most topologies."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar

from dsnswitch.net.checks import integer
from dsnswitch.net.topology.addresses import Field
from dsnswitch.net.topology.network import BY_TABLES, Network, Port

#: Most switches, and most links, of a network that is made link by link.
MOST_SWITCHES, MOST_LINKS = 1 << 17, 1 << 21


@dataclass(frozen=True)
class Adjacency(Network):
    """A network given by :attr:`count` switches and the :meth:`edges` between them. Two switches have one link at most.

    A subclass is a frozen dataclass of parameters. Its spelling is the topology's name and ``parameter=value`` of each, with
    commas between them; a parameter that is None is not written. The address is the number of the switch, unless ``fields``
    says otherwise. Ports of each of :attr:`kinds` are numbered from 0 in the order of the numbers of the neighbours, and those
    of the first kind come first. Switches with hosts have the lowest numbers, so that keys of tables are short.

    :attr:`rules` are the limits of the parameters. A subclass states in :attr:`most_hosts` how many hosts each of its first
    :attr:`hosted` switches has. If a parameter ``p`` is this number, its default may be replaced.
    """

    #: The topology's name.
    word: ClassVar[str]

    #: ``{parameter: (what it is, least, most)}``; the most may be a function of the network with the parameters before it.
    rules: ClassVar[dict] = {}

    #: Kinds of links.
    kinds: ClassVar[tuple[str, ...]] = ("link",)

    has_rules = True

    routings: ClassVar = {"base": BY_TABLES}

    def __post_init__(self):
        """Refuse parameters that break :attr:`rules`. None is the value of a parameter that is not given."""
        for name, (rule, low, high) in self.rules.items():
            if (value := getattr(self, name)) is not None or self.__dataclass_fields__[name].default is not None:
                high = high(self) if callable(high) else high
                object.__setattr__(self, name, integer(f"{rule} of a {self.word}", value, low, high))

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of switches."""

    @property
    def hosted(self) -> int:
        return self.count

    def hosts_of(self, switch: tuple[int, ...]) -> int:
        return (self.most_hosts or 1) * (self.number(switch) < self.hosted)

    def with_hosts(self, hosts):
        if hosts is not None and self.most_hosts not in (None, hosts) and getattr(self, "p", 0) is None:
            return replace(self, p=hosts)
        return super().with_hosts(hosts)

    @abstractmethod
    def edges(self) -> Iterable[tuple]:
        """Every link once, as ``(number, number)``, or ``(number, number, index in kinds)``; in any order."""

    def check_size(self, links: int) -> None:
        """Refuse a network with more than :data:`MOST_SWITCHES` switches, or with more than :data:`MOST_LINKS` links."""
        for most, number, what in ((MOST_SWITCHES, self.count, "switches"), (MOST_LINKS, links, "links")):
            if number > most:
                raise ValueError(f"{self.spelling} must have at most {most} {what}, not {number}")

    @property
    def _given(self):
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def name(self) -> str:
        values = "_".join(f"{name}{value}" for name, value in self._given.items())
        return f"{self.word}_{values}".replace("-", "_").replace(".", "p")

    @property
    def title(self) -> str:
        return f"{self.word} of {self.count} switches, {', '.join(f'{k} = {v}' for k, v in self._given.items())}"

    @property
    def spelling(self) -> str:
        return f"{self.word}:{','.join(f'{name}={value}' for name, value in self._given.items())}"

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return (Field("switch", self.count),)

    @cached_property
    def nodes(self) -> int:
        return self.count

    @cached_property
    def _near(self):
        """The neighbours of every switch as sorted pairs of kind and number, and the number of the first port of each kind."""
        near = [[] for _ in range(self.count)]
        for one, other, *kind in self.edges():
            index = kind[0] if kind else 0
            near[one].append((index, other))
            near[other].append((index, one))
        most = [0] * len(self.kinds)
        for number, ends in enumerate(near):
            ends.sort()
            assert number not in {other for _, other in ends}, "a link has two ends"
            assert len({other for _, other in ends}) == len(ends), "two switches have one link at most"
            for index, count in Counter(index for index, _ in ends).items():
                most[index] = max(most[index], count)
        return near, list(accumulate(most, initial=0))

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        first = self._near[1]
        rows = [(kind, index, low) for kind, low, end in zip(self.kinds, first, first[1:]) for index in range(low, end)]
        return tuple(Port(index, f"{kind}_{index - low}", kind) for kind, index, low in rows)

    @cached_property
    def _port_to(self):
        """``{neighbour: port}`` of every switch by number, in the order of ports."""
        near, first = self._near
        found = []
        for ends in near:
            own, used = {}, list(first)
            for index, other in ends:
                own[other] = used[index]
                used[index] += 1
            found.append(own)
        return found

    @cached_property
    def _behind(self):
        """``{port: neighbour}`` of every switch by number."""
        return [{port: other for other, port in ends.items()} for ends in self._port_to]

    def ports_of(self, switch: tuple[int, ...]) -> Sequence[Port]:
        return tuple(self.ports[port] for port in self._behind[self.number(switch)])

    def neighbour(self, switch: tuple[int, ...], port: int) -> tuple[Any, int] | None:
        number = self.number(switch)
        other = self._behind[number].get(port)
        return None if other is None else (self.switch(other), self._port_to[other][number])

    def port_to(self, switch: tuple[int, ...], other) -> int:
        """The port of ``switch`` that leads to ``other``, to which it must have a link."""
        return self._port_to[self.number(switch)][self.number(other)]

    @property
    def link_count(self) -> int:
        return sum(map(len, self._near[0])) // 2
