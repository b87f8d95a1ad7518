"""Linear maps of bits. A map is a tuple of rows: bit i of row r is 1 if output r sums input i. No Amaranth."""

from dsnswitch.hdl.gf.field import Field

__all__ = ["apply", "compose", "constant", "from_columns", "inverse", "square"]


def from_columns(columns, height):
    """The map that sends input i to the integer ``columns[i]`` of ``height`` bits."""
    return tuple(sum((column >> row & 1) << index for index, column in enumerate(columns)) for row in range(height))


def apply(rows, value):
    """Image of the integer ``value``."""
    return sum(((row & value).bit_count() & 1) << index for index, row in enumerate(rows))


def compose(rows, first):
    """The map ``rows`` applied after the map ``first``."""
    result = []
    for row in rows:
        total = 0
        for index, inner in enumerate(first):
            total ^= inner * (row >> index & 1)
        result.append(total)
    return tuple(result)


def inverse(rows):
    """The inverse of a square map, by Gauss-Jordan elimination.

    Raises
    ------
    ValueError
        If the map has no inverse.
    """
    size = len(rows)
    work = [row | 1 << size + index for index, row in enumerate(rows)]
    for column in range(size):
        pivot = next((r for r in range(column, size) if work[r] >> column & 1), None)
        if pivot is None:
            raise ValueError(f"A map of {size} bits has no inverse: {rows}")
        work[column], work[pivot] = work[pivot], work[column]
        for row in range(size):
            if row != column and work[row] >> column & 1:
                work[row] ^= work[column]
    return tuple(row >> size for row in work)


def constant(field: Field, factor):
    """The map that multiplies an element by the constant ``factor``."""
    return from_columns([field.multiply(1 << bit, factor) for bit in range(field.m)], field.m)


def square(field: Field):
    """The map that squares an element (squaring is linear in characteristic 2)."""
    return from_columns([field.multiply(1 << bit, 1 << bit) for bit in range(field.m)], field.m)
