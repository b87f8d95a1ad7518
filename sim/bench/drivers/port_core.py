"""A switch core as seen from a fabric port: it sends packets while it has credits, accepts flits and returns credits."""

from collections import deque

from dsnswitch.sim.bench.drivers.pins import Pins

__all__ = ["FabricCore"]


class FabricCore:
    """One core's side of a fabric port.

    Parameters
    ----------
    dut : simulator handle
    prefix : str
        Prefix of the port's signals, such as ``a_``.
    manifest : dict
    rng : random.Random
    stall : float
        Share of cycles in which the core offers no flit of a packet, and in which no flit leaves a buffer.
    """

    #: Cycles from the decision to send a flit to its arrival at the port, as in the switch core.
    LATENCY = 2

    def __init__(self, dut, prefix, manifest, rng, stall):
        parameters = manifest["parameters"]
        self.channels, self.depth = manifest["fabric"]["channels"], parameters["depth"]
        self._width, self._rng, self.stall = parameters["flit"], rng, stall
        self._pins = Pins(dut, f"{prefix}core_")
        #: Waiting packets, by channel. ``(cycle, channel, flit)`` of flits that entered and left the port; None at a reset.
        self.waiting = [deque() for _ in range(self.channels)]
        self.sent, self.received, self.in_reset = [], [], False
        self.reset()

    def reset(self):
        """Set the state to that after a reset of the core."""
        self.credits = [self.depth] * self.channels
        self._moving = [deque() for _ in range(self.channels)]
        self._pipeline = deque([None] * self.LATENCY)
        self.buffers = [0] * self.channels
        self._stalled, self._last = False, None
        self.received.append((None, None, None))

    def drive(self, cycle):
        """Drive flits and credits. Call it after the registers have settled."""
        self._pipeline.append(None if self._stalled or self.in_reset else self._next())
        leaving = self._pipeline.popleft()
        pins = self._pins
        pins.put("tx_valid", 0 if leaving is None else 1 << leaving[0])
        if leaving is not None:
            channel, (bits, head, tail, bad) = leaving
            pins.put("tx_flit", bits | (head | tail << 1 | bad << 2) << self._width)
            self.sent.append((cycle, channel, (bits, head, tail, bad)))
        self._receive(cycle)

    def _next(self):
        """The next flit, chosen as by the core's allocator: of the packet that used the port last, else of any that can move."""
        ready = [v for v in range(self.channels) if self._moving[v] and self._rng.random() >= self.stall]
        ready = [self._last] if self._last in ready else ready
        starts = [v for v in range(self.channels) if not self._moving[v] and self._fits(v)]
        if not ready and starts and self._rng.random() >= self.stall:
            v = self._rng.choice(starts)
            self._moving[v].extend(self.waiting[v].popleft())
            ready = [v]
        if not ready:
            return None
        v = self._last = self._rng.choice(ready)
        self.credits[v] -= 1
        flit = self._moving[v].popleft()
        if not self._moving[v]:
            self._last = None
        return v, flit

    def _fits(self, channel):
        return self.waiting[channel] and self.credits[channel] >= len(self.waiting[channel][0])

    def _receive(self, cycle):
        pins = self._pins
        valid = pins.get("rx_valid")
        if valid and not self.in_reset:
            assert valid.bit_count() == 1, f"cycle {cycle}: flits on channels {valid:b}"
            channel, bits = valid.bit_length() - 1, pins.get("rx_flit")
            flags = bits >> self._width
            flit = bits & (1 << self._width) - 1, flags & 1, flags >> 1 & 1, flags >> 2
            self.received.append((cycle, channel, flit))
            self.buffers[channel] += 1
            assert self.buffers[channel] <= self.depth, f"cycle {cycle}: buffer {channel} overflows"
        credit = 0
        for v in range(self.channels):
            if self.buffers[v] and self._rng.random() >= self.stall:
                self.buffers[v] -= 1
                credit |= 1 << v
        pins.put("rx_credit", credit)

    def finish(self, cycle):
        """Sample credits and the stall, as the core's registers do. Call it before the next edge."""
        if self.in_reset:
            return
        credit = self._pins.get("tx_credit")
        for v in range(self.channels):
            self.credits[v] += credit >> v & 1
            assert self.credits[v] <= self.depth, f"cycle {cycle}: too many credits for channel {v}"
        self._stalled = bool(self._pins.get("stall"))

    @property
    def idle(self):
        """Whether no flit waits or moves, and all credits have returned."""
        return not any(self.waiting) and not any(self._moving) and self.credits == [self.depth] * self.channels
