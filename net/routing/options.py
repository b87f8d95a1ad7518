"""The option ``routing``: the routing algorithm of a network, and the relation that it selects."""

from dsnswitch.net.errors import UsageError
from dsnswitch.net.files.parameters import network
from dsnswitch.net.properties import choice, integer
from dsnswitch.net.routing.detour.single_failures import detour_classes, single_failures
from dsnswitch.net.routing.detour.turn_classes import fault_free_classes
from dsnswitch.net.routing.registry import ROUTINGS, relation_of

__all__ = ["CLASSES", "PROPERTY", "chosen_classes", "relation", "routed"]

#: JSON schema of the option ``routing``.
PROPERTY = choice(
    "Routing of the network. near-minimal: shortest paths (DSN only); detour: around failed links (DSN only).", ROUTINGS
)

#: JSON schema of the option ``classes``.
CLASSES = integer(
    "With routing detour: virtual channel classes of every port between switches. Default as many as every single failed link "
    "needs.",
    2,
    16,
)


def relation(values):
    """The relation of a dictionary with the keys of a network, ``routing`` and ``classes``; absent or None means the default.

    Raises
    ------
    UsageError
        If the values contradict each other or are out of range.
    """
    return routed(network(values), values.get("routing"), values.get("classes"))


def routed(found, routing=None, classes=None):
    """The relation of a network by the name of its routing and the number of its classes; None means the default.

    Raises
    ------
    UsageError
        If there is no such routing for the network.
    """
    if classes is not None and not CLASSES["minimum"] <= classes <= CLASSES["maximum"]:
        raise UsageError(f"classes must be in {CLASSES['minimum']}..{CLASSES['maximum']}, not {classes}")
    try:
        return relation_of(found, routing or PROPERTY["default"], classes)
    except ValueError as error:
        raise UsageError(str(error)) from None


def chosen_classes(found, routing, classes):
    """The number of classes that was chosen for a network; None if it is the default, or none was chosen.

    Raises
    ------
    UsageError
        If a packet can be undeliverable although at most one link has failed. The message names it.
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
