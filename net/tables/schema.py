"""JSON schema of a file of tables. ``docs/table.schema.json`` is a copy of it."""

__all__ = ["ENTRY", "SCHEMA"]

#: One entry of a table.
ENTRY = {
    "type": "object",
    "additionalProperties": False,
    "required": ["match", "action", "name"],
    "properties": {
        "match": {"type": "string", "pattern": "^[01*]+$", "description": "Bits, most significant first."},
        "action": {"type": "integer", "minimum": 0},
        "name": {"type": "string"},
        "remark": {"type": "string"},
    },
}

#: Schema of the files that :func:`to_json` writes and :func:`read_tables` reads.
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "dsnswitch tables",
    "description": "Longest-prefix tables. Of the entries that match a key the one with the fewest * counts.",
    "type": "object",
    "required": ["format", "version", "tables"],
    "properties": {
        "format": {"const": "dsnswitch-table"},
        "version": {"const": 1},
        "network": {"type": "string", "description": "DSN or graph that the tables are of."},
        "keys": {"enum": ["absolute", "relative", "folded"], "description": "What a key is made of."},
        "fields": {
            "type": "array",
            "description": "Name and bits of the fields of a key, most significant first.",
            "items": {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "integer", "minimum": 0, "maximum": 64}],
                "minItems": 2,
                "maxItems": 2,
            },
        },
        "routing": {"type": "string", "description": "How routes were chosen."},
        "layers": {"type": "integer", "minimum": 1, "maximum": 64, "description": "Virtual channels."},
        "port_bits": {
            "type": "integer",
            "minimum": 0,
            "maximum": 16,
            "description": "An action is layer * 2^port_bits + port.",
        },
        "root": {"type": "string", "description": "Root of up*/down*."},
        "broken": {"type": "array", "items": {"type": "string"}, "description": "Failed links of a DSN."},
        "hops": {"type": "object", "description": "Mean and maximum of the pairs of different switches."},
        "load": {
            "type": "object",
            "description": "Pairs over the most loaded channel, and a lower bound of any routing.",
        },
        "entries": {"type": "object", "description": "Switch to the number of its entries."},
        "ports": {
            "type": "object",
            "description": "For each switch, the neighbour at each of its ports; null if there is none.",
        },
        "destinations": {
            "type": "object",
            "description": "Destination to key.",
            "additionalProperties": {"type": "integer", "minimum": 0},
        },
        "tables": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["table", "key_width", "action_width", "actions", "entries"],
                "properties": {
                    "table": {"type": "string", "description": "Whose it is."},
                    "key_width": {"type": "integer", "minimum": 1, "maximum": 64},
                    "action_width": {"type": "integer", "minimum": 1, "maximum": 16},
                    "actions": {
                        "type": "array",
                        "items": {"type": "string"},
                        "minItems": 1,
                        "maxItems": 65536,
                        "description": "Name of each action.",
                    },
                    "entries": {
                        "type": "array",
                        "description": "Longest prefix first.",
                        "items": ENTRY,
                    },
                },
            },
        },
    },
}
