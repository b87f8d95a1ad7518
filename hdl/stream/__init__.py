"""Streams of words: register stage, gearbox, delay, words held back until they are known to be good."""

from .delay_memory import DelayMemory
from .gearbox import Gearbox
from .hold import Hold
from .stage import stage
from .turns import choose, turn

__all__ = ["DelayMemory", "Gearbox", "Hold", "choose", "stage", "turn"]
