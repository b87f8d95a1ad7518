"""The engine: networks of a universal switch core that run cycle by cycle; one bit of a machine word is one switch.

core = Core("build/verilog/switch_core_grid_8x8_k4x2_h1_f64_p4_d8.json")
engine = Engine(core, [Point(load=0.1), Point(load=0.2, seed=2)])
engine.run(2000)
engine.start_measuring()
engine.run(10000)
print(engine.statistics(0).mean(), engine.statistics(1).accepted)
"""

import ctypes
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.net.routing.registry import keeps_marked
from dsnswitch.net.tables.compile import Tables
from dsnswitch.net.topology.network import Network
from dsnswitch.sim.network.compile.generate import COPIES
from dsnswitch.sim.network.engine.configuration import config_of
from dsnswitch.sim.network.engine.conservation import check_credits, error_of, stopped
from dsnswitch.sim.network.engine.copies import Copies
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.counters import network_statistics, statistics_of
from dsnswitch.sim.network.engine.lookup import kind_of_table, layers_of
from dsnswitch.sim.network.engine.points import Delivered, Point, SimulationError, Statistics
from dsnswitch.sim.network.engine.runtime import Counts, Error, NetworkCounts, Traffic
from dsnswitch.sim.network.engine.table_writer import TableWriter
from dsnswitch.sim.network.engine.traffic import mean_length, order_of, traffic_of

__all__ = ["PATIENCE", "Core", "Engine"]

#: Cycles without any moving flit, while packets are in the network, after which the network counts as stopped.
PATIENCE = 2000

#: Cycles after the last arrival in which the rest of lost packets must be gone.
MOST_REST = 10_000

#: Cycles between two checks whether the network moves.
STRETCH = 512

