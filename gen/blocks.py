"""Registry of everything that can be generated: block name -> configuration -> component.

Command line, manifest and tests all read :data:`BLOCKS`; a new block is a class here and a line in that table.
"""

from dataclasses import dataclass

from ..hdl.routing import RouteLogic
from ..hdl.topology import port_links, ports
from .config import Config, spelling

__all__ = ["BLOCKS", "RouteBlock"]


@dataclass(frozen=True)
class RouteBlock:
    """Table-free routing logic of one configuration."""

    config: Config

    #: Name of the block in :data:`BLOCKS`.
    block = "route"

    @property
    def name(self):
        """Name of the top module."""
        dsn, node = self.config.dsn, self.config.node
        place = "" if node is None else "_at_" + str(node).replace(",", "_")
        return f"dsn_route_{dsn.name}{place}{'_registered' if self.config.register else ''}"

    @property
    def description(self):
        """Lines of the head comment."""
        dsn, node = self.config.dsn, self.config.node
        flavour = "universal, own address on straps" if node is None else f"specialised for node {node}"
        sizes = " x ".join(map(str, dsn.sizes))
        return (
            f"{self.name}: table-free routing logic of a DSN switch, {flavour}.",
            f"{dsn.topology.capitalize()} DSN of {sizes} supernodes {dsn.supernode.name}, {dsn.nodes} nodes.",
        )

    def component(self):
        """A fresh component."""
        return RouteLogic(self.config.dsn, self.config.node, register=self.config.register)

    @property
    def parameters(self):
        """Parameters as the configuration spells them."""
        node = self.config.node
        return {
            **spelling(self.config.dsn),
            "node": None if node is None else str(node),
            "register": self.config.register,
        }

    def interface(self):
        """The block's own part of the manifest: roles of the ports, addresses, output ports and links."""
        dsn, node = self.config.dsn, self.config.node
        fields = [*zip(dsn.dimensions, dsn.sizes), ("id", dsn.m)]
        roles = {}
        for name, size in fields:
            base = {"field": name, "range": [0, size - 1], "encoding": "unsigned"}
            roles[f"own_{name}"] = {"role": "own-address", "static": True, **base}
            roles[f"dst_{name}"] = {"role": "destination-address", "static": False, **base}
        roles["port"] = {"role": "output-port", "static": False, "encoding": "one-hot"}
        roles["arrived"] = {"role": "arrived", "static": False, "encoding": "flag"}
        roles["invalid"] = {"role": "invalid", "static": False, "encoding": "flag"}
        supernode = "y * X + x" if dsn.topology == "grid" else "x"
        return roles, {
            "node": None if node is None else [*node.coordinates, node.id],
            "address": {
                "fields": [{"name": name, "size": size, "width": (size - 1).bit_length()} for name, size in fields],
                "number": f"({supernode}) * m + id",
            },
            "outputs": [
                {"index": port.index, "name": port.name, "kind": port.kind, "direction": port.direction}
                for port in ports(dsn)
            ],
            "links": [
                {
                    "id": own,
                    "output": link.port.index,
                    "kind": link.port.kind,
                    "level": link.level,
                    "offset": link.offset,
                    "to_id": link.to_id,
                }
                for own in (range(dsn.m) if node is None else [node.id])
                for link in port_links(dsn, own)
            ],
        }


#: Every block by the name that ``dsnswitch verilog --block`` takes.
BLOCKS = {block.block: block for block in (RouteBlock,)}
