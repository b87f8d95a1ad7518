"""Queue in a memory, for words that wait for a result about them."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from dsnswitch.net.checks import Parameter

__all__ = ["DelayMemory"]


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
    i : In(width)
        The word to write.
    write : In(1)
        Append ``i``. Allowed only while ``full`` is 0.
    full : Out(1)
        The FIFO holds ``depth`` words.
    read : In(1)
        Take the oldest word. Allowed only if the FIFO holds a word that was written in an earlier cycle.
    o : Out(width)
        The word that was read last, from the cycle after ``read`` until the cycle after the next ``read``.
    """

    depth = Parameter("Words that the FIFO holds.")

    def __init__(self, width, depth):
        if depth < 2:
            raise ValueError(f"Delay memory depth must be at least 2, not {depth}")
        self._depth = depth
        super().__init__({"i": In(width), "write": In(1), "full": Out(1), "read": In(1), "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        depth = self._depth
        m.submodules.memory = memory = Memory(shape=len(self.i), depth=depth, init=[])
        writer, reader = memory.write_port(), memory.read_port()
        waiting = Signal(range(depth + 1))
        after = Signal(range(depth + 1))
        # ``write`` and ``read`` arrive late, so both counts are ready before them, and ``full`` too.
        up = Mux(self.read, waiting, waiting + 1)
        down = Mux(self.read, waiting - 1, waiting)
        m.d.comb += after.eq(Mux(self.write, up, down))
        m.d.comb += [
            writer.data.eq(self.i),
            writer.en.eq(self.write),
            reader.en.eq(self.read),
            self.o.eq(reader.data),
        ]
        m.d.sync += [
            waiting.eq(after),
            self.full.eq(Mux(self.write, Mux(self.read, self.full, waiting == depth - 1), self.full & ~self.read)),
        ]
        for moved, port, name in ((self.write, writer, "write_place"), (self.read, reader, "read_place")):
            place = Signal(range(depth), name=name)
            # Without a name the register could be emitted under the port's name, which Verilog would have to escape.
            port.addr.name = f"{name}_now"
            m.d.comb += port.addr.eq(place)
            with m.If(moved):
                m.d.sync += place.eq(Mux(place == depth - 1, 0, place + 1))
        return m
