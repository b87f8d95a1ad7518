"""Schedule of a Reed-Solomon decoder: pipeline registers, solvers, latency. No Amaranth."""

from dataclasses import dataclass
from math import gcd

from dsnswitch.hdl.fec.reed_solomon.beats import Beats

__all__ = ["CUTS", "DecoderPlan"]

#: Optional pipeline registers, in the order of the data path.
CUTS = ("syndromes", "evaluation", "division")


@dataclass(frozen=True)
class DecoderPlan:
    """Parameters of a decoder, with the number of solvers, the latency and the memory depth that follow from them.

    Parameters
    ----------
    beats : Beats
        Code and width.
    unroll : int
        Steps of the key equation per cycle.
    cuts : tuple of str
        Pipeline registers, out of :data:`CUTS`.
    lanes : int or None
        Number of lanes whose corrected bits are counted; it divides the symbols per beat. None for the greatest up to 4.

    Raises
    ------
    ValueError
        If the parameters are out of range or contradict each other.
    """

    beats: Beats
    unroll: int = 1
    cuts: tuple = CUTS[1:]
    lanes: int | None = None

    def __post_init__(self):
        code = self.beats.code
        if not 1 <= self.unroll <= code.parity:
            raise ValueError(f"Key equation steps per cycle must be in 1..{code.parity}, not {self.unroll}")
        for name in self.cuts:
            if name not in CUTS or self.cuts.count(name) > 1:
                raise ValueError(f"Decoder cuts must be different ones of {', '.join(CUTS)}, not {name!r}")
        lanes = gcd(4, self.beats.width) if self.lanes is None else self.lanes
        if lanes < 1 or self.beats.width % lanes:
            raise ValueError(f"Lanes must divide the symbols per beat, {self.beats.width}, not {lanes}")
        object.__setattr__(self, "lanes", lanes)

    @property
    def cycles(self):
        """Cycles that a solver takes for a key equation."""
        return -(-self.beats.code.parity // self.unroll)

    @property
    def solvers(self):
        """Number of solvers that codewords without gaps need.

        In addition to its cycles, a solver takes one cycle to pass its result on, and one cycle until it is ready again. This
        cycle keeps the path from the output to the input's ready short. A register after the syndromes adds one more cycle.
        """
        return -(-(self.cycles + 2 + ("syndromes" in self.cuts)) // self.beats.count)

    @property
    def latency(self):
        """Cycles from the first symbol to the first corrected symbol.

        These are the reception of a codeword, the key equation, a cycle to load the search, a cycle for the output
        register, and a cycle per cut.
        """
        return self.beats.count + self.cycles + 2 + len(self.cuts)

    @property
    def depth(self):
        """Beats that the memory for received symbols holds."""
        return 1 << self.latency.bit_length()
