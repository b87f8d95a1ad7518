"""Parts of a switch put together."""

from .forwarding import KINDS, Forwarding
from .route_selector import RouteSelector
from .table_key import KEYS, TableKey, key_width

__all__ = ["KEYS", "KINDS", "Forwarding", "RouteSelector", "TableKey", "key_width"]
