"""Baselines to compare figures with: straightforward versions of common designs. Not part of the switch."""

from .mesh import PlainMeshRoute
from .secded import CONSTRUCTIONS, PlainSecdedDecoder, PlainSecdedEncoder, plain_columns
from .tcam import RouteTcam
from .torus import PlainTorusRoute

__all__ = [
    "CONSTRUCTIONS",
    "PlainMeshRoute",
    "PlainSecdedDecoder",
    "PlainSecdedEncoder",
    "RouteTcam",
    "PlainTorusRoute",
    "plain_columns",
]
