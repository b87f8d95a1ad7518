"""Model of routes in two stages: where a switch sends a packet, and which way its source chooses (docs/two-stage.md)."""

from collections import namedtuple

#: A switch over which a packet may go, and the output ports there: the first, and another one or None.
Candidate = namedtuple("Candidate", "switch port other")

_MASK = (1 << 32) - 1


def target(own, destination, intermediate):
    """``(switch to which a packet goes from here, intermediate switch in its header from here on)``; None is none."""
    if intermediate in (None, own):
        return destination, None
    return intermediate, intermediate


class Source:
    """The choice of a port to a host.

    Parameters
    ----------
    widths : list of int
        Bits of the fields of a switch's address, the lowest first.
    candidates : int
        Candidates from which a packet chooses.
    penalty, threshold : int
        Times the load of a candidate; the least load of the straight output. Penalty 0: a packet takes the candidate.
    """

    def __init__(self, widths, candidates=1, penalty=0, threshold=0):
        self._widths, self.candidates, self._oldest = widths, [None] * candidates, 0
        self._penalty, self._threshold = penalty, threshold
        self._random = 0x2545F491

    @property
    def drawn(self):
        """The address of which the table is asked in a cycle without a packet, field by field."""
        found, rest = [], self._random
        for width in self._widths:
            found.append(rest & (1 << width) - 1)
            rest >>= width
        return tuple(found)

    def wait(self, answer):
        """A cycle without a packet: ``(port, other)`` to the drawn switch, None if no port leads to another switch there."""
        if answer is not None:
            self.candidates[self._oldest] = Candidate(self.drawn, *answer)
            self._oldest = (self._oldest + 1) % len(self.candidates)
        self._step(0)

    def choose(self, destination, straight, addresses, loads, dead, ordered):
        """The :class:`Candidate` over which a packet goes, None if it goes straight.

        ``straight`` is the port towards the destination or None, ``addresses`` the bits of destination and source, ``loads`` are
        those of the ports by number, ``dead`` are dead ones.
        """
        usable = [one for one in self.candidates if one and one.switch != destination and one.port not in dead]
        self._step(addresses & _MASK)
        if straight is None or ordered or not usable:
            return None
        if not self._penalty:
            return usable[0]
        best = min(usable, key=lambda one: loads[one.port])
        above = loads[straight] >= self._threshold
        return best if above and self._penalty * loads[best.port] < loads[straight] else None

    def _step(self, more):
        number = self._random
        number ^= number << 13 & _MASK
        number ^= number >> 17
        number ^= number << 5 & _MASK
        self._random = number ^ more
