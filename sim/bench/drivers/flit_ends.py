"""One end of a link with credits: the sender and the receiver of a port, which benches step cycle by cycle."""

from collections import deque


class Sender:
    """Sends the packets of one port's channels, each with its credits.

    Parameters
    ----------
    - channels, depth: Number of channels, and number of credits per channel.
    - stall: Share of cycles in which the port sends nothing.
    - mixed: Flits of several channels alternate at random. Otherwise a packet is sent without gaps as soon as there are
      credits for all of its flits, as from a core's output.
    """

    def __init__(self, channels, depth, rng, stall=0.0, mixed=False):
        self.queues = [deque() for _ in range(channels)]
        self.credits = [depth] * channels
        self._depth, self._rng, self._stall, self._mixed = depth, rng, stall, mixed
        self._current, self._next = None, 0
        #: The link cannot take flits now.
        self.paused = False

    def waiting(self):
        """Number of flits that have not been sent."""
        return sum(len(packet) for queue in self.queues for packet in queue)

    def send(self):
        """``(channel, flit)`` that leaves in this cycle, or None."""
        if self.paused or (self._stall and self._rng.random() < self._stall):
            return None
        channel = self._choose()
        if channel is None:
            return None
        packet = self.queues[channel][0]
        flit = packet.popleft()
        self.credits[channel] -= 1
        if not packet:
            self.queues[channel].popleft()
            self._current = None
            self._next = channel + 1
        else:
            self._current = channel
        return channel, flit

    def _choose(self):
        count = len(self.queues)
        if self._mixed:
            able = [v for v in range(count) if self.queues[v] and self.credits[v]]
            return self._rng.choice(able) if able else None
        if self._current is not None:
            return self._current if self.credits[self._current] else None
        for v in ((self._next + step) % count for step in range(count)):
            if self.queues[v] and self.credits[v] >= min(len(self.queues[v][0]), self._depth):
                return v
        return None


class Receiver:
    """Accepts the flits of one port and returns their credits, at least ``delay`` cycles later.

    ``stall`` is the share of cycles in which a channel returns no credit, the first value of :attr:`stalls`. A channel in
    ``blocked`` never returns one. The buffer of a channel holds ``depth`` flits, those of all channels ``whole``, or as many as
    their depths allow. ``shares`` has ``(channels, depth, whole)`` of each virtual network, if there are several.
    """

    def __init__(self, channels, depth, rng, stall=0.0, delay=0, whole=None, shares=()):
        self._shares, first = [], 0
        for count, most, total in shares or [(channels, depth, whole or channels * depth)]:
            self._shares.append((first, first + count, most, total))
            first += count
        self.full = [deque() for _ in range(channels)]
        self.blocked = set()
        self.flits = 0
        #: Share of cycles in which each channel returns no credit.
        self.stalls = [stall] * channels
        self._rng, self._delay = rng, delay

    def take(self, cycle, channel):
        """Accept a flit."""
        self.full[channel].append(cycle + self._delay)
        self.flits += 1
        first, last, depth, whole = next(share for share in self._shares if share[0] <= channel < share[1])
        assert len(self.full[channel]) <= depth, f"cycle {cycle}: channel {channel} overflows its receiver"
        assert sum(map(len, self.full[first:last])) <= whole, f"cycle {cycle}: all channels overflow their receiver"

    def credits(self, cycle):
        """Mask of the channels that return a credit in this cycle."""
        mask = 0
        for v, waiting in enumerate(self.full):
            if waiting and waiting[0] <= cycle and v not in self.blocked and not self._stalls(v):
                waiting.popleft()
                mask |= 1 << v
        return mask

    def _stalls(self, channel):
        return self.stalls[channel] and self._rng.random() < self.stalls[channel]
