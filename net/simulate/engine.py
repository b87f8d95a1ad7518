"""The engine: networks of a universal switch core that run cycle by cycle; one bit of a machine word is one switch.

core = Core("build/verilog/switch_core_grid_8x8_k4x2_h1_f64_p4_d8_vct.json")
engine = Engine(core, [Point(load=0.1), Point(load=0.2, seed=2)])
engine.run(2000)
engine.start_measuring()
engine.run(10000)
print(engine.statistics(0).mean(), engine.statistics(1).accepted)
"""

import ctypes

import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.net.simulate.core import Core
from dsnswitch.net.simulate.generate import COPIES, ROW
from dsnswitch.net.simulate.headers import HeaderParts
from dsnswitch.net.simulate.lookup import kind_of_table, layers_of, writes
from dsnswitch.net.simulate.points import Delivered, NetworkStopped, SimulationError, Statistics
from dsnswitch.net.simulate.runtime import CAUSES, HOPS, Config, Counts, Error, Traffic
from dsnswitch.net.simulate.stopped import describe, waiting_cycle
from dsnswitch.net.simulate.traffic import mean_length, order_of, traffic_of

__all__ = ["PATIENCE", "Core", "Engine"]

#: Cycles without any moving flit, while packets are in the network, after which the network counts as stopped.
PATIENCE = 2000

#: Cycles after the last arrival in which the rest of lost packets must be gone.
MOST_REST = 10_000

#: Cycles between two checks whether the network moves.
STRETCH = 512

