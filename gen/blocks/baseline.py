"""Baselines for the routing logic. They are generated and measured in the same way as the blocks that are compared with them."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block, node_suffix
from dsnswitch.gen.blocks.secded import CODE_PROPERTIES, ENCODER_ROLES, code_entry, decoder_roles
from dsnswitch.hdl.fec.secded.code import CONSTRUCTIONS, SecdedCode
from dsnswitch.net.messages import UsageError
from dsnswitch.net.properties import choice, integer, text

__all__ = ["TcamBaseline", "TorusBaseline", "SecdedDecoderBaseline", "SecdedEncoderBaseline"]


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
        from dsnswitch.hdl.baseline import RouteTcam

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
        from dsnswitch.hdl.baseline import PlainTorusRoute

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


# Baselines for the SECDED codecs. They are generated and measured in the same way as the blocks that are compared with them.


@dataclass(frozen=True)
class _SecdedBaseline(Block):
    """Common parameters of encoder and decoder."""

    n: int
    k: int
    construction: str

    PROPERTIES: ClassVar = {
        **CODE_PROPERTIES,
        "construction": choice(
            "hsiao: odd-weight columns, balanced rows; hamming: with an overall parity bit.", CONSTRUCTIONS
        ),
    }

    @classmethod
    def resolve(cls, values):
        n, k, construction = (cls.value(values, key) for key in cls.PROPERTIES)
        try:
            SecdedCode(n, k)
        except ValueError as error:
            raise UsageError(str(error)) from None
        return cls(n, k, construction)

    @property
    def name(self):
        return f"{self.block.replace('-', '_')}_{self.n}_{self.k}_{self.construction}"

    @property
    def description(self):
        side = self.block.rpartition("-")[2]
        how = {"hsiao": "odd-weight columns with balanced rows", "hamming": "Hamming code with a parity bit"}
        return (f"{self.name}: baseline, SECDED({self.n},{self.k}) {side}, {how[self.construction]}.",)

    def _code(self):
        from dsnswitch.hdl.baseline import plain_columns

        columns = plain_columns(self.construction, self.n, self.k)
        return {"code": code_entry(SimpleNamespace(n=self.n, k=self.k, columns=columns))}


class SecdedEncoderBaseline(_SecdedBaseline):
    """Baseline: SECDED encoder with a sum for each check bit."""

    block = "baseline-secded-encoder"

    def component(self):
        from dsnswitch.hdl.baseline import PlainSecdedEncoder

        return PlainSecdedEncoder(self.construction, self.n, self.k)

    def interface(self):
        return ENCODER_ROLES, self._code()


class SecdedDecoderBaseline(_SecdedBaseline):
    """Baseline: SECDED decoder with a comparison for each data bit."""

    block = "baseline-secded-decoder"

    def component(self):
        from dsnswitch.hdl.baseline import PlainSecdedDecoder

        return PlainSecdedDecoder(self.construction, self.n, self.k)

    def interface(self):
        return decoder_roles("none"), self._code()
