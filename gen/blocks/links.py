"""Links with a media-independent interface: light (SECDED), strict (Reed-Solomon), selected (either, at run time)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from dsnswitch.gen.blocks.block import Block, counters, flags
from dsnswitch.gen.blocks.pcs import FORMAT, SETTLE, FormatBlock
from dsnswitch.gen.blocks.reed_solomon import rs_code_entry
from dsnswitch.gen.blocks.secded import code_entry
from dsnswitch.hdl.line.rates import BEATS, CODE, STRICT_COUNTERS, decode_latency
from dsnswitch.net.options import integer

__all__ = [
    *("LightLinkBlock", "LightLinkRxBlock", "LightLinkTxBlock", "SelectedLinkBlock", "SelectedLinkRxBlock"),
    *("SelectedLinkTxBlock", "StrictLinkBlock", "StrictLinkRxBlock", "StrictLinkTxBlock", "line_codes"),
]


def line_codes(link, name="code") -> dict[str, Any]:
    """Entries of a manifest for the codes of a line."""
    light, strict = code_entry(CODE), rs_code_entry(BEATS)
    return {"light": {name: light}, "strict": {name: strict}, "selected": {name: strict, f"light_{name}": light}}[link]


def _both_ways(**ways):
    """Roles of the ports of a top that combines several components. Each component has its own prefix."""
    return {f"{way}_{name}": role for way, ports in ways.items() for name, role in ports.items()}


class LightLinkTxBlock(FormatBlock):
    """Transmitter of the light link (least latency): 256b/260b and SECDED(270,260)."""

    block = "light-link-tx"
    gateware = "hdl.link.light:LightLinkTx"
    about = ("four words to a SECDED(270,260) codeword, 256b/260b in {self.layout} format.",)
    roles: ClassVar = flags("enable", "enable")
    facts = property(lambda self: line_codes("light"))


class LightLinkRxBlock(LightLinkTxBlock):
    """Receiver of the light link (least latency): SECDED(270,260) and 256b/260b."""

    block = "light-link-rx"
    gateware = "hdl.link.light:LightLinkRx"
    about = ("a SECDED(270,260) codeword to four words, 256b/260b in {self.layout} format.",)
    OPTIONS: ClassVar = {"format": FORMAT, "settle": SETTLE}
    roles: ClassVar = {
        **flags("enable", "enable"),
        **flags("status", "locked", "slip"),
        **counters("corrected", "uncorrectable", "blocks", "header_errors", "corrected_blocks", "errored_blocks"),
    }


class LightLinkBlock(LightLinkRxBlock):
    """Light link, for the least latency: 256b/260b and SECDED(270,260), both directions."""

    block = "light-link"
    gateware = "hdl.link.light:LightLink"
    about = ("both directions of a link, SECDED(270,260) around 256b/260b in {self.layout} format.",)
    roles: ClassVar = _both_ways(tx=LightLinkTxBlock.roles, rx=LightLinkRxBlock.roles)


class StrictLinkTxBlock(Block):
    """Transmitter of the strict link (corrects most): 256b/257b and RS(528,514)."""

    block = "strict-link-tx"
    gateware = "hdl.link.strict:StrictLinkTx"
    about = ("four words at a time to RS(528,514) codewords in words of 160 bits.",)
    facts = property(lambda self: line_codes("strict"))


@dataclass(frozen=True)
class StrictLinkRxBlock(Block):
    """Receiver of the strict link (corrects most): RS(528,514) and 256b/257b."""

    unroll: int
    settle: int
    window: int
    limit: int
    keep: int

    block = "strict-link-rx"
    gateware = "hdl.link.strict:StrictLinkRx"
    about = ("RS(528,514) codewords in words of 160 bits to four words at a time.",)
    OPTIONS: ClassVar = {
        "unroll": integer("Steps of the decoder's key equation per cycle.", 1, 14, 1),
        "settle": integer("Number of words that the receiver ignores after a slip.", 0, 1023, 0),
        "window": integer("Codewords per window of the symbol-error monitor.", 1, 1 << 16, 8192),
        "limit": integer("Greatest number of wrong symbols per window that does not set hi_ser.", 1, 1 << 16, 417),
        "keep": integer("Windows for which hi_ser stays set.", 1, 1 << 16, 160),
    }
    roles: ClassVar = {
        **flags("enable", "bypass_correction", "bypass_indication"),
        **flags("status", "locked", "slip", "hi_ser"),
        **counters(*STRICT_COUNTERS, "blocks", "errored_blocks"),
    }
    #: Code of the line in :func:`line_codes`.
    kind = "strict"

    @property
    def suffix(self) -> str:
        return "".join(f"_{key[0]}{value}" for key, value in self.parameters.items() if value != self.default(key))

    @property
    def latencies(self) -> dict[str, int]:
        """Latency of the receiver in each mode."""
        from dsnswitch.hdl.pcs.pcs257 import Mii257Rx

        modes = {"rx": False, "rx, bypass_indication": True}
        return {mode: decode_latency(self.unroll, direct) + Mii257Rx.latency for mode, direct in modes.items()}

    @property
    def facts(self) -> dict[str, Any]:
        return line_codes(self.kind) | {"latencies": self.latencies}


class StrictLinkBlock(StrictLinkRxBlock):
    """Strict link, for lines with many wrong bits: 256b/257b and RS(528,514)."""

    block = "strict-link"
    gateware = "hdl.link.strict:StrictLink"
    about = ("both ways of a link, RS(528,514) around 256b/257b.",)
    roles: ClassVar = _both_ways(rx=StrictLinkRxBlock.roles)

    @property
    def latencies(self) -> dict[str, int]:
        from dsnswitch.hdl.link.strict import StrictLinkTx

        return {"tx": StrictLinkTx.latency} | super().latencies


class SelectedLinkTxBlock(Block):
    """Transmitter of the selected link: strict or light at run time."""

    block = "selected-link-tx"
    gateware = "hdl.link.selected:SelectedLinkTx"
    about = ("four words at a time to words of 160 bits, by RS(528,514) or SECDED(270,260).",)
    roles: ClassVar = flags("enable", "strict") | flags("status", "is_strict")
    facts = property(lambda self: line_codes("selected"))


class SelectedLinkRxBlock(StrictLinkRxBlock):
    """Receiver of the selected link: strict or light at run time."""

    block = "selected-link-rx"
    gateware = "hdl.link.selected:SelectedLinkRx"
    about = ("words of 160 bits, of RS(528,514) or SECDED(270,260), to four words at a time.",)
    kind = "selected"

    @property
    def roles(self) -> dict[str, dict]:
        from dsnswitch.hdl.link.selected import SELECTED_COUNTERS

        return {
            **flags("enable", "strict", "bypass_correction", "bypass_indication"),
            **flags("status", "is_strict", "locked", "slip", "hi_ser"),
            **counters(*SELECTED_COUNTERS),
        }

    @property
    def latencies(self) -> dict[str, int]:
        """Latency of the receiver in each format and mode, including one cycle for the marker search."""
        from dsnswitch.hdl.link.selected import SelectedLinkRx

        return {"rx": SelectedLinkRx.latency} | {
            mode.replace("rx", "rx, strict"): 1 + latency for mode, latency in super().latencies.items()
        }


class SelectedLinkBlock(SelectedLinkRxBlock):
    """Selected link, strict or light at run time: transmitter and receiver in one top."""

    block = "selected-link"
    gateware = "hdl.link.selected:SelectedLink"
    about = ("both directions of a link, by RS(528,514) or SECDED(270,260), selected at run time.",)

    @property
    def roles(self) -> dict[str, dict]:
        return _both_ways(tx=SelectedLinkTxBlock.roles, rx=super().roles)

    @property
    def latencies(self) -> dict[str, int]:
        from dsnswitch.hdl.link.selected import SelectedLinkTx

        return {"tx": SelectedLinkTx.latency} | super().latencies
