"""Registry of the routing relations, by topology."""

from ..topology import Dsn, Torus
from .dsn.relation import DsnRelation
from .torus.relation import TorusRelation

__all__ = ["relation_of"]

_RELATIONS = {Dsn: DsnRelation, Torus: TorusRelation}


def relation_of(network):
    """The :class:`~.relation.Relation` that routes ``network``."""
    return _RELATIONS[type(network)](network)
