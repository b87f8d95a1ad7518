"""Every topology by name, and networks as text: ``grid:8x8:k4x2``, ``ring:22:ring-6``, ``torus:8x8x8``, ``mesh:8x8``."""

import re
from collections import namedtuple
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from dsnswitch.net.messages import nearest, shortened
from dsnswitch.net.topology.network import Network, named

#: Where each topology is described, as a :class:`Topology`, by the name before the first colon. One line adds a topology.
TOPOLOGIES = {
    "grid": "topology.dsn:GRID",
    "ring": "topology.dsn:RING",
    "dsn-3d": "topology.dsn_3d:DSN_3D",
    "dsn-f": "topology.dsn_f:DSN_F",
    "torus": "topology.torus:TORUS",
    "mesh": "topology.mesh:MESH",
    "hypercube": "topology.hypercube:HYPERCUBE",
    "hyperx": "topology.hyperx:HYPERX",
    "flattened-butterfly": "topology.hyperx:FLATTENED_BUTTERFLY",
    "dragonfly": "topology.dragonfly:DRAGONFLY",
    "slimfly": "topology.slimfly:SLIMFLY",
    "mlfm": "topology.mlfm:MLFM",
    "oft": "topology.oft:OFT",
    "fattree": "topology.fat_tree:FAT_TREE",
    "tree": "topology.stages:TREE",
    "butterfly": "topology.stages:BUTTERFLY",
    "random-ring": "topology.random_ring:RANDOM_RING",
    "nbr": "topology.random_ring:NBR",
    "gau": "topology.random_ring:GAU",
    "jellyfish": "topology.random_graph:JELLYFISH",
    "kleinberg": "topology.random_graph:KLEINBERG",
    "skywalk": "topology.random_graph:SKYWALK",
    "permuted": "topology.permuted:PERMUTED",
    "folded-hypercube": "topology.shuffles:FOLDED_HYPERCUBE",
    "de-bruijn": "topology.shuffles:DE_BRUIJN",
    "kautz": "topology.shuffles:KAUTZ",
    "star": "topology.shuffles:STAR",
    "dsn-x": "topology.loops:DSN_X",
    "dln": "topology.loops:DLN",
    "graph": "files.readers:GRAPH",
}

#: A topology as users write it: form of the text, description, and ``parse(form, parts between colons, text)``. A topology that
#: also has parameters of its own has ``make(name, values)`` and their JSON schemas. ``fitting(hosts, radix)`` yields the texts of
#: networks that hold ``hosts`` hosts with switches of at most ``radix`` ports, the smallest of each kind.
Topology = namedtuple("Topology", "form description parse make options fitting", defaults=(None, {}, None))


def topology_of(name: str) -> Any:
    """The :class:`Topology` of a name.

    Raises :class:`ValueError` if the name is unknown.
    """
    if name not in TOPOLOGIES:
        more = nearest(name, TOPOLOGIES, "dsnswitch topologies lists all")
        raise ValueError(f"There is no topology {shortened(name, 40)!r}{more}")
    return named(TOPOLOGIES[name])


def parse_network(text: str) -> Network:
    """The :class:`Network` that ``text`` names: a name of :data:`TOPOLOGIES`, a colon and its parameters.

    Raises :class:`ValueError` if the name is unknown or a parameter is wrong.
    """
    name, *parts = text.split(":")
    topology = topology_of(name)
    if not parts:
        raise ValueError(f"Topology {name} must have the form {topology.form}, not {text!r}")
    return topology.parse(topology.form, parts, text)


def network_of(values: dict[str, Any]) -> Network:
    """The network of a dictionary such as :attr:`Network.parameters`: one text, or a name and parameters of the topology.

    Raises :class:`TypeError` or :class:`ValueError` if the values contradict each other or are out of range.
    """
    name, more = values["topology"], {key: value for key, value in values.items() if key != "topology"}
    topology = named(TOPOLOGIES[name]) if name in TOPOLOGIES else None
    if topology and topology.make:
        return topology.make(name, more)
    topology_of(name.partition(":")[0])
    for key, value in more.items():
        raise ValueError(f"Topology {name} takes no {key} (= {value}): the text says it all")
    return parse_network(name)


def network_of_manifest(manifest: dict[str, Any]) -> Network:
    """The network that a manifest's parameters describe, as switch cores know it; the largest one if sizes are inputs."""
    found = manifest["parameters"]
    name = found["topology"]
    keys = topology_of(name).options if name in TOPOLOGIES else ()
    largest = {"p": found["max_p"]} if "max_p" in found else {}
    return network_of({key: found[key] for key in ("topology", *keys) if key in found} | largest).fabric


def sizes_of(form, part, text: str) -> tuple[int, ...]:
    """The sizes of a part such as ``8x8``."""
    if not re.fullmatch(r"[0-9]{1,9}(x[0-9]{1,9})*", part):
        raise ValueError(f"Topology must have the form {form}, not {text!r}")
    return tuple(map(int, part.split("x")))


def of_sizes(make: Callable[..., Network]) -> Callable[..., Network]:
    """``parse`` of a topology that ``make`` makes from its sizes, such as ``torus:8x8``."""
    return lambda form, parts, text: make(sizes_of(form, ":".join(parts), text))


def of_number(make: Callable[..., Network]) -> Callable[..., Network]:
    """``parse`` of a topology that ``make`` makes from a number, such as ``dsn-f:100``."""

    def parse(form, parts, text):
        if not re.fullmatch("[0-9]{1,9}", ":".join(parts)):
            raise ValueError(f"Topology must have the form {form}, not {text!r}")
        return make(int(parts[0]))

    return parse


#: A value of a parameter: sizes such as ``4x4``, a number, or a decimal fraction.
_VALUE = re.compile(r"[0-9]{1,9}(x[0-9]{1,9})+|[0-9]{1,9}|[0-9]{1,3}\.[0-9]{1,6}")


def values_of(form, part, text: str) -> dict[str, Any]:
    """The parameters of a part such as ``a=8,h=4`` as a dictionary. Sizes such as ``4x4`` are a tuple of integers."""
    found = {}
    for word in part.split(","):
        name, equals, value = word.partition("=")
        if not equals or name in found or not _VALUE.fullmatch(value):
            raise ValueError(f"Topology must have the form {form}, not {text!r}")
        found[name] = tuple(map(int, value.split("x"))) if "x" in value else float(value) if "." in value else int(value)
    return found


def of_values(make: Callable[..., Network]) -> Callable[..., Network]:
    """``parse`` of a topology that the dataclass ``make`` makes from its parameters, such as ``dragonfly:a=8,h=4``."""

    def parse(form, parts, text):
        return make(**checked_values(make, values_of(form, ":".join(parts), text), form, text))

    return parse


def checked_values(make, values, form, text: str) -> dict[str, Any]:
    """``values``, which must be parameters of the dataclass ``make`` and have all of them that have no default."""
    known = {field.name: field.default is MISSING for field in fields(make) if field.init}
    if not values.keys() <= known.keys() or any(needed and name not in values for name, needed in known.items()):
        raise ValueError(f"Topology must have the form {form}, not {text!r}")
    return values
