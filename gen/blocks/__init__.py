"""Registry of the blocks that can be generated: block name -> parameters -> component.

A new block is a class in a module here and an entry of :data:`BLOCKS`; command line, configuration files, manifest, measuring
flow and tests read nothing else. A block imports its gateware where it uses it, so that reading parameters loads no Amaranth, and
emitting a block loads the gateware of that block only.
"""

from dsnswitch.gen.blocks.baseline import SecdedDecoderBaseline, SecdedEncoderBaseline, TcamBaseline, TorusBaseline
from dsnswitch.gen.blocks.core import SwitchCoreBlock
from dsnswitch.gen.blocks.links import (
    LightLinkBlock,
    LightLinkRxBlock,
    LightLinkTxBlock,
    SelectedLinkBlock,
    SelectedLinkRxBlock,
    SelectedLinkTxBlock,
    StrictLinkBlock,
    StrictLinkRxBlock,
    StrictLinkTxBlock,
)
from dsnswitch.gen.blocks.pcs import (
    GearboxBlock,
    Mii257RxBlock,
    Mii257TxBlock,
    Pcs66RxBlock,
    Pcs66TxBlock,
    Pcs257RxBlock,
    Pcs257TxBlock,
    Pcs260RxBlock,
    Pcs260TxBlock,
)
from dsnswitch.gen.blocks.port import FabricPortBlock
from dsnswitch.gen.blocks.reed_solomon import RsDecoderBlock, RsEncoderBlock
from dsnswitch.gen.blocks.route import RouteBlock
from dsnswitch.gen.blocks.secded import SecdedBlock, SecdedDecoderBlock, SecdedEncoderBlock
from dsnswitch.gen.blocks.switch import SwitchBlock
from dsnswitch.gen.blocks.tables import DirectBlock, ForwardingBlock, TernaryBlock

__all__ = ["BLOCKS", "DEFAULT", "DEVICE"]

_BLOCKS = (
    RouteBlock,
    SecdedBlock,
    SecdedEncoderBlock,
    SecdedDecoderBlock,
    RsEncoderBlock,
    RsDecoderBlock,
    Pcs66TxBlock,
    Pcs66RxBlock,
    Pcs257TxBlock,
    Pcs257RxBlock,
    Mii257TxBlock,
    Mii257RxBlock,
    Pcs260TxBlock,
    Pcs260RxBlock,
    GearboxBlock,
    LightLinkBlock,
    LightLinkTxBlock,
    LightLinkRxBlock,
    StrictLinkBlock,
    StrictLinkTxBlock,
    StrictLinkRxBlock,
    SelectedLinkBlock,
    SelectedLinkTxBlock,
    SelectedLinkRxBlock,
    TernaryBlock,
    DirectBlock,
    ForwardingBlock,
    SwitchCoreBlock,
    FabricPortBlock,
    SwitchBlock,
    TcamBaseline,
    TorusBaseline,
    SecdedEncoderBaseline,
    SecdedDecoderBaseline,
)

#: Every block by the name that ``--block`` takes.
BLOCKS = {block.block: block for block in _BLOCKS}

#: The block that is meant where none is named, except by ``verilog``.
DEFAULT = RouteBlock.block

#: The block that ``verilog`` writes if none is named.
DEVICE = SwitchBlock.block
