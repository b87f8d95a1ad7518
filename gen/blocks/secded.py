"""SECDED encoder and decoder."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block, code_of, flags, ports
from dsnswitch.hdl.fec.secded.code import NAMED, POSITIONS, SecdedCode
from dsnswitch.net.options import choice, integer

#: Parameters that select a code.
CODE_OPTIONS = {
    "code": choice(f"A named code, instead of n and k. Default {next(iter(NAMED))}.", NAMED, optional=True),
    "n": integer("Bits of a codeword.", 4, 1040, word="codeword"),
    "k": integer("Data bits of a codeword.", 1, 1024),
}

#: Roles of an encoder's ports.
ENCODER_ROLES = ports("data", "data") | ports("codeword", "word")


def decoder_roles(position):
    """Roles of a decoder's ports; ``position`` is the encoding of the corrected position."""
    place = ports("position", "position", encoding="unsigned" if position == "binary" else "one-hot")
    return ENCODER_ROLES | flags("corrected", "corrected") | flags("uncorrectable", "uncorrectable") | place


def code_entry(code):
    """Manifest entry that describes a code, which is any object with ``n``, ``k`` and ``columns``."""
    return {"n": code.n, "k": code.k, "data": [0, code.k - 1], "check": [code.k, code.n - 1], "columns": list(code.columns)}


def secded_code(block, values):
    """The code of the ``values`` of a class of blocks."""
    return code_of(block, values, NAMED, ("n", "k"), SecdedCode)


def _stages(high, meaning):
    return integer(f"Latency in cycles. {meaning}", 0, high, 0)


@dataclass(frozen=True)
class _SecdedBlock(Block):
    """Common part of encoder and decoder."""

    code: SecdedCode
    stages: int

    @classmethod
    def resolve(cls, values):
        others = [key for key in cls.OPTIONS if key not in CODE_OPTIONS]
        return cls(secded_code(cls, values), *(cls.value(values, key) for key in others))

    @property
    def suffix(self):
        return f"_{self.code.n}_{self.code.k}" + (f"_s{self.stages}" if self.stages else "")

    @property
    def parameters(self):
        return {"n": self.code.n, "k": self.code.k, "stages": self.stages}

    @property
    def facts(self):
        return {"code": code_entry(self.code)}


class SecdedEncoderBlock(_SecdedBlock):
    """SECDED encoder: data bits to a codeword.

    The code of the light link, an ECC as of memories, which the dissertation calls a Hamming code.
    """

    block = "secded-encoder"
    gateware = "hdl.fec.secded.coders:SecdedEncoder"
    about = ("SECDED({self.code.n},{self.code.k}) encoder, {self.code.k} data bits and {self.code.r} check bits.",)
    OPTIONS: ClassVar = {**CODE_OPTIONS, "stages": _stages(1, "1 registers the codeword.")}
    roles = ENCODER_ROLES


@dataclass(frozen=True)
class SecdedDecoderBlock(_SecdedBlock):
    """SECDED decoder: corrects one wrong bit of a codeword and flags two.

    The code of the light link, an ECC as of memories, which the dissertation calls a Hamming code.
    """

    position: str

    block = "secded-decoder"
    gateware = "hdl.fec.secded.coders:SecdedDecoder"
    about = ("SECDED({self.code.n},{self.code.k}) decoder, corrects one wrong bit and flags two.",)
    OPTIONS: ClassVar = {
        **CODE_OPTIONS,
        "stages": _stages(2, "1 registers the outputs, 2 the syndrome as well."),
        "position": choice("Encoding of the corrected position.", POSITIONS, "onehot"),
    }

    @property
    def suffix(self):
        return super().suffix + ("" if self.position == self.default("position") else f"_{self.position}")

    @property
    def parameters(self):
        return {**super().parameters, "position": self.position}

    @property
    def roles(self):
        return decoder_roles(self.position)


class SecdedBlock(SecdedDecoderBlock):
    """SECDED encoder and decoder in one top.

    The code of the light link, an ECC as of memories, which the dissertation calls a Hamming code.
    """

    block = "secded"
    gateware = "hdl.fec.secded.coders:Secded"
    about = ("SECDED({self.code.n},{self.code.k}) encoder and decoder in one top.",)
    OPTIONS: ClassVar = {**SecdedDecoderBlock.OPTIONS, "stages": _stages(1, "1 registers the outputs.")}

    @property
    def roles(self):
        sides = {"encoder": ENCODER_ROLES, "decoder": super().roles}
        return {f"{side}_{name}": role for side, found in sides.items() for name, role in found.items()}
