"""Registry of the blocks that can be generated: block name -> parameters -> component.

A new block is a class in a module here and an entry of :data:`BLOCKS`; command line, configuration files, manifest, measuring
flow and tests read nothing else. A block names its gateware, which is imported when a component is made. So reading parameters
loads no Amaranth, and emitting a block loads the gateware of that block only.
"""

from typing import Any

from dsnswitch.gen.blocks import baseline, core, links, pcs, port, reed_solomon, route, secded, switch, tables
from dsnswitch.net.messages import closest, shortened, suggested

_BLOCKS = (
    route.RouteBlock,
    *(secded.SecdedBlock, secded.SecdedEncoderBlock, secded.SecdedDecoderBlock),
    *(reed_solomon.RsEncoderBlock, reed_solomon.RsDecoderBlock),
    *(pcs.Pcs66TxBlock, pcs.Pcs66RxBlock, pcs.Pcs257TxBlock, pcs.Pcs257RxBlock, pcs.Mii257TxBlock, pcs.Mii257RxBlock),
    *(pcs.Pcs260TxBlock, pcs.Pcs260RxBlock, pcs.GearboxBlock),
    *(links.LightLinkBlock, links.LightLinkTxBlock, links.LightLinkRxBlock),
    *(links.StrictLinkBlock, links.StrictLinkTxBlock, links.StrictLinkRxBlock),
    *(links.SelectedLinkBlock, links.SelectedLinkTxBlock, links.SelectedLinkRxBlock),
    *(tables.TernaryBlock, tables.DirectBlock, tables.ForwardingBlock),
    *(core.SwitchCoreBlock, port.FabricPortBlock, switch.SwitchBlock),
    *(baseline.TcamBaseline, baseline.TorusBaseline),
    *(baseline.SecdedEncoderBaseline, baseline.SecdedDecoderBaseline),
)

#: Every block by the name that ``--block`` takes.
BLOCKS = {block.block: block for block in _BLOCKS}


#: Letters of the shortest word that is searched for.
LEAST_SEARCHED = 3


def search(word: str) -> Any:
    """Names of the blocks whose name or description has the word, or whose parameters have it as a value."""
    word = word.lower()
    if len(word) < LEAST_SEARCHED:
        return []
    return [name for name, block in BLOCKS.items() if word in f"{name} {block.__doc__} {block.OPTIONS}".lower()]


def no_block(name) -> str:
    """The message that there is no block ``name``: it names the nearest, or one that a search finds."""
    near = closest(name, BLOCKS) or next(iter(search(name)), None)
    return f"There is no block {shortened(name, 40)!r}{suggested(near, 'dsnswitch blocks lists all')}"


#: The block that is meant where none is named, except by ``verilog``.
DEFAULT = route.RouteBlock.block

#: The block that ``verilog`` writes if none is named.
DEVICE = switch.SwitchBlock.block
