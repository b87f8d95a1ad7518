"""The light link: a PCS and a SECDED code."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block, counters, flags
from dsnswitch.gen.blocks.pcs import FORMAT, SETTLE, FormatBlock, PlainBlock
from dsnswitch.gen.blocks.reed_solomon import rs_code_entry
from dsnswitch.gen.blocks.secded import code_entry
from dsnswitch.hdl.line.rates import BEATS, CODE, STRICT_COUNTERS, decode_latency
from dsnswitch.net.properties import integer

__all__ = [
    "LightLinkBlock",
    "LightLinkRxBlock",
    "LightLinkTxBlock",
    "StrictLinkBlock",
    "StrictLinkRxBlock",
    "StrictLinkTxBlock",
    "SelectedLinkBlock",
    "SelectedLinkRxBlock",
    "SelectedLinkTxBlock",
]

_TX = flags("enable", "enable")
_RX = {
    **flags("enable", "enable"),
    **flags("status", "locked", "slip"),
    **counters("corrected", "uncorrectable", "blocks", "header_errors", "corrected_blocks", "errored_blocks"),
}


def _both_ways(**ways):
    """Roles of the ports of a top that combines several components. Each component has its own prefix."""
    return {f"{way}_{name}": role for way, ports in ways.items() for name, role in ports.items()}


class LightLinkTxBlock(FormatBlock):
    """Transmitter of the light link (least latency): 256b/260b and SECDED(270,260)."""

    block = "light-link-tx"

    @property
    def description(self):
        return (f"{self.name}: four words to a SECDED(270,260) codeword, 256b/260b in {self.layout} format.",)

    def component(self):
        from dsnswitch.hdl.link.light import LightLinkTx

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
        from dsnswitch.hdl.link.light import LightLinkRx

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
        from dsnswitch.hdl.link.light import LightLink

        return LightLink(self.layout, self.settle)

    def interface(self):
        return _both_ways(tx=_TX, rx=_RX), {"code": code_entry(CODE)}


# The strict link: a PCS and a Reed-Solomon code.


_STRICT_RX = {
    **flags("enable", "bypass_correction", "bypass_indication"),
    **flags("status", "locked", "slip", "hi_ser"),
    **counters(*STRICT_COUNTERS, "blocks", "errored_blocks"),
}


class StrictLinkTxBlock(PlainBlock):
    """Transmitter of the strict link (corrects most): 256b/257b and RS(528,514)."""

    block = "strict-link-tx"

    @property
    def description(self):
        return (f"{self.name}: four words at a time to RS(528,514) codewords in words of 160 bits.",)

    def component(self):
        from dsnswitch.hdl.link.strict import StrictLinkTx

        return StrictLinkTx()

    def interface(self):
        return {}, {"code": rs_code_entry(BEATS)}


@dataclass(frozen=True)
class StrictLinkRxBlock(Block):
    """Receiver of the strict link (corrects most): RS(528,514) and 256b/257b."""

    unroll: int
    settle: int
    window: int
    limit: int
    keep: int

    block = "strict-link-rx"
    PROPERTIES: ClassVar = {
        "unroll": integer("Steps of the decoder's key equation per cycle.", 1, 14, 1),
        "settle": integer("Number of words that the receiver ignores after a slip.", 0, 1023, 0),
        "window": integer("Codewords per window of the symbol-error monitor.", 1, 1 << 16, 8192),
        "limit": integer("Greatest number of wrong symbols per window that does not set hi_ser.", 1, 1 << 16, 417),
        "keep": integer("Windows for which hi_ser stays set.", 1, 1 << 16, 160),
    }

    @classmethod
    def resolve(cls, values):
        return cls(*(cls.value(values, key) for key in cls.PROPERTIES))

    @property
    def name(self):
        changed = (f"_{key[0]}{value}" for key, value in self.parameters.items() if value != self.default(key))
        return self.block.replace("-", "_") + "".join(changed)

    @property
    def description(self):
        return (f"{self.name}: RS(528,514) codewords in words of 160 bits to four words at a time.",)

    def component(self):
        from dsnswitch.hdl.link.strict import StrictLinkRx

        return StrictLinkRx(**self.parameters)

    @property
    def latencies(self):
        """Latency of the receiver in each mode."""
        from dsnswitch.hdl.pcs.pcs257 import Mii257Rx

        modes = {"rx": False, "rx, bypass_indication": True}
        return {mode: decode_latency(self.unroll, direct) + Mii257Rx.latency for mode, direct in modes.items()}

    def interface(self):
        return _STRICT_RX, {"code": rs_code_entry(BEATS), "latencies": self.latencies}


class StrictLinkBlock(StrictLinkRxBlock):
    """Strict link, for lines with many wrong bits: 256b/257b and RS(528,514)."""

    block = "strict-link"

    @property
    def description(self):
        return (f"{self.name}: both ways of a link, RS(528,514) around 256b/257b.",)

    def component(self):
        from dsnswitch.hdl.link.strict import StrictLink

        return StrictLink(**self.parameters)

    def interface(self):
        from dsnswitch.hdl.link.strict import StrictLinkTx

        latencies = {"tx": StrictLinkTx.latency} | self.latencies
        return _both_ways(tx={}, rx=_STRICT_RX), {"code": rs_code_entry(BEATS), "latencies": latencies}


# The selected link: the strict or the light format, selected at run time.


_SELECTED_TX = {
    **flags("enable", "strict"),
    **flags("status", "is_strict"),
}


def _selected_rx():
    from dsnswitch.hdl.link.selected import SELECTED_COUNTERS

    return {
        **flags("enable", "strict", "bypass_correction", "bypass_indication"),
        **flags("status", "is_strict", "locked", "slip", "hi_ser"),
        **counters(*SELECTED_COUNTERS),
    }


def _codes():
    return {"code": rs_code_entry(BEATS), "light_code": code_entry(CODE)}


class SelectedLinkTxBlock(PlainBlock):
    """Transmitter of the selected link: strict or light at run time."""

    block = "selected-link-tx"

    @property
    def description(self):
        return (f"{self.name}: four words at a time to words of 160 bits, by RS(528,514) or SECDED(270,260).",)

    def component(self):
        from dsnswitch.hdl.link.selected import SelectedLinkTx

        return SelectedLinkTx()

    def interface(self):
        return _SELECTED_TX, _codes()


class SelectedLinkRxBlock(StrictLinkRxBlock):
    """Receiver of the selected link: strict or light at run time."""

    block = "selected-link-rx"

    @property
    def description(self):
        return (f"{self.name}: words of 160 bits, of RS(528,514) or SECDED(270,260), to four words at a time.",)

    def component(self):
        from dsnswitch.hdl.link.selected import SelectedLinkRx

        return SelectedLinkRx(**self.parameters)

    @property
    def latencies(self):
        """Latency of the receiver in each format and mode, including one cycle for the marker search."""
        from dsnswitch.hdl.link.selected import SelectedLinkRx

        return {"rx": SelectedLinkRx.latency} | {
            mode.replace("rx", "rx, strict"): 1 + latency for mode, latency in super().latencies.items()
        }

    def interface(self):
        return _selected_rx(), _codes() | {"latencies": self.latencies}


class SelectedLinkBlock(SelectedLinkRxBlock):
    """Selected link, strict or light at run time: transmitter and receiver in one top."""

    block = "selected-link"

    @property
    def description(self):
        return (f"{self.name}: both directions of a link, by RS(528,514) or SECDED(270,260), selected at run time.",)

    def component(self):
        from dsnswitch.hdl.link.selected import SelectedLink

        return SelectedLink(**self.parameters)

    def interface(self):
        from dsnswitch.hdl.link.selected import SelectedLinkTx

        return _both_ways(tx=_SELECTED_TX, rx=_selected_rx()), _codes() | {
            "latencies": {"tx": SelectedLinkTx.latency} | self.latencies
        }
