"""Forwarding: table-free routing, and a table for packets whose output port is dead."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block
from dsnswitch.gen.blocks.flags import flags
from dsnswitch.gen.blocks.names import family_prefix, node_suffix
from dsnswitch.gen.blocks.route import RouteBlock
from dsnswitch.hdl.core.forwarding import KINDS, Forwarding
from dsnswitch.hdl.table.direct import MAX_WORDS
from dsnswitch.hdl.table.shape import MAX_ENTRIES
from dsnswitch.hdl.table.ternary import STAGES
from dsnswitch.net.errors import UsageError
from dsnswitch.net.files.parameters import PROPERTIES, network, spelling, switch_of
from dsnswitch.net.properties import choice, integer
from dsnswitch.net.routing.certificate import refuse_deadlock
from dsnswitch.net.routing.options import routed
from dsnswitch.net.topology.dsn import Dsn
from dsnswitch.net.topology.network import Network

__all__ = ["ForwardingBlock"]


@dataclass(frozen=True)
class ForwardingBlock(Block):
    """Routing logic, a table, and the choice between them."""

    network: Network
    node: tuple | None
    kind: str
    keys: str
    entries: int
    stages: int

    block = "forwarding"
    PROPERTIES: ClassVar = {
        **PROPERTIES,
        "node": RouteBlock.PROPERTIES["node"],
        "kind": choice("Kind of table.", KINDS),
        "keys": choice("Kind of keys of a ternary table.", Dsn.keys),
        "entries": integer("Entries of a ternary table.", 1, MAX_ENTRIES, 16),
        "stages": integer("Register stages of a ternary table.", 0, STAGES, 0, "combinational"),
    }

    @classmethod
    def resolve(cls, values):
        found = network(values)
        refuse_deadlock(routed(found))
        node = switch_of(found, values.get("node"))
        kind, keys = cls.value(values, "kind"), cls.value(values, "keys")
        if keys not in found.keys:
            raise UsageError(f"Keys of {found.spelling} must be one of {', '.join(found.keys)}, not {keys!r}")
        if kind == "direct":
            for key in ("keys", "entries", "stages"):
                if key in values:
                    raise UsageError(
                        f"A direct table has absolute keys and one word per key; it takes no {key} (= {values[key]})"
                    )
            if 1 << found.key_width(keys) > MAX_WORDS:
                raise UsageError(
                    f"A direct table must have at most {MAX_WORDS} words, not {1 << found.key_width(keys)}"
                )
        return cls(found, node, kind, keys, cls.value(values, "entries"), cls.value(values, "stages"))

    @property
    def name(self):
        ternary = f"{self.keys}{self.entries}{f'_s{self.stages}' if self.stages else ''}"
        store = "direct" if self.kind == "direct" else ternary
        return f"{family_prefix(self.network)}forwarding_{self.network.name}_{store}{node_suffix(self.node)}"

    @property
    def description(self):
        title = self.network.title
        store = "a word for every address in RAM" if self.kind == "direct" else f"{self.entries} {self.keys} prefixes"
        return (
            f"{self.name}: table-free routing of a switch, and a table of {store} to fall back on.",
            f"{title[0].upper()}{title[1:]}, {self.network.nodes} nodes.",
        )

    @property
    def parameters(self):
        ternary = {"keys": self.keys, "entries": self.entries, "stages": self.stages} if self.kind == "ternary" else {}
        node = None if self.node is None else self.network.spell_switch(self.node)
        return {**spelling(self.network), "node": node, "kind": self.kind, **ternary}

    def component(self):
        return Forwarding(
            self.network, self.node, kind=self.kind, keys=self.keys, entries=self.entries, stages=self.stages
        )

    def interface(self):
        roles, more = RouteBlock(self.network, self.node).interface()
        writes = ("place", "word", "valid", "value", "length", "action")
        return {
            **roles,
            "mode": {"role": "table-mode", "static": False, "encoding": "flag"},
            **flags("packet-table", "packet_table", "by_table"),
            "dead": {"role": "dead-port", "static": False, "encoding": "flags"},
            **{f"write_{name}": {"role": "table-write", "static": False} for name in writes},
            "write": {"role": "table-write", "static": False},
            **flags("table-loaded", "loaded"),
            **flags("no-route", "no_route"),
        }, more | {"actions": [port.name for port in self.network.ports] + ["arrived"]}
