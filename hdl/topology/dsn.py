"""Parameters of a ring or grid DSN (D 3.2.2, 3.2.3)."""

from dataclasses import dataclass

from .supernode import K4x2, RingSupernode, Supernode
from .validate import integer

__all__ = ["MAX_RING", "Dsn", "grid", "ring"]

#: Largest ring of supernodes in one dimension that is generated and tested (12 levels).
MAX_RING = 4096

#: Values of :attr:`Dsn.directions`.
DIRECTIONS = ("both", "forward")


@dataclass(frozen=True)
class Dsn:
    """A DSN: one ring DSN per dimension, every supernode of the same shape.

    Parameters
    ----------
    sizes : tuple of int
        Supernodes along x, or along x and y; 1 or 2 entries.
    supernode : Supernode
        Shape of every supernode. Its size ``m`` must be at least the number of levels of the longer ring.
    directions : str
        ``both``: forward up to half the ring, else backward (D Fig. 4.2). ``forward``: forward only (D 4.2.1, Fig. 4.1).
    """

    sizes: tuple
    supernode: Supernode
    directions: str = "both"

    def __post_init__(self):
        if not isinstance(self.sizes, tuple) or len(self.sizes) not in (1, 2):
            raise TypeError(f"DSN sizes must be a tuple of 1 or 2 integers, not {self.sizes!r}")
        if not isinstance(self.supernode, Supernode):
            raise TypeError(f"DSN supernode must be a Supernode, not {self.supernode!r}")
        if self.directions not in DIRECTIONS:
            raise ValueError(f"DSN directions must be one of {', '.join(DIRECTIONS)}, not {self.directions!r}")
        labels = ("Ring size n",) if len(self.sizes) == 1 else ("Grid width X", "Grid height Y")
        sizes = tuple(integer(label, size, 1, MAX_RING) for label, size in zip(labels, self.sizes))
        object.__setattr__(self, "sizes", sizes)
        for size, levels in zip(self.sizes, self.levels):
            if self.m < levels:
                raise ValueError(f"Supernode size m must be at least p = {levels} (= ceil(log2 {size})), not {self.m}")
        if self.nodes < 2:
            raise ValueError(f"A DSN must have at least 2 nodes, not {self.nodes}")

    @property
    def topology(self):
        """``ring`` (1-D) or ``grid`` (2-D)."""
        return ("ring", "grid")[len(self.sizes) - 1]

    @property
    def dimensions(self):
        """Names of the dimensions, in routing order: x first."""
        return ("x", "y")[: len(self.sizes)]

    @property
    def m(self):
        """Nodes of one supernode."""
        return self.supernode.m

    @property
    def levels(self):
        """Levels ``p = ceil(log2 n)`` of each dimension's ring."""
        return tuple((size - 1).bit_length() for size in self.sizes)

    @property
    def supernodes(self):
        """Number of supernodes."""
        count = 1
        for size in self.sizes:
            count *= size
        return count

    @property
    def nodes(self):
        """Number of nodes (switches)."""
        return self.supernodes * self.m

    @property
    def name(self):
        """Short name, such as ``grid_8x8_k4x2``: the tail of every module name."""
        shape = self.supernode.name.replace("-", "")
        tail = "" if self.directions == "both" else "_forward"
        return f"{self.topology}_{'x'.join(map(str, self.sizes))}_{shape}{tail}"

    def length(self, dimension, level):
        """Length ``l_k = 2^(p-k)`` of the level-``level`` shortcut, in supernodes (D 3.2.2)."""
        return 1 << (self.levels[dimension] - level)


def ring(n, supernode, directions="both"):
    """1-D DSN of ``n`` supernodes. An ``int`` as ``supernode`` is the size of a ring supernode."""
    if not isinstance(supernode, Supernode):
        supernode = RingSupernode(supernode)
    return Dsn((n,), supernode, directions)


def grid(x, y, supernode=None, directions="both"):
    """2-D DSN of ``x`` by ``y`` supernodes, ``k4x2`` unless another shape is given."""
    return Dsn((x, y), supernode or K4x2(), directions)
