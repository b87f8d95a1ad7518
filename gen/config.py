"""Configuration of a block from the command line, or from a strict TOML or JSON file whose values the command line overrides.

A key that the block does not have is an error that names the key, and so is a value of the wrong type. The block checks the
values as a whole (which sizes a topology needs, for example): :meth:`resolve`.
"""

from typing import Any

from dsnswitch.gen.blocks import BLOCKS, DEFAULT, DEVICE, no_block
from dsnswitch.net.messages import UsageError, nearest, shortened
from dsnswitch.net.reading import MOST_SETTINGS, breaches, read_json, read_toml


def schema(block=None, more=None) -> dict[str, Any]:
    """JSON schema of the configuration of ``block``, with ``more`` options; without ``block``, that of any configuration file."""
    if block is None:
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "dsnswitch configuration",
            "description": f"Parameters of one block. Without the key block they are those of {DEVICE!r} for the command verilog "
            f"and of {DEFAULT!r} for other commands, unless the command line names a block.",
            "anyOf": [schema(name) for name in BLOCKS],
        }
    return {
        "title": f"Block {block}",
        "type": "object",
        "additionalProperties": False,
        "properties": {"block": {"const": block}}
        | {key: one.schema for key, one in ((more or {}) | BLOCKS[block].OPTIONS).items()},
        "required": [] if block in (DEFAULT, DEVICE) else ["block"],
    }


def load(path, default=DEFAULT, more=None) -> dict[str, Any]:
    """Values of the configuration file at ``path``: TOML, or JSON if its name ends in ``.json``.

    A file without the key ``block`` has parameters of the block ``default``. ``more`` are other options that it may have.
    """
    what = "Configuration file"
    values = read_json(path, what, MOST_SETTINGS) if str(path).endswith(".json") else read_toml(path, what)
    rules = schema(default, more)
    if isinstance(values, dict):
        block = values.get("block", default)
        if not isinstance(block, str) or block not in BLOCKS:
            raise UsageError(f"Configuration file {path}: {no_block(str(block))}")
        rules = schema(block, more)
        for key in values:
            if key not in rules["properties"]:
                hint = nearest(key, rules["properties"], _parameters_of(block))
                raise UsageError(f"Configuration file {path} has an unknown key {shortened(key, 40)!r}{hint}")
    for error in breaches(rules | {"required": []}, values):
        place = f"key {error.json_path[2:]!r}" if error.path else "top level"
        raise UsageError(f"Configuration file {path}, {place}: {error.message}")
    return values


def _parameters_of(block):
    return f"dsnswitch verilog --block {block} --help lists all"


def build(values: dict[str, Any], default=DEFAULT) -> Any:
    """The block for ``values``: its parameters, and its name under the key ``block``, or else the block ``default``."""
    given = {key: value for key, value in values.items() if value is not None}
    named = "block" in given
    block = BLOCKS[given.pop("block", default)]
    for key, value in given.items():
        if key not in block.OPTIONS:
            chosen = "" if named else ", the default without --block,"
            # The key is right for some block, so a word that is spelled like it would mislead.
            others = next((f"; block {name} does" for name, other in BLOCKS.items() if key in other.OPTIONS), "")
            more = f"{others}; {_parameters_of(block.block)}"
            raise UsageError(f"Block {block.block}{chosen} takes no {key} (= {shortened(str(value), 40)}){more}")
    return block.resolve(given)
