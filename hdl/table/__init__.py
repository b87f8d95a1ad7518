"""Routing tables: longest-prefix match in flip-flops, and direct index in RAM. They know no topology."""

from .direct import MAX_WORDS, DirectTable
from .shape import MAX_ENTRIES, MAX_KEY, TableShape
from .ternary import STAGES, TernaryTable
from .write_port import DirectWrite, TableWrite, TernaryWrite

__all__ = [
    "MAX_ENTRIES",
    "MAX_KEY",
    "MAX_WORDS",
    "STAGES",
    "DirectTable",
    "DirectWrite",
    "TableShape",
    "TableWrite",
    "TernaryTable",
    "TernaryWrite",
]
