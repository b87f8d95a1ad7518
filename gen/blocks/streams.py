"""Roles of ports that many blocks have: streams, status and counters."""

from amaranth.lib import data

__all__ = ["counters", "fields", "flags", "stream"]


def stream(name, payload, consumed):
    """Roles of the three ports of a stream that the block consumes (``consumed``) or produces.

    ``payload`` is a layout or a number of bits. A transfer takes place in each cycle in which both valid and ready are 1.
    """
    parts = {"fields": fields(payload)} if isinstance(payload, data.Layout) else {}
    way = "input" if consumed else "output"
    roles = {
        "payload": {"role": f"{way}-payload", "static": False, **parts},
        "valid": {"role": f"{way}-valid", "static": False, "encoding": "flag"},
        "ready": {"role": f"{way}-ready", "static": False, "encoding": "flag"},
    }
    return {f"{name}_{port}": role for port, role in roles.items()}


def flags(role, *names):
    """Roles of several one-bit ports with the same role."""
    return {name: {"role": role, "static": False, "encoding": "flag"} for name in names}


def counters(*names):
    """Roles of saturating event counters, and of the input that sets them to 0."""
    return {name: {"role": "counter", "static": False, "encoding": "unsigned"} for name in names} | flags(
        "clear", "clear"
    )


def fields(layout):
    """Name, first bit and last bit of every field of a layout; the names of nested fields are joined by dots."""
    found = []
    for name, field in layout:
        shape = field.shape
        if isinstance(shape, data.Layout):
            found += [
                {"name": f"{name}.{inner['name']}", "bits": [field.offset + bit for bit in inner["bits"]]}
                for inner in fields(shape)
            ]
        else:
            found.append({"name": str(name), "bits": [field.offset, field.offset + field.width - 1]})
    return found
