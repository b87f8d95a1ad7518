"""Registry of everything that can be generated: block name -> parameters -> component.

A new block is a class in a module here and an entry of :data:`BLOCKS`; command line, configuration files, manifest, measuring
flow and tests read nothing else.
"""

from .baseline import TcamBaseline, TorusBaseline
from .block import Block
from .route import RouteBlock

__all__ = ["BLOCKS", "DEFAULT", "Block"]

#: Every block by the name that ``--block`` takes.
BLOCKS = {block.block: block for block in (RouteBlock, TcamBaseline, TorusBaseline)}

#: The block that is meant where none is named.
DEFAULT = RouteBlock.block
