"""The route logic of each routing and topology."""

from functools import partial

from dsnswitch.hdl.routing.detour import DetourRoute
from dsnswitch.hdl.routing.digits import DigitRoute
from dsnswitch.hdl.routing.dsn import RouteLogic
from dsnswitch.hdl.routing.dsn_f import DsnFRoute
from dsnswitch.hdl.routing.graph import GraphRoute
from dsnswitch.hdl.routing.mesh import MeshRoute
from dsnswitch.hdl.routing.minimal import MinimalRoute
from dsnswitch.hdl.routing.torus import TorusRoute
from dsnswitch.net.routing.registry import ADAPTIVE, BUBBLE, DETOUR, DIGITS, NEAR_MINIMAL, ROUTINGS
from dsnswitch.net.topology.adjacency import Adjacency
from dsnswitch.net.topology.dsn import Dsn
from dsnswitch.net.topology.dsn_f import DsnF
from dsnswitch.net.topology.graph import Graph
from dsnswitch.net.topology.hypercube import Hypercube
from dsnswitch.net.topology.mesh import Mesh
from dsnswitch.net.topology.torus import Torus

#: The logic of each routing, by topology, or by a class that several topologies share.
LOGIC = {
    ROUTINGS[0]: {
        Dsn: RouteLogic,
        DsnF: DsnFRoute,
        Torus: TorusRoute,
        Mesh: MeshRoute,
        Hypercube: TorusRoute,
        Graph: GraphRoute,
        Adjacency: GraphRoute,
    },
    NEAR_MINIMAL: {Dsn: MinimalRoute},
    ADAPTIVE: {Dsn: partial(MinimalRoute, adaptive=True)},
    DIGITS: {Dsn: DigitRoute},
    DETOUR: {Dsn: DetourRoute},
    BUBBLE: {Torus: partial(TorusRoute, dateline=False)},
}


def route_logic(network, node=None, *, register=False, routing=ROUTINGS[0], **options):
    """The :class:`RouteComponent` that decides as the relation of ``network``: universal, or specialised for switch ``node``.

    ``register`` puts registers at its outputs, whatever the routing is.
    ``options`` are those of the logic: ``sized`` (base routing of a DSN), ``classes`` (routing ``detour``). An option that is
    not given, or None, has its default.
    """
    given = {name: value for name, value in options.items() if value}
    kind = next(kind for kind in type(network).__mro__ if kind in LOGIC[routing])
    logic = LOGIC[routing][kind](network, node, **given)
    return logic.registered() if register else logic