#: Cycles in which the links of switches must come up, and cycles between two looks at them.
LONGEST_START, START_STEP = 20_000, 64


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

    def __init__(self, core: Core | str | Path, points: Sequence[Point], threads: int = 1, isa: str | None = None):
        self._threads = threads
        self._begin(core if isinstance(core, Core) else Core(core, isa), points)

    def _begin(self, core, points, kept=lambda: None):
        """Place the points, and start them. ``kept`` is called when the switches have the state after a reset."""
        self.core, self.points = core, list(points)
        self.cycle = 0
        if not self.points:
            raise ValueError("A simulation needs at least one point")
        self._kept = []  # Arrays that the runtime reads.
        self._copies = Copies(core, self.points)
        self._bases, self._rows, self.words = self._copies.bases, self._copies.rows, self._copies.words
        kept()
        self._copies.strap()
        self._writer = TableWriter(core, self._copies, len(self.points))
        self._load_tables()
        longest = core.manifest["parameters"]["packet"]
        flit = core.manifest["parameters"]["flit"]
        networks = len(core.host_channels)
        made = [
            traffic_of(point, core.present, longest, flit, base, self._keep, networks)
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
        self._set_orders()
        config = config_of(core, self.points, self._copies, self._threads, self._keep)
        self._sim = core.runtime.sim_new(ctypes.byref(config), self._traffic)
        self._kept.append(config)
        self._measuring = [None] * len(self.points)  # (first cycle, cycle after the last or None)
        self._drained = False
        # Loads of the hosts, None after stop(); and switches without a live link.
        self._offered = [None] * len(self.points)
        self._left = np.zeros((len(self.points), core.network.nodes), bool)
        self.start_cycles = 0
        if core.has_links:
            if any(point.lossy or point.errors for point in self.points):
                raise ValueError("Packets are lost, and links make errors, only in networks of cores, not of whole switches")
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

    def become(self, network: Network, points: Sequence[Point], moved: dict | None = None) -> None:
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
        before, copies = self.core, self._copies
        moved = moved or {switch: switch for switch in before.network.switches() if network.contains(switch)}
        ends = np.array([(before.network.number(old), network.number(new)) for old, new in moved.items()])
        core = before.of(network)
        self._end()
        self._begin(core, points, lambda: self._copies.take(copies, ends))

    # What the runtime gets.

    def _load_tables(self):
        """Write the tables of all points before the first cycle."""
        given = {number: point.tables for number, point in enumerate(self.points) if point.tables is not None}
        kind = kind_of_table(self.core.manifest["parameters"])
        if kind and len(given) < len(self.points) and (self.core.manifest["parameters"]["lookup"] == "table"):
            raise UsageError("A core with lookup by table needs tables for every point")
        if not given:
            return
        self._writer.load(given)

    def _set_layers(self, point, made):
        """Let sources write the layers of new tables into headers from now on."""
        if point in self._layers:
            found = layers_of(self.core.network, made)
            self._layers[point][:] = 0 if found is None else found

    def _set_orders(self):
        """Let sources mark the packets that stay in order, and check only their order, if switches choose among hops."""
        for point, traffic in zip(self.points, self._traffic):
            if keeps_marked(self.core.manifest["parameters"]):
                shape = (self.core.network.nodes, self.core.network.nodes)
                marked = np.zeros(shape) if point.in_order is None else np.asarray(point.in_order)
                if marked.shape != shape:
                    raise ValueError(f"Packets in order must be stated for {shape[0]} x {shape[1]} switches, not {marked.shape}")
                traffic.layers, traffic.ordered = self._keep(marked, np.uint8), 2 * point.ordered
            elif point.in_order is not None:
                raise ValueError("Packets are marked to stay in order only with adaptive routing, or routes in two stages")

    def _keep(self, array, kind):
        found = np.ascontiguousarray(array, dtype=kind)
        self._kept.append(found)
        return found.ctypes.data

    def _longest_delay(self):
        """Registers of the longest link."""
        return max(
            max(point.delay.values(), default=0) if isinstance(point.delay, dict) else point.delay for point in self.points
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

    def run(self, cycles: int) -> None:
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
            if self._writer.busy:
                self._writer.step()
                some = 1
            failed = self.core.runtime.sim_run(self._sim, some)
            self.cycle = self.core.runtime.sim_cycle(self._sim)
            cycles -= some
            if failed:
                error = Error()
                self.core.runtime.sim_error(self._sim, ctypes.byref(error))
                raise error_of(self.core, self._bases, error)
            if self.cycle >= PATIENCE:
                self._check_moves()

    def rewrite(self, given: dict[int, Tables]) -> int:
        """Write new tables into all switches of some points from the next cycle on, while traffic goes on.

        A switch takes one write per cycle, and every lookup finds its old or its new action. Between the first and the last
        write, routes consist of old and new parts. Packets by turn classes never wait for each other, but some may turn back or
        run out of classes, and are lost (:attr:`Point.lossy`). Routes on layers may even deadlock.

        Parameters
        ----------
        given : dict
            ``{point: tables}``.

        Returns
        -------
        int
            Cycles until the last write. Writes of an earlier call to the same point come first.

        Raises
        ------
        UsageError
            If old and new entries do not fit the tables together, or a port does not lead the same way by old and new ranks; then
            nothing is written.
        """
        cycles = self._writer.rewrite(given)
        for number, made in given.items():
            self._set_layers(number, made)
        return cycles

    def _check_moves(self):
        for number in range(len(self.points)):
            counts = self._counts(number)[0]
            if counts.in_flight and self.cycle - counts.last_move > PATIENCE:
                state = lambda row, number=number: self._copies.flip_flop(number, row, self.cycle)  # noqa: E731
                replies = np.zeros(self.core.hosts, np.int32)
                self.core.runtime.sim_replies(self._sim, number, replies.ctypes.data)
                raise stopped(self.core, number, counts, state, replies)

    def set_load(self, point: int, load: float | np.ndarray) -> None:
        """Change the load of a point: flits per host and cycle, one number or one per host."""
        hosts, burst = self.core.hosts, self.points[point].burst
        values = np.broadcast_to(np.asarray(load, float), (hosts,)) * self.core.present
        if not ((values >= 0) & (values <= 1)).all():
            raise ValueError(f"Load must be in 0..1 flits per host and cycle, not {load}")
        if self.points[point].sources is not None:
            values = np.where(self.points[point].sources, values, 0.0)
        rate = values / self._mean_length[point]
        if burst is not None:
            rate = np.minimum(values / burst.greatest, 1) / self._mean_length[point]
        self._offered[point] = rate
        self._offer(point)

    def _offer(self, point):
        """Let the hosts of a point send, but for those of switches that have left."""
        here = np.repeat(~self._left[point], len(self.core.host_ports))
        self.core.runtime.sim_load(self._sim, point, self._keep(self._offered[point] * here, np.float64), 1)

    def stop(self, point: int | None = None) -> None:
        """End the traffic of a point, or of all points: no new packets. Packets in source queues still enter the network."""
        for number in self._numbers(point):
            zero, self._offered[number] = self._keep(np.zeros(self.core.hosts), np.float64), None
            self.core.runtime.sim_load(self._sim, number, zero, 0)

    def drain(self, most: int = 100_000, withdrawn: Sequence[int] = ()) -> int:
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
                raise error_of(self.core, self._bases, error)
            self.run(32)
        check_credits(self.core, self._copies, self.cycle)
        return took

    def queued(self, point: int) -> int:
        """Packets in the source queues of a point, those included of which some flits have left."""
        return self._counts(point)[0].queued

    def in_flight(self, point: int) -> int:
        """Packets of a point that have begun to enter the network and have not arrived completely."""
        return self._counts(point)[0].in_flight

    def withdraw(self, point: int | None = None) -> None:
        """Take back the packets that wait in source queues and have not begun to leave."""
        for number in self._numbers(point):
            self.core.runtime.sim_withdraw(self._sim, number)

    def start_measuring(self, point: int | None = None) -> None:
        """Set the statistics of a point, or of all points, to zero, and measure from now on."""
        for number in self._numbers(point):
            self.core.runtime.sim_measure(self._sim, number, 1)
            self._measuring[number] = (self.cycle, None)

    def stop_measuring(self, point: int | None = None) -> None:
        """End measuring: counts stay as they are, and only packets offered before now are measured when they arrive."""
        for number in self._numbers(point):
            self.core.runtime.sim_measure(self._sim, number, 0)
            if self._measuring[number]:
                self._measuring[number] = (self._measuring[number][0], self.cycle)

    def statistics(self, point: int) -> Statistics:
        """The :class:`~dsnswitch.sim.network.engine.points.Statistics` of a point.

        Raises
        ------
        ValueError
            If it was never measured.
        """
        if self._measuring[point] is None:
            raise ValueError(f"Point {point} has no statistics before start_measuring")
        first, last = self._measuring[point]
        found = statistics_of(self.core, (self.cycle if last is None else last) - first, *self._counts(point))
        networks = len(self.core.host_channels)
        if networks > 1:
            counts = (NetworkCounts * networks)()
            self.core.runtime.sim_networks(self._sim, point, ctypes.byref(counts))
            found.virtual_networks = [network_statistics(found.cycles, found.hosts, one) for one in counts]
        return found

    def delivered(self, point: int) -> np.ndarray:
        """The log of a point, in the order of the cycles of tails: array of ``Delivered``."""
        count = self.core.runtime.sim_records(self._sim, point, None)
        found = np.zeros(count, Delivered)
        self.core.runtime.sim_records(self._sim, point, found.ctypes.data)
        # Replies are no rows of a trace.
        if self.points[point].trace is not None and self.points[point].loop is None:
            trace = np.asarray(self.points[point].trace, np.int64).reshape(-1, 4)
            order = order_of(trace)
            first = np.searchsorted(trace[order, 1], found["source"])
            found["row"] = order[first + found["row"].astype(np.int64)]
        return found[np.lexsort((found["destination"], found["tail"]))]

    def set_input(self, point: int, switch: tuple[int, ...], port: str, value: int) -> None:
        """Give an input of one core another value from the next cycle on, such as ``dead``."""
        self._copies.write([self._bases[point] + self.core.network.number(switch)], port, [value])
        if port in self.core.static:
            self._copies.settle()

    def fail(self, point: int, switch: tuple[int, ...], port: int) -> None:
        """Report the link of a port dead to the switches at both of its ends. The core needs the input ``dead``.

        A switch whose last link fails has left the network: its hosts send no new packets until a link returns. Rows of a trace
        stay as they are.
        """
        self._report(point, switch, port, True)

    def repair(self, point: int, switch: tuple[int, ...], port: int) -> None:
        """Report a failed link alive again to the switches at both of its ends, the counterpart of :meth:`fail`.

        Routes return to it with new tables (:meth:`rewrite`); detours, and tables that still lead there, at once.
        """
        self._report(point, switch, port, False)

    def _report(self, point, switch, port, dead):
        network = self.core.network
        end = network.neighbour(switch, port)
        if "dead" not in self.core.layout.inputs:
            raise ValueError("Links fail in a core with detours or tables: emit it with --routing detour or --lookup forwarding")
        if end is None:
            raise ValueError(f"Switch {network.spell_switch(switch)} has no link at port {port}")
        for one, index in ((switch, port), end):
            copy = self._bases[point] + network.number(one)
            row, bit = self._rows[copy // COPIES][self.core.layout.inputs["dead"][index]], 1 << copy % 8
            if dead:
                row[copy % COPIES // 8] |= bit
            else:
                row[copy % COPIES // 8] &= 255 - bit
        self._note_left(point, (switch, end[0]))

    def _note_left(self, point, switches):
        """Note which of some switches have no live link, and let the others' hosts send."""
        rows, before = self.core.layout.inputs["dead"], self._left[point].copy()
        for switch in switches:
            number = self.core.network.number(switch)
            copy = self._bases[point] + number
            dead = self._rows[copy // COPIES][rows, copy % COPIES // 8] >> copy % 8 & 1
            self._left[point][number] = all(dead[port.index] for port, _ in self.core.network.links_of(switch))
        if self._offered[point] is not None and (self._left[point] != before).any():
            self._offer(point)

    def _numbers(self, point):
        return range(len(self.points)) if point is None else (point,)

    def _counts(self, point):
        nodes, hosts = self.core.network.nodes, self.core.hosts
        counts, links = Counts(), np.zeros((nodes, len(self.core.links)), np.uint64)
        sources, destinations = np.zeros(hosts, np.uint64), np.zeros(hosts, np.uint64)
        fill = np.zeros((len(self.core.links) + len(self.core.host_ports), self.core.rows("rx_valid").shape[1]), np.uint64)
        arrays = [array.ctypes.data for array in (links, sources, destinations, fill)]
        self.core.runtime.sim_counts(self._sim, point, ctypes.byref(counts), *arrays)
        return counts, links, sources, destinations, fill.astype(float)
