"""The switch in parts: block diagram and table."""

from ..config import build
from ..figures.switch_parts import CORE, LINE
from ..figures.switch_parts import rows as rows_of

__all__ = ["rows"]


def rows(evidence):
    """Rows of the table of a switch's parts; none if its parts are not in the evidence."""
    by_name = {entry["name"]: entry for entry in evidence.suite}
    core, line = (by_name.get(build(values).name) for values in (CORE, LINE))
    if core is None or line is None or 3 not in evidence.universal:
        return []
    return rows_of(core, line, evidence.universal[3])
