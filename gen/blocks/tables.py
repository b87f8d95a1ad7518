"""Tables that route what the algorithm does not."""

from dataclasses import dataclass
from typing import ClassVar

from ...hdl.table import MAX_ENTRIES, MAX_KEY, STAGES, TableShape, TernaryTable
from .block import Block
from .streams import flags

__all__ = ["TernaryBlock"]


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
            f"Key {shape.key} bits, action {shape.action} bits; the first place that matches wins.",
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
