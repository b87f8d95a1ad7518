"""Routing relation of the mesh: dimension-order routing, which needs one virtual channel class (Dally and Seitz, 1987)."""

from dsnswitch.net.routing.dimension_order import DimensionOrder


class MeshRelation(DimensionOrder):
    """Dimension-order routing: forward if the destination has the larger coordinate, else backward."""

    @property
    def bound(self) -> int | None:
        return sum(size - 1 for size in self.network.sizes)

    def step(self, size, own, target) -> tuple[str, int]:
        return "forward" if own < target else "backward", 0
