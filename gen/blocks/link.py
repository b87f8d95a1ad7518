"""The light link: a PCS and a SECDED code."""

from typing import ClassVar

from dsnswitch.gen.blocks.flags import counters, flags
from dsnswitch.gen.blocks.pcs import FORMAT, SETTLE, FormatBlock
from dsnswitch.gen.blocks.secded import code_entry
from dsnswitch.hdl.line.light_fec import CODE
from dsnswitch.hdl.link.light import LightLink, LightLinkRx, LightLinkTx

__all__ = ["LightLinkBlock", "LightLinkRxBlock", "LightLinkTxBlock"]

_TX = flags("enable", "enable")
_RX = {
    **flags("enable", "enable"),
    **flags("status", "locked", "slip"),
    **counters("corrected", "uncorrectable", "blocks", "header_errors", "corrected_blocks", "errored_blocks"),
}


class LightLinkTxBlock(FormatBlock):
    """Transmitter of the light link (least latency): 256b/260b and SECDED(270,260)."""

    block = "light-link-tx"

    @property
    def description(self):
        return (f"{self.name}: four words to a SECDED(270,260) codeword, 256b/260b in {self.layout} format.",)

    def component(self):
        return LightLinkTx(self.layout)

    def interface(self):
        return _TX, {"code": code_entry(CODE)}


class LightLinkRxBlock(FormatBlock):
    """Receiver of the light link (least latency): SECDED(270,260) and 256b/260b."""

    block = "light-link-rx"
    PROPERTIES: ClassVar = {"format": FORMAT, "settle": SETTLE}

    @property
    def description(self):
        return (f"{self.name}: a SECDED(270,260) codeword to four words, 256b/260b in {self.layout} format.",)

    def component(self):
        return LightLinkRx(self.layout, self.settle)

    def interface(self):
        return _RX, {"code": code_entry(CODE)}


class LightLinkBlock(LightLinkRxBlock):
    """Light link, for the least latency: 256b/260b and SECDED(270,260), both directions."""

    block = "light-link"

    @property
    def description(self):
        return (f"{self.name}: both directions of a link, SECDED(270,260) around 256b/260b in {self.layout} format.",)

    def component(self):
        return LightLink(self.layout, self.settle)

    def interface(self):
        ways = {"tx": _TX, "rx": _RX}
        roles = {f"{way}_{name}": role for way, ports in ways.items() for name, role in ports.items()}
        return roles, {"code": code_entry(CODE)}
