"""Table-free routing logic of one configuration."""

from dataclasses import dataclass
from typing import ClassVar

from ...hdl.routing.dsn.route import RouteLogic
from ...hdl.topology import Address, Dsn, port_links, ports
from ..network import PROPERTIES, address, network, spelling
from .block import Block

__all__ = ["RouteBlock"]


@dataclass(frozen=True)
class RouteBlock(Block):
    """Table-free routing logic: of a node, or universal (``node`` None)."""

    dsn: Dsn
    node: Address | None = None
    register: bool = False

    block = "route"
    PROPERTIES: ClassVar = {
        **PROPERTIES,
        "node": {
            "type": "string",
            "description": "Specialised logic for this node: x,y,id or x,id. Default universal.",
        },
        "register": {"type": "boolean", "description": "Register the outputs (latency 1). Default false."},
    }

    @classmethod
    def resolve(cls, values):
        dsn = network(values)
        node = address(dsn, values["node"]) if values.get("node") is not None else None
        return cls(dsn, node, bool(values.get("register")))

    @property
    def name(self):
        place = "" if self.node is None else "_at_" + str(self.node).replace(",", "_")
        return f"dsn_route_{self.dsn.name}{place}{'_registered' if self.register else ''}"

    @property
    def description(self):
        dsn, node = self.dsn, self.node
        flavour = "universal, own address on straps" if node is None else f"specialised for node {node}"
        sizes = " x ".join(map(str, dsn.sizes))
        return (
            f"{self.name}: table-free routing logic of a DSN switch, {flavour}.",
            f"{dsn.topology.capitalize()} DSN of {sizes} supernodes {dsn.supernode.name}, {dsn.nodes} nodes.",
        )

    @property
    def parameters(self):
        node = None if self.node is None else str(self.node)
        return {**spelling(self.dsn), "node": node, "register": self.register}

    def component(self):
        return RouteLogic(self.dsn, self.node, register=self.register)

    def interface(self):
        dsn, node = self.dsn, self.node
        fields = [*zip(dsn.dimensions, dsn.sizes), ("id", dsn.m)]
        roles = {}
        for name, size in fields:
            base = {"field": name, "range": [0, size - 1], "encoding": "unsigned"}
            roles[f"own_{name}"] = {"role": "own-address", "static": True, **base}
            roles[f"dst_{name}"] = {"role": "destination-address", "static": False, **base}
        roles["out_port"] = {"role": "output-port", "static": False, "encoding": "one-hot"}
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
