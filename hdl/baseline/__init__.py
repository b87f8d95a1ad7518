"""Baselines to compare figures with: straightforward versions of common designs. Not part of the switch."""

from .secded import CONSTRUCTIONS, PlainSecdedDecoder, PlainSecdedEncoder, plain_columns
from .tcam import RouteTcam
from .torus import TorusRoute

__all__ = ["CONSTRUCTIONS", "PlainSecdedDecoder", "PlainSecdedEncoder", "RouteTcam", "TorusRoute", "plain_columns"]
