"""The switch: forwarding (algorithm and table), and the core that moves packets."""

from .arrival import EVENTS
from .core import SwitchCore
from .forwarding import KINDS, Forwarding
from .packet import FlitLink, Header, flit_layout
from .route_selector import RouteSelector
from .shape import LOOKUPS, SWITCHINGS, CoreShape, TableOptions
from .table_key import TableKey

__all__ = [
    "EVENTS",
    "KINDS",
    "LOOKUPS",
    "SWITCHINGS",
    "CoreShape",
    "FlitLink",
    "Forwarding",
    "Header",
    "RouteSelector",
    "SwitchCore",
    "TableKey",
    "TableOptions",
    "flit_layout",
]
