"""Linear maps of bits: a tuple of rows, bit i of row r says that input i is in output r. No Amaranth."""

from .field import Field

__all__ = ["apply", "compose", "constant", "from_columns", "inverse", "square"]


def from_columns(columns, height):
    """The map that sends input i to the integer ``columns[i]`` of ``height`` bits."""
    return tuple(sum((column >> row & 1) << place for place, column in enumerate(columns)) for row in range(height))


def apply(rows, value):
    """Image of the integer ``value``."""
    return sum(((row & value).bit_count() & 1) << place for place, row in enumerate(rows))


def compose(rows, first):
    """The map ``rows`` behind the map ``first``."""
    result = []
    for row in rows:
        total = 0
        for place, below in enumerate(first):
            total ^= below * (row >> place & 1)
        result.append(total)
    return tuple(result)


def inverse(rows):
    """The map that undoes a square one.

    Raises
    ------
    ValueError
        If there is none.
    """
    size = len(rows)
    work = [row | 1 << size + place for place, row in enumerate(rows)]
    for place in range(size):
        pivot = next((r for r in range(place, size) if work[r] >> place & 1), None)
        if pivot is None:
            raise ValueError(f"A map of {size} bits has no inverse: {rows}")
        work[place], work[pivot] = work[pivot], work[place]
        for row in range(size):
            if row != place and work[row] >> place & 1:
                work[row] ^= work[place]
    return tuple(row >> size for row in work)


def constant(field: Field, factor):
    """Multiplication by ``factor``."""
    return from_columns([field.multiply(1 << bit, factor) for bit in range(field.m)], field.m)


def square(field: Field):
    """Squaring, which is linear."""
    return from_columns([field.multiply(1 << bit, 1 << bit) for bit in range(field.m)], field.m)
