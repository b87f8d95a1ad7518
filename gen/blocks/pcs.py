"""Physical coding sublayers."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block, counters, flags
from dsnswitch.net.messages import UsageError
from dsnswitch.net.properties import choice, integer

__all__ = [
    "FORMAT",
    "SETTLE",
    "FormatBlock",
    "Mii257RxBlock",
    "Mii257TxBlock",
    "Pcs66RxBlock",
    "Pcs66TxBlock",
    "Pcs257RxBlock",
    "Pcs257TxBlock",
    "Pcs260RxBlock",
    "Pcs260TxBlock",
    "PlainBlock",
    "GearboxBlock",
]

SETTLE = integer(
    "Number of blocks that the receiver ignores after a slip, because they were already on their way.", 0, 1023, 0
)
FORMAT = choice("Format of 256b/260b.", ("protected", "literal"))


class PlainBlock(Block):
    """A block without parameters."""

    PROPERTIES: ClassVar = {}

    @classmethod
    def resolve(cls, values):
        return cls()

    @property
    def name(self):
        return self.block.replace("-", "_")


@dataclass(frozen=True)
class Pcs66TxBlock(PlainBlock):
    """64b/66b transmitter, as in 10 Gb/s Ethernet: words of 8 octets to scrambled blocks."""

    block = "pcs66-tx"

    @property
    def description(self):
        return (f"{self.name}: 64b/66b transmitter, a word of 8 octets to a scrambled block (IEEE 802.3 Clause 49).",)

    def component(self):
        from dsnswitch.hdl.pcs.pcs66.pcs import Pcs66Tx

        return Pcs66Tx()


@dataclass(frozen=True)
class Pcs66RxBlock(Block):
    """64b/66b receiver, as in 10 Gb/s Ethernet, with block lock and BER monitor."""

    window: int
    limit: int
    settle: int

    block = "pcs66-rx"
    PROPERTIES: ClassVar = {
        "window": integer("Blocks per window of the BER monitor.", 2, 1 << 24, 19531, "125 us at 10.3125 Gb/s"),
        "limit": integer("Invalid headers per window that signal a high bit error rate.", 1, 1 << 16, 16),
        "settle": SETTLE,
    }

    @classmethod
    def resolve(cls, values):
        block = cls(*(cls.value(values, key) for key in cls.PROPERTIES))
        if block.limit > block.window:
            raise UsageError(f"limit must be at most window, {block.window}, not {block.limit}")
        return block

    @property
    def name(self):
        return f"pcs66_rx_w{self.window}_l{self.limit}" + (f"_s{self.settle}" if self.settle else "")

    @property
    def description(self):
        return (f"{self.name}: 64b/66b receiver with block lock and BER monitor (IEEE 802.3 Clause 49).",)

    def component(self):
        from dsnswitch.hdl.pcs.pcs66.pcs import Pcs66Rx

        return Pcs66Rx(self.window, self.limit, self.settle)

    def interface(self):
        return {
            **flags("status", "locked", "slip", "high_ber"),
            **counters("invalid_headers", "errored_blocks"),
        }, {}


@dataclass(frozen=True)
class Pcs257TxBlock(PlainBlock):
    """Transcoder for links with RS(528,514): four 64b/66b blocks to one block of 256b/257b."""

    block = "pcs257-tx"

    @property
    def description(self):
        return (f"{self.name}: four 64b/66b blocks to one of 257 bits (IEEE 802.3 Clause 91).",)

    def component(self):
        from dsnswitch.hdl.pcs.pcs257 import Pcs257Tx

        return Pcs257Tx()


@dataclass(frozen=True)
class Pcs257RxBlock(PlainBlock):
    """Transcoder for links with RS(528,514): one block of 256b/257b to four 64b/66b blocks."""

    block = "pcs257-rx"

    @property
    def description(self):
        return (f"{self.name}: one block of 257 bits to four 64b/66b blocks (IEEE 802.3 Clause 91).",)

    def component(self):
        from dsnswitch.hdl.pcs.pcs257 import Pcs257Rx

        return Pcs257Rx()


@dataclass(frozen=True)
class Mii257TxBlock(PlainBlock):
    """256b/257b transmitter of the strict link: four words to one scrambled block."""

    block = "mii257-tx"

    @property
    def description(self):
        return (f"{self.name}: four words to a scrambled block of 257 bits, 64b/66b and 256b/257b in one.",)

    def component(self):
        from dsnswitch.hdl.pcs.pcs257 import Mii257Tx

        return Mii257Tx()


@dataclass(frozen=True)
class Mii257RxBlock(PlainBlock):
    """256b/257b receiver of the strict link: one scrambled block to four words."""

    block = "mii257-rx"

    @property
    def description(self):
        return (f"{self.name}: a scrambled block of 257 bits to four words, 256b/257b and 64b/66b in one.",)

    def component(self):
        from dsnswitch.hdl.pcs.pcs257 import Mii257Rx

        return Mii257Rx()

    def interface(self):
        return {
            **counters("blocks", "errored_blocks"),
        }, {}


@dataclass(frozen=True)
class FormatBlock(Block):
    """Parameters of a block that sends or receives 256b/260b. Only receivers have ``settle`` in PROPERTIES."""

    layout: str
    settle: int = 0

    PROPERTIES: ClassVar = {"format": FORMAT}

    @classmethod
    def resolve(cls, values):
        return cls(*(cls.value(values, key) for key in cls.PROPERTIES))

    @property
    def name(self):
        return f"{self.block.replace('-', '_')}_{self.layout}" + (f"_s{self.settle}" if self.settle else "")

    @property
    def parameters(self):
        values = {"format": self.layout, "settle": self.settle}
        return {key: values[key] for key in self.PROPERTIES}


class Pcs260TxBlock(FormatBlock):
    """256b/260b transmitter of the light link: four words to one scrambled block."""

    block = "pcs260-tx"

    @property
    def description(self):
        return (f"{self.name}: 256b/260b transmitter, {self.layout} format, four words to a scrambled block.",)

    def component(self):
        from dsnswitch.hdl.pcs.pcs260.pcs import Pcs260Tx

        return Pcs260Tx(self.layout)


class Pcs260RxBlock(FormatBlock):
    """256b/260b receiver of the light link: one scrambled block to four words, block lock."""

    block = "pcs260-rx"
    PROPERTIES: ClassVar = {"format": FORMAT, "settle": SETTLE}

    @property
    def description(self):
        return (f"{self.name}: 256b/260b receiver, {self.layout} format, with block lock on the 4-bit header.",)

    def component(self):
        from dsnswitch.hdl.pcs.pcs260.pcs import Pcs260Rx

        return Pcs260Rx(self.layout, self.settle)

    def interface(self):
        return {
            **flags("status", "locked", "slip"),
            **counters("blocks", "header_errors", "corrected_blocks", "errored_blocks"),
        }, {}


# Gearboxes.


@dataclass(frozen=True)
class GearboxBlock(Block):
    """Gearbox: converts words of one width to words of another width."""

    into: int
    out: int
    group: int | None

    block = "gearbox"
    PROPERTIES: ClassVar = {
        "from": integer("Bits of an input word.", 1, 1024),
        "to": integer("Bits of an output word.", 1, 1024),
        "group": integer("Bits of a group, which begins with a new word on both sides. Default none.", 1, 1 << 16),
    }

    @classmethod
    def resolve(cls, values):
        from dsnswitch.hdl.stream.gearbox import check

        into, out = (cls.value(values, key) for key in ("from", "to"))
        group = cls.optional(values, "group")
        try:
            check(into, out, group)
        except ValueError as error:
            raise UsageError(str(error)) from None
        return cls(into, out, group)

    @property
    def name(self):
        return f"gearbox_{self.into}_{self.out}" + (f"_g{self.group}" if self.group else "")

    @property
    def description(self):
        grouped = f", in groups of {self.group} bits" if self.group else ""
        return (f"{self.name}: words of {self.into} bits to words of {self.out} bits{grouped}.",)

    @property
    def parameters(self):
        return {"from": self.into, "to": self.out} | ({"group": self.group} if self.group else {})

    def component(self):
        from dsnswitch.hdl.stream.gearbox import Gearbox

        return Gearbox(self.into, self.out, self.group)
