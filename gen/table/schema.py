"""JSON schema of a file of tables; ``docs/table.schema.json`` is its copy."""

__all__ = ["SCHEMA"]

#: What :func:`~.write.to_json` writes and :func:`~.write.read_tables` takes.
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
        "fields": {"type": "array", "description": "Name and bits of the fields of a key, most significant first."},
        "routing": {"type": "string", "description": "How routes were chosen."},
        "layers": {"type": "integer", "minimum": 1, "description": "Virtual channels."},
        "port_bits": {"type": "integer", "description": "An action is layer * 2^port_bits + port."},
        "ports": {"type": "object", "description": "Switch to what is behind each of its ports, null for nothing."},
        "destinations": {"type": "object", "description": "Destination to key."},
        "tables": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["table", "key_width", "action_width", "actions", "entries"],
                "properties": {
                    "table": {"type": "string", "description": "Whose it is."},
                    "key_width": {"type": "integer", "minimum": 1},
                    "action_width": {"type": "integer", "minimum": 1},
                    "actions": {"type": "array", "items": {"type": "string"}, "description": "Name of each action."},
                    "entries": {
                        "type": "array",
                        "description": "Longest prefix first.",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["match", "action", "name"],
                            "properties": {
                                "match": {
                                    "type": "string",
                                    "pattern": "^[01*]+$",
                                    "description": "Bits, most significant first.",
                                },
                                "action": {"type": "integer", "minimum": 0},
                                "name": {"type": "string"},
                                "remark": {"type": "string"},
                            },
                        },
                    },
                },
            },
        },
    },
}
