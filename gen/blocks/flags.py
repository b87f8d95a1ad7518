"""Roles of ports that many blocks have: flags and counters."""

__all__ = ["counters", "flags"]


def flags(role, *names):
    """Roles of several one-bit ports with the same role."""
    return {name: {"role": role, "static": False, "encoding": "flag"} for name in names}


def counters(*names):
    """Roles of saturating event counters, and of the input that sets them to 0."""
    return {name: {"role": "counter", "static": False, "encoding": "unsigned"} for name in names} | flags(
        "clear", "clear"
    )
