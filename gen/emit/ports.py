"""Flat ports of a component: the names that the emitted module and its manifest have."""

import gc
import warnings
from contextlib import contextmanager

from amaranth.hdl import UnusedElaboratable, Value

__all__ = ["flat_ports", "never_elaborated"]


@contextmanager
def never_elaborated():
    """Amaranth does not warn that components made inside are unused: they are only asked for their ports and latency."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)
        yield
        # Amaranth warns when a component is deleted.
        gc.collect()


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
