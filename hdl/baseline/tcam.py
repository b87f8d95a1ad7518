"""Baseline TCAM: a small ternary table in flip-flops, the dissertation's alternative to route logic (D 4.1.2, 4.5.2)."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RouteTcam"]


class RouteTcam(wiring.Component):
    """Ternary table in flip-flops: ``entries`` words with an action each; the first matching entry wins.

    A lookup is combinational, one per cycle. A write takes effect after the clock edge. The table has
    ``entries * (2 * key + action)`` flip-flops. An entry matches if ``(key ^ value) & mask == 0``. After reset masks and actions
    are 0, so that entry 0 matches every key with action 0.

    Members
    -------
    key : In(key)
        Destination address.
    action : Out(action)
        Action of the first matching entry; 0 if none matches.
    hit : Out(1)
        An entry matches.
    write : In(1)
        Write ``write_value``, ``write_mask`` and ``write_action`` to entry ``write_entry``, which has
        ``max(1, ceil(log2 entries))`` bits.
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

    #: The block has a clock: its entries are registers, although a lookup is combinational.
    clocked = True

    @property
    def latency(self):
        """Cycles from the key to the action."""
        return 0

    def elaborate(self, platform):
        m = Module()
        entries = []
        for entry in range(self._entries):
            # An entry stores which key bits of 1 and which of 0 it refuses: after the key that is one complex gate per bit.
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
            entries.append((match, action))
        # A tournament: the first of two neighbours wins if it matches. The actions are selected while the matches are computed.
        while len(entries) > 1:
            pairs = [entries[start : start + 2] for start in range(0, len(entries), 2)]
            entries = []
            for pair in pairs:
                hit, action = pair[0]
                if len(pair) == 2:
                    hit, action = hit | pair[1][0], Mux(hit, action, pair[1][1])
                entries.append((hit, action))
        hit, action = entries[0]
        m.d.comb += [self.action.eq(Mux(hit, action, 0)), self.hit.eq(hit)]
        return m
