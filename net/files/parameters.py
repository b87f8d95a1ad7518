"""The parameters of a network as users write them, and the network that they describe."""

from dsnswitch.net.files.options import MAX_P, NETWORK, ROUTING, SIMULATED, with_preset
from dsnswitch.net.messages import UsageError, refusing, shortened
from dsnswitch.net.routing.detour.decisions import fault_free_classes
from dsnswitch.net.routing.detour.single_failures import detour_classes, single_failures
from dsnswitch.net.routing.registry import ADAPTIVE, CHOOSING, DIGITS, NEAR_MINIMAL, ROUTINGS, refuse_classes, relation_of
from dsnswitch.net.topology.registry import TOPOLOGIES, network_of, topology_of

_TOPOLOGIES = {name: topology_of(name) for name in TOPOLOGIES}

#: ``{name: (form, description)}`` of every network that one text can name.
FORMS = {name: (found.form, found.description) for name, found in _TOPOLOGIES.items()}

#: Options of :data:`NETWORK` that are sizes of a DSN.
SIZES = ("x", "y", "n")


def network(values):
    """The network that a dictionary with the keys of :data:`NETWORK` describes; absent keys and None mean the default."""
    given = {key: values[key] for key in NETWORK if values.get(key) is not None}
    if not given:
        raise UsageError(
            "No network is given: p, such as 3 for 8 x 8 supernodes, or x and y, or topology, such as torus:8x8x8; dsnswitch"
            " topologies lists all"
        )
    # Only a ring has n.
    alone = "n" in given and not given.keys() & {"p", "x", "y"}
    given.setdefault("topology", "ring" if alone else NETWORK["topology"].default)
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


def routing_of(values):
    """Name of the routing of a dictionary with the keys of :data:`ROUTING`; absent or None means the default."""
    routing = values.get("routing") or ROUTINGS[0]
    if values.get("digits") and not values.get("adaptive"):
        raise UsageError("Option digits is for adaptive routing: it needs adaptive")
    if values.get("lookup") == "table":
        if values.get("digits"):
            raise UsageError(f"Option digits is for routing {NEAR_MINIMAL}, not for tables")
        return routing
    if not values.get("adaptive"):
        return routing
    if routing != NEAR_MINIMAL:
        raise UsageError(f"Option adaptive is for routing {NEAR_MINIMAL} or lookup by table, not for {routing}")
    return DIGITS if values.get("digits") else ADAPTIVE


def routing_values(routing):
    """The values from which :func:`routing_of` finds a routing."""
    if routing not in CHOOSING:
        return {"routing": routing}
    return {"routing": NEAR_MINIMAL, "adaptive": True} | ({"digits": True} if routing == DIGITS else {})


def fabric(values):
    """The network of :func:`network` as switch cores know it (:attr:`Network.fabric`), with as many hosts as ``values`` state."""
    with refusing():
        return network(values).fabric.with_hosts(values.get("hosts"))


def relation(values):
    """The relation of a dictionary with the keys of a network and of :data:`ROUTING`.

    Absent or None means the default.
    """
    return routed(fabric(values), routing_of(values), values.get("classes"))


def routed(found, routing=None, classes=None):
    """The relation of a network by the name of its routing and the number of its classes; None means the default."""
    with refusing():
        classes = ROUTING["classes"].checked("classes", classes)
        return relation_of(found, routing or ROUTINGS[0], classes)


def chosen_classes(found, routing, classes):
    """The number of classes that was chosen for a network; None if it is the default, or none was chosen."""
    if classes is None:
        return None
    with refusing():
        refuse_classes(routing, classes)
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


def network_and_sized(values):
    """The network of the parameters of a block, and whether it is the largest one, as its sizes are inputs."""
    with refusing():
        levels = MAX_P.checked("max_p", values.get("max_p"))
    if levels is None:
        return fabric(values), False
    for key in ("p", *SIZES, "node"):
        if values.get(key) is not None:
            raise UsageError(f"Give max_p or {key}, not both max_p (= {levels}) and {key} (= {values[key]})")
    if (values.get("routing") or ROUTINGS[0]) != ROUTINGS[0]:
        raise UsageError(f"Sizes are inputs only of routing {ROUTINGS[0]}, not of {values['routing']}")
    if values.get("lookup", "algorithm") != "algorithm":
        raise UsageError(f"Sizes are inputs only with lookup by algorithm, not by {values['lookup']}")
    if values.get("topology") not in (None, "grid", "ring"):
        raise UsageError(f"With max_p, the topology must be grid or ring, not {values['topology']!r}")
    return network({key: value for key, value in values.items() if key in NETWORK} | {"p": levels}), True


def without_sizes(parameters, largest):
    """Parameters of a block whose sizes are inputs: ``max_p`` in place of the sizes of the largest network."""
    return {key: value for key, value in parameters.items() if key not in SIZES} | {"max_p": largest.fields[0].width}


def core_of(values):
    """The configuration of the universal core, or switch, of a simulation."""
    block = values.get("block") or "switch-core"
    if block not in ("switch-core", "switch"):
        raise UsageError(f"A simulation takes the configuration of a switch-core or a switch, not of {block}")
    if values.get("node") is not None:
        raise UsageError(f"A simulation needs a universal core, not one of node {values['node']}")
    with refusing():
        found = {key: value for key, value in with_preset(values).items() if key != "block"}
    if block == "switch-core":
        if values.get("link") is not None:
            raise UsageError("Cores have no links of their own: link needs block = switch")
        return SIMULATED | found
    if values.get("apb"):
        raise UsageError("A simulation needs a switch without registers: apb must be false")
    if values.get("link", "light") not in ("light", "strict"):
        raise UsageError(f"Links of simulated switches must be light or strict, not {shortened(str(values['link']), 40)}")
    return {"apb": False, "end_to_end": "none"} | SIMULATED | found | {"block": block}
