"""Gearboxes."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block
from dsnswitch.hdl.stream.gearbox import Gearbox, check
from dsnswitch.net.errors import UsageError
from dsnswitch.net.properties import integer

__all__ = ["GearboxBlock"]


@dataclass(frozen=True)
class GearboxBlock(Block):
    """Gearbox: converts words of one width to words of another width."""

    into: int
    out: int
    group: int | None

    block = "gearbox"
    PROPERTIES: ClassVar = {
        "from": integer("Bits of an input word.", 1, 1024),
        "to": integer("Bits of an output word.", 1, 1024),
        "group": integer("Bits of a group, which begins with a new word on both sides. Default none.", 1, 1 << 16),
    }

    @classmethod
    def resolve(cls, values):
        into, out = (cls.value(values, key) for key in ("from", "to"))
        group = cls.optional(values, "group")
        try:
            check(into, out, group)
        except ValueError as error:
            raise UsageError(str(error)) from None
        return cls(into, out, group)

    @property
    def name(self):
        return f"gearbox_{self.into}_{self.out}" + (f"_g{self.group}" if self.group else "")

    @property
    def description(self):
        grouped = f", in groups of {self.group} bits" if self.group else ""
        return (f"{self.name}: words of {self.into} bits to words of {self.out} bits{grouped}.",)

    @property
    def parameters(self):
        return {"from": self.into, "to": self.out} | ({"group": self.group} if self.group else {})

    def component(self):
        return Gearbox(self.into, self.out, self.group)
