"""The selected link: the strict or the light format, selected at run time."""

from dsnswitch.gen.blocks.flags import counters, flags
from dsnswitch.gen.blocks.pcs import PlainBlock
from dsnswitch.gen.blocks.reed_solomon import rs_code_entry
from dsnswitch.gen.blocks.secded import code_entry
from dsnswitch.gen.blocks.strict import StrictLinkRxBlock, both_ways
from dsnswitch.hdl.line.light_fec import CODE
from dsnswitch.hdl.line.strict_fec import BEATS
from dsnswitch.hdl.link.selected import SELECTED_COUNTERS, SelectedLink, SelectedLinkRx, SelectedLinkTx

__all__ = ["SelectedLinkBlock", "SelectedLinkRxBlock", "SelectedLinkTxBlock"]

_TX = {
    **flags("enable", "strict"),
    **flags("status", "is_strict"),
}
_RX = {
    **flags("enable", "strict", "bypass_correction", "bypass_indication"),
    **flags("status", "is_strict", "locked", "slip", "hi_ser"),
    **counters(*SELECTED_COUNTERS),
}
_CODES = {"code": rs_code_entry(BEATS), "light_code": code_entry(CODE)}


class SelectedLinkTxBlock(PlainBlock):
    """Transmitter of the selected link: strict or light at run time."""

    block = "selected-link-tx"

    @property
    def description(self):
        return (f"{self.name}: four words at a time to words of 160 bits, by RS(528,514) or SECDED(270,260).",)

    def component(self):
        return SelectedLinkTx()

    def interface(self):
        return _TX, _CODES


class SelectedLinkRxBlock(StrictLinkRxBlock):
    """Receiver of the selected link: strict or light at run time."""

    block = "selected-link-rx"

    @property
    def description(self):
        return (f"{self.name}: words of 160 bits, of RS(528,514) or SECDED(270,260), to four words at a time.",)

    def component(self):
        return SelectedLinkRx(**self.parameters)

    @property
    def latencies(self):
        """Latency of the receiver in each format and mode, including one cycle for the marker search."""
        return {"rx": SelectedLinkRx.latency} | {
            mode.replace("rx", "rx, strict"): 1 + latency for mode, latency in super().latencies.items()
        }

    def interface(self):
        return _RX, _CODES | {"latencies": self.latencies}


class SelectedLinkBlock(SelectedLinkRxBlock):
    """Selected link, strict or light at run time: transmitter and receiver in one top."""

    block = "selected-link"

    @property
    def description(self):
        return (f"{self.name}: both directions of a link, by RS(528,514) or SECDED(270,260), selected at run time.",)

    def component(self):
        return SelectedLink(**self.parameters)

    def interface(self):
        return both_ways(tx=_TX, rx=_RX), _CODES | {"latencies": {"tx": SelectedLinkTx.latency} | self.latencies}
