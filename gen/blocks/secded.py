"""SECDED encoder and decoder."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block
from dsnswitch.hdl.fec.secded.code import POSITIONS, SecdedCode
from dsnswitch.net.messages import UsageError
from dsnswitch.net.properties import choice, integer

__all__ = [
    "CODE_PROPERTIES",
    "ENCODER_ROLES",
    "SecdedBlock",
    "SecdedDecoderBlock",
    "SecdedEncoderBlock",
    "code_entry",
    "decoder_roles",
]

#: Parameters that select a code.
CODE_PROPERTIES = {
    "n": integer("Bits of a codeword.", 4, 1040),
    "k": integer("Data bits of a codeword.", 1, 1024),
}


def _stages(high, meaning):
    return integer(f"Latency in cycles. {meaning}", 0, high, 0)


@dataclass(frozen=True)
class _SecdedBlock(Block):
    """Common part of encoder and decoder."""

    code: SecdedCode
    stages: int

    @classmethod
    def resolve(cls, values):
        n, k, *rest = (cls.value(values, key) for key in cls.PROPERTIES)
        try:
            code = SecdedCode(n, k)
        except ValueError as error:
            raise UsageError(str(error)) from None
        return cls(code, *rest)

    @property
    def name(self):
        staged = f"_s{self.stages}" if self.stages else ""
        return f"{self.block.replace('-', '_')}_{self.code.n}_{self.code.k}{staged}"

    @property
    def parameters(self):
        return {"n": self.code.n, "k": self.code.k, "stages": self.stages}


class SecdedEncoderBlock(_SecdedBlock):
    """SECDED encoder: data bits to a codeword."""

    block = "secded-encoder"
    PROPERTIES: ClassVar = {**CODE_PROPERTIES, "stages": _stages(1, "1 registers the codeword.")}

    @property
    def description(self):
        n, k = self.code.n, self.code.k
        return (f"{self.name}: SECDED({n},{k}) encoder, {k} data bits and {n - k} check bits.",)

    def component(self):
        from dsnswitch.hdl.fec.secded.coders import SecdedEncoder

        return SecdedEncoder(self.code, self.stages)

    def interface(self):
        return ENCODER_ROLES, {"code": code_entry(self.code)}


@dataclass(frozen=True)
class SecdedDecoderBlock(_SecdedBlock):
    """SECDED decoder: corrects one wrong bit of a codeword and flags two."""

    position: str

    block = "secded-decoder"
    PROPERTIES: ClassVar = {
        **CODE_PROPERTIES,
        "stages": _stages(2, "1 registers the outputs, 2 the syndrome as well."),
        "position": choice("Encoding of the corrected position.", POSITIONS, "onehot"),
    }

    @property
    def name(self):
        return super().name + ("" if self.position == self.default("position") else f"_{self.position}")

    @property
    def description(self):
        return (f"{self.name}: SECDED({self.code.n},{self.code.k}) decoder, corrects one wrong bit and flags two.",)

    @property
    def parameters(self):
        return {**super().parameters, "position": self.position}

    def component(self):
        from dsnswitch.hdl.fec.secded.coders import SecdedDecoder

        return SecdedDecoder(self.code, self.stages, self.position)

    def interface(self):
        return decoder_roles(self.position), {"code": code_entry(self.code)}


class SecdedBlock(SecdedDecoderBlock):
    """SECDED encoder and decoder in one top."""

    block = "secded"
    PROPERTIES: ClassVar = {**SecdedDecoderBlock.PROPERTIES, "stages": _stages(1, "1 registers the outputs.")}

    @property
    def description(self):
        return (f"{self.name}: SECDED({self.code.n},{self.code.k}) encoder and decoder in one top.",)

    def component(self):
        from dsnswitch.hdl.fec.secded.coders import Secded

        return Secded(self.code, self.stages, self.position)

    def interface(self):
        sides = {"encoder": ENCODER_ROLES, "decoder": decoder_roles(self.position)}
        roles = {f"{side}_{name}": role for side, ports in sides.items() for name, role in ports.items()}
        return roles, {"code": code_entry(self.code)}


#: Roles of an encoder's ports.
ENCODER_ROLES = {"data": {"role": "data", "static": False}, "word": {"role": "codeword", "static": False}}


def decoder_roles(position):
    """Roles of a decoder's ports; ``position`` is the encoding of the corrected position."""
    return {
        "word": {"role": "codeword", "static": False},
        "data": {"role": "data", "static": False},
        "corrected": {"role": "corrected", "static": False, "encoding": "flag"},
        "uncorrectable": {"role": "uncorrectable", "static": False, "encoding": "flag"},
        "position": {
            "role": "position",
            "static": False,
            "encoding": "unsigned" if position == "binary" else "one-hot",
        },
    }


def code_entry(code):
    """Manifest entry that describes a code, which is any object with ``n``, ``k`` and ``columns``."""
    return {
        "n": code.n,
        "k": code.k,
        "data": [0, code.k - 1],
        "check": [code.k, code.n - 1],
        "columns": list(code.columns),
    }
