"""The route logic of each routing and topology."""

from dsnswitch.hdl.routing.detour.route import DetourRoute
from dsnswitch.hdl.routing.dsn.route import RouteLogic
from dsnswitch.hdl.routing.dsn.sized.route import SizedRoute
from dsnswitch.hdl.routing.dsn_f.route import DsnFRoute
from dsnswitch.hdl.routing.mesh import MeshRoute
from dsnswitch.hdl.routing.minimal.route import MinimalRoute
from dsnswitch.hdl.routing.torus.route import TorusRoute
from dsnswitch.net.routing.registry import DETOUR, NEAR_MINIMAL, ROUTINGS
from dsnswitch.net.topology.dsn import Dsn
from dsnswitch.net.topology.dsn_f import DsnF
from dsnswitch.net.topology.hypercube import Hypercube
from dsnswitch.net.topology.mesh import Mesh
from dsnswitch.net.topology.torus import Torus

__all__ = ["LOGIC", "route_logic"]

#: The logic of each routing, by topology.
LOGIC = {
    ROUTINGS[0]: {Dsn: RouteLogic, DsnF: DsnFRoute, Torus: TorusRoute, Mesh: MeshRoute, Hypercube: TorusRoute},
    NEAR_MINIMAL: {Dsn: MinimalRoute},
    DETOUR: {Dsn: DetourRoute},
}


def route_logic(network, node=None, *, register=False, routing=ROUTINGS[0], sized=False, classes=None):
    """The :class:`RouteComponent` that decides as the relation of ``network``: universal, or specialised for switch ``node``.

    ``sized`` is the universal base routing of a DSN for every size up to that of ``network``. ``classes`` is the number of
    virtual channel classes of routing ``detour``; None means its default.
    """
    if sized:
        return SizedRoute(network, register=register)
    options = {"register": register} | ({"classes": classes} if routing == DETOUR else {})
    return LOGIC[routing][type(network)](network, node, **options)
