"""Monitor of the notifier: credits are kept, nothing is overwritten, and no flit to the host waits."""

from amaranth.hdl import Signal
from proofs.monitor import Monitor, several


class NotifierMonitor(Monitor):
    """No buffer overflows, no credit is lost or doubled, and each flit of the core leaves in the cycle in which it came.

    The environment is a host and a core that send with credits, and return a credit for a flit that they have.
    """

    def __init__(self, unit, depth, space):
        host, core = unit.host, unit.core
        inputs = [core.tx.valid, core.tx.flit.as_value(), core.rx.credit, host.rx.valid, host.rx.flit.as_value()]
        super().__init__(unit, [*inputs, host.tx.credit])
        self.depth, self.space = depth, space

    def watch(self, m):
        unit, self._m = self.unit, m
        host, core, writer, injector = unit.host, unit.core, unit.writer, unit.injector
        gone = Signal()
        m.d.sync += gone.eq(injector.taken)
        faults = [
            # Every flit of the core leaves for the host, or is consumed, in its own cycle.
            core.tx.valid != host.tx.valid | writer.consumed,
            (host.tx.valid & writer.consumed).any(),
            # A flit that waits is not overwritten, and goes on.
            injector.waiting.any() & ~injector.resumes & injector.stays,
            (injector.waiting & (injector.waiting - 1)).any(),
            (host.rx.valid.any() & ~injector.stays) & ((injector.sent & host.rx.valid) != host.rx.valid),
            # Notices have space, and leave only if there is one.
            unit.pending > self.space,
            unit.pending != unit.queue.level + unit.queue.front_valid + unit.queue.second_valid + gone,
            unit.queue.filled != unit.queue.level.any(),
            (unit.queue.level >= 2) & ~unit.queue.second_valid,
            (unit.queue.level >= 3) & ~unit.queue.front_valid,
            injector.taken & ~unit.queue.front_valid,
        ]
        rules = [~several(valid) for valid in (core.tx.valid, host.rx.valid)]
        for v in range(len(core.tx.valid)):
            for more_faults, more_rules in (self._to_host(v), self._to_core(v)):
                faults += more_faults
                rules += more_rules
        return faults, rules

    def _level(self, name, adds, takes, init=0):
        """A count of flits or credits."""
        level = Signal(range(self.depth + 3), init=init, name=name)
        self._m.d.sync += level.eq(level + adds - takes)
        return level

    def _to_host(self, v):
        """Credits of the core: each is at the core, at the host, or on its way back."""
        core, host = self.unit.core.tx, self.unit.host.tx
        out = self._level(f"out_{v}", core.valid[v], core.credit[v])
        there = self._level(f"there_{v}", host.valid[v], host.credit[v])
        back = self.unit.writer.returns[v]
        faults = [out != there + back.owed + back.credit, out > self.depth]
        return faults, [~core.valid[v] | (out < self.depth), ~host.credit[v] | there.any()]

    def _to_core(self, v):
        """Credits of the host, and places in the core's buffer."""
        core, host, injector = self.unit.core.rx, self.unit.host.rx, self.unit.injector
        left = self._level(f"left_{v}", host.credit[v], host.valid[v], init=self.depth)
        inside = self._level(f"inside_{v}", injector.sent[v], core.credit[v])
        there = self._level(f"there_in_core_{v}", core.valid[v], core.credit[v])
        back = injector.returns[v]
        owes = injector.owes if v == 0 else 0
        faults = [
            inside > self.depth,
            inside != there + core.valid[v],
            left + back.owed + back.credit + inside + injector.waiting[v] != self.depth + owes,
            *([injector.left + inside != self.depth] if v == 0 else []),
        ]
        return faults, [~host.valid[v] | left.any(), ~core.credit[v] | there.any()]
