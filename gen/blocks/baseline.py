"""Baselines for routing logic and SECDED codecs, generated and measured like the blocks that are compared with them."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

from dsnswitch.gen.blocks.block import Block, flags, node_suffix, ports, table_ports
from dsnswitch.gen.blocks.secded import CODE_OPTIONS, ENCODER_ROLES, code_entry, decoder_roles, secded_code
from dsnswitch.hdl.fec.secded.code import CONSTRUCTIONS
from dsnswitch.net.messages import UsageError
from dsnswitch.net.options import choice, integer, text


@dataclass(frozen=True)
class TcamBaseline(Block):
    """Baseline: ternary table in flip-flops."""

    entries: int
    key: int
    action: int

    block = "baseline-tcam"
    gateware = "hdl.baseline:RouteTcam"
    about = (
        "baseline, ternary table of {self.entries} entries in flip-flops.",
        "Key {self.key} bits, action {self.action} bits; the first entry that matches wins.",
    )
    OPTIONS: ClassVar = {
        "entries": integer("Entries of the table.", 1, 1024, example=14),
        "key": integer("Bits of the key.", 1, 64, example=9),
        "action": integer("Bits of the action.", 1, 64, example=4),
    }
    roles: ClassVar = table_ports("write", "write_entry", "write_value", "write_mask", "write_action")

    @property
    def suffix(self) -> str:
        return f"_{self.entries}x{self.key}_{self.action}"


@dataclass(frozen=True)
class TorusBaseline(Block):
    """Baseline: dimension-order routing of a torus."""

    sizes: tuple
    node: tuple | None

    block = "baseline-torus"
    gateware = "hdl.baseline:PlainTorusRoute"
    about = ("baseline, dimension-order routing of a torus, the shorter way round each ring.",)
    OPTIONS: ClassVar = {
        "sizes": text("Nodes of each dimension, powers of two, such as 8x8x8.", example="8x8x8"),
        "node": text("Own coordinates, such as 1,2,3. Default universal."),
    }

    @classmethod
    def resolve(cls, values: dict[str, Any]) -> Any:
        sizes = _numbers("sizes", cls.value(values, "sizes"), "x")
        at = None if values.get("node") is None else _numbers("node", values["node"], ",")
        for size in sizes:
            if not 2 <= size <= 4096 or size & (size - 1):
                raise UsageError(f"Torus sizes must be powers of two in 2..4096, not {size}")
        if at is not None and (len(at) != len(sizes) or any(c >= size for c, size in zip(at, sizes))):
            raise UsageError(f"Node {values['node']} is not in the torus {values['sizes']}")
        return cls(sizes, at)

    @property
    def suffix(self) -> str:
        return f"_{'x'.join(map(str, self.sizes))}{node_suffix(self.node)}"

    @property
    def parameters(self) -> dict[str, str | None]:
        node = None if self.node is None else ",".join(map(str, self.node))
        return {"sizes": "x".join(map(str, self.sizes)), "node": node}

    @property
    def roles(self) -> dict[str, dict]:
        names = [f"dim{axis}_{way}" for axis in range(len(self.sizes)) for way in ("forward", "backward")]
        found = ports("output-port", "out_port", encoding="one-hot", bits=names) | flags("arrived", "arrived")
        for axis, size in enumerate(self.sizes):
            base = {"range": [0, size - 1], "encoding": "unsigned"}
            found |= ports("own-address", f"own_dim{axis}", static=True, **base)
            found |= ports("destination-address", f"dst_dim{axis}", **base)
        return found


def _numbers(name, spelt, separator):
    parts = spelt.split(separator)
    if not all(part.isdecimal() for part in parts):
        raise UsageError(f"{name} must be numbers separated by {separator!r}, not {spelt!r}")
    return tuple(map(int, parts))


@dataclass(frozen=True)
class _SecdedBaseline(Block):
    """Common parts of encoder and decoder."""

    n: int
    k: int
    construction: str

    OPTIONS: ClassVar = {
        **CODE_OPTIONS,
        "construction": choice("hsiao: odd-weight columns, balanced rows; hamming: with an overall parity bit.", CONSTRUCTIONS),
    }

    @classmethod
    def resolve(cls, values):
        code = secded_code(cls, values)
        return cls(code.n, code.k, cls.value(values, "construction"))

    @property
    def suffix(self):
        return f"_{self.n}_{self.k}_{self.construction}"

    @property
    def parameters(self):
        return self.arguments

    @property
    def about(self):
        side = self.block.rpartition("-")[2]
        how = {"hsiao": "odd-weight columns with balanced rows", "hamming": "Hamming code with a parity bit"}
        return (f"baseline, SECDED({self.n},{self.k}) {side}, {how[self.construction]}.",)

    @property
    def facts(self):
        from dsnswitch.hdl.baseline import plain_columns

        columns = plain_columns(self.construction, self.n, self.k)
        return {"code": code_entry(SimpleNamespace(n=self.n, k=self.k, columns=columns))}


class SecdedEncoderBaseline(_SecdedBaseline):
    """Baseline: SECDED encoder with a sum for each check bit."""

    block = "baseline-secded-encoder"
    gateware = "hdl.baseline:PlainSecdedEncoder"
    roles = ENCODER_ROLES


class SecdedDecoderBaseline(_SecdedBaseline):
    """Baseline: SECDED decoder with a comparison for each data bit."""

    block = "baseline-secded-decoder"
    gateware = "hdl.baseline:PlainSecdedDecoder"
    roles = decoder_roles("none")
