"""The switch core of one configuration."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block, flags, node_suffix, ports
from dsnswitch.gen.blocks.route import RouteBlock, network_facts
from dsnswitch.gen.blocks.secded import code_entry
from dsnswitch.gen.blocks.tables import ForwardingBlock, action_list
from dsnswitch.hdl.core.shape import CoreShape
from dsnswitch.net.files.options import CORE, NETWORK


@dataclass(frozen=True)
class SwitchCoreBlock(Block):
    """Input-buffered switch with virtual channels, without links."""

    shape: CoreShape

    block = "switch-core"
    gateware = "hdl.core.core:SwitchCore"
    breakdown = True
    OPTIONS: ClassVar = NETWORK | CORE

    @classmethod
    def resolve(cls, values, hosts_have_pools=True):
        """As :meth:`Block.resolve`. A host port of a switch has no pool, so a single number is not for it there."""
        from dsnswitch.hdl.core.spelling import shape_of

        return cls(shape_of(values, hosts_have_pools))

    @property
    def suffix(self):
        return self.sizes + CORE["speculate"].ending("on" if self.shape.speculative else None)

    @property
    def sizes(self):
        """End of the name, without speculation."""
        from dsnswitch.hdl.core.spelling import ending

        shape = self.shape
        return f"{'_sized' if shape.sized else ''}_{shape.network.name}{node_suffix(shape.node)}{ending(shape)}"

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
        from dsnswitch.hdl.core.spelling import parameters

        return parameters(self.shape)

    @property
    def _reordering(self):
        """What may change the order of the packets of a source and a destination while it changes."""
        if self.shape.has_detours:
            return ["link", "dead"]
        return {"algorithm": [], "table": ["table"], "forwarding": ["link", "dead", "mode", "table"]}[self.shape.lookup]

    def _storage(self, port):
        """With shared buffers: flits of a port, those of them in its pool, and the most that a channel can hold.

        With several virtual networks: the channels of each, and its pool.
        """
        shape = self.shape
        numbers = range(shape.virtual_networks)
        pools = [
            {"pool": shape.pool_of(port, number), "channel_flits": shape.most(port, number)} if shape.pool else {}
            for number in numbers
        ]
        flits = {"flits": shape.storage(port)} if shape.pool else {}
        if shape.virtual_networks == 1:
            return flits | pools[0]
        return flits | {"virtual_networks": [{"channels": share.channels, **pool} for share, pool in zip(port.shares, pools)]}

    @property
    def _lookup(self):
        """The block that finds the outputs."""
        shape = self.shape
        if shape.lookup == "algorithm":
            return RouteBlock(shape.network, shape.node, shape.register, shape.routing, shape.sized, shape.detour_classes)
        return ForwardingBlock(shape.network, shape.node, shape.table)

    @property
    def roles(self):
        from dsnswitch.hdl.core.arrival import EVENTS

        inner = {name: role for name, role in self._lookup.roles.items() if name not in ("arrived", "invalid", "out_port")}
        stalls = flags("stall", *(f"{port.name}_stall" for port in self.shape.ports))
        confirmed = (f"{port.name}_confirmed" for port in self.shape.ports if self.shape.speculates(port))
        events = ports("packet-event", *EVENTS, encoding="flags", bits=[port.name for port in self.shape.ports])
        service = ports("virtual-network-service", *self.shape.service_inputs)
        return inner | stalls | flags("confirmation", *confirmed) | service | events

    @property
    def facts(self):
        from dsnswitch.gen.fields import fields
        from dsnswitch.hdl.core.core import state_of
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
                **({"only": "flags.ordered"} if shape.keeps_marked else {}),
            },
            "core_ports": [
                {key: getattr(port, key) for key in ("name", "kind", "index", "classes", "channels")} | self._storage(port)
                for port in shape.ports
            ],
            "state": [state_of(shape, port) for port in shape.ports],
        }


def usual_sizes():
    """Flit, packet and depth of a core that is emitted without these options."""
    return SwitchCoreBlock.resolve({"topology": "torus:2"}).parameters
