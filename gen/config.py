"""Configuration: from the command line, or from a strict TOML or JSON file that the command line overrides.

A key that the schema does not know is an error that names it; so is a value of the wrong type. What the values mean
together (which sizes go with which topology) is settled in :func:`resolve`.
"""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from ..hdl.topology import MAX_NODES, MAX_RING, Address, Dsn, RingSupernode, parse_address, parse_supernode
from .errors import UsageError

__all__ = ["SCHEMA", "Config", "address", "load", "resolve", "spelling"]


def _size(description, high):
    return {"type": "integer", "minimum": 1, "maximum": high, "description": description}


#: JSON schema of a configuration file; ``docs/config.schema.json`` is this object.
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "dsnswitch configuration",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "topology": {"enum": ["grid", "ring"], "description": "Grid DSN (2-D) or ring DSN (1-D). Default grid."},
        "p": {
            "type": "integer",
            "minimum": 0,
            "maximum": MAX_RING.bit_length() - 1,
            "description": "2^P supernodes in each dimension, instead of x and y or n.",
        },
        "x": _size("Width of a grid in supernodes.", MAX_RING),
        "y": _size("Height of a grid in supernodes.", MAX_RING),
        "n": _size("Supernodes of a ring.", MAX_RING),
        "m": _size("Nodes of a ring supernode; for other shapes it must agree with the shape.", MAX_NODES),
        "supernode": {
            "type": "string",
            "description": "k4x2, ring, ring-M or coc-MSxMN. Default k4x2 in a grid and ring in a ring.",
        },
        "directions": {
            "enum": ["both", "forward"],
            "description": "Travel both ways round a ring (default), or forward only.",
        },
        "node": {
            "type": "string",
            "description": "Specialised logic for this node: x,y,id or x,id. Default universal.",
        },
        "register": {"type": "boolean", "description": "Register the outputs (latency 1). Default false."},
    },
}


@dataclass(frozen=True)
class Config:
    """A resolved configuration: the network, the node to specialise for (or None) and the output register."""

    dsn: Dsn
    node: Address | None
    register: bool


def load(path):
    """Values of the configuration file at ``path``: TOML, or JSON if its name ends in ``.json``.

    Raises
    ------
    UsageError
        If it cannot be read, is malformed, or breaks the schema; the message names file, key and rule.
    """
    from jsonschema import Draft202012Validator

    try:
        text = Path(path).read_text(encoding="utf-8")
        values = json.loads(text) if str(path).endswith(".json") else tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"Configuration file {path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"Configuration file {path} is malformed: {str(error).splitlines()[0]}") from None
    if isinstance(values, dict):
        for key in values:
            if key not in SCHEMA["properties"]:
                known = ", ".join(SCHEMA["properties"])
                raise UsageError(f"Configuration file {path} has an unknown key {key!r}; known keys are {known}")
    for error in Draft202012Validator(SCHEMA).iter_errors(values):
        place = f"key {error.json_path[2:]!r}" if error.path else "the whole"
        raise UsageError(f"Configuration file {path}, {place}: {error.message}")
    return values


def resolve(values):
    """Return the :class:`Config` of a dictionary with the keys of :data:`SCHEMA`; absent and None mean the default.

    Raises
    ------
    UsageError
        If the values contradict each other or are out of range.
    """
    given = {key: value for key, value in values.items() if value is not None}
    topology = given.get("topology", "grid")
    try:
        dsn = Dsn(_sizes(topology, given), _supernode(topology, given), given.get("directions", "both"))
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
    node = address(dsn, given["node"]) if "node" in given else None
    return Config(dsn, node, given.get("register", False))


def address(dsn, text):
    """:func:`~dsnswitch.hdl.topology.parse_address` for a user's text: a :class:`UsageError` if it is wrong."""
    try:
        return parse_address(dsn, text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _sizes(topology, given):
    own, foreign = (("x", "y"), ("n",)) if topology == "grid" else (("n",), ("x", "y"))
    for key in foreign:
        if key in given:
            raise ValueError(f"A {topology} takes {' and '.join(own)}, not {key} (= {given[key]})")
    if "p" in given:
        for key in own:
            if key in given:
                raise ValueError(
                    f"Give p or {' and '.join(own)}, not both p (= {given['p']}) and {key} (= {given[key]})"
                )
        high = MAX_RING.bit_length() - 1
        if not 0 <= given["p"] <= high:
            raise ValueError(f"p must be in 0..{high}, not {given['p']}")
        return (2 ** given["p"],) * len(own)
    missing = [key for key in own if key not in given]
    if missing:
        raise ValueError(f"A {topology} needs p, or {' and '.join(own)}; {missing[0]} is not given")
    return tuple(given[key] for key in own)


def _supernode(topology, given):
    name = given.get("supernode", "k4x2" if topology == "grid" and "m" not in given else "ring")
    m = given.get("m")
    if name == "ring":
        if m is None:
            levels = max((size - 1).bit_length() for size in _sizes(topology, given))
            return RingSupernode(max(levels, 2))
        return RingSupernode(m)
    shape = parse_supernode(name)
    if m is not None and m != shape.m:
        raise ValueError(f"Supernode {name} has m = {shape.m} nodes, not {m}")
    return shape


def spelling(dsn):
    """The values that :func:`resolve` would turn into ``dsn``."""
    sizes = dict(zip(("x", "y"), dsn.sizes)) if dsn.topology == "grid" else {"n": dsn.sizes[0]}
    return {
        "topology": dsn.topology,
        **sizes,
        "supernode": dsn.supernode.name,
        "m": dsn.m,
        "directions": dsn.directions,
    }
