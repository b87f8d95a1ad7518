"""Routing logic of one network, without tables."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from dsnswitch.gen.blocks.block import Block, flags, node_suffix, ports
from dsnswitch.net.files.options import CORE, MAX_P, NETWORK, ROUTING
from dsnswitch.net.files.parameters import (
    chosen_classes,
    network_and_sized,
    routed,
    routing_of,
    routing_values,
    switch_of,
    without_sizes,
)
from dsnswitch.net.options import text
from dsnswitch.net.routing.certificate import refuse_deadlock
from dsnswitch.net.routing.registry import ROUTINGS, WITHOUT_LOGIC, refuse_logic
from dsnswitch.net.topology.network import Network


@dataclass(frozen=True)
class RouteBlock(Block):
    """Routing logic without tables: output port from destination and own address."""

    network: Network
    node: tuple | None = None
    register: bool = False
    routing: str = ROUTINGS[0]
    sized: bool = False
    classes: int | None = None

    block = "route"
    gateware = "hdl.routing.gateware:route_logic"
    OPTIONS: ClassVar = {
        **NETWORK,
        "node": text("Specialised logic for this node: its address, such as 3,5,7. Default universal."),
        "register": replace(CORE["register"], needs=None),
        **ROUTING,
        "routing": replace(ROUTING["routing"], words=ROUTINGS),
        "max_p": MAX_P,
    }

    @classmethod
    def resolve(cls, values: dict[str, Any]) -> Any:
        found, sized = network_and_sized(values)
        routing = routing_of(values)
        refuse_logic(found, values.get("node"), WITHOUT_LOGIC)
        classes = chosen_classes(found, routing, cls.optional(values, "classes"))
        refuse_deadlock(routed(found, routing, classes))
        node = switch_of(found, values.get("node"))
        return cls(found, node, cls.value(values, "register"), routing, sized, classes)

    @property
    def name(self) -> str:
        family = self.network.prefix
        routing = "" if self.routing == ROUTINGS[0] else f"{self.routing.replace('-', '_')}_"
        routing += f"c{self.classes}_" if self.classes else ""
        if self.sized:
            family += "sized_"
        tail = "_registered" if self.register else ""
        return f"{family}{routing}route_{self.network.name}{node_suffix(self.node)}{tail}"

    @property
    def about(self) -> tuple[str, str]:
        spelt = None if self.node is None else self.network.spell_switch(self.node)
        flavour = "universal, own address on straps" if spelt is None else f"specialised for node {spelt}"
        routing = "" if self.routing == ROUTINGS[0] else f"{self.routing} "
        title = self.network.title
        if self.sized:
            flavour += ", sizes as inputs"
            title = f"every size up to a {title}"
        return (
            f"table-free {routing}routing logic of a switch, {flavour}.",
            f"{title[0].upper()}{title[1:]}, {self.network.nodes} nodes.",
        )

    @property
    def parameters(self) -> dict[str, Any]:
        node = None if self.node is None else self.network.spell_switch(self.node)
        found = {**self.network.parameters, "node": node, "register": self.register, **routing_values(self.routing)}
        if self.classes:
            found["classes"] = self.classes
        return without_sizes(found, self.network) if self.sized else found

    @property
    def roles(self) -> dict[str, dict]:
        found, names = {}, {"bits": [port.name for port in self.network.ports]}
        for field in self.network.fields:
            size = {"field": field.name, "range": [1, field.size], "encoding": "unsigned"}
            found |= ports("network-size", f"size_{field.name}", static=True, **size)
        for name in ("arrived", "undeliverable", "invalid"):
            found |= flags(name, name)
        return {
            **found,
            **flags("may-return", "returns"),
            **ports("arrival-port", "in_port", encoding="one-hot", **names),
            **ports("arrival-class", "in_class", encoding="unsigned"),
            **ports("output-port", "out_port", "other_port", encoding="one-hot", **names),
            **ports("output-class", "out_class", "other_class", encoding="unsigned"),
            **ports("packet-state", "in_state", "out_state", encoding="flags"),
            **ports("dead-port", "dead", encoding="flags", **names),
        }

    @property
    def facts(self) -> dict[str, Any]:
        return network_facts(self.network, self.node, routed(self.network, self.routing, self.classes).classes)


def network_facts(net, node, classes):
    """What the manifest says of a network and of one switch, or every switch if ``node`` is None.

    ``classes`` are the virtual channel classes by kind of port.
    """
    return {
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
