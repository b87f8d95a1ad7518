"""The switch in parts: block diagram and table of areas; the latency of a hop."""

from dsnswitch.gen.config import build
from dsnswitch.lab.figures.hop import BLOCKS, Hop
from dsnswitch.lab.figures.switch_parts import CORE, LINE, ROUTE
from dsnswitch.lab.figures.switch_parts import rows as rows_of

__all__ = ["hop", "rows"]


def rows(evidence):
    """Rows of the table of a switch's parts; none if its parts are not in the evidence."""
    parts = [_figures(evidence, values) for values in (CORE, LINE, ROUTE)]
    return [] if None in parts else rows_of(*parts)


def hop(evidence):
    """The :class:`Hop`; None if a block of it is not in the evidence."""
    parts = {name: _figures(evidence, values) for name, values in BLOCKS.items()}
    return None if None in parts.values() else Hop(**parts)


def _figures(evidence, values):
    """Figures of the block with the configuration ``values``, or None."""
    name = build(values).name
    return next((entry for entry in (*evidence.suite, *evidence.universal.values()) if entry["name"] == name), None)
