"""Two-level minimisation: a sum of products between two bounds, the inputs that must be covered and those that may be.

A function of ``n`` variables is an integer of ``2**n`` bits, bit i for the input i. A *cube* is a pair ``(mask, value)``: it
holds where ``input & mask == value``.
"""

__all__ = ["cover", "literals"]


def cover(least, most, variables):
    """An irredundant sum of products ``f`` with ``least <= f <= most`` (Minato and Morreale's recursion).

    Parameters
    ----------
    least, most : int
        Functions; ``least`` must lie in ``most``.
    variables : int
        Number of variables.

    Returns
    -------
    (tuple of cubes, int)
        The cubes, and the function that they cover.
    """
    return _cover(least, most, 1 << variables >> 1, (1 << (1 << variables)) - 1, {})


def _cover(least, most, half, full, known):
    """As :func:`cover`. ``full`` always holds; ``half`` is the number of inputs at which the last variable is 0."""
    if not least:
        return (), 0
    if most == full:
        return ((0, 0),), most
    key = least, most, half
    if key in known:
        return known[key]
    low, quarter = full >> half, half >> 1
    least0, least1, most0, most1 = least & low, least >> half, most & low, most >> half
    if least0 == least1 and most0 == most1:
        cubes, covered = _cover(least0, most0, quarter, low, known)
        known[key] = cubes, covered | covered << half
        return known[key]
    # Cubes that need the variable at 0, at 1, and for what is left those that do not need it.
    cubes0, covered0 = _cover(least0 & ~most1, most0, quarter, low, known)
    cubes1, covered1 = _cover(least1 & ~most0, most1, quarter, low, known)
    cubes, covered = _cover(least0 & ~covered0 | least1 & ~covered1, most0 & most1, quarter, low, known)
    found = (
        *[(mask | half, value) for mask, value in cubes0],
        *[(mask | half, value | half) for mask, value in cubes1],
        *cubes,
    )
    known[key] = found, covered0 | covered | (covered1 | covered) << half
    return known[key]


def literals(cubes):
    """Number of literals of a sum of products."""
    return sum(mask.bit_count() for mask, _ in cubes)
