"""The switch core of one configuration."""

import re
from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block, flags, node_suffix, ports
from dsnswitch.gen.blocks.route import RouteBlock, network_and_sized, network_facts, without_sizes
from dsnswitch.gen.blocks.secded import code_entry
from dsnswitch.gen.blocks.tables import ForwardingBlock, action_list
from dsnswitch.hdl.core.shape import LOOKUPS, MAX_AGE, MAX_HOSTS, CoreShape, TableOptions
from dsnswitch.net.files.parameters import (
    MAX_P,
    PROPERTIES,
    ROUTING_OPTIONS,
    chosen_classes,
    routed,
    routing_of,
    routing_values,
    switch_of,
)
from dsnswitch.net.messages import UsageError, refusing
from dsnswitch.net.properties import choice, integer, text
from dsnswitch.net.routing.certificate import refuse_deadlock
from dsnswitch.net.routing.registry import ROUTINGS, refuse_logic

#: Whether flits are offered before they are corrected.
SPECULATIONS = ("off", "on")

#: Parameters of a forwarding block.
FORWARDING = tuple(ForwardingBlock.PROPERTIES)
#: Those of the table.
TABLE = ("kind", "keys", "entries", "stages")


@dataclass(frozen=True)
class SwitchCoreBlock(Block):
    """Input-buffered switch with virtual channels, without links."""

    shape: CoreShape

    block = "switch-core"
    gateware = "hdl.core.core:SwitchCore"
    breakdown = True
    PROPERTIES: ClassVar = {
        **PROPERTIES,
        "node": text("Specialised core of this node, with the ports that have a link. Default universal."),
        "hosts": integer(
            "Host ports. Default those of the topology's switches, 1 where it leaves that open.", 1, MAX_HOSTS
        ),
        "flit": integer("Bits of a flit.", 16, 512, 256),
        "packet": integer("Flits of the longest packet.", 1, 255, 33),
        "depth": integer("Flits that the buffer of a virtual channel holds. Default two longest packets.", 2, 4096),
        "channels": text(
            "Virtual channels per class: 1, 2, 4 or 8 for every port, or by kind of port, such as x=4,y=4,host=4.",
            default="1",
        ),
        "pool": text(
            "Flits that the channels of a port share, besides --depth flits of each: for every port, but not for those of hosts"
            " in a switch, or by kind of port, such as x=48,y=48,local=24. Default none."
        ),
        "age": integer(
            "Bits of an age in the header, by which outputs prefer packets that have waited longer; 0 for none.",
            0,
            MAX_AGE,
            0,
        ),
        "lookup": choice(
            "How a packet finds its output: algorithm, table, or forwarding, the algorithm with a table to fall back on.",
            LOOKUPS,
        ),
        **ROUTING_OPTIONS,
        "max_p": MAX_P,
        "register": RouteBlock.PROPERTIES["register"],
        "layers": integer("Classes of every port with lookup by table.", 1, 8, 1),
        "speculate": choice(
            "Whether ports to other switches offer flits to the core before they are corrected, a cycle earlier. on needs a "
            "light link. Default on for a switch with light links, else off.",
            SPECULATIONS,
            optional=True,
        ),
        **{key: ForwardingBlock.PROPERTIES[key] for key in TABLE},
    }

    @classmethod
    def resolve(cls, values, hosts_have_pools=True):
        """As :meth:`Block.resolve`. A host port of a switch has no pool, so a single number is not for it there."""
        from dsnswitch.hdl.core.packet import Header

        found, sized = network_and_sized(cls, values)
        lookup, routing = cls.value(values, "lookup"), routing_of(values)
        classes = None
        if lookup != "table":
            refuse_logic(found, values.get("node"))
        if lookup != "table" or not found.has_rules:
            classes = chosen_classes(found, routing, cls.optional(values, "classes"))
            refuse_deadlock(routed(found, routing, classes))
        node = switch_of(found, values.get("node"))
        kinds = dict.fromkeys([*(port.kind for port in found.ports), "host"])
        if lookup == "algorithm":
            for key in TABLE:
                if key in values:
                    raise UsageError(f"A lookup by algorithm has no table, so it takes no {key} (= {values[key]})")
        names = ("hosts", "flit", "packet", "depth", "layers", "age")
        options = {key: cls.optional(values, key) for key in names}
        options |= {
            "lookup": lookup,
            "routing": routing,
            "detour_classes": classes,
            "sized": sized,
            "register": cls.value(values, "register"),
            "speculative": cls.optional(values, "speculate") == "on",
        }
        if lookup != "algorithm":
            found_table = ForwardingBlock.of(found, {key: value for key, value in values.items() if key in FORWARDING})
            options["table"] = TableOptions(*(getattr(found_table, key) for key in TABLE))
        pooled = kinds if hosts_have_pools else [kind for kind in kinds if kind != "host"]
        spread, pool = (
            _by_kind(key, values[key], of) if key in values else {}
            for key, of in (("channels", kinds), ("pool", pooled))
        )
        with refusing((TypeError, ValueError)):
            shape = CoreShape(found, node, spread=tuple(spread.items()), pool=tuple(pool.items()), **options)
            Header(shape).check()
        return cls(shape)

    @property
    def suffix(self):
        return self.sizes + ("_speculate" if self.shape.speculative else "")

    @property
    def sizes(self):
        """End of the name, without speculation."""
        shape = self.shape
        spread = "".join(f"_{kind}{number}" for kind, number in shape.spread if number > 1)
        sizes = f"h{shape.host_ports}_f{shape.flit}_p{shape.packet}_d{shape.depth}"
        table = shape.table
        store = f"{table.keys}{table.entries}_s{table.stages}" if table.kind == "ternary" else "direct"
        lookup = "" if shape.lookup == "algorithm" else f"_{shape.lookup}_{store}"
        layers = f"_l{shape.layers}" if shape.layers > 1 else ""
        lookup += f"_{shape.routing.replace('-', '_')}" if shape.routing != ROUTINGS[0] else ""
        lookup += f"_c{shape.detour_classes}" if shape.detour_classes else ""
        lookup += "_registered" if shape.register else ""
        spread += "".join(f"_{kind}_pool{flits}" for kind, flits in shape.pool)
        spread += f"_age{shape.age}" if shape.age else ""
        sized = "_sized" if shape.sized else ""
        return f"{sized}_{shape.network.name}{node_suffix(shape.node)}_{sizes}{spread}{lookup}{layers}"

    @property
    def about(self):
        shape = self.shape
        title = f"every size up to a {shape.network.title}" if shape.sized else shape.network.title
        longest = f"{shape.packet} flit{'s' if shape.packet > 1 else ''}"
        return (
            f"switch core with {len(shape.ports)} ports and {len(shape.sources)} input channels.",
            f"{title[0].upper()}{title[1:]}; flits of {shape.flit} bits, packets of up to {longest}.",
        )

    @property
    def parameters(self):
        shape = self.shape
        node = None if shape.node is None else shape.network.spell_switch(shape.node)
        found = {
            **shape.network.parameters,
            "node": node,
            **{key: getattr(shape, key) for key in ("hosts", "flit", "packet", "depth")},
            "channels": ",".join(f"{kind}={number}" for kind, number in shape.spread) or self.default("channels"),
            **({"pool": ",".join(f"{kind}={flits}" for kind, flits in shape.pool)} if shape.pool else {}),
            **({"age": shape.age} if shape.age else {}),
            "lookup": shape.lookup,
            **(routing_values(shape.routing) if shape.routing != ROUTINGS[0] else {}),
            **({"classes": shape.detour_classes} if shape.detour_classes else {}),
            **({"register": True} if shape.register else {}),
            **({"speculate": "on"} if shape.speculative else {}),
            **self._table,
        }
        return without_sizes(found, shape.network) if shape.sized else found

    @property
    def _table(self):
        """Parameters of the table, where there is one."""
        shape, table = self.shape, self.shape.table
        if shape.lookup == "algorithm":
            return {}
        size = {key: getattr(table, key) for key in (TABLE if table.kind == "ternary" else TABLE[:1])}
        return size | ({"layers": shape.layers} if shape.lookup == "table" else {})

    @property
    def _reordering(self):
        """What may change the order of the packets of a source and a destination while it changes."""
        if self.shape.has_detours:
            return ["link", "dead"]
        return {"algorithm": [], "table": ["table"], "forwarding": ["link", "dead", "mode", "table"]}[self.shape.lookup]

    def _storage(self, port):
        """With shared buffers: flits of a port, those of them in its pool, and the most that a channel can hold."""
        shape = self.shape
        if not shape.pool:
            return {}
        return {"flits": shape.storage(port), "pool": shape.pool_of(port), "channel_flits": shape.most(port)}

    @property
    def _lookup(self):
        """The block that finds the outputs."""
        shape = self.shape
        if shape.lookup == "algorithm":
            options = {"classes": shape.detour_classes, "sized": shape.sized, "register": shape.register}
            return RouteBlock(shape.network, shape.node, routing=shape.routing, **options)
        return ForwardingBlock(shape.network, shape.node, *(getattr(shape.table, key) for key in TABLE))

    @property
    def roles(self):
        from dsnswitch.hdl.core.arrival import EVENTS

        inner = {
            name: role for name, role in self._lookup.roles.items() if name not in ("arrived", "invalid", "out_port")
        }
        stalls = flags("stall", *(f"{port.name}_stall" for port in self.shape.ports))
        sure = (f"{port.name}_sure" for port in self.shape.ports if self.shape.speculates(port))
        events = ports("packet-event", *EVENTS, encoding="flags", bits=[port.name for port in self.shape.ports])
        return inner | stalls | flags("confirmation", *sure) | events

    @property
    def facts(self):
        from dsnswitch.gen.fields import fields
        from dsnswitch.hdl.core.packet import Header

        shape, header = self.shape, Header(self.shape)
        actions = {} if shape.lookup == "algorithm" else {"actions": action_list(shape.network)}
        return {
            **network_facts(shape.network, shape.node, shape.classes),
            **actions,
            "code": code_entry(header.code),
            "header": fields(header.layout),
            **({"age_cycles": shape.age_unit} if shape.age else {}),
            "order": {
                "per": ["source", "destination"],
                "except_while_changing": self._reordering,
                **({"only": "flags.ordered"} if shape.is_adaptive else {}),
            },
            "core_ports": [
                {key: getattr(port, key) for key in ("name", "kind", "index", "classes", "channels")}
                | self._storage(port)
                for port in shape.ports
            ],
        }


def usual_sizes():
    """Flit, packet and depth of a core that is emitted without these options."""
    return SwitchCoreBlock.resolve({"topology": "torus:2"}).parameters


def _by_kind(key, spelt, kinds):
    """``{kind: number}`` of a text such as ``4`` or ``x=4,host=2``."""
    if re.fullmatch("[0-9]{1,4}", spelt):
        return dict.fromkeys(kinds, int(spelt))
    found = {}
    for part in spelt.split(","):
        if not re.fullmatch("[a-z0-9]{1,9}=[0-9]{1,4}", part):
            raise UsageError(f"{key} must be a number, or KIND=NUMBER with commas between them, not {spelt!r}")
        kind, number = part.split("=")
        if kind in found:
            raise UsageError(f"{key} names {kind} twice: {spelt!r}")
        found[kind] = int(number)
    return found
