"""Registry of the blocks that can be generated: block name -> parameters -> component.

A new block is a class in a module here and an entry of :data:`BLOCKS`; command line, configuration files, manifest, measuring
flow and tests read nothing else.
"""

from .baseline import TcamBaseline, TorusBaseline
from .baseline_secded import SecdedDecoderBaseline, SecdedEncoderBaseline
from .block import Block
from .device import SwitchBlock
from .fabric import FabricPortBlock
from .forwarding import ForwardingBlock
from .gearbox import GearboxBlock
from .link import LightLinkBlock, LightLinkRxBlock, LightLinkTxBlock
from .pcs import (
    Mii257RxBlock,
    Mii257TxBlock,
    Pcs66RxBlock,
    Pcs66TxBlock,
    Pcs257RxBlock,
    Pcs257TxBlock,
    Pcs260RxBlock,
    Pcs260TxBlock,
)
from .reed_solomon import RsDecoderBlock, RsEncoderBlock
from .route import RouteBlock
from .secded import SecdedBlock, SecdedDecoderBlock, SecdedEncoderBlock
from .selected import SelectedLinkBlock, SelectedLinkRxBlock, SelectedLinkTxBlock
from .strict import StrictLinkBlock, StrictLinkRxBlock, StrictLinkTxBlock
from .switch import SwitchCoreBlock
from .tables import DirectBlock, TernaryBlock

__all__ = ["BLOCKS", "DEFAULT", "DEVICE", "Block"]

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
