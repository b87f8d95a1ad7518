"""Baselines for the SECDED codecs. They are generated and measured in the same way as the blocks that are compared with them."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block
from dsnswitch.gen.blocks.secded import CODE_PROPERTIES, ENCODER_ROLES, code_entry, decoder_roles
from dsnswitch.hdl.baseline.secded import CONSTRUCTIONS, PlainSecdedDecoder, PlainSecdedEncoder, plain_columns
from dsnswitch.hdl.fec.secded.parameters import SecdedCode
from dsnswitch.net.errors import UsageError
from dsnswitch.net.properties import choice

__all__ = ["SecdedDecoderBaseline", "SecdedEncoderBaseline"]


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
        columns = plain_columns(self.construction, self.n, self.k)
        return {"code": code_entry(SimpleNamespace(n=self.n, k=self.k, columns=columns))}


class SecdedEncoderBaseline(_SecdedBaseline):
    """Baseline: SECDED encoder with a sum for each check bit."""

    block = "baseline-secded-encoder"

    def component(self):
        return PlainSecdedEncoder(self.construction, self.n, self.k)

    def interface(self):
        return ENCODER_ROLES, self._code()


class SecdedDecoderBaseline(_SecdedBaseline):
    """Baseline: SECDED decoder with a comparison for each data bit."""

    block = "baseline-secded-decoder"

    def component(self):
        return PlainSecdedDecoder(self.construction, self.n, self.k)

    def interface(self):
        return decoder_roles("none"), self._code()
