"""Hosts of a simulated network: they send packets with a payload, and see when they arrive."""

from collections import namedtuple
from os import PathLike

from dsnswitch.sim.network.engine.engine import Core, Engine
from dsnswitch.sim.network.engine.lookup import kind_of_table, tables_for
from dsnswitch.sim.network.engine.points import Point
from dsnswitch.sim.network.experiment.measure import complete

__all__ = ["Hosts", "Packet"]


class Packet(namedtuple("Packet", "source destination payload sent received hops")):
    """A packet that has arrived.

    Source and destination are ``(switch, number of the host)``, ``payload`` is as sent, ``sent`` and ``received`` are the cycles
    in which its head entered the network and left it, and ``hops`` the switches that it has passed.
    """

    @property
    def latency(self) -> int:
        """Cycles from host to host."""
        return self.received - self.sent


class Hosts:
    """The hosts of the network of switch cores of a manifest, each of which sends packets to others.

    ``delay`` is that of links (:attr:`Point.delay`). ``switches`` are all addresses, ``cycle`` the cycles that have passed, and
    ``most`` the bytes of the longest payload. A core with tables gets those of :func:`tables_for`.
    """

    def __init__(self, manifest: PathLike | str, delay: int | dict = 0):
        self._core = core = Core(manifest)
        self._delay = delay
        self.switches, self.cycle, self._waiting = list(core.network.switches()), 0, []
        parameters = core.manifest["parameters"]
        self._tables = tables_for(core.network, parameters) if kind_of_table(parameters) else None
        self._header = next(field["bits"] for field in core.manifest["header"] if field["name"] == "check")[1] + 1
        self._flit = parameters["flit"]
        self._first, self._each = (self._flit - self._header) // 8, self._flit // 8
        self.most = self._first + (parameters["packet"] - 1) * self._each

    def send(self, source: tuple, destination: tuple, payload: bytes = b"") -> None:
        """Queue a packet for the next :meth:`run`. An end is ``(switch, number of the host)``, or a switch for its host 0."""
        if len(payload) > self.most:
            raise ValueError(f"Payload must have at most {self.most} bytes, not {len(payload)}")
        self._waiting.append((self._host(source), self._host(destination), bytes(payload)))

    def run(self) -> list[Packet]:
        """Send the packets that are queued, all from the same cycle on, and run until they have arrived and the network is empty.

        Returns each :class:`Packet`, in the order of their tails.
        """
        sent, self._waiting = self._waiting, []
        if not sent:
            return []
        flits = [self._flits(payload) for _, _, payload in sent]
        trace = [(0, self._number(a), self._number(b), len(words)) for (a, b, _), words in zip(sent, flits)]
        point = Point(trace=trace, payloads=flits, delay=self._delay, tables=self._tables, log=True)
        engine = Engine(self._core, [point])
        complete(engine)
        start, self.cycle = self.cycle, self.cycle + engine.cycle
        found = []
        for one in engine.delivered(0):
            source, destination, payload = sent[one["row"]]
            times = start + int(one["injected"]), start + int(one["head"])
            found.append(Packet(source, destination, payload, *times, int(one["hops"])))
        return found

    def _host(self, end):
        switch, host = end if isinstance(end[0], tuple) else (end, 0)
        if not self._core.network.contains(switch) or host not in range(len(self._core.host_ports)):
            raise ValueError(f"Host must be a switch of the network, or a switch and a number, not {end!r}")
        return switch, host

    def _number(self, host):
        return self._core.network.number(host[0]) * len(self._core.host_ports) + host[1]

    def _flits(self, payload):
        """The data of the flits of a packet, as numbers; the payload begins after the header."""
        rest = payload[self._first :]
        parts = [payload[: self._first], *(rest[low : low + self._each] for low in range(0, len(rest), self._each))]
        words = [int.from_bytes(part, "little") for part in parts]
        return [words[0] << self._header, *words[1:]]
