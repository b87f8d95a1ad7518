"""Networks whose links are permuted at random within and between cabinets: P- and PF- of R III-A."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from random import Random
from typing import Any, ClassVar

from dsnswitch.net.topology.addresses import Field
from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.network import Network
from dsnswitch.net.topology.random_ring import SEED
from dsnswitch.net.topology.registry import Topology, checked_values, parse_network, values_of


@dataclass(frozen=True)
class Permuted(Adjacency):
    """Another network with ends of random pairs of links swapped, which keeps the number of cables between two cabinets.

    Cabinet i has the switches ``i cabinet`` to ``(i + 1) cabinet - 1``. Without ``full``, links within a cabinet and links
    between the same two cabinets are permuted separately (R's partially random permutation, P-). With ``full = 1``, links
    within and between two cabinets are permuted together, except two links within different cabinets (PF-). As in R, a swap
    that would repeat a link loses it, and a network that is not connected is made again.
    """

    base: Network
    cabinet: int = 16
    full: int = 0
    seed: int = 1

    word = "permuted"
    rules: ClassVar = {"cabinet": ("Switches of a cabinet", 1, 1024), "full": ("Full permutation", 0, 1), "seed": SEED}

    def __post_init__(self):
        super().__post_init__()
        self.check_size(self.base.link_count)

    @property
    def count(self) -> int:
        return self.base.nodes

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.base.fields

    @property
    def number_order(self) -> Sequence[int]:
        return self.base.number_order

    @property
    def _values(self):
        return f"cabinet={self.cabinet},full={self.full},seed={self.seed}"

    @property
    def name(self) -> str:
        return f"permuted_c{self.cabinet}_f{self.full}_s{self.seed}_{self.base.name}"

    @property
    def title(self) -> str:
        return f"{self.base.title}, links permuted by cabinet"

    @property
    def spelling(self) -> str:
        return f"permuted:{self._values}:{self.base.spelling}"

    @property
    def hosted(self) -> int:
        return self.base.hosted

    @property
    def most_hosts(self) -> int | None:
        return self.base.most_hosts

    def with_hosts(self, hosts: int | None) -> Any:
        return replace(self, base=self.base.with_hosts(hosts))

    def cabinet_of(self, switch: tuple[int, ...]) -> tuple[int, ...] | None:
        """The cabinets between which links are permuted, in a row."""
        return (self.number(switch) // self.cabinet,)

    def edges(self):
        number = self.base.number
        links = [(number(link.source), number(link.target)) for link in self.base.links()]
        for turn in count():
            found = self._permuted(links, Random(f"{self.seed} {turn}"))
            if _is_connected(self.count, found):
                return sorted(found)

    def _permuted(self, links, random):
        """The links after the swaps, as a set of pairs."""
        pools = {}
        for link in links:
            pools.setdefault(tuple(sorted(end // self.cabinet for end in link)), []).append(link)
        inside = {pair[0]: pools.pop(pair) for pair in list(pools) if pair[0] == pair[1]}
        if not self.full:
            return {tuple(sorted(link)) for pool in (*inside.values(), *pools.values()) for link in self._swapped(pool, random)}
        for pair in sorted(pools):
            swapped = self._swapped([*pools[pair], *(link for at in pair for link in inside.get(at, ()))], random)
            cabinets = [tuple(sorted(end // self.cabinet for end in link)) for link in swapped]
            pools[pair] = [link for link, at in zip(swapped, cabinets) if at == pair]
            for end in pair:
                inside[end] = [link for link, at in zip(swapped, cabinets) if at == (end, end)]
        return {tuple(sorted(link)) for pool in (*inside.values(), *pools.values()) for link in pool}

    def _swapped(self, pool, random):
        """Links in which the second ends of random pairs are exchanged, each link at most once."""
        pool = list(pool)
        random.shuffle(pool)
        found = pool[len(pool) // 2 * 2 :]
        for one, two in zip(pool[::2], pool[1::2]):
            (a, b), (c, d) = self._turned(one, two, random)
            found += [(a, d), (c, b)] if len({a, b, c, d}) == 4 else [one, two]
        return found

    def _turned(self, one, two, random):
        """The links with their ends in an order in which an exchange of second ends keeps the cables between cabinets."""
        turns = [(a, b) for a in (one, one[::-1]) for b in (two, two[::-1])]
        random.shuffle(turns)
        for (a, b), (c, d) in turns:
            cabinets = [sorted((u // self.cabinet, v // self.cabinet)) for u, v in ((a, b), (c, d), (a, d), (c, b))]
            if sorted(cabinets[:2]) == sorted(cabinets[2:]):
                return (a, b), (c, d)
        return one, one


def _is_connected(size, links):
    near = [[] for _ in range(size)]
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    seen, stack = {0}, [0]
    while stack:
        for other in near[stack.pop()]:
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return len(seen) == size


def _parse(form, parts, text):
    values = values_of(form, parts[0], text) if parts[0] else {}
    if len(parts) < 3 or "base" in values:
        raise ValueError(f"Topology must have the form {form}, not {text!r}")
    return Permuted(**checked_values(Permuted, values | {"base": parse_network(":".join(parts[1:]))}, form, text))


PERMUTED = Topology(
    "permuted:[cabinet=C][,full=F][,seed=S]:TOPOLOGY",
    "Another topology with links permuted between cabinets of C switches.",
    _parse,
)
