"""Direct-indexed table: one word per key, like InfiniBand's linear forwarding table, in a RAM or in flip-flops."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.table.shape import MAX_ENTRIES, MAX_WORDS
from dsnswitch.net.checks import Parameter, integer


class DirectWrite(wiring.Signature):
    """Write port of a :class:`DirectTable`: one write per cycle, which replaces one word at the clock edge.

    Members
    -------
    - loaded (Out(1)): All words have been written. While 0, every lookup misses.
    - write (Out(1)): Replace word ``write_word``.
    - write_word (Out(ceil(log2 words))): Index of the word, which is its key.
    - write_valid (Out(1)): 0 makes the key miss.
    - write_action (Out(action)): The action.
    """

    def __init__(self, words, action):
        fields = {"word": range(words), "valid": 1, "action": action}
        super().__init__({"loaded": Out(1), "write": Out(1), **{f"write_{name}": Out(shape) for name, shape in fields.items()}})


class DirectTable(wiring.Component):
    """Direct-indexed table: the key is the address of the action. Latency 1 cycle, one lookup and one write per cycle.

    The memory ``words`` has one synchronous read port and one write port, which synthesis maps to RAM. A word has ``action
    + 1`` bits; the highest bit is 1 if the key has an action. Reset does not change the memory. While ``loaded`` is 0 every
    lookup misses; it must be 0 until all words are written, through the write port or by ``$readmemh`` (see
    ``docs/tables.md``).

    A lookup sees the writes of earlier clock edges, but not of its own. A write changes a word in one step.

    Parameters
    ----------
    words : int
        Number of words. Keys ``0..words - 1`` have a word, others miss.
    action : int
        Bits of the action.

    Members
    -------
    - key (In(ceil(log2 words))): Key to look up.
    - action (Out(action)): Action of the key; 0 on a miss.
    - hit (Out(1)): The key has an action.
    - loaded (In(1)): All words have been written. Read with the key.
    - write, write_word, write_valid, write_action: Write port (:class:`DirectWrite`).
    """

    write_port = Parameter("Signature of the write port, a :class:`DirectWrite`.")

    def __init__(self, words, action):
        self._words = integer(self._what, words, 2, self._most)
        width = integer("Direct table action width", action, 1, 64)
        self._write_port = DirectWrite(self._words, width)
        lookup = {"key": In(range(self._words)), "action": Out(width), "hit": Out(1)}
        super().__init__(lookup | dict(self._write_port.flip().members))

    #: The memory that the emitted module can load from a file, whose name is its Verilog parameter ``IMAGE``.
    image = "words"
    latency = 1

    _what, _most = "Direct table words", MAX_WORDS

    def elaborate(self, platform):
        m = Module()
        width = len(self.action)
        words = memory.Memory(shape=width + 1, depth=self._words, init=[])
        m.submodules.words = words
        read = words.read_port(domain="sync" if self.latency else "comb")
        write = words.write_port()
        there = Signal()
        domain = m.d.sync if self.latency else m.d.comb
        domain += there.eq(self.loaded & self._inside(self.key))
        m.d.comb += [
            read.addr.eq(self.key),
            *([read.en.eq(1)] if self.latency else []),
            write.addr.eq(self.write_word),
            write.data.eq(Cat(self.write_action, self.write_valid)),
            write.en.eq(self.write & self._inside(self.write_word)),
            self.hit.eq(there & read.data[width]),
            self.action.eq(read.data[:width] & self.hit.replicate(width)),
        ]
        return m

    def _inside(self, key):
        """Whether the key has a word: always, if the number of words is a power of two."""
        return key < self._words if self._words & (self._words - 1) else 1


class FlipFlopTable(DirectTable):
    """A :class:`DirectTable` of flip-flops, whose lookup is combinational: latency 0, one lookup and one write per cycle.

    The read port of the memory ``words`` is asynchronous: a multiplexer of all words. If ``write`` is tied to 0 and an image has
    loaded the words, synthesis makes a ROM of them.

    Parameters
    ----------
    words : int
        Number of words, at most :data:`MAX_ENTRIES`.
    action : int
        Bits of the action.
    """

    latency = 0

    #: The block has a clock: its words are registers, although a lookup is combinational.
    clocked = True

    _what, _most = "Words of a table of flip-flops", MAX_ENTRIES


#: Direct tables by their memory.
DIRECT = {"ram": DirectTable, "flip-flops": FlipFlopTable}
