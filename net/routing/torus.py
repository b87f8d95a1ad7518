"""Routing relations of the torus: dimension-order routing with dateline classes (Dally and Seitz, 1987) or with bubbles."""

from functools import cached_property

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


class BubbleRelation(TorusRelation):
    """The routes of :class:`TorusRelation` with one virtual channel class: flow control keeps rings free of deadlock.

    A packet that enters a ring of at least four switches, from a host or from another dimension, waits until the next buffer has
    space for a longest packet and one flit more. A packet that goes on in the ring takes every free flit. So a ring never fills:
    a flit is free in some buffer, and the packet before it can move (flit bubble flow control: Ma, Wang, Liu and Enright Jerger,
    Leaving one slot empty, 2015; with whole packets: Carrion, Beivide, Gregorio and Vallejo, 1997).
    """

    @property
    def classes(self) -> dict[str, int]:
        return dict.fromkeys(super().classes, 1)

    @cached_property
    def rings(self) -> dict[int, int]:  # type: ignore[override]
        axes = [axis for axis, size in enumerate(self.network.sizes) if size > 3]
        both = [[self.network.port_index(axis, way) for way in ("forward", "backward")] for axis in axes]
        return {output: entry for ports in both for output, entry in (ports, ports[::-1])}

    def step(self, size, own, target) -> tuple[str, int]:
        return super().step(size, own, target)[0], 0

    def is_ring(self, label) -> bool:
        return label[1] is None

    def _label(self, axis, own, port, virtual_class):
        return super()._label(axis, None if port in self.rings else own, port, virtual_class)

    def spell_label(self, label) -> str:
        return self._spell("ring", *label[2:]) if self.is_ring(label) else super().spell_label(label)
