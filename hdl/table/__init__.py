"""Routing by table: longest-prefix match and direct index."""

from .direct import MAX_WORDS, DirectTable
from .shape import MAX_ENTRIES, MAX_KEY, TableShape
from .ternary import STAGES, TernaryTable

__all__ = [
    "MAX_ENTRIES",
    "MAX_KEY",
    "MAX_WORDS",
    "STAGES",
    "DirectTable",
    "TableShape",
    "TernaryTable",
]
