"""Routing tables for networks that the algorithm cannot route."""

from dataclasses import dataclass
from typing import Any, ClassVar

from dsnswitch.gen.blocks.block import Block, flags, node_suffix, ports, table_ports
from dsnswitch.gen.blocks.route import RouteBlock
from dsnswitch.hdl.core.spelling import applying, store_of, table_of
from dsnswitch.hdl.table.shape import MAX_ENTRIES, MAX_KEY, MAX_WORDS, RAM, STAGES, TableShape
from dsnswitch.net.files.options import NETWORK, TableOptions
from dsnswitch.net.files.parameters import fabric, routed, switch_of
from dsnswitch.net.messages import UsageError, refusing
from dsnswitch.net.options import integer
from dsnswitch.net.routing.certificate import refuse_deadlock
from dsnswitch.net.routing.registry import WITHOUT_LOGIC, refuse_logic
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
    OPTIONS: ClassVar = {
        "entries": integer("Entries of the table.", 1, MAX_ENTRIES, example=16),
        "key": integer("Bits of the key.", 1, MAX_KEY, example=9),
        "action": integer("Bits of the action.", 1, MAX_KEY, example=4),
        "stages": integer("Register stages of a lookup.", 0, STAGES, 0, "combinational"),
    }
    roles: ClassVar = table_ports(*("write", "write_place", "write_valid", "write_value", "write_length", "write_action"))

    @classmethod
    def resolve(cls, values: dict[str, Any]) -> Any:
        *sizes, stages = (cls.value(values, key) for key in cls.OPTIONS)
        return cls(TableShape(*sizes), stages)

    @property
    def suffix(self) -> str:
        return f"_{self.shape.name}{f'_s{self.stages}' if self.stages else ''}"

    @property
    def parameters(self) -> dict[str, int]:
        shape = self.shape
        return {"entries": shape.entries, "key": shape.key, "action": shape.action, "stages": self.stages}


#: Memories of a direct table, as sentences name them.
IN_MEMORY = {"ram": "RAM", "flip-flops": "flip-flops"}


@dataclass(frozen=True)
class DirectBlock(Block):
    """Direct-indexed table in RAM or flip-flops."""

    words: int
    action: int
    memory: str

    block = "table-direct"
    about = (
        "table of {self.words} words in {self.store}, indexed by the key; action {self.action} bits.",
        "Parameter IMAGE: file that $readmemh loads at the start; without one, write every word, then raise loaded.",
    )
    OPTIONS: ClassVar = {
        "words": integer("Number of words, one per key.", 2, MAX_WORDS, example=512),
        "action": TernaryBlock.OPTIONS["action"],
        "memory": TableOptions.OPTIONS["memory"],
    }

    @classmethod
    def resolve(cls, values: dict[str, Any]) -> Any:
        found = super().resolve(values)
        if found.memory != RAM and found.words > MAX_ENTRIES:
            raise UsageError(f"Words of a table of flip-flops must be in 2..{MAX_ENTRIES}, not {found.words}")
        return found

    @property
    def gateware(self) -> str:
        return f"hdl.table.direct:{'DirectTable' if self.memory == RAM else 'FlipFlopTable'}"

    @property
    def arguments(self) -> dict[str, Any]:
        return {"words": self.words, "action": self.action}

    @property
    def store(self) -> str:
        """The memory, as a sentence names it."""
        return IN_MEMORY[self.memory]

    @property
    def suffix(self) -> str:
        return f"_{self.words}_{self.action}{self.OPTIONS['memory'].ending(self.memory)}"

    @property
    def roles(self) -> dict[str, dict]:
        writes = ("write", "write_word", "write_valid", "write_action")
        return table_ports(*writes, range=[0, self.words - 1]) | flags("table-loaded", "loaded")


@dataclass(frozen=True)
class ForwardingBlock(Block):
    """Routing logic, a table, and the choice between them."""

    network: Network
    node: tuple | None
    table: TableOptions

    block = "forwarding"
    gateware = "hdl.core.forwarding:Forwarding"
    OPTIONS: ClassVar = {**NETWORK, "node": RouteBlock.OPTIONS["node"], **TableOptions.OPTIONS}

    @classmethod
    def resolve(cls, values: dict[str, Any]) -> Any:
        found = fabric(values)
        refuse_logic(found, values.get("node"), WITHOUT_LOGIC)
        refuse_deadlock(routed(found))
        with refusing((TypeError, ValueError)):
            return cls(found, switch_of(found, values.get("node")), table_of(found, values))

    @property
    def name(self) -> str:
        return f"{self.network.prefix}forwarding_{self.network.name}_{store_of(self.table)}{node_suffix(self.node)}"

    @property
    def about(self) -> tuple[str, str]:
        title, table = self.network.title, self.table
        direct = f"a word for every address in {IN_MEMORY[table.memory]}"
        store = direct if table.kind == "direct" else f"{table.entries} {table.keys} prefixes"
        return (
            f"table-free routing of a switch, and a table of {store} to fall back on.",
            f"{title[0].upper()}{title[1:]}, {self.network.nodes} nodes.",
        )

    @property
    def parameters(self) -> dict[str, Any]:
        node = None if self.node is None else self.network.spell_switch(self.node)
        return {**self.network.parameters, "node": node, **applying(self.table)}

    @property
    def arguments(self) -> dict[str, Any]:
        return {"network": self.network, "node": self.node, **vars(self.table)}

    @property
    def _route(self):
        return RouteBlock(self.network, self.node)

    @property
    def roles(self) -> dict[str, dict]:
        writes = ("place", "word", "valid", "value", "length", "action")
        return {
            **self._route.roles,
            **flags("table-mode", "mode"),
            **ports("rises", "up", static=True, encoding="flags", bits=[port.name for port in self.network.ports]),
            **flags("packet-table", "packet_table", "by_table"),
            **ports("table-write", "write", *(f"write_{name}" for name in writes)),
            **flags("table-loaded", "loaded"),
            **flags("no-route", "no_route"),
        }

    @property
    def facts(self) -> dict[str, Any]:
        return self._route.facts | {"actions": action_list(self.network)}


def action_list(network) -> list[dict]:
    """The actions of a table by number, for the manifest."""
    return [port.name for port in network.ports] + ["arrived"]
