"""Shared RAM of the input channels of a port: a linked list of words for each channel."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.core.arbiter import LeastRecent
from dsnswitch.hdl.logic.gates import selected


class SharedBuffer(wiring.Component):
    """RAM whose words belong to no channel: each channel has a list of words. One flit in and one out per cycle.

    A second RAM holds, for each word, the next one of its list. A word is free from the cycle after its flit was read, and usable
    one cycle later, no later than the flit of a sender that gets the credit. Senders count the flits of the lists
    (:class:`PooledChannelBuffer`), so that there is always a word for a flit that arrives.

    Parameters
    ----------
    layout : StructLayout
    channels, words : int

    Members
    -------
    - writes (In(channels)): ``entry`` goes to the end of this channel's list; one-hot or 0.
    - entry (In(layout)): A flit.
    - wants (In(channels)): The channel's list is not empty, and a flit of it can be taken.
    - filled, single (In(channels)): The list of the channel is not empty, has one word.
    - reads (Out(channels)): The channel whose oldest flit is read, the least recently served one; one-hot or 0.
    - word (Out(layout)): In the cycle after ``reads``: the flit.
    - spare_valid (Out(1)): A flit can be written.
    """

    def __init__(self, layout, channels, words):
        self._layout, self._words = layout, words
        #: Words that are in no list, without the next one to be written.
        self.free = Signal(words, init=(1 << words) - 2)
        super().__init__(
            {
                "writes": In(channels),
                "entry": In(layout),
                "wants": In(channels),
                "filled": In(channels),
                "single": In(channels),
                "reads": Out(channels),
                "word": Out(layout),
                "spare_valid": Out(1, init=1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        channels, count = len(self.writes), self._words
        flits = memory.Memory(shape=self._layout.size, depth=count, init=[])
        m.submodules.flits = flits
        links = memory.Memory(shape=range(count), depth=count, init=[])
        m.submodules.links = links
        flit_in = flits.write_port()
        link_in = links.write_port()
        flit_out = flits.read_port()
        link_out = links.read_port()
        spare = self._spare(m, flit_out.addr)
        m.submodules.order = order = LeastRecent(channels)
        firsts, appends, ends = [], [], []
        for v in range(channels):
            first = Signal(range(count), name=f"first_{v}")
            first_now = Signal(range(count), name=f"first_now_{v}")
            last = Signal(range(count), name=f"last_{v}")
            #: The word before the first one was read in the cycle before, so the RAM gives the first one now.
            follows = Signal(name=f"follows_{v}")
            starts = Signal(name=f"starts_{v}")
            m.d.comb += [
                first_now.eq(Mux(follows, link_out.data, first)),
                starts.eq(self.writes[v] & (~self.filled[v] | self.single[v] & self.reads[v])),
            ]
            m.d.sync += [
                first.eq(Mux(starts, spare, first_now)),
                follows.eq(self.reads[v] & ~starts),
                last.eq(Mux(self.writes[v], spare, last)),
            ]
            firsts.append(first_now)
            appends.append(self.writes[v] & ~starts)
            ends.append(last)
        m.d.comb += [
            flit_in.en.eq(self.writes.any()),
            flit_in.addr.eq(spare),
            flit_in.data.eq(self.entry),
            link_in.en.eq(Cat(appends).any()),
            link_in.addr.eq(selected(self.writes, ends)),
            link_in.data.eq(spare),
            order.request.eq(self.wants),
            order.served.eq(order.pick),
            self.reads.eq(order.pick),
            flit_out.en.eq(order.pick.any()),
            flit_out.addr.eq(selected(order.pick, firsts)),
            link_out.en.eq(flit_out.en),
            link_out.addr.eq(flit_out.addr),
            self.word.eq(flit_out.data),
        ]
        return m

    def _spare(self, m, read_word):
        """The word that is written next; a free one takes its place."""
        free = self.free
        spare = Signal(range(self._words))
        lowest = Signal(self._words)
        freed = Signal(self._words)
        refills = Signal()
        below = free
        for step in (1 << level for level in range((self._words - 1).bit_length())):
            below = (below | below << step)[: self._words]
        m.d.comb += [
            lowest.eq(free & ~(below << 1)),
            refills.eq(free.any() & (self.writes.any() | ~self.spare_valid)),
            freed.eq(Mux(self.reads.any(), 1 << read_word, 0)),
        ]
        numbers = [Const(word, len(spare)) for word in range(self._words)]
        with m.If(refills):
            m.d.sync += spare.eq(selected(lowest, numbers))
        m.d.sync += [
            free.eq(free & ~Mux(refills, lowest, 0) | freed),
            self.spare_valid.eq(refills | self.spare_valid & ~self.writes.any()),
        ]
        return spare
