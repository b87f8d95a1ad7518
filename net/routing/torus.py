"""Routing relation of the torus: dimension-order routing with dateline classes (Dally and Seitz, 1987)."""

from dsnswitch.net.routing.dimension_order import DimensionOrder


class TorusRelation(DimensionOrder):
    """Dimension-order routing in the shorter direction round each ring, ties forward.

    A ring of at least four switches has two virtual channel classes. A packet takes class 0 as long as the rest of its
    route passes the link between the last coordinate and the first, class 1 otherwise. In a smaller ring no packet takes
    two links, and one class is enough.
    """

    @property
    def classes(self) -> dict[str, int]:
        return {name: 2 if size > 3 else 1 for name, size in zip(self.network.dimensions, self.network.sizes) if size > 1}

    @property
    def bound(self) -> int | None:
        return sum(size // 2 for size in self.network.sizes)

    def step(self, size, own, target) -> tuple[str, int]:
        forward = 2 * ((target - own) % size) <= size
        passed = target > own if forward else target < own
        return "forward" if forward else "backward", int(passed and size > 3)
