"""The route logic of each routing and topology."""

from ..topology import Dsn, DsnF, Torus
from .dsn.detour.route import DetourRoute
from .dsn.near_minimal.route import NearMinimalRoute
from .dsn.route import RouteLogic
from .dsn_f.route import DsnFRoute
from .registry import DETOUR, NEAR_MINIMAL, ROUTINGS
from .torus.route import TorusRoute

__all__ = ["route_logic"]

_LOGIC = {
    ROUTINGS[0]: {Dsn: RouteLogic, DsnF: DsnFRoute, Torus: TorusRoute},
    NEAR_MINIMAL: {Dsn: NearMinimalRoute},
    DETOUR: {Dsn: DetourRoute},
}


def route_logic(network, node=None, *, register=False, routing=ROUTINGS[0]):
    """The component that decides as the relation of ``network`` does: universal, or specialised for switch ``node``.

    Every route logic has inputs ``own_FIELD`` (universal only) and ``dst_FIELD`` for each address field with more than one value,
    and outputs ``out_port`` (one-hot), ``arrived`` and ``invalid``, of which exactly one bit is set. ``out_class`` and inputs
    that describe the arrival exist where the relation needs them.
    """
    return _LOGIC[routing][type(network)](network, node, register=register)
