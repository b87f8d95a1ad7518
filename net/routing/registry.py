"""Registry of the routing relations, by name of the routing and topology."""

from functools import lru_cache

from dsnswitch.net.routing.detour.relation import DetourRelation
from dsnswitch.net.routing.dsn.relation import DsnRelation
from dsnswitch.net.routing.dsn_f import DsnFRelation
from dsnswitch.net.routing.minimal.relation import MinimalRelation
from dsnswitch.net.routing.torus import TorusRelation
from dsnswitch.net.topology.dsn import Dsn
from dsnswitch.net.topology.dsn_f import DsnF
from dsnswitch.net.topology.torus import Torus

__all__ = ["DETOUR", "NEAR_MINIMAL", "ROUTINGS", "relation_of"]

#: The routing over shortest paths.
NEAR_MINIMAL = "minimal"

#: The base routing with detours around failed links.
DETOUR = "detour"

_RELATIONS = {
    "base": {Dsn: DsnRelation, DsnF: DsnFRelation, Torus: TorusRelation},
    NEAR_MINIMAL: {Dsn: MinimalRelation},
    DETOUR: {Dsn: DetourRelation},
}

#: A topology in messages.
_TITLES = {Dsn: "a grid or ring DSN", DsnF: "a DSN-F", Torus: "a torus"}

#: Names of the routings; the first is the default.
ROUTINGS = tuple(_RELATIONS)


@lru_cache(maxsize=64)
def relation_of(network, routing=ROUTINGS[0], classes=None):
    """The :class:`Relation` that routes ``network``, the same object for equal networks.

    ``classes`` is the number of virtual channel classes of routing ``detour``; None means its default.

    Raises
    ------
    ValueError
        If there is no such routing for the network, or ``classes`` is given for another one.
    """
    if classes is not None and routing != DETOUR:
        raise ValueError(f"The number of classes (= {classes}) is a choice of routing {DETOUR}, not of {routing}")
    of = _RELATIONS[routing]
    if type(network) not in of:
        *most, last = (_TITLES[kind] for kind in of)
        known = f"{', '.join(most)} or {last}" if most else last
        raise ValueError(f"Routing {routing} is for {known}, not {network.spelling}")
    return of[type(network)](network, *(() if classes is None else (classes,)))
