"""Driver of the route logic, combinational or registered: a packet at a time, or one for each of several blocks side by side."""

from collections import Counter, namedtuple
from functools import cache
from itertools import chain, islice, product, repeat

from dsnswitch.sim.bench.drivers.given import MANIFEST, PARAMETERS, RANDOM
from dsnswitch.sim.bench.drivers.lockstep import settle, start
from dsnswitch.sim.golden.routing.detour import ARRIVED, UNDELIVERABLE, DetourModel


class _Lanes:
    """A port of all blocks side by side: one value for each, the first in the least significant bits."""

    def __init__(self, handle, width):
        self._handle, self._width, self.count = handle, width, len(handle) // width
        self._last = None

    def put(self, values):
        """Drive the values; blocks without one get the last one."""
        word = values[-1]
        if self.count > 1:
            for value in (*repeat(word, self.count - len(values)), *values[-2::-1]):
                word = word << self._width | value
        if word != self._last:
            self._handle.value = self._last = word

    def get(self, count):
        """Values of the first blocks."""
        word, width = int(self._handle.value), self._width
        if self.count == 1:
            return [word]
        mask = (1 << width) - 1
        return [word >> place & mask for place in range(0, count * width, width)]


class RouteDriver:
    """Drives the route logic with packets and returns its answers."""

    def __init__(self, dut):
        self._dut = dut
        self._ports = {
            port["name"]: _Lanes(getattr(dut, port["name"]), port["width"])
            for port in MANIFEST["ports"]
            if port["name"] not in ("clk", "rst")
        }
        fields = [field["name"] for field in MANIFEST["address"]["fields"]]
        self._own, self._dst = ([self._ports.get(f"{end}_{name}") for name in fields] for end in ("own", "dst"))
        self._owns = None
        #: Number of blocks side by side; whether they have inputs for the channel on which a packet arrived.
        self.lanes = next(iter(self._ports.values())).count
        self.has_arrival = "in_port" in self._ports or "in_class" in self._ports

    @classmethod
    async def begin(cls, dut):
        """A driver of the logic after a reset, if it has a clock."""
        await start(dut)
        return cls(dut)

    def put(self, **inputs):
        """Drive other inputs that the logic has: a list with a value for each packet."""
        for name in inputs.keys() & self._ports.keys():
            self._ports[name].put(inputs[name])

    def get(self, name, count):
        """Values of an output; zeros if the logic has no such output."""
        return self._ports[name].get(count) if name in self._ports else [0] * count

    async def decide(self, own, dst):
        """Drive own and destination address (tuples) and return ``(out_port, arrived, invalid)`` as integers."""
        [answer] = await self.decide_all([(own, dst)])
        return answer

    async def decide_all(self, pairs):
        """As :meth:`decide` for several pairs ``(own, dst)``, at most :attr:`lanes`."""
        owns = [own for own, _ in pairs]
        addresses = zip(self._dst, zip(*(dst for _, dst in pairs)))
        if owns != self._owns:
            self._owns, addresses = owns, chain(addresses, zip(self._own, zip(*owns)))
        for port, column in addresses:
            if port:
                port.put(column)
        await settle(self._dut)
        return list(zip(*(self.get(name, len(pairs)) for name in ("out_port", "arrived", "invalid"))))

    async def ask(self, states, reference):
        """Ask about every ``(switch, arrival, destination)``, and call ``judge(state, answer, class of the next hop)``.

        An arrival is None for a packet from a host, or has no port. ``judge_other`` gets the other hop, and ``judge_header`` the
        state of the header, if the logic answers with one. What an arrival has as ``header`` is the state that came.
        """
        asked = 0
        for batch in batches(states, self.lanes):
            arrivals = [arrival for _, arrival, _ in batch]
            headers = [getattr(arrival, "header", 0) for arrival in arrivals]
            self.put(
                in_port=[1 << arrival.port if arrival and arrival.port is not None else 0 for arrival in arrivals],
                in_class=[arrival.virtual_class if arrival else 0 for arrival in arrivals],
                in_state=headers,
            )
            answers = await self.decide_all([(switch, destination) for switch, _, destination in batch])
            for found in zip(batch, answers, self.get("out_class", len(batch))):
                reference.judge(*found)
            if "out_state" in self._ports:
                for found in zip(batch, self.get("out_state", len(batch))):
                    reference.judge_header(*found)
            if "other_port" in self._ports:
                others = zip(self.get("other_port", len(batch)), (answer[1:] for answer in answers))
                others = [(port, *verdicts) for port, verdicts in others]
                for found in zip(batch, others, self.get("other_class", len(batch))):
                    reference.judge_other(*found)
            asked += len(batch)
        self._dut._log.info("%d decisions agree", asked)
        assert asked


