"""Model of the patience with a host, as rules for one channel: which packets are dropped, and what credits promise."""

__all__ = ["PatienceModel"]


class PatienceModel:
    """Checks one channel between a core and a host, cycle by cycle. It raises AssertionError for every broken rule.

    A packet is dropped if the host has taken nothing for ``patience`` cycles, or if the core has more credits than the host has
    space. All of its flits are dropped, or none.

    Parameters
    ----------
    depth : int
        Flits of the host's buffer.
    patience : int
        Cycles; 0: no packet is dropped.
    """

    def __init__(self, depth, patience):
        self._depth, self._patience = depth, patience
        self.held = self.waited = self.passed = self.dropped = 0
        self.credits, self._drops = depth, False

    def cycle(self, sent, passes, taken, credit):
        """One cycle.

        Parameters
        ----------
        sent : Flit or None
            The flit from the core.
        passes : bool
            The host gets a flit.
        taken : bool
            The host returns a credit.
        credit : bool
            The core gets a credit.
        """
        expired = self._patience and self.waited >= self._patience
        if sent and sent.head:
            self._drops = bool(expired or self.credits > self._depth - self.held)
            self.dropped += self._drops
            self.passed += not self._drops
        assert passes == bool(sent and not self._drops), f"{sent}: {'passed on' if passes else 'dropped'}"
        self.waited = 0 if taken or not self.held else self.waited + 1
        self.held += passes - taken
        self.credits += credit - bool(sent)
        assert 0 <= self.held <= self._depth, f"the host holds {self.held} flits"
        assert 0 <= self.credits <= self._depth, f"the core has {self.credits} credits"
