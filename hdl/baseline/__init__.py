"""Baselines to compare figures with: straightforward versions of common designs. Not part of the switch."""

from .mesh import MeshRoute
from .secded import CONSTRUCTIONS, PlainSecdedDecoder, PlainSecdedEncoder, plain_columns
from .tcam import RouteTcam
from .torus import TorusRoute

__all__ = [
    "CONSTRUCTIONS",
    "MeshRoute",
    "PlainSecdedDecoder",
    "PlainSecdedEncoder",
    "RouteTcam",
    "TorusRoute",
    "plain_columns",
]
