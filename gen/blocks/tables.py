"""Routing tables for networks that the algorithm cannot route."""

from dataclasses import dataclass
from typing import ClassVar

from dsnswitch.gen.blocks.block import Block, flags, node_suffix, ports, table_ports
from dsnswitch.gen.blocks.route import RouteBlock
from dsnswitch.hdl.table.shape import KINDS, MAX_ENTRIES, MAX_KEY, MAX_WORDS, STAGES, TableShape
from dsnswitch.net.files.parameters import PROPERTIES, fabric, routed, switch_of
from dsnswitch.net.messages import UsageError
from dsnswitch.net.properties import choice, integer
from dsnswitch.net.routing.certificate import refuse_deadlock
from dsnswitch.net.routing.registry import WITHOUT_LOGIC, refuse_logic
from dsnswitch.net.topology.addresses import KEYS
from dsnswitch.net.topology.network import Network


@dataclass(frozen=True)
class TernaryBlock(Block):
    """Longest-prefix table in flip-flops."""

    shape: TableShape
    stages: int

    block = "table-ternary"
    gateware = "hdl.table.ternary:TernaryTable"
    about = (
        "table of {self.shape.entries} prefixes in flip-flops, longest first.",
        "Key {self.shape.key} bits, action {self.shape.action} bits; the first matching row wins.",
    )
    PROPERTIES: ClassVar = {
        "entries": integer("Entries of the table.", 1, MAX_ENTRIES, example=16),
        "key": integer("Bits of the key.", 1, MAX_KEY, example=9),
        "action": integer("Bits of the action.", 1, MAX_KEY, example=4),
        "stages": integer("Register stages of a lookup.", 0, STAGES, 0, "combinational"),
    }
    roles: ClassVar = table_ports(
        *("write", "write_place", "write_valid", "write_value", "write_length", "write_action")
    )

    @classmethod
    def resolve(cls, values):
        *sizes, stages = (cls.value(values, key) for key in cls.PROPERTIES)
        return cls(TableShape(*sizes), stages)

    @property
    def suffix(self):
        return f"_{self.shape.name}{f'_s{self.stages}' if self.stages else ''}"

    @property
    def parameters(self):
        shape = self.shape
        return {"entries": shape.entries, "key": shape.key, "action": shape.action, "stages": self.stages}


@dataclass(frozen=True)
class DirectBlock(Block):
    """Direct-indexed table in RAM."""

    words: int
    action: int

    block = "table-direct"
    gateware = "hdl.table.direct:DirectTable"
    about = (
        "table of {self.words} words in RAM, indexed by the key; action {self.action} bits.",
        "Parameter IMAGE: file that $readmemh loads at the start; without one, write every word, then raise loaded.",
    )
    PROPERTIES: ClassVar = {
        "words": integer("Number of words, one per key.", 2, MAX_WORDS, example=512),
        "action": TernaryBlock.PROPERTIES["action"],
    }

    @property
    def suffix(self):
        return f"_{self.words}_{self.action}"

    @property
    def roles(self):
        writes = ("write", "write_word", "write_valid", "write_action")
        return table_ports(*writes, range=[0, self.words - 1]) | flags("table-loaded", "loaded")


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
    gateware = "hdl.core.forwarding:Forwarding"
    PROPERTIES: ClassVar = {
        **PROPERTIES,
        "node": RouteBlock.PROPERTIES["node"],
        "kind": choice("Kind of table.", KINDS),
        "keys": choice("Kind of keys of a ternary table.", KEYS),
        "entries": integer("Entries of a ternary table.", 1, MAX_ENTRIES, 16),
        "stages": integer("Register stages of a ternary table.", 0, STAGES, 0, "combinational"),
    }

    @classmethod
    def resolve(cls, values):
        found = fabric(values)
        refuse_logic(found, values.get("node"), WITHOUT_LOGIC)
        refuse_deadlock(routed(found))
        return cls.of(found, values)

    @classmethod
    def of(cls, found, values):
        """The block of the network ``found`` with the node and the table of ``values``."""
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
        return f"{self.network.prefix}forwarding_{self.network.name}_{store}{node_suffix(self.node)}"

    @property
    def about(self):
        title = self.network.title
        store = "a word for every address in RAM" if self.kind == "direct" else f"{self.entries} {self.keys} prefixes"
        return (
            f"table-free routing of a switch, and a table of {store} to fall back on.",
            f"{title[0].upper()}{title[1:]}, {self.network.nodes} nodes.",
        )

    @property
    def parameters(self):
        ternary = {"keys": self.keys, "entries": self.entries, "stages": self.stages} if self.kind == "ternary" else {}
        node = None if self.node is None else self.network.spell_switch(self.node)
        return {**self.network.parameters, "node": node, "kind": self.kind, **ternary}

    @property
    def _route(self):
        return RouteBlock(self.network, self.node)

    @property
    def roles(self):
        writes = ("place", "word", "valid", "value", "length", "action")
        return {
            **self._route.roles,
            **flags("table-mode", "mode"),
            **flags("packet-table", "packet_table", "by_table"),
            **ports("table-write", "write", *(f"write_{name}" for name in writes)),
            **flags("table-loaded", "loaded"),
            **flags("no-route", "no_route"),
        }

    @property
    def facts(self):
        return self._route.facts | {"actions": action_list(self.network)}


def action_list(network):
    """The actions of a table by number, for the manifest."""
    return [port.name for port in network.ports] + ["arrived"]
