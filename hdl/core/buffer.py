"""The buffer of one virtual channel: a RAM, and the next flit in a register."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["ChannelBuffer"]


class ChannelBuffer(wiring.Component):
    """First in, first out, for ``depth`` flits. Latency 1 cycle through an empty buffer, one flit in and out per cycle.

    The oldest flit stands in the register ``front``, the one after it in the output register of the RAM (``second``). A flit
    that arrives at a buffer that is empty, or is just being emptied, goes to ``front`` and bypasses the RAM. The sender
    must hold a credit for each flit that it sends, so the buffer has no output that says that it is full.

    One bubble is possible: a flit that was written to the RAM in the cycle before needs a cycle to reach ``second``.

    Parameters
    ----------
    layout : StructLayout
        A flit with its tag (:func:`tagged_layout`).
    depth : int
        Flits, at least 2. The RAM has two words less, as ``front`` and ``second`` hold two flits; 2 at least.

    Members
    -------
    valid, entry : In(1), In(layout)
        A flit arrives.
    pop : In(1)
        The flit in ``front`` leaves; only while ``front_valid``.
    front, front_valid : Out(layout), Out(1)
        The oldest flit, registered. Its tag is that of its packet's head.
    second, second_valid : Out(layout), Out(1)
        The flit after it, registered.
    stays, direct : Out(1), Out(1)
        Where the flit comes from that will be in ``front`` in the next cycle: ``front`` itself, the input. If neither, it
        is ``second``, if that is valid.

    Attributes
    ----------
    level : Signal
        Flits in the RAM, without ``second``.
    filled : Signal
        Whether there are any.
    """

    def __init__(self, layout, depth):
        self._layout, self.words = layout, max(depth - 2, 2)
        self.level = Signal(range(self.words + 1))
        self.filled = Signal()
        super().__init__(
            {
                "valid": In(1),
                "entry": In(layout),
                "pop": In(1),
                "front": Out(layout),
                "front_valid": Out(1),
                "second": Out(layout),
                "second_valid": Out(1),
                "stays": Out(1),
                "direct": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = memory.Memory(shape=self._layout.size, depth=self.words, init=[])
        writer, reader = words.write_port(), words.read_port()
        # Without names of their own, these signals would be called after Amaranth's signature, which is no plain Verilog.
        writer.en.name, reader.en.name = "write_now", "read_now"
        filled = self.filled
        write = Signal()
        read = Signal()
        m.d.comb += [
            self.stays.eq(self.front_valid & ~self.pop),
            self.direct.eq(self.valid & ~self.stays & ~self.second_valid & ~filled),
            write.eq(self.valid & ~self.direct),
            read.eq(filled & (~self.second_valid | ~self.stays)),
            writer.en.eq(write),
            writer.data.eq(self.entry),
            reader.en.eq(read),
            self.second.eq(reader.data),
        ]
        m.d.sync += [
            self.level.eq(self.level + write - read),
            filled.eq(Mux(write, 1, Mux(read, self.level != 1, filled))),
            self.second_valid.eq(read | self.second_valid & self.stays),
            self.front_valid.eq(self.stays | self.second_valid | self.direct),
        ]
        coming = Signal(self._layout)
        # Without a reset: ``front_valid`` says what counts.
        oldest = Signal(self._layout, reset_less=True)
        m.d.comb += [coming.eq(Mux(self.second_valid, self.second, self.entry)), self.front.eq(oldest)]
        with m.If(~self.stays):
            m.d.sync += [oldest.flit.eq(coming.flit), oldest.drop.eq(coming.drop)]
            # Until the tail, also while no flit is there, the tag is the head's.
            with m.If(coming.flit.head & (self.second_valid | self.direct)):
                m.d.sync += oldest.tag.eq(coming.tag)
        self._count(m, write, writer.addr, "write_word")
        self._count(m, read, reader.addr, "read_word")
        return m

    def _count(self, m, moved, address, name):
        """Drive ``address`` with a register that goes round the words of the RAM."""
        word = Signal(range(self.words), name=name)
        address.name = f"{name}_now"
        m.d.comb += address.eq(word)
        with m.If(moved):
            m.d.sync += word.eq(Mux(word == self.words - 1, 0, word + 1))
