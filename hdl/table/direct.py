"""A table with a word for every key in a RAM, as InfiniBand's linear forwarding table."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ..checks import integer

__all__ = ["MAX_WORDS", "DirectTable"]

#: Largest table that is generated.
MAX_WORDS = 1 << 16


class DirectTable(wiring.Component):
    """Action by direct index. Latency 1 cycle, one lookup and one write a cycle.

    The memory ``words`` has ``words`` words of ``action + 1`` bits, the highest of which says that the word is there; it is
    one synchronous read port and one write port, which synthesis infers as RAM. Nothing resets it. Until it is loaded,
    through the write port or by ``$readmemh`` (see ``docs/tables.md``), ``loaded`` has to be 0, and every lookup misses.

    A lookup sees every write of earlier clock edges and none of its own. A write changes a word in one step.

    Parameters
    ----------
    words : int
        Keys ``0..words - 1`` have a word; others miss.
    action : int
        Bits of the action.

    Members
    -------
    key : In(ceil(log2 words))
        What is looked up.
    action : Out(action)
        Its action; 0 on a miss.
    hit : Out(1)
        The word is there.
    loaded : In(1)
        The memory has been written: registered with the key.
    write : In(1)
        At the clock edge, write word ``write_word``.
    write_word : In(ceil(log2 words))
        Which one.
    write_valid : In(1)
        0 makes its key miss.
    write_action : In(action)
        Its action.
    """

    def __init__(self, words, action):
        self._words = integer("Direct table words", words, 2, MAX_WORDS)
        width = integer("Direct table action width", action, 1, 64)
        super().__init__(
            {
                "key": In(range(self._words)),
                "action": Out(width),
                "hit": Out(1),
                "loaded": In(1),
                "write": In(1),
                "write_word": In(range(self._words)),
                "write_valid": In(1),
                "write_action": In(width),
            }
        )

    #: Memory that the emitted module can load from a file: its Verilog parameter ``IMAGE`` is the name.
    image = "words"

    @property
    def latency(self):
        """Cycles from the key to the action."""
        return 1

    def elaborate(self, platform):
        m = Module()
        width = len(self.action)
        m.submodules.words = words = memory.Memory(shape=width + 1, depth=self._words, init=[])
        read = words.read_port()
        write = words.write_port()
        there = Signal()
        m.d.sync += there.eq(self.loaded & self._inside(self.key))
        m.d.comb += [
            read.addr.eq(self.key),
            read.en.eq(1),
            write.addr.eq(self.write_word),
            write.data.eq(Cat(self.write_action, self.write_valid)),
            write.en.eq(self.write & self._inside(self.write_word)),
            self.hit.eq(there & read.data[width]),
            self.action.eq(read.data[:width] & self.hit.replicate(width)),
        ]
        return m

    def _inside(self, key):
        """Whether the key has a word; always, where their number is a power of two."""
        return key < self._words if self._words & (self._words - 1) else 1
