"""The engine: a universal switch core, compiled so that one bit of a machine word is one switch, and networks that run on it.

core = Core("build/verilog/switch_core_grid_8x8_k4x2_h1_f64_p4_d8_vct.json")
engine = Engine(core, [Point(load=0.1), Point(load=0.2, seed=2)])
engine.run(2000)
engine.start_measuring()
engine.run(10000)
print(engine.statistics(0).mean(), engine.statistics(1).accepted)
"""

import ctypes
import json
from copy import copy
from functools import cached_property
from pathlib import Path

import numpy as np

from dsnswitch.net.files.parameters import SIZES
from dsnswitch.net.messages import UsageError
from dsnswitch.net.simulate.generate import COPIES, ROW, checked_form, compiled
from dsnswitch.net.simulate.headers import HeaderParts
from dsnswitch.net.simulate.netlist import cache_folder
from dsnswitch.net.simulate.points import Delivered, NetworkStopped, SimulationError, Statistics
from dsnswitch.net.simulate.runtime import HOPS, Config, Counts, Error, Traffic, functions
from dsnswitch.net.topology.registry import network_of_manifest

__all__ = ["PATIENCE", "Core", "Engine"]

#: Cycles without any moving flit, while packets are in the network, after which the network counts as stopped.
PATIENCE = 2000

#: Outputs of a port of the core.
OUTPUTS = ("rx_credit", "tx_valid", "tx_flit")

#: Cycles between two checks whether the network moves.
STRETCH = 512

#: What an error of the runtime means.
ERRORS = {
    2: "the host gets more credits of channel {channel} than it has spent",
    3: "more flits are in the buffer of channel {channel} of port {port} than it holds, or not all credits have returned",
    4: "a credit of channel {channel} of port {port} returns without a flit",
    5: "the header of a packet from host {source} is wrong at host {destination}",
    7: "host {destination} gets a packet of host {source} that was never sent to it, or has arrived before",
    8: "the payload of packet {number} from host {source} to host {destination} has changed",
    9: "packet {number} from host {source} to host {destination} is overtaken by a later one",
    10: "flits of packets are mixed, unmarked or marked bad at host {destination}",
    11: "a packet of host {source} is too long at host {destination}",
}


