"""Table-free routing with a table to fall back on."""

from dataclasses import dataclass
from typing import ClassVar

from ...hdl.switch import KEYS, KINDS, Forwarding, key_width
from ...hdl.table import MAX_WORDS
from ...hdl.topology import Dsn, ports
from ..errors import UsageError
from ..network.parameters import dsn_of, spelling, switch_of
from .block import Block
from .route import RouteBlock
from .streams import flags
from .tables import TernaryBlock

__all__ = ["ForwardingBlock"]


@dataclass(frozen=True)
class ForwardingBlock(Block):
    """Algorithm, table and the choice between them."""

    dsn: Dsn
    node: tuple | None
    kind: str
    keys: str
    entries: int
    stages: int

    block = "forwarding"
    PROPERTIES: ClassVar = {
        **{key: rule for key, rule in RouteBlock.PROPERTIES.items() if key != "register"},
        "kind": {"enum": list(KINDS), "description": "Kind of table. Default ternary."},
        "keys": {"enum": list(KEYS), "description": "What a ternary table is asked. Default absolute."},
        "entries": {**TernaryBlock.PROPERTIES["entries"], "description": "Entries of a ternary table. Default 16."},
        "stages": {
            **TernaryBlock.PROPERTIES["stages"],
            "description": "Register stages of a ternary table. Default 0, combinational.",
        },
    }

    @classmethod
    def resolve(cls, values):
        dsn = dsn_of(values)
        node = switch_of(dsn, values.get("node"))
        kind, keys = values.get("kind", KINDS[0]), values.get("keys", KEYS[0])
        if kind == "direct":
            for key in ("keys", "entries", "stages"):
                if key in values:
                    raise UsageError(
                        f"A direct table has absolute keys and a word for each, not {key} (= {values[key]})"
                    )
            if 1 << key_width(dsn, keys) > MAX_WORDS:
                raise UsageError(f"A direct table must have at most {MAX_WORDS} words, not {1 << key_width(dsn, keys)}")
        return cls(dsn, node, kind, keys, cls.number(values, "entries", 16), cls.number(values, "stages", 0))

    @property
    def name(self):
        place = "" if self.node is None else "_at_" + "_".join(map(str, self.node))
        store = f"{self.keys}{self.entries}{f'_s{self.stages}' if self.stages else ''}"
        return f"dsn_forwarding_{self.dsn.name}_{'direct' if self.kind == 'direct' else store}{place}"

    @property
    def description(self):
        store = "a word for every address in RAM" if self.kind == "direct" else f"{self.entries} {self.keys} prefixes"
        return (
            f"{self.name}: table-free routing of a DSN switch, and a table of {store} to fall back on.",
            f"{self.dsn.topology.capitalize()} DSN, {self.dsn.nodes} nodes.",
        )

    @property
    def parameters(self):
        ternary = {"keys": self.keys, "entries": self.entries, "stages": self.stages} if self.kind == "ternary" else {}
        node = None if self.node is None else self.dsn.spell_switch(self.node)
        return {**spelling(self.dsn), "node": node, "kind": self.kind, **ternary}

    def component(self):
        return Forwarding(self.dsn, self.node, kind=self.kind, keys=self.keys, entries=self.entries, stages=self.stages)

    def interface(self):
        roles, more = RouteBlock(self.dsn, self.node).interface()
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
        }, more | {"actions": [port.name for port in ports(self.dsn)] + ["arrived"]}
