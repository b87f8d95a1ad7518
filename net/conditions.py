"""Conditions of users on quantities, such as ``p99<60``: a name, one of ``<  <=  >  >=``, and a number."""

import operator
import re
from dataclasses import dataclass

from dsnswitch.net.messages import UsageError, nearest, shortened

OPERATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True)
class Condition:
    """A condition on the quantity ``name``, as it was spelt in ``text``."""

    text: str
    name: str
    operation: str
    number: float

    def holds(self, value) -> bool:
        """Whether a value keeps the condition; None, a value that is not known, does not."""
        return value is not None and OPERATIONS[self.operation](value, self.number)


def condition(what, text, names, example, more) -> Condition:
    """The :class:`Condition` of a text.

    Raises :class:`UsageError` if it is none, or has none of the ``names``. It says ``what`` the text should be, an ``example``,
    and where ``more`` is said.
    """
    match = re.fullmatch(r"\s*([a-z0-9_.]+?)\s*(<=|>=|<|>)\s*([0-9]{1,12}(?:\.[0-9]{1,12})?)\s*", text)
    if not match or match[1] not in names:
        near = nearest(match[1], names, more) if match else ""
        raise UsageError(
            f"{what} must be a quantity, then <, <=, > or >=, then a number, such as {example}, not {shortened(text, 40)!r}{near}"
        )
    return Condition(text, match[1], match[2], float(match[3]))
