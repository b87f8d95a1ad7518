"""The route logic of each routing and topology."""

from dsnswitch.hdl.routing.detour.registered.route import RegisteredDetourRoute
from dsnswitch.hdl.routing.detour.route import DetourRoute
from dsnswitch.hdl.routing.dsn.registered.route import RegisteredRoute, RegisteredSizedRoute
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

__all__ = ["REGISTERED", "STRAPS", "route_logic"]

#: What happens to the switch's address and to link states: ``registered`` decodes them into registers before packets need them.
STRAPS = ("direct", "registered")

REGISTERED = STRAPS[1]

_LOGIC = {
    ROUTINGS[0]: {Dsn: RouteLogic, DsnF: DsnFRoute, Torus: TorusRoute, Mesh: MeshRoute, Hypercube: TorusRoute},
    NEAR_MINIMAL: {Dsn: MinimalRoute},
    DETOUR: {Dsn: DetourRoute},
}

_REGISTERED = {ROUTINGS[0]: RegisteredRoute, DETOUR: RegisteredDetourRoute}


def route_logic(
    network, node=None, *, register=False, routing=ROUTINGS[0], sized=False, straps=STRAPS[0], classes=None
):
    """The component that decides as the relation of ``network`` does: universal, or specialised for switch ``node``.

    Every route logic has inputs ``own`` (universal only) and ``dst`` (:class:`AddressSignature`), and outputs
    ``out_port`` (one-hot), ``arrived`` and ``invalid``, of which exactly one bit is set. ``out_class`` and inputs that describe
    the arrival exist where the relation needs them. ``sized`` is the universal base routing of a DSN for every size up to that of
    ``network``, with inputs ``size.<dimension>``. ``straps`` is one of :data:`STRAPS`. Registered straps are for the universal
    logic of a DSN. ``classes`` is the number of virtual channel classes of routing ``detour``; None means its default.
    """
    if sized:
        return (SizedRoute, RegisteredSizedRoute)[straps == REGISTERED](network, register=register)
    options = {"register": register} | ({"classes": classes} if routing == DETOUR else {})
    if straps == REGISTERED:
        return _REGISTERED[routing](network, **options)
    return _LOGIC[routing][type(network)](network, node, **options)
