"""Model of the notices of a switch, as a list of rules: what happens to packets that cannot be delivered."""

from collections import defaultdict, deque

from dsnswitch.sim.golden.core.core import Flit


class NoticeModel:
    """Compares the flits between core and host 0 with the rules. It raises AssertionError for every broken rule.

    Call :meth:`to_host` before :meth:`to_core` for flits of the same cycle.

    Parameters
    ----------
    header : HeaderFormat
    content : dict
        ``{name: (first bit, last bit)}`` of the content of a notice.
    source : dict
        ``{header field: value}`` of the source of a notice: the switch and its host 0.
    space : int
        Notices that can wait.
    """

    def __init__(self, header, content, source, space):
        self.header, self.content, self.source, self.space = header, content, source, space
        #: Notices that have not gone to the core, and flits of the host that have not, by channel.
        self.pending, self.from_host = deque(), defaultdict(deque)
        self._dropping, self._inside = set(), set()
        self.notices = self.unreported_packets = self.lost_notices = 0

    def notice(self, word):
        """The flit of the notice about the packet whose first flit has the data ``word``."""
        values = self.header.read(word)
        own = {
            name.replace("destination", "source").replace("source", "destination", 1): value
            for name, value in values.items()
            if name.startswith("source")
        }
        found = self.header.pack(own | self.source | {"flags.notice": 1, "length": 1})
        payload = word >> self.header.fields["check"][1] + 1
        for name, (low, high) in self.content.items():
            found |= ((payload if name == "payload" else values[name]) & (1 << high - low + 1) - 1) << low
        return Flit(found, 1, 1, 0)

    def to_host(self, channel, flit):
        """The flit that the host receives when the core sends ``flit`` on ``channel``: the same one, or None."""
        if flit.head:
            self._dropping.discard(channel)
            values = self.header.read(flit.data)
            if values["flags.undeliverable"] and self._is_consumed(flit.data, values):
                self._dropping.add(channel)
        return None if channel in self._dropping else flit

    def _is_consumed(self, word, values):
        if values["flags.notice"]:
            self.lost_notices += 1
            return True
        if len(self.pending) == self.space:
            self.unreported_packets += 1
            return False
        self.notices += 1
        self.pending.append(self.notice(word))
        return True

    def host_sends(self, channel, flit):
        """Record a flit of the host."""
        self.from_host[channel].append(flit)

    def to_core(self, channel, flit):
        """Check a flit that goes to the core; whether it is a notice."""
        queue = self.from_host[channel]
        if queue and queue[0] == flit:
            queue.popleft()
            (self._inside.discard if flit.tail else self._inside.add)(channel)
            return False
        assert channel == 0, f"flit {flit} goes to channel {channel} of the core"
        assert channel not in self._inside, f"flit {flit} cuts a packet of the host"
        assert self.pending, f"flit {flit} goes to the core, and no notice is pending"
        expected = self.pending.popleft()
        assert flit == expected, f"notice {flit} goes to the core, not {expected}"
        return True
