"""A small ternary table in flip-flops, first match wins: the dissertation's alternative (D 4.1.2, 4.5.2)."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RouteTcam"]


class RouteTcam(wiring.Component):
    """Ternary table in flip-flops: ``entries`` words with an action each; entry 0 has the highest priority.

    Lookup combinational, one a cycle; a write takes effect after the clock edge. Flip-flops: entries * (2 * key + action).
    An entry matches if ``(key ^ value) & mask == 0``; after reset the masks are 0 and the actions 0, so entry 0 matches
    everything with action 0.

    Members
    -------
    key : In(key)
        Destination address.
    action : Out(action)
        Action of the first matching entry, 0 without one.
    hit : Out(1)
        Some entry matches.
    write : In(1)
        Write ``write_value``, ``write_mask``, ``write_action`` to entry ``write_entry``, of max(1, ceil(log2 entries)) bits.
    """

    def __init__(self, entries, key, action):
        for name, number in (("entries", entries), ("key width", key), ("action width", action)):
            if number < 1:
                raise ValueError(f"TCAM {name} must be at least 1, not {number}")
        self._entries = entries
        super().__init__(
            {
                "key": In(key),
                "action": Out(action),
                "hit": Out(1),
                "write": In(1),
                "write_entry": In(range(max(2, entries))),
                "write_value": In(key),
                "write_mask": In(key),
                "write_action": In(action),
            }
        )

    #: Entries are registers, although the lookup is not clocked.
    clocked = True

    @property
    def latency(self):
        """Cycles from the key to the action."""
        return 0

    def elaborate(self, platform):
        m = Module()
        found = []
        for entry in range(self._entries):
            # Stored as what refuses: a key bit of 1, a key bit of 0. After the key that is one complex gate a bit.
            refuse_one = Signal.like(self.key, name=f"refuse_one_{entry}")
            refuse_zero = Signal.like(self.key, name=f"refuse_zero_{entry}")
            action = Signal.like(self.action, name=f"action_{entry}")
            with m.If(self.write & (self.write_entry == entry)):
                m.d.sync += [
                    refuse_one.eq(~self.write_value & self.write_mask),
                    refuse_zero.eq(self.write_value & self.write_mask),
                    action.eq(self.write_action),
                ]
            match = Signal(name=f"match_{entry}")
            m.d.comb += match.eq(~(self.key & refuse_one | ~self.key & refuse_zero).any())
            found.append((match, action))
        # A tournament: of two neighbours the first wins if it matches, so that the actions are ready before the matches.
        while len(found) > 1:
            pairs = [found[start : start + 2] for start in range(0, len(found), 2)]
            found = []
            for pair in pairs:
                hit, action = pair[0]
                if len(pair) == 2:
                    hit, action = hit | pair[1][0], Mux(hit, action, pair[1][1])
                found.append((hit, action))
        hit, action = found[0]
        m.d.comb += [self.action.eq(Mux(hit, action, 0)), self.hit.eq(hit)]
        return m
