"""The parameters of a network as users write them, and the network that they describe."""

from dsnswitch.net.files.readers import check_format
from dsnswitch.net.messages import UsageError, note, refusing
from dsnswitch.net.properties import choice, flag, integer, text
from dsnswitch.net.routing.detour.decisions import fault_free_classes
from dsnswitch.net.routing.detour.single_failures import detour_classes, single_failures
from dsnswitch.net.routing.registry import ADAPTIVE, CHOOSING, DIGITS, NEAR_MINIMAL, ROUTINGS, relation_of
from dsnswitch.net.topology.registry import TOPOLOGIES, network_of, topology_of

_TOPOLOGIES = {name: topology_of(name) for name in TOPOLOGIES}

#: ``{name: (form, description)}`` of every network that one text can name.
FORMS = {name: (found.form, found.description) for name, found in _TOPOLOGIES.items()}

#: Keys of :data:`PROPERTIES` that are sizes of a DSN.
SIZES = ("x", "y", "n")


#: JSON schema of each parameter.
PROPERTIES = {
    "topology": text(
        "A network as one text, such as torus:8x8x8 or slimfly:q=13; the command topologies lists all. Or grid or ring alone, "
        "with the parameters below; n without p, x and y means ring.",
        default="grid",
    ),
    **{key: rule for found in _TOPOLOGIES.values() for key, rule in found.properties.items()},
}


#: JSON schema of the parameter that makes sizes inputs.
MAX_P = integer(
    "Sizes as inputs: one netlist for every grid or ring of up to 2^P supernodes in each dimension.",
    1,
    PROPERTIES["p"]["maximum"],
)


def stating(values, form=None, hosts=0):
    """``values`` of :func:`network`, in which the graph of a file states the format ``form`` and the number of ``hosts``."""
    for key, value in (("graph-format", form), ("hosts", hosts)):
        topology = values.get("topology") or ""
        if value and not topology.startswith("graph:"):
            raise UsageError(f"A network takes no --{key} (= {value}), only a graph of a file does")
        if value:
            values = values | {"topology": f"{topology},{key.removeprefix('graph-')}={value}"}
    if form:
        check_format(form)
    return values


def network(values):
    """The network that a dictionary with the keys of :data:`PROPERTIES` describes; absent keys and None mean the default.

    Raises :class:`UsageError` if the values contradict each other or are out of range.
    """
    given = {key: values[key] for key in PROPERTIES if values.get(key) is not None}
    if not given:
        raise UsageError(
            "No network is given: p, such as 3 for 8 x 8 supernodes, or x and y, or topology, such as torus:8x8x8; dsnswitch"
            " topologies lists all"
        )
    # Only a ring has n.
    alone = "n" in given and not given.keys() & {"p", "x", "y"}
    given.setdefault("topology", "ring" if alone else PROPERTIES["topology"]["default"])
    try:
        return network_of(given)
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None


def switch_of(network, text):
    """The switch that a user's text names; None if the text is None. A text that names no switch is a :class:`UsageError`."""
    try:
        return None if text is None else network.parse_switch(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


# The option ``routing``: the routing algorithm of a network, and the relation that it selects.

#: JSON schema of the option ``routing``.
PROPERTY = choice(
    "Routing of the network. minimal: shortest paths (DSN only); detour: around failed links (DSN only).", ROUTINGS
)

#: JSON schema of the option ``adaptive``.
CHOICE = flag(
    "With routing minimal: a packet that waits takes a second shortest path, or another channel of its class, if that is free."
    " Packets of a flow may overtake each other.",
    False,
)


#: JSON schema of the option ``digits``.
SIGNS = flag(
    "With adaptive: the source of a packet also chooses the signs of its shortest shortcuts, by the load of its outputs. For"
    " sizes that are powers of two.",
    False,
)


def routing_of(values):
    """Name of the routing of a dictionary with the keys of :data:`ROUTING_OPTIONS`; absent or None means the default.

    Raises :class:`UsageError` if the routing has no choice.
    """
    routing = values.get("routing") or PROPERTY["default"]
    if values.get("digits") and not values.get("adaptive"):
        raise UsageError("Option digits is for adaptive routing: it needs adaptive")
    if not values.get("adaptive"):
        return routing
    if routing != NEAR_MINIMAL:
        raise UsageError(f"Option adaptive is for routing {NEAR_MINIMAL}, not for {routing}")
    return DIGITS if values.get("digits") else ADAPTIVE


def routing_values(routing):
    """The values from which :func:`routing_of` finds a routing."""
    if routing not in CHOOSING:
        return {"routing": routing}
    return {"routing": NEAR_MINIMAL, "adaptive": True} | ({"digits": True} if routing == DIGITS else {})


#: Old words for routings, which are accepted until the next release.
OLD_WORDS = {"near-minimal": NEAR_MINIMAL}


def current(routing):
    """The present name of a routing; a line on standard error says that the given one is old."""
    if not isinstance(routing, str) or routing not in OLD_WORDS:
        return routing
    note(f"routing {routing} is now called {OLD_WORDS[routing]}")
    return OLD_WORDS[routing]


#: JSON schema of the option ``classes``.
CLASSES = integer(
    "With routing detour: virtual channel classes of every port between switches. Default as many as every single failed link "
    "needs.",
    2,
    16,
)


#: JSON schemas of all options of a routing.
ROUTING_OPTIONS = {"routing": PROPERTY, "adaptive": CHOICE, "digits": SIGNS, "classes": CLASSES}


def fabric(values):
    """The network of :func:`network` as switch cores know it (:attr:`Network.fabric`), with as many hosts as ``values`` state."""
    with refusing():
        return network(values).fabric.with_hosts(values.get("hosts"))


def relation(values):
    """The relation of a dictionary with the keys of a network and of :data:`ROUTING_OPTIONS`.

    Absent or None means the default.

    Raises :class:`UsageError` if the values contradict each other or are out of range.
    """
    return routed(fabric(values), routing_of(values), values.get("classes"))


def routed(found, routing=None, classes=None):
    """The relation of a network by the name of its routing and the number of its classes; None means the default.

    Raises :class:`UsageError` if there is no such routing for the network.
    """
    if classes is not None and not CLASSES["minimum"] <= classes <= CLASSES["maximum"]:
        raise UsageError(f"classes must be in {CLASSES['minimum']}..{CLASSES['maximum']}, not {classes}")
    try:
        return relation_of(found, routing or PROPERTY["default"], classes)
    except ValueError as error:
        raise UsageError(str(error)) from None


def chosen_classes(found, routing, classes):
    """The number of classes that was chosen for a network; None if it is the default, or none was chosen.

    Raises :class:`UsageError` if a packet can be undeliverable although at most one link has failed. The message names it.
    """
    if classes is None:
        return None
    routed(found, routing, classes)
    needed = detour_classes(found)
    if classes < fault_free_classes(found):
        raise UsageError(
            f"Routes of {found.spelling} without failed links take {fault_free_classes(found)} classes, not {classes}"
        )
    if classes < needed:
        lost = single_failures(found).lost
        source, destination, end = map(found.spell_switch, (lost.source, lost.destination, lost.end[0]))
        raise UsageError(
            f"With fewer than {needed} classes (= {classes}), {found.spelling} does not survive every single failed link: port "
            f"{found.ports[lost.end[1]].name} of {end}, packet from {source} to {destination}"
        )
    return None if classes == needed else classes