#: Cycles in which the links of switches must come up, and cycles between two looks at them.
LONGEST_START, START_STEP = 20_000, 64

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
    start_cycles : int
        Cycles before cycle 0 in which the links of switches came up.
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
        self._place()
        self._make_rows()
        kept()
        self._strap()
        self._tables, self._steps, self._writing = [None] * len(self.points), [], False
        self._load_tables()
        longest = core.manifest["parameters"]["packet"]
        flit = core.manifest["parameters"]["flit"]
        made = [
            traffic_of(point, core.hosts, longest, flit, base, self._keep)
            for point, base in zip(self.points, self._bases)
        ]
        self._mean_length = [mean_length(point, longest) for point in self.points]
        self._traffic = (Traffic * len(made))(*made)
        self._layers = {}
        if core.manifest["parameters"].get("layers", 1) > 1:
            for number, point in enumerate(self.points):
                self._layers[number] = np.zeros((core.network.nodes, core.network.nodes), np.uint8)
                self._traffic[number].layers = self._layers[number].ctypes.data
                self._set_layers(number, point.tables)
        config = self._config(self._threads)
        self._sim = core.runtime.sim_new(ctypes.byref(config), self._traffic)
        self._kept.append(config)
        self._measuring = [None] * len(self.points)  # (first cycle, cycle after the last or None)
        self._drained = False
        self.start_cycles = 0
        if core.has_links:
            if any(point.lossy or point.errors for point in self.points):
                raise ValueError(
                    "Packets are lost, and links make errors, only in networks of cores, not of whole switches"
                )
            self._start()
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
        core = self.core
        switches = list(core.network.switches())
        numbers = np.array([core.network.number(switch) for switch in switches])
        straps = [core.straps(switch) for switch in switches]
        for number, point in enumerate(self.points):
            values = {name: [one.get(name, 0) for one in straps] for name in set().union(*straps)}
            if callable(point.inputs):
                found = [point.inputs(switch) for switch in switches]
                values |= {name: [one[name] for one in found] for name in (found[0] if found else {})}
            else:
                values |= {name: [value] * len(switches) for name, value in point.inputs.items()}
            for name, column in values.items():
                self._write(self._bases[number] + numbers, name, column)
        self._settle()

    def _write(self, copies, name, values):
        """Give an input of some copies values."""
        if name not in self.core.layout.inputs:
            raise ValueError(f"Input must be one of {', '.join(self.core.layout.inputs)}, not {name!r}")
        copies, rows = np.asarray(copies), self.core.layout.inputs[name]
        values = np.array(values, object if len(rows) > 62 else np.int64)
        for bit, row in enumerate(rows):
            level = np.array(values >> bit & 1, bool)
            for word in np.unique(copies // COPIES):
                here = copies // COPIES == word
                bits = np.unpackbits(self._rows[word][row], bitorder="little")
                bits[copies[here] % COPIES] = level[here]
                self._rows[word][row] = np.packbits(bits, bitorder="little")

    def _load_tables(self):
        """Write the tables of all points before the first cycle."""
        given = {number: point.tables for number, point in enumerate(self.points) if point.tables is not None}
        kind = kind_of_table(self.core.manifest["parameters"])
        if kind and len(given) < len(self.points) and (self.core.manifest["parameters"]["lookup"] == "table"):
            raise UsageError("A core with lookup by table needs tables for every point")
        if not given:
            return
        steps = self._planned(given)
        # An even number of steps, as there are two sets of flip-flops.
        for number, step in enumerate(steps + [[]] * (len(steps) % 2)):
            self._put(step)
            for rows in self._rows:
                self.core.advance(rows.ctypes.data, number % 2)
        self._put(())
        if kind == "direct":
            for number in given:
                nodes = self.core.network.nodes
                self._write(self._bases[number] + np.arange(nodes), "loaded", np.ones(nodes, int))

    def _planned(self, given):
        """The writes of ``{point: tables}``: for each cycle a list of (copies, values)."""
        parameters = self.core.manifest["parameters"]
        if not kind_of_table(parameters):
            raise UsageError("A core with lookup by algorithm has no tables")
        for made in given.values():
            self.core.check_hops(made)
        merged, known = [], {}
        for number, made in given.items():
            state = self._tables[number]
            # Points with the same tables share the plan.
            key = (id(made), id(state))
            if key not in known:
                known[key] = writes(self.core.network, parameters, made, state)
            steps, self._tables[number] = known[key]
            merged += [[] for _ in range(len(steps) - len(merged))]
            for cycle, (numbers, values) in zip(merged, steps):
                cycle.append((self._bases[number] + numbers, values))
        return merged

    def _put(self, step):
        """Set the write ports for a cycle: those of the copies in a step, and no others."""
        row = self.core.layout.inputs["write"][0]
        for rows in self._rows:
            rows[row] = 0
        for copies, values in step:
            for name, value in values.items():
                self._write(copies, f"write_{name}", value)
            self._write(copies, "write", np.ones(len(copies), int))

    def _set_layers(self, point, made):
        """Let sources write the layers of new tables into headers from now on."""
        if point in self._layers:
            found = layers_of(self.core.network, made)
            self._layers[point][:] = 0 if found is None else found

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
        outs, ins = zip(*(core.wires(port) for port in core.links))
        wires = max(map(len, outs))
        names = ("rx_valid", "rx_flit", "rx_credit", "tx_valid", "tx_flit", "tx_credit")
        return Config(
            step=core.step,
            rows=self._keep(np.array([rows.ctypes.data for rows in self._rows], np.uint64), np.uint64),
            words=self.words,
            ports=len(core.links),
            hosts=len(core.host_ports),
            channels=core.rows("rx_valid").shape[1],
            depth=max(map(core.most, every)),
            flit=about["parameters"]["flit"],
            header=parts.width,
            longest=about["parameters"]["packet"],
            flops=core.layout.flops,
            events=len(core.events),
            points=len(self.points),
            switches=core.network.nodes,
            source_shift=parts.source_shift,
            source_bits=parts.source_bits,
            destination_shift=parts.destination_shift,
            layer_shift=parts.layer_shift,
            layer_bits=parts.layer_bits,
            latency=core.latency - 2,
            threads=threads,
            wires=wires,
            outs=self._keep([[*rows, *[-1] * (wires - len(rows))] for rows in outs], np.int32),
            ins=self._keep([[*rows, *[-1] * (wires - len(rows))] for rows in ins], np.int32),
            most=self._keep([core.most(port) for port in every], np.int32),
            host_credits=self._keep([core.host_credits(port) for port in core.host_ports], np.int32),
            channels_of=self._keep([core.channels(port) for port in every], np.int32),
            **{name: self._keep(core.rows(name), np.int32) for name in names},
            event_rows=self._keep([row for _, _, row in core.events], np.int32),
            event_port=self._keep([bit for _, bit, _ in core.events], np.int32),
            event_cause=self._keep([CAUSES.index(n) if n in CAUSES else -1 for n, _, _ in core.events], np.int32),
            from_copy=self._keep(from_copy, np.int32),
            from_port=self._keep(from_port, np.int32),
            delay=self._keep(delay, np.int32),
            point_of=self._keep(point_of, np.int32),
            host_of=self._keep(parts.host_of, np.int32),
            source=self._keep(parts.source, np.uint64),
            destination=self._keep(parts.destination, np.uint64),
            length=self._keep(parts.length, np.uint64),
            hop=self._keep(parts.hop, np.uint64),
            layer=self._keep(parts.layer, np.uint64),
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

    def _longest_delay(self):
        """Registers of the longest link."""
        return max(
            max(point.delay.values(), default=0) if isinstance(point.delay, dict) else point.delay
            for point in self.points
        )

    def _start(self):
        """Run without traffic until all links are up; cycle 0 comes after that."""
        self.stop()
        # The delay lines and the two sets of flip-flops are again at their beginning.
        period = 2 * (self._longest_delay() + 2)
        while down := sum(self._links_down(number) for number in range(len(self.points))):
            if self.cycle > LONGEST_START + 16 * period:
                raise SimulationError(f"{down} links are not up after {self.cycle} cycles", self.cycle, None, None)
            self.run(period * -(-START_STEP // period))
        self.core.runtime.sim_begin(self._sim)
        self.start_cycles, self.cycle = self.cycle, 0

    def _links_down(self, number):
        """Directions of links of a point that are not up."""
        cables, base, down = self.core.cables[0] >= 0, self._bases[number], 0
        for switch, present in enumerate(cables):
            rows, copy = self._rows[(base + switch) // COPIES], (base + switch) % COPIES
            for port, here in zip(self.core.links, present):
                down += here and not self.core.is_up(port, rows, copy, (self.cycle + 1) % 2)
        return down

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
            if self._steps:
                self._put(self._steps.pop(0))
                some = 1
            failed = self.core.runtime.sim_run(self._sim, some)
            self.cycle = self.core.runtime.sim_cycle(self._sim)
            cycles -= some
            if failed:
                error = Error()
                self.core.runtime.sim_error(self._sim, ctypes.byref(error))
                raise self._error(error)
            if self._writing and some == 1 and not self._steps:
                self._put([])
                self._writing = False
            if self.cycle >= PATIENCE:
                self._check_moves()

    def rewrite(self, given):
        """Write new tables into all switches of some points from the next cycle on, while traffic goes on.

        A switch takes one write per cycle, and every lookup finds its old or its new action. Between the first and the last
        write, routes consist of old and new parts: packets may be lost (:attr:`Point.lossy`), and even wait for each other.

        Parameters
        ----------
        given : dict
            ``{point: tables}``.

        Returns
        -------
        int
            Cycles until the last write. Writes of an earlier call come first.

        Raises
        ------
        UsageError
            If old and new entries do not fit the tables together; then nothing is written.
        """
        self._steps += self._planned(given)
        self._writing = bool(self._steps)
        for number, made in given.items():
            self._set_layers(number, made)
        return len(self._steps)

    def _error(self, error, kind=SimulationError):
        point = max(number for number, base in enumerate(self._bases) if base <= error.copy)
        switch = self.core.network.switch(error.copy - self._bases[point])
        if error.kind == 1:
            text = self.core.event_text(error.port)
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
                cycle, end = waiting_cycle(self.core, lambda row, number=number: self._flip_flop(number, row))
                raise NetworkStopped(
                    f"Point {number}: {counts.in_flight} packets are in the network, and none has moved since cycle"
                    f" {counts.last_move}; {describe(self.core, cycle, end)}",
                    counts.last_move,
                    number,
                    None,
                    cycle,
                )

    def _flip_flop(self, point, row):
        """The value of a flip-flop of a point's cores, an array of bool by the number of the switch."""
        first = self._bases[point]
        row += self.cycle % 2 * self.core.layout.flops
        bits = np.concatenate([np.unpackbits(rows[row], bitorder="little") for rows in self._rows])
        return bits[first : first + self.core.network.nodes].astype(bool)

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

    def drain(self, most=100_000, withdrawn=()):
        """:meth:`stop` all points, and run until everything has arrived; check that all buffers are empty and credits returned.

        Parameters
        ----------
        most : int
            Cycles after which the rest counts as lost.
        withdrawn : sequence of int
            Points whose waiting packets are taken back (:meth:`withdraw`), as source queues of a saturated network are long.

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
        for number in withdrawn:
            self.withdraw(number)
        start = self.cycle
        while left := sum(self.queued(number) + self.in_flight(number) for number in range(len(self.points))):
            if self.cycle - start >= most:
                raise SimulationError(f"Cycle {self.cycle}: {left} packets have not arrived", self.cycle, None, None)
            self.run(32)
        took = self.cycle - start
        # The last credits are on their way, and what has not been dropped yet of lost packets.
        self.run(self.core.credit_cycles + self._longest_delay())
        lossy = any(point.lossy or point.errors for point in self.points)
        error = Error()
        while not self.core.runtime.sim_idle(self._sim, ctypes.byref(error)):
            if not lossy or self.cycle - start >= took + MOST_REST:
                raise self._error(error)
            self.run(32)
        self._check_credits()
        return took

    def _check_credits(self):
        """Every output of every core must have as many credits as after a reset. Hosts' credits are checked by the runtime."""
        core = self.core
        for row, port, channel, right in core.credits:
            for point in range(len(self.points)):
                wrong = np.flatnonzero(self._flip_flop(point, row) != right)
                if len(wrong):
                    switch = core.network.switch(int(wrong[0]))
                    raise SimulationError(
                        f"Cycle {self.cycle}, point {point}, switch {core.network.spell_switch(switch)}: port {port} has not got"
                        f" back all credits of channel {channel}",
                        self.cycle,
                        point,
                        switch,
                    )

    def queued(self, point):
        """Packets in the source queues of a point, those included of which some flits have left."""
        return self._counts(point)[0].queued

    def in_flight(self, point):
        """Packets of a point that have begun to enter the network and have not arrived completely."""
        return self._counts(point)[0].in_flight

    def withdraw(self, point=None):
        """Take back the packets that wait in source queues and have not begun to leave."""
        for number in self._numbers(point):
            self.core.runtime.sim_withdraw(self._sim, number)

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
            row[self.core.channels(port) :] = np.nan
        names = ("head", "tail", "queued_head", "queued_tail")
        histograms = np.ctypeslib.as_array(counts.histogram).copy()
        return Statistics(
            cycles=(self.cycle if last is None else last) - first,
            hosts=self.core.hosts,
            **{name: getattr(counts, name) for name in COUNTED},
            lost=dict(zip(CAUSES, counts.lost)),
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
        if self.points[point].trace is not None:
            trace = np.asarray(self.points[point].trace, np.int64).reshape(-1, 4)
            order = order_of(trace)
            first = np.searchsorted(trace[order, 1], found["source"])
            found["row"] = order[first + found["row"].astype(np.int64)]
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
    *("measured", "missing", "marked"),
)
