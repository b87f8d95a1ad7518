"""Flat ports of a component, with the names that they have in the emitted module and its manifest."""

import gc
import warnings
from contextlib import contextmanager

from amaranth.hdl import UnusedElaboratable, Value

__all__ = ["flat_ports", "never_elaborated"]


@contextmanager
def never_elaborated():
    """Suppress Amaranth's warning about unused components, for components of which only ports and latency are read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)
        # Amaranth warns when a component is deleted, so delete it here. Only objects that are new are searched for garbage.
        gc.freeze()
        try:
            yield
            gc.collect()
        finally:
            gc.unfreeze()


def flat_ports(component):
    """Every port of ``component`` in the order of its signature, as ``{name: (value, flow)}``.

    The name is the path of the member, joined by single underscores: ``payload`` of the stream ``i`` is ``i_payload``.

    Raises
    ------
    ValueError
        If two paths have the same name. Case is ignored, as in VHDL.
    """
    found, paths = {}, {}
    for path, member, value in component.signature.flatten(component):
        name = "_".join(map(str, path))
        other = paths.setdefault(name.lower(), path)
        if other is not path:
            raise ValueError(f"Ports {other!r} and {path!r} of {type(component).__name__} have one name, {name}")
        found[name] = (Value.cast(value), member.flow)
    return found
