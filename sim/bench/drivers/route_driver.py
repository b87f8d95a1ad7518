"""Driver of the route logic, combinational or registered: a packet at a time, or one for each of several blocks side by side."""

from collections import Counter, namedtuple
from functools import cache
from itertools import islice, repeat

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

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

    def __init__(self, dut, manifest):
        self._dut = dut
        self._clocked = manifest["clock"] is not None
        ports = {port["name"]: port for port in manifest["ports"] if port["name"] not in ("clk", "rst")}
        self._ports = {name: _Lanes(getattr(dut, name), port["width"]) for name, port in ports.items()}
        fields = [field["name"] for field in manifest["address"]["fields"]]
        self._own, self._dst = ([self._ports.get(f"{end}_{name}") for name in fields] for end in ("own", "dst"))
        self._answers = [self._ports[name] for name in ("out_port", "arrived", "invalid") if name in ports]
        self._arrival = [name for name in ("in_port", "in_class") if name in ports]
        self._owns = None
        #: Number of blocks side by side.
        self.lanes = next(iter(self._ports.values())).count

    @property
    def has_arrival(self):
        """Whether the logic has inputs for the channel on which a packet arrived."""
        return bool(self._arrival)

    def arrive(self, *arrivals):
        """Drive the channels on which packets arrived, if the logic has inputs for them: None for a packet from a host."""
        for name in self._arrival:
            place = ("in_port", "in_class").index(name)
            values = [(1 << arrival.port, arrival.virtual_class)[place] if arrival else 0 for arrival in arrivals]
            self._ports[name].put(values)

    def put(self, **inputs):
        """Drive other inputs: a list with a value for each packet."""
        for name, values in inputs.items():
            self._ports[name].put(values)

    def get(self, name, count):
        """Values of another output."""
        return self._ports[name].get(count)

    def virtual_classes(self, count):
        """Classes of the next hops; zeros if the logic has no such output."""
        return self.get("out_class", count) if "out_class" in self._ports else [0] * count

    async def start(self):
        """Start the clock and reset the logic, if it has a clock."""
        if self._clocked:
            Clock(self._dut.clk, 2, unit="ns").start()
            self._dut.rst.value = 1
            await RisingEdge(self._dut.clk)
            await FallingEdge(self._dut.clk)
            self._dut.rst.value = 0

    async def decide(self, own, dst):
        """Drive own and destination address (tuples) and return ``(out_port, arrived, invalid)`` as integers."""
        [answer] = await self.decide_all([(own, dst)])
        return answer

    async def decide_all(self, pairs):
        """As :meth:`decide` for several pairs ``(own, dst)``, at most :attr:`lanes`."""
        owns = [own for own, _ in pairs]
        if owns != self._owns:
            self._owns = owns
            for port, column in zip(self._own, zip(*owns)):
                if port:
                    port.put(column)
        for port, column in zip(self._dst, zip(*(dst for _, dst in pairs))):
            if port:
                port.put(column)
        if self._clocked:
            await FallingEdge(self._dut.clk)
        else:
            await Timer(1, unit="ns")
        return list(zip(*(port.get(len(pairs)) for port in self._answers)))


def batches(items, size):
    """Lists of ``size`` items, the last one shorter."""
    items = iter(items)
    while batch := list(islice(items, size)):
        yield batch


def next_node(manifest, dsn, own, port):
    """The neighbour of node ``own`` at a one-hot ``port`` and the link's ``(kind, level, direction)``, by the manifest.

    Returns None if the port has no link.
    """
    for link in manifest["links"]:
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
    """Decisions of the golden model, in the port numbers of the network.

    Parameters
    ----------
    network : Dsn
        The network.
    classes : int
        Virtual channel classes.
    """

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
