"""How a decoder is laid out in time. No Amaranth."""

from dataclasses import dataclass
from math import gcd

from .beats import Beats

__all__ = ["CUTS", "DecoderPlan"]

#: Places of registers that can be left out, in the order of the data's way.
CUTS = ("syndromes", "evaluation", "division")


@dataclass(frozen=True)
class DecoderPlan:
    """Parameters of a decoder, and what follows from them.

    Parameters
    ----------
    beats : Beats
    unroll : int
        Steps of the key equation in a cycle.
    cuts : tuple of str
        Registers, out of :data:`CUTS`.
    lanes : int or None
        Lanes to count corrected bits of; divides the symbols a beat. None for the greatest up to 4.

    Raises
    ------
    ValueError
        If one does not go with the others.
    """

    beats: Beats
    unroll: int = 1
    cuts: tuple = CUTS[1:]
    lanes: int | None = None

    def __post_init__(self):
        code = self.beats.code
        if not 1 <= self.unroll <= code.parity:
            raise ValueError(f"Key equation steps a cycle must be in 1..{code.parity}, not {self.unroll}")
        for name in self.cuts:
            if name not in CUTS or self.cuts.count(name) > 1:
                raise ValueError(f"Decoder cuts must be different ones of {', '.join(CUTS)}, not {name!r}")
        lanes = gcd(4, self.beats.width) if self.lanes is None else self.lanes
        if lanes < 1 or self.beats.width % lanes:
            raise ValueError(f"Lanes must divide the symbols a beat, {self.beats.width}, not {lanes}")
        object.__setattr__(self, "lanes", lanes)

    @property
    def cycles(self):
        """Of the key equation."""
        return -(-self.beats.code.parity // self.unroll)

    @property
    def solvers(self):
        """Key equations at once, so that codewords come without a gap.

        Each takes a cycle to be handed on and one to be ready again, so that readiness is no long path from the output to
        the input, and one more to be waited for if syndromes come behind a register.
        """
        return -(-(self.cycles + 2 + ("syndromes" in self.cuts)) // self.beats.count)

    @property
    def latency(self):
        """Cycles from the first symbol to the first corrected one: reception, key equation, a cycle to load, one to leave."""
        return self.beats.count + self.cycles + 2 + len(self.cuts)

    @property
    def depth(self):
        """Beats that can wait."""
        return 1 << self.latency.bit_length()
