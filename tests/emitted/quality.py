"""Counts in an emitted text: its names, and its modules that differ in a number only."""

import re
from collections import Counter

_MODULE = re.compile(r"^module (\w+)(.*?)^endmodule$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"^ +(?:input +|output +)?(?:wire|reg) +(?:signed )?(?:\[\d+:0\] )?(\w+)", re.MULTILINE)
_GIVEN = re.compile(r"\w+_term(_\d+)?")


def names(text):
    """Names of all ports, wires and registers, once per module."""
    return [name for _, body in _MODULE.findall(text) for name in _NAME.findall(body)]


def share_of_terms(text):
    """Share of the names that no source gave, but the emitter, as parts of expressions."""
    found = names(text)
    return sum(bool(_GIVEN.fullmatch(name)) for name in found) / len(found)


def copies(text):
    """Modules that equal another one but for its name and constants."""
    shapes = [(name, re.sub(r"\b\d+'[bdh][0-9a-fx]+", "0", body)) for name, body in _MODULE.findall(text)]
    counts = Counter(shape for _, shape in shapes)
    return [name for name, shape in shapes if counts[shape] > 1]
