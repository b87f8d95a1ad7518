"""Baselines for the routing logic. They are generated and measured in the same way as the blocks that are compared with them."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block
from dsnswitch.gen.blocks.names import node_suffix
from dsnswitch.hdl.baseline.tcam import RouteTcam
from dsnswitch.hdl.baseline.torus import PlainTorusRoute
from dsnswitch.net.errors import UsageError
from dsnswitch.net.properties import integer, text

__all__ = ["TcamBaseline", "TorusBaseline"]


@dataclass(frozen=True)
class TcamBaseline(Block):
    """Baseline: ternary table in flip-flops."""

    entries: int
    key: int
    action: int

    block = "baseline-tcam"
    PROPERTIES: ClassVar = {
        "entries": integer("Entries of the table.", 1, 1024),
        "key": integer("Bits of the key.", 1, 64),
        "action": integer("Bits of the action.", 1, 64),
    }

    @classmethod
    def resolve(cls, values):
        return cls(*(cls.value(values, key) for key in cls.PROPERTIES))

    @property
    def name(self):
        return f"baseline_tcam_{self.entries}x{self.key}_{self.action}"

    @property
    def description(self):
        return (
            f"{self.name}: baseline, ternary table of {self.entries} entries in flip-flops.",
            f"Key {self.key} bits, action {self.action} bits; the first entry that matches wins.",
        )

    def component(self):
        return RouteTcam(self.entries, self.key, self.action)

    def interface(self):
        writes = ("write", "write_entry", "write_value", "write_mask", "write_action")
        return {
            **{name: {"role": "table-write", "static": False} for name in writes},
            "key": {"role": "key", "static": False},
            "action": {"role": "action", "static": False},
            "hit": {"role": "hit", "static": False, "encoding": "flag"},
        }, {}


@dataclass(frozen=True)
class TorusBaseline(Block):
    """Baseline: dimension-order routing of a torus."""

    sizes: tuple
    at: tuple | None

    block = "baseline-torus"
    PROPERTIES: ClassVar = {
        "sizes": text("Nodes of each dimension, powers of two, such as 8x8x8."),
        "node": text("Own coordinates, such as 1,2,3. Default universal."),
    }

    @classmethod
    def resolve(cls, values):
        if values.get("sizes") is None:
            raise UsageError("Block baseline-torus needs sizes, such as 8x8x8")
        sizes = _numbers("sizes", values["sizes"], "x")
        at = None if values.get("node") is None else _numbers("node", values["node"], ",")
        for size in sizes:
            if not 2 <= size <= 4096 or size & (size - 1):
                raise UsageError(f"Torus sizes must be powers of two in 2..4096, not {size}")
        if at is not None and (len(at) != len(sizes) or any(c >= size for c, size in zip(at, sizes))):
            raise UsageError(f"Node {values['node']} is not in the torus {values['sizes']}")
        return cls(sizes, at)

    @property
    def name(self):
        return f"baseline_torus_{'x'.join(map(str, self.sizes))}{node_suffix(self.at)}"

    @property
    def description(self):
        return (f"{self.name}: baseline, dimension-order routing of a torus, the shorter way round each ring.",)

    @property
    def parameters(self):
        at = None if self.at is None else ",".join(map(str, self.at))
        return {"sizes": "x".join(map(str, self.sizes)), "node": at}

    def component(self):
        return PlainTorusRoute(self.sizes, self.at)

    def interface(self):
        roles = {"out_port": {"role": "output-port", "static": False, "encoding": "one-hot"}}
        roles["arrived"] = {"role": "arrived", "static": False, "encoding": "flag"}
        for axis, size in enumerate(self.sizes):
            base = {"range": [0, size - 1], "encoding": "unsigned"}
            roles[f"own_dim{axis}"] = {"role": "own-address", "static": True, **base}
            roles[f"dst_dim{axis}"] = {"role": "destination-address", "static": False, **base}
        return roles, {}


def _numbers(name, spelt, separator):
    parts = spelt.split(separator)
    if not all(part.isdecimal() for part in parts):
        raise UsageError(f"{name} must be numbers separated by {separator!r}, not {spelt!r}")
    return tuple(map(int, parts))
