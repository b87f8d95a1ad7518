"""The engine: a universal switch core, compiled so that one bit of a machine word is one switch, and networks that run on it.

core = Core("build/verilog/switch_core_grid_8x8_k4x2_h1_f64_p4_d8_vct.json")
engine = Engine(core, [Point(load=0.1), Point(load=0.2, seed=2)])
engine.run(2000)
engine.start_measuring()
engine.run(10000)
print(engine.statistics(0).mean(), engine.statistics(1).accepted)
"""

__all__ = ["PATIENCE", "Core", "Engine"]

#: Cycles without any moving flit, while packets are in the network, after which the network counts as stopped.
PATIENCE = 2000


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

    Raises
    ------
    UsageError
        If the manifest is not that of a universal switch core, if pyosys or a C++ compiler is missing, or if the machine
        lacks the instructions of ``isa``.

    Attributes
    ----------
    manifest : dict
    network : Network
        The network of the manifest.
    hosts : int
        Hosts of the network.
    isa : str
        The form that was chosen.
    luts, flip_flops, ram_bits : int
        Size of the netlist.
    """

    def __init__(self, manifest, isa=None, watch=lambda stage: None):
        raise NotImplementedError


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
        raise NotImplementedError

    def run(self, cycles):
        """Run all points for some cycles.

        Raises
        ------
        SimulationError
            If a packet is lost, doubled, changed, out of order, or at the wrong host, or if a switch reports an event.
        NetworkStopped
            If packets are in the network of a point, and no flit has moved for :data:`PATIENCE` cycles.
        """
        raise NotImplementedError

    def set_load(self, point, load):
        """Change the load of a point: flits per host and cycle, one number or one per host."""
        raise NotImplementedError

    def stop(self, point=None):
        """End the traffic of a point, or of all points: no new packets. Packets in source queues still enter the network."""
        raise NotImplementedError

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
        raise NotImplementedError

    def queued(self, point):
        """Packets in the source queues of a point, those included of which some flits have left."""
        raise NotImplementedError

    def in_flight(self, point):
        """Packets of a point that have begun to enter the network and have not arrived completely."""
        raise NotImplementedError

    def start_measuring(self, point=None):
        """Set the statistics of a point, or of all points, to zero, and measure from now on."""
        raise NotImplementedError

    def stop_measuring(self, point=None):
        """End measuring: counts stay as they are, and only packets offered before now are measured when they arrive."""
        raise NotImplementedError

    def statistics(self, point):
        """The :class:`~dsnswitch.net.simulate.points.Statistics` of a point."""
        raise NotImplementedError

    def delivered(self, point):
        """The log of a point, in the order of the cycles of tails: array of :data:`~dsnswitch.net.simulate.points.Delivered`."""
        raise NotImplementedError

    def set_input(self, point, switch, port, value):
        """Give an input of one core another value from the next cycle on, such as ``dead``."""
        raise NotImplementedError

    def fail(self, point, switch, port):
        """Report the link of a port dead to the switches at both of its ends. The core needs the input ``dead``."""
        raise NotImplementedError
