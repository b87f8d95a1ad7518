"""Flat ports of a component: the names that the emitted module and its manifest have."""

from amaranth.hdl import Value

__all__ = ["flat_ports"]


def flat_ports(component):
    """Every port of ``component`` in the order of its signature, as ``{name: (value, flow)}``.

    A name joins the path of its member with single underscores: ``payload`` of the stream ``i`` is ``i_payload``.

    Raises
    ------
    ValueError
        If two paths join to one name. VHDL does not tell upper from lower case, so neither does this rule.
    """
    found, paths = {}, {}
    for path, member, value in component.signature.flatten(component):
        name = "_".join(map(str, path))
        other = paths.setdefault(name.lower(), path)
        if other is not path:
            raise ValueError(f"Ports {other!r} and {path!r} of {type(component).__name__} have one name, {name}")
        found[name] = (Value.cast(value), member.flow)
    return found
