"""Table-free routing logic of one configuration."""

from dataclasses import dataclass
from typing import ClassVar

from ...hdl.routing.gateware import route_logic
from ...hdl.routing.registry import relation_of
from ...hdl.topology import Dsn, Network
from ..network.certificate import refuse_deadlock
from ..network.parameters import PROPERTIES, network, spelling, switch_of
from .block import Block
from .streams import flags

__all__ = ["RouteBlock"]


@dataclass(frozen=True)
class RouteBlock(Block):
    """Routing logic without tables: destination and own address to output port."""

    network: Network
    node: tuple | None = None
    register: bool = False

    block = "route"
    PROPERTIES: ClassVar = {
        **PROPERTIES,
        "node": {
            "type": "string",
            "description": "Specialised logic for this node: its address, such as x,y,id or x,id. Default universal.",
        },
        "register": {"type": "boolean", "description": "Register the outputs (latency 1). Default false."},
    }

    @classmethod
    def resolve(cls, values):
        found = network(values)
        refuse_deadlock(relation_of(found))
        return cls(found, switch_of(found, values.get("node")), bool(values.get("register")))

    @property
    def name(self):
        place = "" if self.node is None else "_at_" + "_".join(map(str, self.node))
        family = "dsn_" if isinstance(self.network, Dsn) else ""
        return f"{family}route_{self.network.name}{place}{'_registered' if self.register else ''}"

    @property
    def description(self):
        spelt = None if self.node is None else self.network.spell_switch(self.node)
        flavour = "universal, own address on straps" if spelt is None else f"specialised for node {spelt}"
        title = self.network.title
        return (
            f"{self.name}: table-free routing logic of a switch, {flavour}.",
            f"{title[0].upper()}{title[1:]}, {self.network.nodes} nodes.",
        )

    @property
    def parameters(self):
        node = None if self.node is None else self.network.spell_switch(self.node)
        return {**spelling(self.network), "node": node, "register": self.register}

    def component(self):
        return route_logic(self.network, self.node, register=self.register)

    def interface(self):
        net, node = self.network, self.node
        classes = relation_of(net).classes
        roles = {}
        for field in net.fields:
            base = {"field": field.name, "range": [0, field.size - 1], "encoding": "unsigned"}
            roles[f"own_{field.name}"] = {"role": "own-address", "static": True, **base}
            roles[f"dst_{field.name}"] = {"role": "destination-address", "static": False, **base}
        roles |= flags("arrival-kind", "in_local", *(f"in_{kind}" for kind in classes if kind != "local"))
        roles["in_class"] = {"role": "arrival-class", "static": False, "encoding": "unsigned"}
        roles["out_port"] = {"role": "output-port", "static": False, "encoding": "one-hot"}
        roles["out_class"] = {"role": "output-class", "static": False, "encoding": "unsigned"}
        roles |= flags("arrived", "arrived") | flags("invalid", "invalid")
        return roles, {
            "node": None if node is None else list(node),
            "address": {
                "fields": [{"name": field.name, "size": field.size, "width": field.width} for field in net.fields],
                "number": net.number_formula,
            },
            "outputs": [
                {
                    "index": port.index,
                    "name": port.name,
                    "kind": port.kind,
                    "direction": port.direction,
                    "classes": classes[port.kind],
                }
                for port in net.ports
            ],
            "links": net.link_rows(node),
        }
