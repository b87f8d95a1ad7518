"""Routing tables for networks that the algorithm cannot route."""

from dataclasses import dataclass
from typing import ClassVar

from ...hdl.table import MAX_ENTRIES, MAX_KEY, MAX_WORDS, STAGES, DirectTable, TableShape, TernaryTable
from .block import Block
from .flags import flags

__all__ = ["DirectBlock", "TernaryBlock"]


def _size(high, description):
    return {"type": "integer", "minimum": 1, "maximum": high, "description": description}


@dataclass(frozen=True)
class TernaryBlock(Block):
    """Longest-prefix table in flip-flops."""

    shape: TableShape
    stages: int

    block = "table-ternary"
    PROPERTIES: ClassVar = {
        "entries": _size(MAX_ENTRIES, "Entries of the table."),
        "key": _size(MAX_KEY, "Bits of the key."),
        "action": _size(MAX_KEY, "Bits of the action."),
        "stages": {
            "type": "integer",
            "minimum": 0,
            "maximum": STAGES,
            "description": "Register stages of a lookup. Default 0, combinational.",
        },
    }

    @classmethod
    def resolve(cls, values):
        shape = TableShape(*(cls.number(values, key) for key in ("entries", "key", "action")))
        return cls(shape, cls.number(values, "stages", 0))

    @property
    def name(self):
        return f"table_ternary_{self.shape.name}{f'_s{self.stages}' if self.stages else ''}"

    @property
    def description(self):
        shape = self.shape
        return (
            f"{self.name}: table of {shape.entries} prefixes in flip-flops, longest first.",
            f"Key {shape.key} bits, action {shape.action} bits; the first matching row wins.",
        )

    @property
    def parameters(self):
        shape = self.shape
        return {"entries": shape.entries, "key": shape.key, "action": shape.action, "stages": self.stages}

    def component(self):
        return TernaryTable(self.shape, stages=self.stages)

    def interface(self):
        writes = ("write", "write_place", "write_valid", "write_value", "write_length", "write_action")
        return {
            **{name: {"role": "table-write", "static": False} for name in writes},
            "key": {"role": "key", "static": False},
            "action": {"role": "action", "static": False},
            **flags("hit", "hit"),
        }, {}


@dataclass(frozen=True)
class DirectBlock(Block):
    """Direct-indexed table in RAM."""

    words: int
    action: int

    block = "table-direct"
    PROPERTIES: ClassVar = {
        "words": {
            "type": "integer",
            "minimum": 2,
            "maximum": MAX_WORDS,
            "description": "Number of words, one per key.",
        },
        "action": TernaryBlock.PROPERTIES["action"],
    }

    @classmethod
    def resolve(cls, values):
        return cls(*(cls.number(values, key) for key in cls.PROPERTIES))

    @property
    def name(self):
        return f"table_direct_{self.words}_{self.action}"

    @property
    def description(self):
        return (
            f"{self.name}: table of {self.words} words in RAM, indexed by the key; action {self.action} bits.",
            "Parameter IMAGE: file that $readmemh loads at the start; without one, write every word, then raise loaded.",
        )

    @property
    def parameters(self):
        return {"words": self.words, "action": self.action}

    def component(self):
        return DirectTable(self.words, self.action)

    def interface(self):
        writes = ("write", "write_word", "write_valid", "write_action")
        return {
            **{name: {"role": "table-write", "static": False} for name in writes},
            **flags("table-loaded", "loaded"),
            "key": {"role": "key", "static": False, "range": [0, self.words - 1]},
            "action": {"role": "action", "static": False},
            **flags("hit", "hit"),
        }, {}