class Core:
    """A universal switch core, ready to run: read from Verilog, mapped, compiled and loaded. Results are cached by content.

    Parameters
    ----------
    manifest : path
        Manifest of a universal ``switch-core``, as ``dsnswitch verilog --block switch-core`` writes it, next to its Verilog.
    isa : str or None
        ``avx512``, ``generic`` (any vectors that the compiler can use, without AVX-512), or None for this machine's best.
    watch : callable
        Called with a text at the beginning of each stage that takes time: ``mapping``, ``compiling``.
    network : Network or None
        One size of a core whose sizes are inputs; None for the network of the manifest, which is then the largest one.

    Raises
    ------
    UsageError
        If the manifest is not that of a universal switch core, if pyosys or a C++ compiler is missing, or if the machine
        lacks the instructions of ``isa``.

    Attributes
    ----------
    manifest : dict
    network : Network
        The network of the manifest, or the size that was chosen.
    hosts : int
        Hosts of the network.
    isa : str
        The form that was chosen.
    luts, flip_flops, ram_bits : int
        Size of the netlist.
    """

    def __init__(self, manifest, isa=None, watch=lambda stage: None, network=None):
        path = Path(manifest)
        try:
            self.manifest = about = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"Manifest {path} cannot be read: {error}") from None
        if not isinstance(about, dict) or about.get("block") != "switch-core" or about.get("node") is not None:
            raise UsageError(f"A simulation needs the manifest of a universal switch-core, not {path}")
        self.isa = checked_form(isa)
        self.largest = network_of_manifest(about)
        inputs = [port for port in about["ports"] if port["direction"] == "input"]
        static = {port["name"] for port in inputs if port["static"]}
        tied = {f"{port['name']}_stall" for port in about["core_ports"]} | {
            about["clock"]["port"],
            about["reset"]["port"],
        }
        folder = cache_folder()
        verilog = path.with_name(about["files"]["verilog"])
        library, self.layout = compiled(verilog, about["top"], static, tied, self.isa, folder, watch)
        self._library = ctypes.CDLL(str(library))
        self.runtime = functions(self.isa, folder, watch)
        self.static = static
        self.links = [port for port in about["core_ports"] if port["kind"] != "host"]
        self.host_ports = [port for port in about["core_ports"] if port["kind"] == "host"]
        self._choose(network or self.largest)
        self.luts, self.ram_bits, self.flip_flops = self.layout.luts, self.layout.ram_bits, self.layout.flops

    def of(self, network):
        """The same core for networks of another size. Its sizes must be inputs."""
        found = copy(self)
        found.__dict__.pop("cables", None)
        found._choose(network)
        return found

    def _choose(self, network):
        """Take a network: the largest one, or one of its other sizes."""
        largest, is_sized = self.largest, any(name.startswith("size_") for name in self.layout.inputs)

        def kind(one):
            return {key: value for key, value in one.parameters.items() if not is_sized or key not in SIZES}

        fits = all(field.size <= most.size for field, most in zip(network.fields, largest.fields))
        if kind(network) != kind(largest) or not fits:
            raise UsageError(f"This core serves {'sizes of ' * is_sized}{largest.spelling}, not {network.spelling}")
        self.network = network
        self.hosts = network.nodes * len(self.host_ports)
        numbers = {port["name"]: number for number, port in enumerate(self.links)}
        #: Number of the core's port by the index of the network's: a network may have fewer ports than the largest one.
        self.link_of = [numbers[port.name] for port in network.ports]

    @property
    def step(self):
        """Address of the function of one cycle."""
        return ctypes.cast(self._library.core_step, ctypes.c_void_p)

    def settle(self, rows):
        """Evaluate the logic that depends on straps alone. ``rows`` is the address of a word's rows."""
        self._library.core_settle(ctypes.c_void_p(rows))

    def rows(self, part):
        """Rows of ``<port>_<part>`` of all ports, ``[port][bit]``; links before hosts, -1 where a port has fewer bits."""
        found = [self._port_rows(f"{port['name']}_{part}") for port in (*self.links, *self.host_ports)]
        width = max(map(len, found))
        return np.array([row + [-1] * (width - len(row)) for row in found], dtype=np.int32)

    def _port_rows(self, name):
        return self.layout.inputs[name] if name in self.layout.inputs else self.layout.outputs[name]

    @cached_property
    def events(self):
        """``[(name, bit, row)]`` of the outputs that report events."""
        ports = {f"{port['name']}_{part}" for port in self.manifest["core_ports"] for part in OUTPUTS}
        names = [name for name in self.layout.outputs if name not in ports]
        return [(name, bit, row) for name in names for bit, row in enumerate(self.layout.outputs[name])]

    @cached_property
    def cables(self):
        """``(from switch, from port)`` of every input port of every switch, ``[switch][port]``; -1 without a link."""
        network, count = self.network, len(self.links)
        switches, ports = np.full((network.nodes, count), -1, np.int32), np.full((network.nodes, count), -1, np.int32)
        for switch in network.switches():
            number = network.number(switch)
            for index, port in enumerate(self.link_of):
                end = network.neighbour(switch, index)
                if end is not None:
                    switches[number, port], ports[number, port] = network.number(end[0]), self.link_of[end[1]]
        return switches, ports


