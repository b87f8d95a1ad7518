"""HyperX and flattened butterfly: products of complete graphs (Ahn et al., 2009; T 2.1.1; Kim et al., 2007)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import ClassVar

from dsnswitch.net.checks import integer
from dsnswitch.net.topology.addresses import Field
from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.fitting import near_cube
from dsnswitch.net.topology.registry import Topology, checked_values, of_values, sizes_of, values_of


class CompleteProduct(Adjacency):
    """Switches that have a link if their addresses differ in one field. Port ``dim<d>_<i>`` leads to the i-th other value."""

    routings: ClassVar = {"base": "routing.hyperx:HyperXRelation"}

    #: Switches along each dimension.
    along: tuple

    @property
    def count(self) -> int:
        return prod(self.along)

    @cached_property
    def kinds(self):
        return tuple(f"dim{axis}" for axis in range(len(self.along)))

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return tuple(map(Field, self.kinds, self.along))

    def canonical(self, switch: tuple[int, ...], destination: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """All switches are equal, so a canonical pair begins at switch 0."""
        return (0,) * len(self.along), tuple((to - own) % n for own, to, n in zip(switch, destination, self.along))

    def representatives(self) -> list[tuple[int, ...]]:
        return [(0,) * len(self.along)]

    def edges(self) -> Iterable[tuple]:
        pitch = 1
        for kind, size in enumerate(self.along):
            for number in range(self.count):
                own = number // pitch % size
                for other in range(own + 1, size):
                    yield number, number + (other - own) * pitch, kind
            pitch *= size


@dataclass(frozen=True)
class HyperX(CompleteProduct):
    """HyperX of any number of dimensions; ``sizes`` are the switches along each, p the hosts of a switch, by default 1."""

    sizes: tuple
    p: int | None = None

    word = "hyperx"
    rules: ClassVar = {"p": ("Hosts p of a switch", 1, 256)}

    def __post_init__(self):
        if not isinstance(self.sizes, tuple) or not 1 <= len(self.sizes) <= 6:
            raise TypeError(f"Sizes of a hyperx must be a tuple of 1 to 6 integers, not {self.sizes!r}")
        sizes = tuple(integer(f"Size {axis} of a hyperx", size, 2, 256) for axis, size in enumerate(self.sizes))
        object.__setattr__(self, "sizes", sizes)
        super().__post_init__()
        self.check_size(self.count * (sum(sizes) - len(sizes)) // 2)

    @property
    def along(self) -> tuple:
        return self.sizes

    @property
    def name(self) -> str:
        return f"hyperx_{'x'.join(map(str, self.sizes))}" + (f"_p{self.p}" if self.p else "")

    @property
    def title(self) -> str:
        return f"HyperX of {' x '.join(map(str, self.sizes))} switches"

    @property
    def spelling(self) -> str:
        return f"hyperx:{'x'.join(map(str, self.sizes))}" + (f",p={self.p}" if self.p else "")

    @property
    def most_hosts(self) -> int | None:
        return self.p


@dataclass(frozen=True)
class FlattenedButterfly(CompleteProduct):
    """The k-ary n-flat: ``k^(n-1)`` switches in ``n - 1`` dimensions, with k hosts each, which are a k-ary n-fly flattened."""

    k: int
    n: int

    word = "flattened-butterfly"
    rules: ClassVar = {"k": ("Switches k along a dimension", 2, 256), "n": ("Stages n", 2, 7)}

    def __post_init__(self):
        super().__post_init__()
        self.check_size(self.count * (self.n - 1) * (self.k - 1) // 2)

    @property
    def along(self) -> tuple:
        return (self.k,) * (self.n - 1)

    @property
    def most_hosts(self) -> int | None:
        return self.k


def _parse(form, parts, text):
    sizes, comma, more = ":".join(parts).partition(",")
    values = values_of(form, more, text) if comma else {}
    return HyperX(**checked_values(HyperX, {"sizes": sizes_of(form, sizes, text)} | values, form, text))


def _fitting(hosts, radix):
    """Two and three dimensions, with as many hosts per switch as switches along the longest, as nearly as the ports allow."""
    for dimensions in (2, 3):
        every = {p: near_cube(-(-hosts // p), dimensions) for p in range(1, min(radix, 256))}
        fitting = [p for p, sizes in every.items() if sum(sizes) - dimensions + p <= radix]
        if fitting:
            p = min(fitting, key=lambda p: abs(p - max(every[p])))
            yield f"hyperx:{'x'.join(map(str, every[p]))},p={p}"


def _fitting_flattened(hosts, radix):
    for n in (2, 3, 4):
        sizes = (k for k in range(2, radix) if k**n >= hosts)
        k = next(sizes, radix)
        if k + (n - 1) * (k - 1) <= radix:
            yield f"flattened-butterfly:k={k},n={n}"
            return


HYPERX = Topology(
    "hyperx:AxBx..[,p=P]", "HyperX: complete graphs of A, B, .. switches along its dimensions.", _parse, fitting=_fitting
)
FLATTENED_BUTTERFLY = Topology(
    "flattened-butterfly:k=K,n=N",
    "Flattened K-ary N-fly of K^(N-1) switches.",
    of_values(FlattenedButterfly),
    fitting=_fitting_flattened,
)
