"""Physical coding sublayers and gearboxes."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block, counters, flags
from dsnswitch.net.files.options import LINK
from dsnswitch.net.messages import UsageError, refusing
from dsnswitch.net.options import choice, integer

__all__ = [
    *("FORMAT", "SETTLE", "FormatBlock", "GearboxBlock", "Mii257RxBlock", "Mii257TxBlock", "Pcs66RxBlock"),
    *("Pcs66TxBlock", "Pcs257RxBlock", "Pcs257TxBlock", "Pcs260RxBlock", "Pcs260TxBlock"),
]

SETTLE = LINK["settle"]
FORMAT = choice("Format of 256b/260b.", ("protected", "literal"), word="line_format")


class Pcs66TxBlock(Block):
    """64b/66b transmitter, as in 10 Gb/s Ethernet: words of 8 octets to scrambled blocks."""

    block = "pcs66-tx"
    gateware = "hdl.pcs.pcs66.pcs:Pcs66Tx"
    about = ("64b/66b transmitter, a word of 8 octets to a scrambled block (IEEE 802.3 Clause 49).",)


@dataclass(frozen=True)
class Pcs66RxBlock(Block):
    """64b/66b receiver, as in 10 Gb/s Ethernet, with block lock and BER monitor."""

    window: int
    limit: int
    settle: int

    block = "pcs66-rx"
    gateware = "hdl.pcs.pcs66.pcs:Pcs66Rx"
    about = ("64b/66b receiver with block lock and BER monitor (IEEE 802.3 Clause 49).",)
    OPTIONS: ClassVar = {
        "window": integer("Blocks per window of the BER monitor.", 2, 1 << 24, 19531, "125 us at 10.3125 Gb/s"),
        "limit": integer("Invalid headers per window that signal a high bit error rate.", 1, 1 << 16, 16),
        "settle": SETTLE,
    }
    roles: ClassVar = flags("status", "locked", "slip", "high_ber") | counters("invalid_headers", "errored_blocks")

    @classmethod
    def resolve(cls, values):
        block = super().resolve(values)
        if block.limit > block.window:
            raise UsageError(f"limit must be at most window, {block.window}, not {block.limit}")
        return block

    @property
    def suffix(self):
        return f"_w{self.window}_l{self.limit}" + (f"_s{self.settle}" if self.settle else "")


class Pcs257TxBlock(Block):
    """Transcoder for links with RS(528,514): four 64b/66b blocks to one block of 256b/257b."""

    block = "pcs257-tx"
    gateware = "hdl.pcs.pcs257:Pcs257Tx"
    about = ("four 64b/66b blocks to one of 257 bits (IEEE 802.3 Clause 91).",)


class Pcs257RxBlock(Block):
    """Transcoder for links with RS(528,514): one block of 256b/257b to four 64b/66b blocks."""

    block = "pcs257-rx"
    gateware = "hdl.pcs.pcs257:Pcs257Rx"
    about = ("one block of 257 bits to four 64b/66b blocks (IEEE 802.3 Clause 91).",)


class Mii257TxBlock(Block):
    """256b/257b transmitter of the strict link: four words to one scrambled block."""

    block = "mii257-tx"
    gateware = "hdl.pcs.pcs257:Mii257Tx"
    about = ("four words to a scrambled block of 257 bits, 64b/66b and 256b/257b in one.",)


class Mii257RxBlock(Block):
    """256b/257b receiver of the strict link: one scrambled block to four words."""

    block = "mii257-rx"
    gateware = "hdl.pcs.pcs257:Mii257Rx"
    about = ("a scrambled block of 257 bits to four words, 256b/257b and 64b/66b in one.",)
    roles: ClassVar = counters("blocks", "errored_blocks")


@dataclass(frozen=True)
class FormatBlock(Block):
    """Parameters of a block that sends or receives 256b/260b. Only receivers have ``settle`` in OPTIONS."""

    layout: str
    settle: int = 0

    OPTIONS: ClassVar = {"format": FORMAT}

    @property
    def suffix(self):
        return f"_{self.layout}" + (f"_s{self.settle}" if self.settle else "")

    @property
    def parameters(self):
        return dict(zip(self.OPTIONS, (self.layout, self.settle)))

    @property
    def arguments(self):
        return dict(zip(("layout", "settle"), self.parameters.values()))


class Pcs260TxBlock(FormatBlock):
    """256b/260b transmitter of the light link: four words to one scrambled block."""

    block = "pcs260-tx"
    gateware = "hdl.pcs.pcs260.pcs:Pcs260Tx"
    about = ("256b/260b transmitter, {self.layout} format, four words to a scrambled block.",)


class Pcs260RxBlock(FormatBlock):
    """256b/260b receiver of the light link: one scrambled block to four words, block lock."""

    block = "pcs260-rx"
    gateware = "hdl.pcs.pcs260.pcs:Pcs260Rx"
    about = ("256b/260b receiver, {self.layout} format, with block lock on the 4-bit header.",)
    OPTIONS: ClassVar = {"format": FORMAT, "settle": SETTLE}
    roles: ClassVar = {
        **flags("status", "locked", "slip"),
        **counters("blocks", "header_errors", "corrected_blocks", "errored_blocks"),
    }


@dataclass(frozen=True)
class GearboxBlock(Block):
    """Gearbox: converts words of one width to words of another width."""

    into: int
    out: int
    group: int | None

    block = "gearbox"
    gateware = "hdl.stream.gearbox:Gearbox"
    OPTIONS: ClassVar = {
        "from": integer("Bits of an input word.", 1, 1024, example=257),
        "to": integer("Bits of an output word.", 1, 1024, example=160),
        "group": integer("Bits of a group, which begins with a new word on both sides. Default none.", 1, 1 << 16),
    }

    @classmethod
    def resolve(cls, values):
        from dsnswitch.hdl.stream.gearbox import check

        found = cls(cls.value(values, "from"), cls.value(values, "to"), cls.optional(values, "group"))
        with refusing():
            check(**found.arguments)
        return found

    @property
    def suffix(self):
        return f"_{self.into}_{self.out}" + (f"_g{self.group}" if self.group else "")

    @property
    def about(self):
        grouped = f", in groups of {self.group} bits" if self.group else ""
        return (f"words of {self.into} bits to words of {self.out} bits{grouped}.",)

    @property
    def parameters(self):
        return {"from": self.into, "to": self.out} | ({"group": self.group} if self.group else {})
