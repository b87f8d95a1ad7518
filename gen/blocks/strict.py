"""The strict link: a PCS and a Reed-Solomon code."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block
from dsnswitch.gen.blocks.flags import counters, flags
from dsnswitch.gen.blocks.pcs import PlainBlock
from dsnswitch.gen.blocks.reed_solomon import rs_code_entry
from dsnswitch.hdl.line.strict_fec import BEATS, STRICT_COUNTERS, decode_latency
from dsnswitch.hdl.link.strict import StrictLink, StrictLinkRx, StrictLinkTx
from dsnswitch.hdl.pcs.pcs257.mii import Mii257Rx
from dsnswitch.net.properties import integer

__all__ = ["STRICT_RX", "StrictLinkBlock", "StrictLinkRxBlock", "StrictLinkTxBlock", "both_ways"]

STRICT_RX = {
    **flags("enable", "bypass_correction", "bypass_indication"),
    **flags("status", "locked", "slip", "hi_ser"),
    **counters(*STRICT_COUNTERS, "blocks", "errored_blocks"),
}


def both_ways(**ways):
    """Roles of the ports of a top that combines several components. Each component has its own prefix."""
    return {f"{way}_{name}": role for way, ports in ways.items() for name, role in ports.items()}


class StrictLinkTxBlock(PlainBlock):
    """Transmitter of the strict link (corrects most): 256b/257b and RS(528,514)."""

    block = "strict-link-tx"

    @property
    def description(self):
        return (f"{self.name}: four words at a time to RS(528,514) codewords in words of 160 bits.",)

    def component(self):
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
        return StrictLinkRx(**self.parameters)

    @property
    def latencies(self):
        """Latency of the receiver in each mode."""
        modes = {"rx": False, "rx, bypass_indication": True}
        return {mode: decode_latency(self.unroll, direct) + Mii257Rx.latency for mode, direct in modes.items()}

    def interface(self):
        return STRICT_RX, {"code": rs_code_entry(BEATS), "latencies": self.latencies}


class StrictLinkBlock(StrictLinkRxBlock):
    """Strict link, for lines with many wrong bits: 256b/257b and RS(528,514)."""

    block = "strict-link"

    @property
    def description(self):
        return (f"{self.name}: both ways of a link, RS(528,514) around 256b/257b.",)

    def component(self):
        return StrictLink(**self.parameters)

    def interface(self):
        latencies = {"tx": StrictLinkTx.latency} | self.latencies
        return both_ways(tx={}, rx=STRICT_RX), {"code": rs_code_entry(BEATS), "latencies": latencies}
