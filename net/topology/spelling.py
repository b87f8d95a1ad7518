"""Names of networks as text: ``grid:8x8:k4x2``, ``ring:22:ring-6``, ``torus:8x8x8``."""

import re
from collections import namedtuple

from dsnswitch.net.topology.dsn import DIRECTIONS, Dsn
from dsnswitch.net.topology.dsn_f import DsnF
from dsnswitch.net.topology.supernode import K4x2, RingSupernode, parse_supernode
from dsnswitch.net.topology.torus import Torus

__all__ = ["TOPOLOGIES", "parse_network"]

#: Form of a topology's text, description, and the function that makes the network from the parts between the colons.
Topology = namedtuple("Topology", "form description parse")


def parse_network(text):
    """The :class:`Network` that ``text`` names: a name of :data:`TOPOLOGIES`, a colon and its parameters.

    Raises
    ------
    ValueError
        If the name is unknown or a parameter is wrong.
    """
    name, *parts = text.split(":")
    if name not in TOPOLOGIES:
        raise ValueError(f"Topology must be one of {', '.join(TOPOLOGIES)}, not {name!r}")
    topology = TOPOLOGIES[name]
    if not parts:
        raise ValueError(f"Topology {name} must have the form {topology.form}, not {text!r}")
    return topology.parse(topology.form, parts, text)


def _sizes(form, spelling, text):
    if not re.fullmatch(r"[0-9]{1,9}(x[0-9]{1,9})*", spelling):
        raise ValueError(f"Topology must have the form {form}, not {text!r}")
    return tuple(map(int, spelling.split("x")))


def _dsn(dimensions):
    def parse(form, parts, text):
        sizes = _sizes(form, parts[0], text)
        directions = "both"
        if len(parts) > 1 and parts[-1] in DIRECTIONS:
            directions = parts.pop()
        if len(sizes) != dimensions or len(parts) > 2:
            raise ValueError(f"Topology must have the form {form}, not {text!r}")
        if len(parts) == 2:
            return Dsn(sizes, parse_supernode(parts[1]), directions)
        smallest = max(2, *((size - 1).bit_length() for size in sizes))
        return Dsn(sizes, K4x2() if dimensions == 2 else RingSupernode(smallest), directions)

    return parse


def _torus(form, parts, text):
    if len(parts) > 1:
        raise ValueError(f"Topology must have the form {form}, not {text!r}")
    return Torus(_sizes(form, parts[0], text))


def _dsn_f(form, parts, text):
    if len(parts) > 1 or not re.fullmatch("[0-9]{1,9}", parts[0]):
        raise ValueError(f"Topology must have the form {form}, not {text!r}")
    return DsnF(int(parts[0]))


#: Every topology by the name before the first colon.
TOPOLOGIES = {
    "grid": Topology(
        "grid:XxY[:SUPERNODE][:forward]",
        "Grid DSN of X x Y supernodes (D 3.2.3). SUPERNODE: k4x2 (default), ring-M or coc-MSxMN.",
        _dsn(2),
    ),
    "ring": Topology(
        "ring:N[:SUPERNODE][:forward]",
        "Ring DSN of N supernodes (D 3.2.2). SUPERNODE: ring-M (default, one node per level), k4x2 or coc-MSxMN.",
        _dsn(1),
    ),
    "dsn-f": Topology("dsn-f:N", "DSN-F of N switches, which grows by single switches (F III).", _dsn_f),
    "torus": Topology("torus:AxBx..", "Torus with A, B, .. switches along its dimensions (k-ary n-cube).", _torus),
}
