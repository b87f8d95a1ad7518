"""Parts of a switch put together."""

from .forwarding import KINDS, Forwarding
from .route_selector import RouteSelector
from .table_key import TableKey

__all__ = ["KINDS", "Forwarding", "RouteSelector", "TableKey"]
