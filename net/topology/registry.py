"""Every topology by name, and networks as text: ``grid:8x8:k4x2``, ``ring:22:ring-6``, ``torus:8x8x8``, ``mesh:8x8``."""

import re
from collections import namedtuple

from dsnswitch.net.topology.network import named

#: Where each topology is described, as a :class:`Topology`, by the name before the first colon. One line adds a topology.
TOPOLOGIES = {
    "grid": "topology.dsn:GRID",
    "ring": "topology.dsn:RING",
    "dsn-f": "topology.dsn_f:DSN_F",
    "torus": "topology.torus:TORUS",
    "mesh": "topology.mesh:MESH",
    "hypercube": "topology.hypercube:HYPERCUBE",
    "graph": "files.readers:GRAPH",
}

#: A topology as users write it: form of the text, description, and ``parse(form, parts between colons, text)``. A topology that
#: also has parameters of its own has ``make(name, values)`` and their JSON schemas.
Topology = namedtuple("Topology", "form description parse make properties", defaults=(None, {}))


def topology_of(name):
    """The :class:`Topology` of a name.

    Raises :class:`ValueError` if the name is unknown.
    """
    if name not in TOPOLOGIES:
        raise ValueError(f"Topology must be one of {', '.join(TOPOLOGIES)}, not {name!r}")
    return named(TOPOLOGIES[name])


def parse_network(text):
    """The :class:`Network` that ``text`` names: a name of :data:`TOPOLOGIES`, a colon and its parameters.

    Raises :class:`ValueError` if the name is unknown or a parameter is wrong.
    """
    name, *parts = text.split(":")
    topology = topology_of(name)
    if not parts:
        raise ValueError(f"Topology {name} must have the form {topology.form}, not {text!r}")
    return topology.parse(topology.form, parts, text)


def network_of(values):
    """The network of a dictionary such as :attr:`Network.parameters`: one text, or a name and parameters of the topology.

    Raises :class:`TypeError` or :class:`ValueError` if the values contradict each other or are out of range.
    """
    name, more = values["topology"], {key: value for key, value in values.items() if key != "topology"}
    topology = named(TOPOLOGIES[name]) if name in TOPOLOGIES else None
    if topology and topology.make:
        return topology.make(name, more)
    for key, value in more.items():
        raise ValueError(f"Topology {name} takes no {key} (= {value}): the text says it all")
    return parse_network(name)


def network_of_manifest(manifest):
    """The network that a manifest's parameters describe, as switch cores know it; the largest one if sizes are inputs."""
    found = manifest["parameters"]
    name = found["topology"]
    keys = topology_of(name).properties if name in TOPOLOGIES else ()
    largest = {"p": found["max_p"]} if "max_p" in found else {}
    return network_of({key: found[key] for key in ("topology", *keys) if key in found} | largest).fabric


def sizes_of(form, part, text):
    """The sizes of a part such as ``8x8``."""
    if not re.fullmatch(r"[0-9]{1,9}(x[0-9]{1,9})*", part):
        raise ValueError(f"Topology must have the form {form}, not {text!r}")
    return tuple(map(int, part.split("x")))


def of_sizes(make):
    """``parse`` of a topology that ``make`` makes from its sizes, such as ``torus:8x8``."""
    return lambda form, parts, text: make(sizes_of(form, ":".join(parts), text))


def of_number(make):
    """``parse`` of a topology that ``make`` makes from a number, such as ``dsn-f:100``."""

    def parse(form, parts, text):
        if not re.fullmatch("[0-9]{1,9}", ":".join(parts)):
            raise ValueError(f"Topology must have the form {form}, not {text!r}")
        return make(int(parts[0]))

    return parse