class Engine:
    """Networks that run together, cycle by cycle.

    Every packet is checked: it arrives once, at its destination, with its payload, and in order per pair of hosts
    (:attr:`Point.ordered`). Buffers never hold more flits than they have places, and switches report no events.

    Parameters
    ----------
    core : Core or path
        The core, or its manifest.
    points : sequence of Point
        Networks of this core. Points of few switches share a machine word.
    threads : int
        Threads of the simulation. Results do not depend on it.
    isa : str or None
        As for :class:`Core`, if ``core`` is a path.

    Raises
    ------
    ValueError
        If a point asks for something that is impossible.

    Attributes
    ----------
    cycle : int
        Cycles that have passed.
    points : list of Point
    """

    def __init__(self, core, points, threads=1, isa=None):
        self._threads = threads
        self._begin(core if isinstance(core, Core) else Core(core, isa), points)

    def _begin(self, core, points, kept=lambda: None):
        """Place the points, and start them. ``kept`` is called when the switches have the state after a reset."""
        self.core, self.points = core, list(points)
        self.cycle = 0
        if not self.points:
            raise ValueError("A simulation needs at least one point")
        self._kept = []  # Arrays that the runtime reads.
        self._mean_length = []
        self._place()
        self._make_rows()
        kept()
        self._strap()
        self._traffic = (Traffic * len(self.points))(*(self._traffic_of(number) for number in range(len(self.points))))
        config = self._config(self._threads)
        self._sim = core.runtime.sim_new(ctypes.byref(config), self._traffic)
        self._kept.append(config)
        self._measuring = [None] * len(self.points)  # (first cycle, cycle after the last or None)
        self._drained = False
        for number, point in enumerate(self.points):
            self.set_load(number, point.load)
            for switch, port in point.failed:
                self.fail(number, switch, port)

    def __del__(self):
        self._end()

    def _end(self):
        if getattr(self, "_sim", None):
            self.core.runtime.sim_delete(self._sim)
            self._sim = None

    def become(self, network, points, moved=None):
        """Go on with the same switches as another network: drain it, cable it anew, put its sizes on the inputs, and start.

        A switch keeps the contents of its registers and memories; a new one has its state after a reset. The cycle is 0 again.

        Parameters
        ----------
        network : Network
            Another size of the core, as for :class:`Core`.
        points : sequence of Point
            As many as before: what each network does from now on.
        moved : dict or None
            ``{address before: address after}`` of the switches that stay, such as :attr:`Expansion.moved`. None: all keep
            their addresses.

        Raises
        ------
        SimulationError
            As :meth:`drain`.
        ValueError
            If the number of points changes, or a point asks for something that is impossible.
        """
        if len(points) != len(self.points):
            raise ValueError(f"A network goes on with as many points, {len(self.points)}, not {len(points)}")
        self.drain()
        # Registers lie in two halves that change places in every cycle; the first one is that of cycle 0.
        self.run(self.cycle % 2)
        before, bases, rows = self.core, self._bases, self._rows
        moved = moved or {switch: switch for switch in before.network.switches() if network.contains(switch)}
        ends = np.array([(before.network.number(old), network.number(new)) for old, new in moved.items()])

        def kept():
            bits = [np.unpackbits(one, axis=1, bitorder="little") for one in self._rows]
            for old, new in zip(bases, self._bases):
                for one, other in ends + np.array([old, new]):
                    source = rows[one // COPIES][:, one % COPIES // 8] >> one % 8 & 1
                    bits[other // COPIES][:, other % COPIES] = source
            for row, one in zip(self._rows, bits):
                row[:] = np.packbits(one, axis=1, bitorder="little")

        core = before.of(network)
        self._end()
        self._begin(core, points, kept)

    # What the runtime gets.

    def _place(self):
        """First copies of the points: points share words as far as each fits into the rest of one."""
        nodes, free, self._bases = self.core.network.nodes, 0, []
        for _ in self.points:
            if free % COPIES and free % COPIES + nodes > COPIES:
                free += -free % COPIES
            self._bases.append(free)
            free += nodes
        self.words = -(-free // COPIES)

    def _make_rows(self):
        """The state of every word after a reset."""
        layout = self.core.layout
        self._rows = []
        for _ in range(self.words):
            raw = np.zeros(layout.rows * ROW + ROW, np.uint8)
            start = -raw.ctypes.data % ROW
            self._kept.append(raw)
            self._rows.append(raw[start : start + layout.rows * ROW].reshape(-1, ROW))
            self._rows[-1][[layout.one, *layout.start]] = 255

    def _strap(self):
        """Give the constant inputs their values: the address, the sizes of the network, and what points say."""
        core, layout = self.core, self.core.layout
        switches = list(core.network.switches())
        numbers = np.array([core.network.number(switch) for switch in switches])
        straps = {}
        for place, field in enumerate(core.network.fields):
            straps[f"own_{field.name}"] = np.array([switch[place] for switch in switches])
        sizes = {f"size_{field.name}": field.size for field in core.network.fields}
        straps |= {name: [size] * len(switches) for name, size in sizes.items()}
        for number, point in enumerate(self.points):
            values = dict(straps)
            if callable(point.inputs):
                found = [point.inputs(switch) for switch in switches]
                values |= {name: [one[name] for one in found] for name in (found[0] if found else {})}
            else:
                values |= {name: [value] * len(switches) for name, value in point.inputs.items()}
            for name, column in values.items():
                if name in straps and name not in layout.inputs:
                    continue
                self._write(self._bases[number] + numbers, name, column)
        self._settle()

    def _write(self, copies, name, values):
        """Give an input of some copies values."""
        if name not in self.core.layout.inputs:
            raise ValueError(f"Input must be one of {', '.join(self.core.layout.inputs)}, not {name!r}")
        copies = np.asarray(copies)
        for bit, row in enumerate(self.core.layout.inputs[name]):
            level = np.array([int(value) >> bit & 1 for value in values], bool)
            for word in np.unique(copies // COPIES):
                here = copies // COPIES == word
                bits = np.unpackbits(self._rows[word][row], bitorder="little")
                bits[copies[here] % COPIES] = level[here]
                self._rows[word][row] = np.packbits(bits, bitorder="little")

    def _settle(self):
        for rows in self._rows:
            self.core.settle(rows.ctypes.data)

    def _keep(self, array, kind):
        found = np.ascontiguousarray(array, dtype=kind)
        self._kept.append(found)
        return found.ctypes.data

    def _config(self, threads):
        core, about = self.core, self.core.manifest
        switches, ports = core.cables
        copies = self.words * COPIES
        from_copy, from_port = (
            np.full((copies, len(core.links)), -1, np.int32),
            np.zeros((copies, len(core.links)), np.int32),
        )
        delay, point_of = np.zeros((copies, len(core.links)), np.int32), np.full(copies, -1, np.int32)
        for number, point in enumerate(self.points):
            base = self._bases[number]
            here = slice(base, base + core.network.nodes)
            from_copy[here] = np.where(switches >= 0, switches + base, -1)
            from_port[here], point_of[here], delay[here] = ports, number, self._delays(point)
        parts = HeaderParts(about, core.network, len(core.host_ports), HOPS)
        every = [*core.links, *core.host_ports]
        names = ("rx_valid", "rx_flit", "rx_credit", "tx_valid", "tx_flit", "tx_credit")
        return Config(
            step=core.step,
            rows=self._keep(np.array([rows.ctypes.data for rows in self._rows], np.uint64), np.uint64),
            words=self.words,
            ports=len(core.links),
            hosts=len(core.host_ports),
            channels=core.rows("rx_valid").shape[1],
            depth=about["parameters"]["depth"],
            flit=about["parameters"]["flit"],
            header=parts.width,
            longest=about["parameters"]["packet"],
            flops=core.layout.flops,
            events=len(core.events),
            points=len(self.points),
            switches=core.network.nodes,
            source_shift=parts.source_shift,
            source_bits=parts.source_bits,
            threads=threads,
            channels_of=self._keep([port["channels"] for port in every], np.int32),
            **{name: self._keep(core.rows(name), np.int32) for name in names},
            event_rows=self._keep([row for _, _, row in core.events], np.int32),
            from_copy=self._keep(from_copy, np.int32),
            from_port=self._keep(from_port, np.int32),
            delay=self._keep(delay, np.int32),
            point_of=self._keep(point_of, np.int32),
            host_of=self._keep(parts.host_of, np.int32),
            source=self._keep(parts.source, np.uint64),
            destination=self._keep(parts.destination, np.uint64),
            length=self._keep(parts.length, np.uint64),
            hop=self._keep(parts.hop, np.uint64),
        )

    def _delays(self, point):
        """Registers of the link at each input, ``[switch][port]``."""
        network, count = self.core.network, len(self.core.links)
        if not isinstance(point.delay, dict):
            if not 0 <= point.delay <= 1000:
                raise ValueError(f"Delay of a link must be in 0..1000, not {point.delay}")
            return np.full((network.nodes, count), point.delay, np.int32)
        found = np.zeros((network.nodes, count), np.int32)
        for (switch, port), delay in point.delay.items():
            end = network.neighbour(switch, port)
            if end is None or not 0 <= delay <= 1000:
                raise ValueError(f"Delay must be in 0..1000 of a link, not {delay} at port {port} of {switch}")
            for one, index in ((switch, port), end):
                found[network.number(one), self.core.link_of[index]] = delay
        return found

    def _traffic_of(self, number):
        point, hosts = self.points[number], self.core.hosts
        longest = self.core.manifest["parameters"]["packet"]
        lengths = dict(point.lengths or {longest: 1.0})
        if not lengths or not all(1 <= flits <= longest and share >= 0 for flits, share in lengths.items()):
            raise ValueError(f"Packets must have 1..{longest} flits, not {sorted(lengths)}")
        shares = np.cumsum(list(lengths.values()))
        self._mean_length.append(sum(flits * share for flits, share in lengths.items()) / shares[-1])
        shares = shares / shares[-1]
        shares[-1] = 1.0
        traffic = Traffic(
            base=self._bases[number],
            lengths=len(lengths),
            ordered=point.ordered,
            log=point.log,
            seed=point.seed,
            length_cdf=self._keep(shares, np.float64),
            length_of=self._keep(list(lengths), np.int32),
        )
        if sum(value is not None for value in (point.destinations, point.weights, point.trace)) > 1:
            raise ValueError("A point has destinations, weights, or a trace, not two of them")
        if point.destinations is not None:
            table = np.asarray(point.destinations)
            if table.shape != (hosts,) or table.min() < -1 or table.max() >= hosts:
                raise ValueError(f"Destinations must be {hosts} numbers of hosts in -1..{hosts - 1}")
            traffic.table = self._keep(table, np.int32)
        elif point.weights is not None:
            weights = np.atleast_2d(np.asarray(point.weights, float))
            rest = weights.sum(1) - (np.diag(weights) if len(weights) > 1 else weights.max(1))
            if weights.shape not in ((1, hosts), (hosts, hosts)) or (weights < 0).any() or not (rest > 0).all():
                raise ValueError(f"Weights must be {hosts} numbers from 0, or that for each source, not all for itself")
            cdf = np.cumsum(weights, 1)
            traffic.cdf, traffic.cdf_rows = self._keep(cdf / cdf[:, -1:], np.float64), len(weights)
        elif point.trace is not None:
            self._trace(traffic, np.asarray(point.trace, np.int64).reshape(-1, 4), hosts, longest)
        elif hosts < 2:
            raise ValueError("Uniform traffic needs two hosts")
        if point.burst is not None:
            if point.burst.on < 1 or point.burst.off < 1:
                raise ValueError(f"Bursts and pauses must last at least 1 cycle, not {point.burst}")
            traffic.on, traffic.off = point.burst.on, point.burst.off
        return traffic

    def _trace(self, traffic, trace, hosts, longest):
        rows = trace[np.lexsort((trace[:, 0], trace[:, 1]))]
        inside = (rows >= [0, 0, 0, 1]) & (rows < [1 << 62, hosts, hosts, longest + 1])
        if not inside.all():
            wrong = rows[~inside.all(1)][0]
            raise ValueError(f"A trace has cycle, source, destination, flits, not {', '.join(map(str, wrong))}")
        traffic.trace = self._keep(rows[:, [0, 2, 3]], np.uint64)
        traffic.trace_first = self._keep(np.searchsorted(rows[:, 1], np.arange(hosts + 1)), np.uint64)

    # What a user does.

    def run(self, cycles):
        """Run all points for some cycles.

        Raises
        ------
        SimulationError
            If a packet is lost, doubled, changed, out of order, or at the wrong host, or if a switch reports an event.
        NetworkStopped
            If packets are in the network of a point, and no flit has moved for :data:`PATIENCE` cycles.
        """
        while cycles > 0:
            some = min(cycles, STRETCH)
            failed = self.core.runtime.sim_run(self._sim, some)
            self.cycle = self.core.runtime.sim_cycle(self._sim)
            cycles -= some
            if failed:
                error = Error()
                self.core.runtime.sim_error(self._sim, ctypes.byref(error))
                raise self._error(error)
            if self.cycle >= PATIENCE:
                self._check_moves()

    def _error(self, error, kind=SimulationError):
        point = max(number for number, base in enumerate(self._bases) if base <= error.copy)
        switch = self.core.network.switch(error.copy - self._bases[point])
        if error.kind == 1:
            name, bit, _ = self.core.events[error.port]
            text = f"the switch reports {name} at port {self.core.manifest['core_ports'][bit]['name']}"
        else:
            port = (*self.core.links, *self.core.host_ports)[error.port]["name"]
            values = {name: getattr(error, name) for name in ("channel", "source", "destination", "number")}
            text = ERRORS[error.kind].format(port=port, **values)
        label = self.core.network.spell_switch(switch)
        return kind(f"Cycle {error.cycle}, point {point}, switch {label}: {text}", error.cycle, point, switch)

    def _check_moves(self):
        for number in range(len(self.points)):
            counts = self._counts(number)[0]
            if counts.in_flight and self.cycle - counts.last_move > PATIENCE:
                raise NetworkStopped(
                    f"Point {number}: {counts.in_flight} packets are in the network, and none has moved since cycle"
                    f" {counts.last_move}",
                    counts.last_move,
                    number,
                    None,
                )

    def set_load(self, point, load):
        """Change the load of a point: flits per host and cycle, one number or one per host."""
        hosts, burst = self.core.hosts, self.points[point].burst
        values = np.broadcast_to(np.asarray(load, float), (hosts,))
        if not ((values >= 0) & (values <= 1)).all():
            raise ValueError(f"Load must be in 0..1 flits per host and cycle, not {load}")
        rate = values / self._mean_length[point]
        if burst is not None:
            rate = np.minimum(values * (burst.on + burst.off) / burst.on, 1) / self._mean_length[point]
        self.core.runtime.sim_load(self._sim, point, self._keep(rate, np.float64), 1)

    def stop(self, point=None):
        """End the traffic of a point, or of all points: no new packets. Packets in source queues still enter the network."""
        for number in self._numbers(point):
            zero = self._keep(np.zeros(self.core.hosts), np.float64)
            self.core.runtime.sim_load(self._sim, number, zero, 0)

    def drain(self, most=100_000):
        """:meth:`stop` all points, and run until everything has arrived; check that all buffers are empty and credits returned.

        Returns
        -------
        int
            Cycles that it took.

        Raises
        ------
        SimulationError
            If a packet has not arrived after ``most`` cycles, or a buffer is not empty.
        """
        self.stop()
        start = self.cycle
        while left := sum(self.queued(number) + self.in_flight(number) for number in range(len(self.points))):
            if self.cycle - start >= most:
                raise SimulationError(f"Cycle {self.cycle}: {left} packets have not arrived", self.cycle, None, None)
            self.run(32)
        took = self.cycle - start
        # The last credits are on their way.
        longest = max(
            max(point.delay.values(), default=0) if isinstance(point.delay, dict) else point.delay
            for point in self.points
        )
        self.run(16 + longest)
        error = Error()
        if not self.core.runtime.sim_idle(self._sim, ctypes.byref(error)):
            raise self._error(error)
        return took

    def queued(self, point):
        """Packets in the source queues of a point, those included of which some flits have left."""
        return self._counts(point)[0].queued

    def in_flight(self, point):
        """Packets of a point that have begun to enter the network and have not arrived completely."""
        return self._counts(point)[0].in_flight

    def start_measuring(self, point=None):
        """Set the statistics of a point, or of all points, to zero, and measure from now on."""
        for number in self._numbers(point):
            self.core.runtime.sim_measure(self._sim, number, 1)
            self._measuring[number] = (self.cycle, None)

    def stop_measuring(self, point=None):
        """End measuring: counts stay as they are, and only packets offered before now are measured when they arrive."""
        for number in self._numbers(point):
            self.core.runtime.sim_measure(self._sim, number, 0)
            if self._measuring[number]:
                self._measuring[number] = (self._measuring[number][0], self.cycle)

    def statistics(self, point):
        """The :class:`~dsnswitch.net.simulate.points.Statistics` of a point.

        Raises
        ------
        ValueError
            If it was never measured.
        """
        if self._measuring[point] is None:
            raise ValueError(f"Point {point} has no statistics before start_measuring")
        counts, links, sources, destinations, fill = self._counts(point)
        first, last = self._measuring[point]
        ports = (*self.core.links, *self.core.host_ports)
        # Ports in the manifest's order.
        order = [ports.index(port) for port in self.core.manifest["core_ports"]]
        mean = fill / max(1, counts.fill_samples) / self.core.network.nodes
        for row, port in zip(mean, ports):
            row[port["channels"] :] = np.nan
        names = ("head", "tail", "queued_head", "queued_tail")
        histograms = np.ctypeslib.as_array(counts.histogram).copy()
        return Statistics(
            cycles=(self.cycle if last is None else last) - first,
            hosts=self.core.hosts,
            **{name: getattr(counts, name) for name in COUNTED},
            **dict(zip(names, histograms)),
            sums=dict(zip(names, counts.sums)),
            greatest=dict(zip(names, counts.greatest)),
            hops=np.ctypeslib.as_array(counts.hops).copy(),
            link_flits=links[:, self.core.link_of],
            source_flits=sources,
            destination_flits=destinations,
            fill=mean[order],
        )

    def delivered(self, point):
        """The log of a point, in the order of the cycles of tails: array of :data:`~dsnswitch.net.simulate.points.Delivered`."""
        count = self.core.runtime.sim_records(self._sim, point, None)
        found = np.zeros(count, Delivered)
        self.core.runtime.sim_records(self._sim, point, found.ctypes.data)
        return found[np.lexsort((found["destination"], found["tail"]))]

    def set_input(self, point, switch, port, value):
        """Give an input of one core another value from the next cycle on, such as ``dead``."""
        self._write([self._bases[point] + self.core.network.number(switch)], port, [value])
        if port in self.core.static:
            self._settle()

    def fail(self, point, switch, port):
        """Report the link of a port dead to the switches at both of its ends. The core needs the input ``dead``."""
        network = self.core.network
        end = network.neighbour(switch, port)
        if "dead" not in self.core.layout.inputs:
            raise ValueError(
                "Links fail in a core with detours or tables: emit it with --routing detour or --lookup forwarding"
            )
        if end is None:
            raise ValueError(f"Switch {network.spell_switch(switch)} has no link at port {port}")
        for one, index in ((switch, port), end):
            copy = self._bases[point] + network.number(one)
            row = self._rows[copy // COPIES][self.core.layout.inputs["dead"][index]]
            row[copy % COPIES // 8] |= 1 << copy % 8

    def _numbers(self, point):
        return range(len(self.points)) if point is None else (point,)

    def _counts(self, point):
        nodes, hosts = self.core.network.nodes, self.core.hosts
        counts, links = Counts(), np.zeros((nodes, len(self.core.links)), np.uint64)
        sources, destinations = np.zeros(hosts, np.uint64), np.zeros(hosts, np.uint64)
        fill = np.zeros(
            (len(self.core.links) + len(self.core.host_ports), self.core.rows("rx_valid").shape[1]), np.uint64
        )
        arrays = [array.ctypes.data for array in (links, sources, destinations, fill)]
        self.core.runtime.sim_counts(self._sim, point, ctypes.byref(counts), *arrays)
        return counts, links, sources, destinations, fill.astype(float)


#: Numbers of :class:`Statistics` that the runtime counts under the same names.
COUNTED = (
    *("offered_packets", "offered_flits", "injected_packets", "injected_flits", "delivered_packets", "delivered_flits"),
    *("measured", "missing"),
)
