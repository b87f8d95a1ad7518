"""Order of blocks with retransmission: a block is accepted if its flit is the next one."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.line_format import NUMBER_BITS, Kind, answer_layout, link_word_layout
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.port.acceptance import Acceptance
from dsnswitch.hdl.port.shape import FabricShape

__all__ = ["BlockOrder"]


class BlockOrder(wiring.Component):
    """Compares the numbers of blocks with that of the next flit. Outputs are for the block that arrives now, or the one before.

    The block of a head or an abort is accepted if it has the expected number. Data blocks are accepted in a frame, and a frame
    opens by an accepted head, or by a resume with the expected number. A flit in order that continues no packet is taken, too, so
    that the link goes on; a flit without space in the buffer is not.

    The link word and the header are checked a cycle after the block was accepted. If they are wrong, the flit is *undone*: it
    will be sent again, and the core drops a head with a wrong header. A block that arrives in that cycle is not accepted.

    Parameters
    ----------
    shape : FabricShape
        With retransmission.

    Members
    -------
    active : In(1)
        Flits are accepted.
    valid : In(1)
        A block arrives that is, like the one before, free of errors.
    is_data, is_head, is_abort : In(1)
        It is a data block; a start with a head; a start that ends a packet.
    number : In(9)
        The number in its link word.
    chosen, frame, space, is_open : In(channels)
        The channel of its link word; the frame of data blocks; channels whose buffer can take a flit; that have an open packet.
    control : In(1)
        The block before was a block of control.
    link_valid, link : In(1), In(link_word_layout)
        The check bits of its link word are right; its link word.
    given, wrong : In(1)
        It gave a head to the core; the header is wrong.
    reported : In(1)
        A block with the ``answer`` of the cycle before enters the line.
    in_order : Out(1)
        ``number`` is the expected one.
    skipped : Out(1)
        It is a data block, and is not taken.
    took : Out(1)
        The flit of the block before was taken.
    undone, found, head : Out(1)
        Of the block before: its flit does not count; its link word shows that no flit is missing; it was a head, which counts.
    answer, urgent : Out(answer_layout), Out(1)
        What the other end must know, and soon.
    """

    def __init__(self, shape: FabricShape):
        self._acceptance = Acceptance(shape.replay, shape.kind.burst)
        bits = (
            "active",
            "valid",
            "is_data",
            "is_head",
            "is_abort",
            "control",
            "link_valid",
            "given",
            "wrong",
            "reported",
        )
        channels = ("chosen", "frame", "space", "is_open")
        super().__init__(
            {
                **{name: In(1) for name in bits},
                **{name: In(shape.channels) for name in channels},
                "number": In(NUMBER_BITS),
                "link": In(link_word_layout()),
                **{name: Out(1) for name in ("in_order", "skipped", "took", "undone", "found", "head", "urgent")},
                "answer": Out(answer_layout()),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.acceptance = acceptance = self._acceptance
        connect_ports(m, self, acceptance, ("active", "reported"))
        taken = Signal()
        # Of the block before.
        took = acceptance.took
        matched = Signal()
        lacked = Signal()
        present = Signal()
        is_flit = Signal()
        goes_on = Signal()
        begins = Signal()
        m.d.comb += [
            self.in_order.eq(self.number == acceptance.expected),
            goes_on.eq((self.frame & (self.space | ~self.is_open)).any()),
            begins.eq(
                self.is_head & (self.chosen & self.space).any()
                | self.is_abort & (self.chosen & (self.space | ~self.is_open)).any()
            ),
            taken.eq(self.valid & self.active & ~self.undone & Mux(self.is_data, goes_on, self.in_order & begins)),
            self.skipped.eq(self.valid & self.active & self.is_data & (self.undone | ~goes_on)),
            self.undone.eq(took & self.control & Mux(self.given, self.wrong, ~self.link_valid)),
            is_flit.eq(Cat(self.link.kind == kind for kind in (Kind.HEAD, Kind.ABORT)).any()),
            present.eq(self.link_valid & self.link.kind.any()),
            self.found.eq(present & matched & (took | ~is_flit) & ~self.undone),
            self.head.eq(
                took & self.control & ~self.undone & (self.given | self.link_valid & (self.link.kind == Kind.HEAD))
            ),
            acceptance.taken.eq(taken),
            acceptance.undone.eq(self.undone),
            acceptance.found.eq(self.found),
            acceptance.missing.eq(lacked | present & ~self.found | self.undone),
            self.answer.accepted.eq(acceptance.accepted),
            acceptance.present.eq(present),
            acceptance.answered.eq(self.link.seen),
            self.answer.request.eq(acceptance.request),
            self.urgent.eq(acceptance.urgent),
            self.took.eq(took),
        ]
        m.d.sync += [matched.eq(self.in_order), lacked.eq(self.skipped)]
        return m