def batches(items, size):
    """Lists of ``size`` items, the last one shorter."""
    items = iter(items)
    while batch := list(islice(items, size)):
        yield batch


def any_switch(network):
    """A random switch."""
    return network.switch(RANDOM.randrange(network.nodes))


def pairs(network, own=None, each=16, count="pairs"):
    """Pairs ``(switch, destination)``: every one, or as many random ones as the parameter ``count`` says.

    A random switch has ``each`` destinations in a row, as straps change rarely.
    """
    count = PARAMETERS.get(count, 0)
    if not count:
        yield from product([own] if own else network.switches(), network.switches())
    for index in range(count):
        if index % each == 0:
            switch = own or any_switch(network)
        yield switch, any_switch(network)


def next_node(dsn, own, port):
    """The neighbour of node ``own`` at a one-hot ``port`` and the link's ``(kind, level, direction)``, by the manifest.

    Returns None if the port has no link.
    """
    for link in MANIFEST["links"]:
        if link["id"] == own[-1] and 1 << link["output"] == port:
            there = [*own[:-1], link["to_id"]]
            direction = None
            if link["kind"] != "local":
                axis = [field.name for field in dsn.fields].index(link["kind"])
                there[axis] = (there[axis] + link["offset"]) % dsn.fields[axis].size
                direction = "forward" if link["offset"] > 0 else "backward"
            return tuple(there), link["kind"], link["level"], direction
    return None


# Inputs of the route logic with detours, collected along whole routes of the golden model, with the model's decisions.

#: Inputs of one decision. ``arrival``: port on which the packet came, or None; ``dead``: bits of the failed ports.
State = namedtuple("State", "switch arrival virtual_class header target dead")


class DetourStates:
    """Decisions of the golden model with a number of virtual channel classes, in the port numbers of the network."""

    def __init__(self, network, classes):
        self._model = DetourModel(network, classes)
        self._exits = {}
        for switch in network.representatives():
            for port, end in network.links_of(switch):
                where = end[0][-1] if port.kind == "local" else port.direction
                self._exits[switch[-1], (port.kind, where)] = port.index
        self._ways = {(node, port): way for (node, way), port in self._exits.items()}
        #: ``(port, class, header)`` of the next hop of a :class:`State`, or the name of the route's end. Routes share states.
        self.answer = cache(self._answer)
        self._neighbour = cache(network.neighbour)

    def _answer(self, state):
        came = None
        if state.arrival is not None:
            came = self._ways[state.switch[-1], state.arrival], self._neighbour(state.switch, state.arrival)[0][-1]

        def is_up(way):
            return not state.dead >> self._exits[state.switch[-1], way] & 1

        found = self._model.decide(state.switch, came, state.virtual_class, state.header, state.target, is_up)
        if found in (ARRIVED, UNDELIVERABLE):
            return found
        return self._exits[state.switch[-1], found[0]], *found[1:]

    def route(self, source, target, failed):
        """Every :class:`State` of a route. ``failed`` is a set of switch and port of both ends of each failed link."""
        dead = Counter()
        for switch, port in failed:
            dead[switch] |= 1 << port
        states = [State(source, None, 0, 0, target, dead[source])]
        while (found := self.answer(states[-1])) not in (ARRIVED, UNDELIVERABLE):
            port, virtual_class, header = found
            there, entry = self._neighbour(states[-1].switch, port)
            states.append(State(there, entry, virtual_class, header, target, dead[there]))
        return states
