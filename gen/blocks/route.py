"""Routing logic of one network, without tables."""

from dataclasses import dataclass
from typing import ClassVar

from ...hdl.routing.gateware import route_logic
from ...hdl.routing.registry import ROUTINGS
from ...hdl.topology import Dsn, Network
from ..network.certificate import refuse_deadlock
from ..network.parameters import PROPERTIES, network, spelling, switch_of
from ..network.routing import PROPERTY, routed
from .block import Block
from .flags import flags

__all__ = ["RouteBlock"]


@dataclass(frozen=True)
class RouteBlock(Block):
    """Routing logic without tables: destination and own address to output port."""

    network: Network
    node: tuple | None = None
    register: bool = False
    routing: str = ROUTINGS[0]

    block = "route"
    PROPERTIES: ClassVar = {
        **PROPERTIES,
        "node": {
            "type": "string",
            "description": "Specialised logic for this node: its address, such as x,y,id or x,id. Default universal.",
        },
        "register": {"type": "boolean", "description": "Register the outputs (latency 1). Default false."},
        "routing": PROPERTY,
    }

    @classmethod
    def resolve(cls, values):
        found = network(values)
        routing = values.get("routing") or ROUTINGS[0]
        refuse_deadlock(routed(found, routing))
        return cls(found, switch_of(found, values.get("node")), bool(values.get("register")), routing)

    @property
    def name(self):
        place = "" if self.node is None else "_at_" + "_".join(map(str, self.node))
        family = "dsn_" if isinstance(self.network, Dsn) else ""
        routing = "" if self.routing == ROUTINGS[0] else f"{self.routing.replace('-', '_')}_"
        return f"{family}{routing}route_{self.network.name}{place}{'_registered' if self.register else ''}"

    @property
    def description(self):
        spelt = None if self.node is None else self.network.spell_switch(self.node)
        flavour = "universal, own address on straps" if spelt is None else f"specialised for node {spelt}"
        routing = "" if self.routing == ROUTINGS[0] else f"{self.routing} "
        title = self.network.title
        return (
            f"{self.name}: table-free {routing}routing logic of a switch, {flavour}.",
            f"{title[0].upper()}{title[1:]}, {self.network.nodes} nodes.",
        )

    @property
    def parameters(self):
        node = None if self.node is None else self.network.spell_switch(self.node)
        return {**spelling(self.network), "node": node, "register": self.register, "routing": self.routing}

    def component(self):
        return route_logic(self.network, self.node, register=self.register, routing=self.routing)

    def interface(self):
        net, node = self.network, self.node
        classes = routed(net, self.routing).classes
        roles = {}
        for field in net.fields:
            base = {"field": field.name, "range": [0, field.size - 1], "encoding": "unsigned"}
            roles[f"own_{field.name}"] = {"role": "own-address", "static": True, **base}
            roles[f"dst_{field.name}"] = {"role": "destination-address", "static": False, **base}
        roles |= flags("arrival-kind", "in_local", *(f"in_{kind}" for kind in classes if kind != "local"))
        roles |= flags("arrival-direction", "in_down")
        roles["in_port"] = {"role": "arrival-port", "static": False, "encoding": "one-hot"}
        roles["dead"] = {"role": "dead-port", "static": False, "encoding": "flags"}
        for name in ("in_detour", "out_detour"):
            roles[name] = {"role": "packet-detour", "static": False, "encoding": "flags"}
        roles["in_class"] = {"role": "arrival-class", "static": False, "encoding": "unsigned"}
        roles["out_port"] = {"role": "output-port", "static": False, "encoding": "one-hot"}
        roles["out_class"] = {"role": "output-class", "static": False, "encoding": "unsigned"}
        roles |= flags("arrived", "arrived") | flags("undeliverable", "undeliverable") | flags("invalid", "invalid")
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
