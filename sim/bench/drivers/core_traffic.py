"""Packets for a switch core, and their output channels by the golden route."""

from functools import cache

from dsnswitch.net.routing.registry import DETOUR, NEAR_MINIMAL, relation_of, routing_of_manifest
from dsnswitch.net.routing.relation import Arrival
from dsnswitch.net.topology.registry import network_of_manifest
from dsnswitch.sim.bench.drivers.faults import spoil
from dsnswitch.sim.bench.drivers.intermediates import Intermediates
from dsnswitch.sim.bench.drivers.route_driver import DetourStates, State
from dsnswitch.sim.bench.drivers.second_ports import SecondPorts
from dsnswitch.sim.golden.core.channels import Channels
from dsnswitch.sim.golden.core.core import HeaderFormat, flits_of
from dsnswitch.sim.golden.fec.crc32c import PacketCheck
from dsnswitch.sim.golden.routing.detour import UNDELIVERABLE
from dsnswitch.sim.golden.routing.dsn import SignedShortcuts
from dsnswitch.sim.golden.routing.registry import first_port

#: Faults of a packet.
FAULTS = ("expired", "outside", "no route", "length", "check", "no head", "no tail", "second head", "early tail", "bad")


class Traffic:
    """Packets to chosen outputs of the switch ``own`` (None: the one that the core is specialised for).

    With tables, some switches are not in the table if ``missing``, and a port of the network is dead if ``dead``.
    """

    def __init__(self, manifest, own, rng, missing=True, dead=True):
        self.rng, self._manifest = rng, manifest
        self.network = network_of_manifest(manifest)
        routing = routing_of_manifest(manifest["parameters"])
        self._relation = relation_of(self.network, routing)
        self._detours = DetourStates(self.network, self._relation.classes["local"]) if routing == DETOUR else None
        self._shortest = SignedShortcuts(self.network, digit=2) if routing == NEAR_MINIMAL else None
        self.own = tuple(manifest["node"] or own)
        parameters = manifest["parameters"]
        self.longest, self._bits, self._hosts = parameters["packet"], parameters["flit"], parameters["hosts"]
        self.header, self.check = HeaderFormat.of(manifest), PacketCheck.of(manifest)
        self._ports = manifest["core_ports"]
        self._channels = [Channels(port) for port in self._ports]
        names = {port["name"] for port in manifest["ports"]}
        self._fields = [field["name"] for field in manifest["address"]["fields"]]
        straps = {f"own_{name}": value for name, value in zip(self._fields, self.own)}
        straps |= {f"size_{field.name}": field.size for field in self.network.fields}
        #: Turn classes, and the ports of the network that lead up.
        self._turns = parameters.get("classes", 1) if parameters["lookup"] == "table" else 1
        self._up = rng.getrandbits(len(self.network.ports))
        straps["up"] = self._up
        self.straps = {name: value for name, value in straps.items() if name in names}
        self.lookup, self._layers = parameters["lookup"], parameters.get("layers", 1)
        self._ternary = parameters.get("kind") == "ternary"
        self._number = {(port["kind"], port["index"]): number for number, port in enumerate(self._ports)}
        # A route takes longer to find than a header to read, and every head asks for one.
        self._output = cache(self._find_output)
        self._hops = cache(lambda arrival, switch: tuple(self._relation.hops(self.own, arrival, switch)))
        #: Destinations ``(switch, host)`` by output: all of them, and those to which the switch has a route.
        self.every, self.targets = {}, {}
        for switch in self.network.switches():
            for host in range(self._hosts):
                self.every.setdefault(self._output(switch, host), []).append((switch, host))
        self._widths = {name: high - low + 1 for name, (low, high) in self.header.fields.items()}
        self._faults = (*FAULTS, *(["virtual network"] if "virtual_network" in self._widths else []))
        #: Destinations that do not exist: a field of the header and its value.
        self.outside = [
            (f"destination.{name}", value)
            for name, field in zip(self._fields, self.network.fields)
            for value in range(field.size, 1 << field.width)
        ]
        hosts = range(self._hosts, 1 << self._widths.get("destination.host", 0))
        self.outside += [("destination.host", value) for value in hosts]
        tables = self.lookup != "algorithm"
        switches = list(self.network.switches())
        #: Destinations that are not in the table, and the network's dead ports: one of the last two outputs.
        self.missing = set(rng.sample(switches, max(1, len(switches) // 8))) if tables and missing else set()
        self.dead = {self._ports[max(output for output in self.every if not self._is_host(output))]["index"]}
        self.dead = self.dead if tables and dead else set()
        for output, found in self.every.items():
            found = [pair for pair in found if pair[0] not in self.missing]
            if found and (self._is_host(output) or self._ports[output]["index"] not in self.dead):
                self.targets[output] = found
        self.second = SecondPorts(manifest, switches, rng)
        self._between = Intermediates(manifest, self.own, self._fields, rng)
        can_be_outside = self.outside or self._layers & (self._layers - 1)
        self.impossible = (set() if tables else {"no_route"}) | (set() if can_be_outside else {"invalid"})
        self.impossible |= {"u_turn"} if self._turns > 1 else set()

    def _find_output(self, switch, host):
        """Number of the output port that leads to a host of a switch, by the golden route."""
        if switch == self.own:
            return self._number["host", host]
        index = self._shortest_port(switch) if self._shortest else first_port(self.network, self.own, switch)
        return self._number[self.network.ports[index].kind, index]

    def _shortest_port(self, switch):
        """The relation's choice among the ports that begin a shortest path by the golden model."""
        [(index, _)] = self._relation.hops(self.own, None, switch)
        there, _ = self.network.neighbour(self.own, index)
        assert self._shortest.hops(there, switch) == self._shortest.hops(self.own, switch) - 1
        return index

    def decide(self, number, channel, word):
        """``((output, channel), changes)`` of a header that arrives, or ``(reason, {})``; ``changes`` to its flags."""
        found, changes = self._leads(number, channel, word)
        turns = found[0] == number and not self._may_turn(number, word, changes)
        return ("u_turn", {}) if turns else (found, changes)

    def other(self, number, channel, word):
        """``(output, channel)`` of the second hop that a packet may take; None if it has none."""
        values, (first, _) = self.header.read(word), self.decide(number, channel, word)
        if isinstance(first, str) or self._is_host(first[0]) or values.get("flags.ordered"):
            return None
        switch = tuple(values.get(f"destination.{name}", 0) for name in self._fields)
        switch, _ = self._between.target(values, switch, self._is_host(number))
        came = None if self._is_host(number) else (self._ports[number]["index"], self._channels[number][channel].virtual_class)
        if not (hop := self.second.hop(switch, came, self.dead, self._up)):
            return None
        output = self._number[self.network.ports[hop[0]].kind, hop[0]]
        return output, self._channel(number, channel, output, hop[1], word)

    def _may_turn(self, number, word, changes):
        """Whether a packet may leave by the port on which it came.

        A host may send to itself. A detour may return on a local link. A packet of the algorithm may begin to follow tables.
        """
        if self._turns > 1:
            return True
        if self._detours or self._is_host(number):
            return self._ports[number]["kind"] in ("host", "local")
        begins = changes["flags.by_table"] and not self.header.read(word)["flags.by_table"]
        return self.lookup == "forwarding" and begins

    def outputs(self, number):
        """Outputs that packets from port ``number`` may take: of the network, every other one."""
        return [output for output in self.targets if output != number or self._is_host(output)]

    def _leads(self, number, channel, word):
        """As :meth:`decide`, for a packet that may also leave by the port on which it came."""
        values = self.header.read(word)
        field = lambda name: values.get(f"destination.{name}", 0)  # noqa: E731
        switch, host = tuple(map(field, self._fields)), field("host")
        switch, stage = self._between.target(values, switch, self._is_host(number))
        if not self.network.contains(switch) or host >= self._hosts:
            return "invalid", {}
        if values.get("layer", 0) >= self._layers:
            return "invalid", {}
        if self._detours:
            return self._detour(number, channel, switch, host, word)
        output = self._output(switch, host)
        port = self._ports[output]
        dead = not self._is_host(output) and port["index"] in self.dead
        by_table = {"algorithm": 0, "table": 1, "forwarding": values["flags.by_table"] or dead}[self.lookup]
        if by_table and (dead or switch in self.missing):
            return "no_route", {}
        if self._is_host(output):
            virtual_class = 0
        elif self._turns > 1:
            virtual_class = self._turn(number, channel, port["index"])
            if virtual_class == self._turns:
                return "no_route", {}
        elif by_table:
            virtual_class = values.get("layer", 0) if self.lookup == "table" else port["classes"] - 1
        else:
            # In a network, no packets arrive on some ports. A packet on such a port has the class of one from a host.
            arrivals = self._arrival(number, channel), None
            [(index, virtual_class), *_] = [hop for by in arrivals for hop in self._hops(by, switch) if hop[1] is not None]
            assert self._number[port["kind"], index] == output
            # A packet that no route brings here may have run out of classes: it takes one that exists.
            bits = (max(port["classes"] for port in self._ports) - 1).bit_length()
            virtual_class = min(virtual_class % (1 << bits), port["classes"] - 1)
        flag = by_table or values["flags.by_table"]
        return (output, self._channel(number, channel, output, virtual_class, word)), {"flags.by_table": int(flag)} | stage

    def _channel(self, number, channel, output, virtual_class, word):
        """The channel of a class of an output that a packet takes: in the virtual network in which it came, by its flow."""
        virtual_network = self.virtual_network_of(number, channel)
        flow = self._flow(word, self._channels[output].spreads[virtual_network])
        return self._channels[output].place(virtual_network, virtual_class, flow)

    def virtual_network_of(self, number, channel):
        """The virtual network of an input channel."""
        return self._channels[number][channel].virtual_network

    def _turn(self, number, channel, index):
        """The turn class in which a packet leaves by a port: one higher if it came from above and goes up."""
        if self._is_host(number):
            return 0
        came = self._channels[number][channel].virtual_class
        return came + (self._up >> self._ports[number]["index"] & self._up >> index & 1)

    def _detour(self, number, channel, switch, host, word):
        """As :meth:`decide`, with detours and no dead port."""
        arrival, header = self._arrival(number, channel), self.header.read(word)["flags.detour"]
        by = (None, 0, 0) if arrival is None else (*arrival, header)
        answer = self._detours.answer(State(self.own, *by, switch, 0))
        if isinstance(answer, str):
            output = self._number["host", 0 if answer == UNDELIVERABLE else host]
            virtual_class, flags = 0, {"flags.detour": 0, "flags.undeliverable": int(answer == UNDELIVERABLE)}
        else:
            index, virtual_class, header = answer
            output = self._number[self.network.ports[index].kind, index]
            flags = {"flags.detour": header, "flags.undeliverable": 0}
        return (output, self._channel(number, channel, output, virtual_class, word)), flags

    def _is_host(self, output):
        return self._ports[output]["kind"] == "host"

    def writes(self):
        """Inputs of the table's write port, one ``{name: value}`` per cycle: the golden route to every switch except some."""
        widths = [field.width for field in self.network.fields]
        for place, switch in enumerate(sorted(set(self.network.switches()) - self.missing)):
            output, key = self._output(switch, 0), 0
            for value, width in zip(switch, widths):
                key = key << width | value
            action = len(self.network.ports) if self._is_host(output) else self._ports[output]["index"]
            where = {"place": place, "value": key, "length": sum(widths)} if self._ternary else {"word": key}
            action = self.second.action(switch, action)
            yield {"write_valid": 1, "write_action": action} | {f"write_{name}": number for name, number in where.items()}

    def _arrival(self, number, channel):
        port = self._ports[number]
        if port["kind"] == "host":
            return None
        virtual_class = self._channels[number][channel].virtual_class
        # The last class with forwarding is for packets that follow tables.
        return Arrival(port["index"], min(virtual_class, self._relation.classes[port["kind"]] - 1))

    def _flow(self, word, spread):
        """A number below ``spread`` that depends on the addresses."""
        ends = [high for name, (_, high) in self.header.fields.items() if name.startswith(("destination", "source"))]
        bits, width, folded = word & (1 << max(ends) + 1) - 1, (spread - 1).bit_length(), 0
        while bits and width:
            folded ^= bits & spread - 1
            bits >>= width
        return folded

    def channels_for(self, number):
        """The first channel of each virtual network at a port."""
        return [self._channels[number].place(network, 0) for network, _ in enumerate(self._channels[number].spreads)]

    def ways(self):
        """Every ``(output, channel)`` of packets from the last port."""
        found, last = set(), len(self._ports) - 1
        for channel in self.channels_for(last):
            for output in self.targets:
                for _ in range(64):
                    found.add(self.way(last, channel, self.packet(last, output, 1, channel=channel)))
        return sorted(found)

    def way(self, number, channel, packet):
        """``(output, channel)`` by which a packet leaves that arrives on port ``number``."""
        return self.decide(number, channel, packet[0].data)[0]

    def packet_by(self, number, way, length, channel=0):
        """A packet that leaves on the output channel ``way``; None if no route from this input uses it."""
        if self.virtual_network_of(number, channel) != self.virtual_network_of(*way):
            return None
        for _ in range(200):
            packet = self.packet(number, way[0], length, channel=channel)
            if self.way(number, channel, packet) == way:
                return packet
        return None

    def packet(self, number, output, length, changes=(), channel=0):
        """Flits of a packet from a channel of port ``number`` to ``output``. ``changes`` of header fields make it invalid."""
        switch, host = self.rng.choice(self.every[output] if output not in self.targets else self.targets[output])
        return self._flits(self._head(switch, host, length, self._named(number, channel) | dict(changes)), length)

    def _named(self, number, channel):
        """The fields of a header that follow from the input channel: its virtual network, if headers name one, and marks."""
        marks = self._between.marks(self._is_host(number))
        named = {"virtual_network": self.virtual_network_of(number, channel)} if "virtual_network" in self._widths else {}
        return named | marks

    def _head(self, switch, host, length, changes):
        rng = self.rng
        values = {name: rng.getrandbits(self._widths[name]) for name in self._widths if name.startswith("source")}
        names = (f"destination.{name}" for name in self._fields)
        values |= {name: value for name, value in zip(names, switch) if name in self._widths}
        if "destination.host" in self._widths:
            values["destination.host"] = host
        values["flags.by_table"] = rng.getrandbits(1)
        if "layer" in self._widths:
            values["layer"] = rng.randrange(self._layers)
        values |= {"length": length, "hops": rng.randrange(1 << self._widths["hops"] - 1)}
        drawn = ("age", "flags.ordered") if self.second.exist else ("age",)
        values |= {name: rng.randrange(1 << width) for name, width in self._widths.items() if name in drawn} | changes
        return self.header.pack(values)

    def _flits(self, head, length):
        width = sum(self._widths.values())
        words = [self.rng.getrandbits(self._bits) for _ in range(length)]
        words[0] = words[0] >> width << width | head
        return flits_of(self.check.stamped(words) if self.check else words)

    def any_packet(self, number, channel=0):
        """Flits of a packet from a channel to any output. One packet in four is invalid."""
        rng = self.rng
        output = rng.choice(list(self.every))
        length = min(rng.choice((1, 1, 2, rng.randint(1, self.longest), self.longest)), self.longest)
        fault = rng.choice(self._faults) if rng.random() < 0.25 else None
        between = self._between.drawn()
        changed = lambda **changes: self.packet(number, output, length, between | changes, channel)  # noqa: E731
        if fault == "expired":
            return changed(hops=(1 << self._widths["hops"]) - 1)
        if fault == "outside" and self.outside:
            name, value = rng.choice(self.outside)
            return changed(**{name: value})
        if fault == "length":
            stated = rng.choice((0, rng.randrange(1 << self._widths["length"]), rng.randint(1, self.longest)))
            return changed(length=stated)
        if fault == "virtual network":
            own = self._named(number, channel)["virtual_network"]
            return changed(virtual_network=own ^ rng.randrange(1, 1 << self._widths["virtual_network"]))
        if fault == "no route":
            switch, host = rng.choice(self.every[output])
            return self._flits(self._head(switch, host, length, self._named(number, channel)), length)
        flits = changed()
        spoil(flits, fault, rng, sum(self._widths.values()))
        return flits
