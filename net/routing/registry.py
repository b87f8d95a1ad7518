"""Routing relations, by name of the routing. Every topology states where its relations are."""

from functools import lru_cache
from typing import Any

from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.network import BY_TABLES, MOST_RULED, named

#: Names of the routings; the first is the default. The others are routing over shortest paths, the default with detours around
#: failed links, and that of tori with bubbles in place of datelines.
ROUTINGS = ("base", "minimal", "detour", "bubble")

_, NEAR_MINIMAL, DETOUR, BUBBLE = ROUTINGS

#: Routings by tables whose packets may go over another switch first: all of them over a random one, or as their source chooses by
#: the load of its outputs.
INDIRECT, UGAL = TWO_STAGE = ("indirect", "ugal")

#: Minimal routing with a choice among shortest paths: the option ``adaptive`` of minimal routing.
ADAPTIVE = "minimal-adaptive"

#: The same, and the source chooses the signs of its shortest shortcuts: the option ``digits``.
DIGITS = "minimal-digits"

#: What to do without routing logic, for blocks that are routing logic.
WITHOUT_LOGIC = "use block switch-core with lookup table"

#: Routings whose packets choose.
CHOOSING = (ADAPTIVE, DIGITS)


def routing_of_manifest(parameters: dict[str, Any]) -> str:
    """Name of the routing that the parameters of a manifest state."""
    if parameters.get("lookup") == "table":
        # There, ``adaptive`` is a choice of the tables, and another routing one of their packets.
        return ROUTINGS[0]
    if parameters.get("digits"):
        return DIGITS
    return ADAPTIVE if parameters.get("adaptive") else parameters.get("routing", ROUTINGS[0])


def keeps_marked(parameters: dict[str, Any]) -> bool:
    """Whether only packets that are marked stay in order in a core with these parameters."""
    return bool(parameters.get("adaptive")) or parameters.get("routing") in TWO_STAGE


@lru_cache(maxsize=64)
def relation_of(network, routing: str = ROUTINGS[0], classes: int | None = None) -> Any:
    """The :class:`Relation` that routes ``network``, the same object for equal networks.

    ``classes`` is the number of virtual channel classes of routing ``detour``, of a graph without a routing of its own, or of
    routes in two stages; None means its default.

    Raises :class:`ValueError` if there is no such routing for the network, or ``classes`` is given for another one.
    """
    if routing in TWO_STAGE:
        return named("tables.two_stage:TwoStageRelation")(network, classes, routing == INDIRECT)
    if network.routings.get(routing) != BY_TABLES:
        refuse_classes(routing, classes)
    if not network.routings:
        raise ValueError(f"Routing {routing} needs a network with an algorithm, not {network.spelling}: it routes by tables")
    if routing not in network.routings:
        raise ValueError(f"Routing of {network.spelling} must be {' or '.join(network.routings)}, not {routing}")
    return named(network.routings[routing])(network, *(() if classes is None else (classes,)))


def refuse_classes(routing: str, classes: int | None) -> None:
    """Raise :class:`ValueError` if ``classes`` is given for a routing whose logic has no choice of it."""
    if classes is not None and routing != DETOUR:
        raise ValueError(f"The number of classes (= {classes}) is a choice of routing {DETOUR}, not of {routing}")


def refuse_logic(network, node=None, instead="use lookup table") -> None:
    """Raise :class:`UsageError` if logic is asked for that has the rules of more than :data:`MOST_RULED` switches.

    ``node`` is the switch that the logic is for; None means all switches. ``instead`` says what the user can do, besides choosing
    a node.
    """
    if node is None and network.is_large:
        raise UsageError(
            f"Routing logic of {network.spelling} is for at most {MOST_RULED} switches, not {network.nodes}; {instead}, or choose"
            " a node"
        )
