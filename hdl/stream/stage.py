"""Register stage between two streams."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out


def stage(m: Module, i, o):
    """Handshake of a stage with a registered output: latency 1 cycle, one transfer per cycle.

    The stage accepts a transfer when its register is empty or is read in the same cycle. The caller computes the payload: it
    must set ``o.payload`` (in ``m.d.sync``) in every cycle in which the returned signal is 1.

    Parameters
    ----------
    m : Module
        Module of the stage.
    i, o : stream interfaces
        Input stream, as its consumer sees it, and output stream.

    Returns
    -------
    Signal
        1 in a cycle in which the stage accepts a transfer.
    """
    taken = Signal()
    m.d.comb += [i.ready.eq(o.ready | ~o.valid), taken.eq(i.valid & i.ready)]
    with m.If(i.ready):
        m.d.sync += o.valid.eq(i.valid)
    return taken


class DelayMemory(wiring.Component):
    """FIFO in a memory with one write port and one registered read port, which synthesis maps to RAM.

    Parameters
    ----------
    width : int
        Bits of a word.
    depth : int
        Words that the FIFO holds.

    Members
    -------
    - i (In(width)): The word to write.
    - write (In(1)): Append ``i``. Allowed only while ``full`` is 0.
    - full (Out(1)): The FIFO holds ``depth`` words.
    - read (In(1)): Take the oldest word. Allowed only if the FIFO holds a word that was written in an earlier cycle.
    - o (Out(width)): The word that was read last, from the cycle after ``read`` until the cycle after the next ``read``.
    """

    def __init__(self, width, depth):
        if depth < 2:
            raise ValueError(f"Delay memory depth must be at least 2, not {depth}")
        self._depth = depth
        super().__init__({"i": In(width), "write": In(1), "full": Out(1), "read": In(1), "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        depth = self._depth
        memory = Memory(shape=len(self.i), depth=depth, init=[])
        m.submodules.memory = memory
        writer = memory.write_port()
        reader = memory.read_port()
        waiting = Signal(range(depth + 1))
        after = Signal(range(depth + 1))
        # ``write`` and ``read`` arrive late, so both counts are ready before them, and ``full`` too.
        up = Mux(self.read, waiting, waiting + 1)
        down = Mux(self.read, waiting - 1, waiting)
        m.d.comb += after.eq(Mux(self.write, up, down))
        m.d.comb += [writer.data.eq(self.i), writer.en.eq(self.write), reader.en.eq(self.read), self.o.eq(reader.data)]
        m.d.sync += [
            waiting.eq(after),
            self.full.eq(Mux(self.write, Mux(self.read, self.full, waiting == depth - 1), self.full & ~self.read)),
        ]
        for moved, port, name in ((self.write, writer, "write_place"), (self.read, reader, "read_place")):
            m.d.comb += port.addr.eq(turn(m, moved, depth, name))
        return m


class Hold(wiring.Component):
    """Stores a codeword and forwards it after its last beat. Latency ``beats`` cycles, one beat per cycle.

    The buffer holds one codeword and one beat. At most one complete codeword therefore waits to leave.

    Parameters
    ----------
    width : int
        Bits of a beat.
    beats : int
        Beats of a codeword. Codewords are counted from reset.

    Members
    -------
    - i (In(stream of ``width`` bits)): Beats as they arrive.
    - o (Out(stream of ``width`` bits)): The same beats, delayed.
    - empty (Out(1)): The buffer is empty.
    """

    def __init__(self, width, beats):
        self._beats, self.latency = beats, beats
        members = {"i": In(stream.Signature(width)), "o": Out(stream.Signature(width)), "empty": Out(1)}
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        beats = self._beats
        m.submodules.words = memory = DelayMemory(len(self.i.payload), beats)
        written = Signal(range(beats))
        sent = Signal(range(beats))
        waiting = Signal(range(beats + 1))
        # ``whole``: a codeword is complete and none of its beats has left. ``ready``: the memory's output is a beat.
        whole = Signal()
        ready = Signal()
        given = Signal()
        taken = Signal()
        m.d.comb += [
            self.i.ready.eq(~memory.full),
            given.eq(self.i.valid & self.i.ready),
            self.o.valid.eq(ready & (whole | sent.any())),
            self.o.payload.eq(memory.o),
            taken.eq(self.o.valid & self.o.ready),
            memory.i.eq(self.i.payload),
            memory.write.eq(given),
            memory.read.eq(waiting.any() & (taken | ~ready)),
            self.empty.eq(~ready & ~waiting.any()),
        ]
        m.d.sync += waiting.eq(waiting + given - memory.read)
        with m.If(memory.read):
            m.d.sync += ready.eq(1)
        with m.Elif(taken):
            m.d.sync += ready.eq(0)
        for moved, place in ((given, written), (taken, sent)):
            with m.If(moved):
                m.d.sync += place.eq(place + 1)
                with m.If(place == beats - 1):
                    m.d.sync += place.eq(0)
        with m.If(given & (written == beats - 1)):
            m.d.sync += whole.eq(1)
        with m.Elif(taken & ~sent.any()):
            m.d.sync += whole.eq(0)
        return m


def delayed(m: Module, name, value, cycles, **init):
    """``value`` some cycles later: registers ``<name>_1``, ``<name>_2``, .. with the keywords ``init`` of :class:`Signal`."""
    for cycle in range(cycles):
        held = Signal.like(value, name=f"{name}_{cycle + 1}", **init)
        m.d.sync += held.eq(value)
        value = held
    return value


def turn(m: Module, moved, count, name):
    """Index of the unit whose turn it is, 0 after reset. It advances in a cycle with ``moved``, from ``count - 1`` to 0."""
    index = Signal(range(count), name=name)
    if count > 1:
        with m.If(moved):
            m.d.sync += index.eq(Mux(index == count - 1, 0, index + 1))
    return index


def choose(values, index):
    """Multiplexer: ``values[index]``."""
    chosen = values[-1]
    for number in range(len(values) - 2, -1, -1):
        chosen = Mux(index == number, values[number], chosen)
    return chosen
