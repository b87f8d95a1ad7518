"""Judges the blocks of a fabric link: which flit is accepted, and which accepted flit does not count after all."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import NUMBER_BITS, Kind, answer_layout, link_word_layout
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.port.retransmission import Acceptance
from dsnswitch.hdl.port.shape import FabricShape


class AnyOrder(wiring.Component):
    """Without retransmission, a block counts if it has no errors, and what is lost ends all open packets.

    Members
    -------
    - active: Flits are accepted.
    - space, is_open: Channels whose buffer can take a flit; that have an open packet.
    - block: The block that arrives. ``usable``: it and the one before are free of errors. ``no_start``: its word 1 is no start.
      ``is_head``, ``is_abort``, ``number``, ``channel``: what its link word says. ``cuts``: a head while its channel has a
      packet. ``frame``: the channel that a data block continues.
    - previous: The block before, whose checks are complete. ``bad``: it had errors. ``control``: it was a block of control.
      ``link_valid``, ``link``: its link word, whose check bits are right. ``gives``, ``gives_head``: it gave a flit, a head to
      the core. ``wrong_header``: if it is a head, its header is wrong.

    Of the block that arrives:

    - in_order: It is not out of order.

    Of the block before:

    - undone: Its flit does not count.
    - none_missing: Its link word shows that no flit is missing.
    - closes: The frame ends.
    - breaks: Channels whose open packet ends.
    - head: It was a head, which counts without a link word. With retransmission: every head that was accepted.
    - lost_packet: It was a head, and was dropped or became the bad tail of the packet before it.
    - dropped_flit: It was a data block, and was dropped.
    """

    def __init__(self, shape: FabricShape, more=()):
        channels = In(shape.channels)
        bits = ("usable", "is_data", "no_start", "is_head", "is_abort", "cuts")
        block = {name: Out(1) for name in bits} | {"number": Out(NUMBER_BITS)}
        block |= dict.fromkeys(("channel", "frame"), Out(shape.channels))
        bits = ("bad", "control", "link_valid", "gives", "gives_head", "wrong_header")
        previous = {name: Out(1) for name in bits} | {"link": Out(link_word_layout())}
        outputs = ("in_order", "undone", "none_missing", "closes", "head", "lost_packet", "dropped_flit")
        super().__init__(
            {
                "active": In(1),
                "space": channels,
                "is_open": channels,
                "block": In(wiring.Signature(block)),
                "previous": In(wiring.Signature(previous)),
                **{name: Out(1) for name in outputs},
                "breaks": Out(shape.channels),
                **dict(more),
            }
        )

    def elaborate(self, platform):
        m = Module()
        block, previous = self.block, self.previous
        # A data block had no space.
        refused = Signal()
        dropped_head = Signal()
        arrives = Signal()
        continues = Signal.like(self.is_open)
        m.d.comb += [
            arrives.eq(block.usable & self.active),
            continues.eq(block.frame & self.is_open),
            self.in_order.eq(1),
            self.none_missing.eq(1),
            self.closes.eq(previous.bad | refused | previous.control & ~previous.link_valid),
            self.breaks.eq(self.closes.replicate(len(self.breaks))),
            self.head.eq(previous.gives_head & ~previous.link_valid & ~previous.wrong_header),
            self.lost_packet.eq(dropped_head & previous.link_valid),
        ]
        no_space = block.cuts | ~(block.channel & self.space).any()
        m.d.sync += [
            refused.eq(arrives & block.is_data & (continues & ~self.space).any()),
            dropped_head.eq(arrives & ~block.is_data & block.is_head & no_space),
            self.dropped_flit.eq(arrives & block.is_data & ~(continues & self.space).any()),
        ]
        return m


class BlockOrder(AnyOrder):
    """With retransmission, the numbers of blocks are compared with that of the next flit, and packets stay open.

    The block of a head or an abort is accepted if it has the expected number. Data blocks are accepted in a frame, and a frame
    opens by an accepted head, or by a resume with the expected number. A flit in order that continues no packet is taken, too, so
    that the link goes on; a flit without space in the buffer is not.

    The link word and the header are checked a cycle after the block was accepted. If they are wrong, the flit is *undone*: it
    will be sent again, and the core drops a head with a wrong header. A block that arrives in that cycle is not accepted.

    Data blocks that may be noise are *doubtful* until a link word or a block that is no noise follows, which shows that the line
    has not failed. If it fails before, they do not count and will be sent again; the packet that they continued ends.

    Members
    -------
    - reported: A block with the ``answer`` of the cycle before enters the line.
    - locked: Block lock. When it is lost after blocks that may be noise, their channel ``breaks``.
    - may_be_noise: The block before is perhaps noise, if the line fails.
    - expected: Number of the next flit.
    - answer, urgent: What the other end must know, and soon. Never urgent without lock: a replay would be in vain.
    - others: :class:`AnyOrder`.
    """

    def __init__(self, shape: FabricShape):
        self._acceptance = Acceptance(shape.replay, shape.kind.burst)
        outputs = {"expected": Out(NUMBER_BITS), "answer": Out(answer_layout()), "urgent": Out(1)}
        super().__init__(shape, dict.fromkeys(("reported", "locked", "may_be_noise"), In(1)) | outputs)

    def elaborate(self, platform):
        m = Module()
        m.submodules.acceptance = acceptance = self._acceptance
        connect_ports(m, self, acceptance, ("active", "reported"))
        connect_ports(m, acceptance, self, ("expected",))
        block, previous = self.block, self.previous
        arrives = Signal()
        continues = Signal()
        begins = Signal()
        matched = Signal()
        refused = Signal()
        present = Signal()
        is_head = Signal()
        is_flit = Signal()
        was_taken = acceptance.was_taken
        # A flit that continues no packet needs no space.
        fits = self.space | ~self.is_open
        m.d.comb += [
            arrives.eq(block.usable & self.active),
            self.in_order.eq(block.number == self.expected),
            continues.eq((block.frame & fits).any()),
            begins.eq(
                ~block.no_start
                & (block.is_head & (block.channel & self.space).any() | block.is_abort & (block.channel & fits).any())
            ),
            acceptance.taken.eq(arrives & ~self.undone & Mux(block.is_data, continues, self.in_order & begins)),
            self.undone.eq(was_taken & previous.control & Mux(previous.gives_head, previous.wrong_header, ~previous.link_valid)),
            is_head.eq(previous.link.kind == Kind.HEAD),
            is_flit.eq(is_head | (previous.link.kind == Kind.ABORT)),
            present.eq(previous.link_valid & previous.link.kind.any()),
            self.none_missing.eq(present & matched & (was_taken | ~is_flit) & ~self.undone),
            self.closes.eq(previous.bad | refused | previous.control & ~previous.link_valid),
            self.head.eq(was_taken & previous.control & ~self.undone & (previous.gives_head | previous.link_valid & is_head)),
            self.lost_packet.eq(was_taken & previous.link_valid & is_head & ~previous.gives_head),
            self.dropped_flit.eq(was_taken & ~previous.control & ~previous.gives),
            acceptance.undone.eq(self.undone),
            acceptance.none_missing.eq(self.none_missing),
            acceptance.missing.eq(refused | present & ~self.none_missing | self.undone),
            acceptance.present.eq(present),
            acceptance.answered.eq(previous.link.seen),
            self.answer.accepted.eq(acceptance.accepted),
            self.answer.request.eq(acceptance.request),
            self.urgent.eq(acceptance.urgent & self.locked),
        ]
        m.d.sync += [matched.eq(self.in_order), refused.eq(arrives & block.is_data & (self.undone | ~continues))]
        self._doubt(m, present, refused)
        return m

    def _doubt(self, m, present, refused):
        """Follow the data blocks that may be noise. The block before has a link word, or is a data block that was refused."""
        acceptance = self._acceptance
        doubts = Signal()
        fails = Signal()
        revokes = Signal()
        # The channel of the last data block that was taken.
        channel = Signal.like(self.breaks)
        m.d.comb += acceptance.doubts.eq(doubts)
        with m.If(acceptance.was_taken & ~self.previous.control):
            m.d.comb += acceptance.doubts.eq(self.may_be_noise)
        with m.Elif(present | refused & ~self.may_be_noise | acceptance.was_taken & ~self.undone):
            m.d.comb += acceptance.doubts.eq(0)
        m.d.comb += [
            revokes.eq(fails & doubts),
            acceptance.revoked.eq(revokes),
            self.breaks.eq(channel & revokes.replicate(len(channel))),
        ]
        m.d.sync += [
            doubts.eq(acceptance.doubts & ~revokes & self.active),
            # No block was accepted in the cycle before the line fails.
            fails.eq(~self.locked & self.previous.bad),
        ]
        with m.If(acceptance.taken & self.block.is_data):
            m.d.sync += channel.eq(self.block.frame)
