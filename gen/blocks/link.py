"""Links: a PCS and a code put together."""

from dataclasses import dataclass
from typing import ClassVar

from ...hdl.link import CODE, LightLink, LightLinkRx, LightLinkTx
from ...hdl.pcs.words import mii
from .block import Block
from .pcs import FORMAT, SETTLE
from .secded import code_entry
from .streams import counters, flags, stream

__all__ = ["LightLinkBlock", "LightLinkRxBlock", "LightLinkTxBlock"]

_TX = stream("i", mii(4), True) | stream("o", CODE.n, False) | flags("enable", "enable")
_RX = {
    **stream("i", CODE.n, True),
    **stream("o", mii(4), False),
    **flags("enable", "enable"),
    **flags("status", "locked", "slip"),
    **counters("corrected", "uncorrectable", "blocks", "header_errors", "corrected_blocks", "errored_blocks"),
}


@dataclass(frozen=True)
class LightLinkTxBlock(Block):
    """Transmitter of the light link."""

    layout: str

    block = "light-link-tx"
    PROPERTIES: ClassVar = {"format": FORMAT}

    @classmethod
    def resolve(cls, values):
        return cls(values.get("format", "protected"))

    @property
    def name(self):
        return f"light_link_tx_{self.layout}"

    @property
    def description(self):
        return (f"{self.name}: four words to a SECDED(270,260) codeword, 256b/260b in {self.layout} format.",)

    @property
    def parameters(self):
        return {"format": self.layout}

    def component(self):
        return LightLinkTx(self.layout)

    def interface(self):
        return _TX, {"code": code_entry(CODE)}


@dataclass(frozen=True)
class LightLinkRxBlock(Block):
    """Receiver of the light link."""

    layout: str
    settle: int

    block = "light-link-rx"
    PROPERTIES: ClassVar = {"format": FORMAT, "settle": SETTLE}

    @classmethod
    def resolve(cls, values):
        return cls(values.get("format", "protected"), cls.number(values, "settle", 0))

    @property
    def name(self):
        stem = self.block.replace("-", "_")
        return f"{stem}_{self.layout}" + (f"_s{self.settle}" if self.settle else "")

    @property
    def description(self):
        return (f"{self.name}: a SECDED(270,260) codeword to four words, 256b/260b in {self.layout} format.",)

    @property
    def parameters(self):
        return {"format": self.layout, "settle": self.settle}

    def component(self):
        return LightLinkRx(self.layout, self.settle)

    def interface(self):
        return _RX, {"code": code_entry(CODE)}


@dataclass(frozen=True)
class LightLinkBlock(LightLinkRxBlock):
    """Transmitter and receiver in one top."""

    block = "light-link"

    @property
    def description(self):
        return (f"{self.name}: both ways of a link, SECDED(270,260) around 256b/260b in {self.layout} format.",)

    def component(self):
        return LightLink(self.layout, self.settle)

    def interface(self):
        return {f"{way}__{name}": told for way, roles in (("tx", _TX), ("rx", _RX)) for name, told in roles.items()}, {
            "code": code_entry(CODE)
        }
