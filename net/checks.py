"""Parameters: checks of their values, and read-only properties of components that have them.

A wrong type is a ``TypeError``, a wrong value a ``ValueError``; the message names rule and value.
"""

import operator


def integer(rule, value, low, high) -> int:
    """Return ``value`` as an ``int`` within the inclusive bounds ``low..high``.

    ``rule`` is the subject of the error message, such as ``"Ring size n"``. A ``value`` is anything with ``__index__`` except
    ``bool``, which is always a mistake here; anything else is a :class:`TypeError`, and one out of bounds a :class:`ValueError`.
    """
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise TypeError(f"{rule} must be an integer, not {value!r}")
    number = operator.index(value)
    if not low <= number <= high:
        raise ValueError(f"{rule} must be in {low}..{high}, not {number}")
    return number


class Parameter:
    """Public read-only property of a component for one of its parameters.

    ``code = Parameter("The code.")`` in a class makes ``component.code`` the value of ``component._code``, so that a user
    of the component need not record how it was made. The text is the docstring of the property.
    """

    def __init__(self, description):
        self.__doc__ = description

    def __set_name__(self, owner, name):
        self._name = f"_{name}"

    def __get__(self, component, owner=None):
        return self if component is None else getattr(component, self._name)

    def __set__(self, component, value):
        raise AttributeError(f"Parameter {self._name[1:]} of {type(component).__name__} cannot be changed")
