"""Routing by table: longest-prefix match, direct index, and the choice between algorithm and table."""

from .direct import MAX_WORDS, DirectTable
from .key import KEYS, TableKey, key_width
from .selector import RouteSelector
from .shape import MAX_ENTRIES, MAX_KEY, TableShape
from .ternary import STAGES, TernaryTable

__all__ = [
    "KEYS",
    "MAX_ENTRIES",
    "MAX_KEY",
    "MAX_WORDS",
    "STAGES",
    "DirectTable",
    "RouteSelector",
    "TableKey",
    "TableShape",
    "TernaryTable",
    "key_width",
]
