"""Hypercube, the binary n-cube: a torus with two switches along every dimension."""

from dataclasses import dataclass, field

from dsnswitch.net.checks import integer
from dsnswitch.net.topology.registry import Topology, of_number
from dsnswitch.net.topology.torus import Torus


@dataclass(frozen=True)
class Hypercube(Torus):
    """Hypercube of ``n`` dimensions, ``2^n`` switches. Two switches have a link if their addresses differ in one of ``n`` bits.

    Field ``dim<d>`` of an address is bit ``d`` of the switch's number, and port ``dim<d>_forward`` leads to the switch with the
    other value of this bit. The routing of the torus is e-cube routing here: it corrects the bits in rising order.
    """

    n: int
    sizes: tuple = field(init=False)

    word = "hypercube"
    most_dimensions = 16

    def __post_init__(self):
        object.__setattr__(self, "n", integer("Dimensions n of a hypercube", self.n, 1, self.most_dimensions))
        object.__setattr__(self, "sizes", (2,) * self.n)

    @property
    def name(self) -> str:
        return f"hypercube_{self.n}"

    @property
    def title(self) -> str:
        return f"hypercube of {self.n} dimensions"

    @property
    def spelling(self) -> str:
        return f"hypercube:{self.n}"

    def cabinet_of(self, switch: tuple[int, ...]) -> tuple[int, ...] | None:
        """None: switches in the order of their numbers fill cabinets (R III-B)."""
        return None


def _fitting(hosts, radix):
    sizes = (n for n in range(1, min(radix, Hypercube.most_dimensions + 1)) if (radix - n) << n >= hosts)
    yield from (f"hypercube:{n}" for n in list(sizes)[:1])


HYPERCUBE = Topology("hypercube:N", "Hypercube of 2^N switches (binary n-cube).", of_number(Hypercube), fitting=_fitting)
