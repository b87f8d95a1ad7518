"""Routing by table: longest-prefix match, direct index, and the choice between algorithm and table."""

from .shape import MAX_ENTRIES, MAX_KEY, TableShape
from .ternary import STAGES, TernaryTable

__all__ = ["MAX_ENTRIES", "MAX_KEY", "STAGES", "TableShape", "TernaryTable"]
