"""Checks of parameters. A wrong type is a ``TypeError``, a wrong value a ``ValueError``; the message names rule and value."""

import operator

__all__ = ["integer"]


def integer(rule, value, low, high):
    """Return ``value`` as an ``int`` within ``low..high``.

    Parameters
    ----------
    rule : str
        The subject of the error message, such as ``"Ring size n"``.
    value : object
        Anything with ``__index__`` except ``bool``, which is always a mistake here.
    low, high : int
        Inclusive bounds.

    Raises
    ------
    TypeError
        If ``value`` is not an integer.
    ValueError
        If it lies outside ``low..high``.
    """
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise TypeError(f"{rule} must be an integer, not {value!r}")
    number = operator.index(value)
    if not low <= number <= high:
        raise ValueError(f"{rule} must be in {low}..{high}, not {number}")
    return number
