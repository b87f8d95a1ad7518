"""Routing tables for networks that the algorithm cannot route."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block
from dsnswitch.gen.blocks.flags import flags
from dsnswitch.hdl.table.direct import MAX_WORDS, DirectTable
from dsnswitch.hdl.table.shape import MAX_ENTRIES, MAX_KEY, TableShape
from dsnswitch.hdl.table.ternary import STAGES, TernaryTable
from dsnswitch.net.properties import integer

__all__ = ["DirectBlock", "TernaryBlock"]


@dataclass(frozen=True)
class TernaryBlock(Block):
    """Longest-prefix table in flip-flops."""

    shape: TableShape
    stages: int

    block = "table-ternary"
    PROPERTIES: ClassVar = {
        "entries": integer("Entries of the table.", 1, MAX_ENTRIES),
        "key": integer("Bits of the key.", 1, MAX_KEY),
        "action": integer("Bits of the action.", 1, MAX_KEY),
        "stages": integer("Register stages of a lookup.", 0, STAGES, 0, "combinational"),
    }

    @classmethod
    def resolve(cls, values):
        *sizes, stages = (cls.value(values, key) for key in cls.PROPERTIES)
        return cls(TableShape(*sizes), stages)

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
        "words": integer("Number of words, one per key.", 2, MAX_WORDS),
        "action": TernaryBlock.PROPERTIES["action"],
    }

    @classmethod
    def resolve(cls, values):
        return cls(*(cls.value(values, key) for key in cls.PROPERTIES))

    @property
    def name(self):
        return f"table_direct_{self.words}_{self.action}"

    @property
    def description(self):
        return (
            f"{self.name}: table of {self.words} words in RAM, indexed by the key; action {self.action} bits.",
            "Parameter IMAGE: file that $readmemh loads at the start; without one, write every word, then raise loaded.",
        )

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
