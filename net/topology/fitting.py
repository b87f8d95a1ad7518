"""Sizes of networks for a number of hosts and switches of a radix: what the functions ``fitting`` of topologies share."""

import math
from collections.abc import Iterable
from typing import Any


def switches_for(hosts: int, radix: int, degree: int) -> int | None:
    """Fewest switches that hold ``hosts`` if each needs ``degree`` of its ``radix`` ports for cables; None if no port is left."""
    return None if radix <= degree else -(-hosts // (radix - degree))


def near_cube(count: int, dimensions: int, least: int = 2) -> Any:
    """Sizes of ``dimensions`` dimensions, nearly equal, at least ``least`` each, whose product is at least ``count``."""
    sizes = [max(least, math.floor(count ** (1 / dimensions) + 1e-9))] * dimensions
    for axis in range(dimensions):
        if math.prod(sizes) >= count:
            break
        sizes[axis] += 1
    while math.prod(sizes) < count:
        sizes[0] += 1
    return sizes


def lattices(word, hosts, radix, dimensions, least) -> Iterable[str]:
    """Texts of tori or meshes with each number of ``dimensions``, of switches with two ports per dimension."""
    for number in dimensions:
        needed = switches_for(hosts, radix, 2 * number)
        if needed and (number == 2 or needed >= least**number):
            yield f"{word}:{'x'.join(map(str, near_cube(needed, number, least)))}"
