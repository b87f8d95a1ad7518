"""Streams of words: register stage, gearbox, queue, store-and-forward of codewords, units that take turns."""

from .delay_memory import DelayMemory
from .gearbox import Gearbox
from .hold import Hold
from .round_robin import choose, turn
from .stage import stage

__all__ = ["DelayMemory", "Gearbox", "Hold", "choose", "stage", "turn"]
