"""The selected link's line: either format of the light and the strict link, in words of 160 bits."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.line.block_codec import BlockDecoder, BlockEncoder
from dsnswitch.hdl.line.line_members import SENT_BLOCK, receiver_members, transmitter_members
from dsnswitch.hdl.line.selected_decode import SelectedDecode
from dsnswitch.hdl.line.selected_encode import SelectedEncode
from dsnswitch.hdl.line.strict_fec import BEATS
from dsnswitch.hdl.logic.wiring import connect_ports
from dsnswitch.hdl.pcs.dual import received_dual_layout

__all__ = ["SelectedLineRx", "SelectedLineTx"]


class SelectedLineTx(wiring.Component):
    """Sends groups of 20 blocks in 33 words, or of 16 blocks in 27 words. Latency 3 cycles to the word with the first bit.

    A change of the format takes a marker, and before the light format fillers. Meanwhile no block is taken, and none is lost.
    The scrambler keeps its state.

    Members
    -------
    strict : In(1)
        The requested format.
    is_strict : Out(1)
        The format of the blocks that are taken.
    others
        :func:`transmitter_members`
    """

    latency = 3

    def __init__(self):
        super().__init__({**transmitter_members(BEATS.bits), "strict": In(1), "is_strict": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.encoder = encoder = BlockEncoder(selected=True)
        m.submodules.fec = fec = SelectedEncode()
        connect_ports(m, self, encoder, SENT_BLOCK)
        connect_ports(m, encoder, self, ("taken",))
        connect_ports(m, self, fec, ("strict",))
        connect_ports(m, fec, self, ("is_strict",))
        connect_ports(m, fec, encoder, ("due",))
        wiring.connect(m, encoder.o, fec.i)
        wiring.connect(m, fec.o, wiring.flipped(self.o))
        m.d.comb += [encoder.strict.eq(fec.is_strict), fec.accepted.eq(encoder.taken)]
        return m


class SelectedLineRx(wiring.Component):
    """Receives blocks of either format from words of 160 bits, and follows the markers of the other end.

    From the first word of a codeword to its first block, the code takes 5 cycles in the light format and 88 in the strict format.
    One of them is a register, because the decoder of the block's format is chosen late.

    Parameters
    ----------
    settle : int
        Words in the pipeline between the unit that moves the boundary on ``slip`` and this component.

    Members
    -------
    strict : In(1)
        The format to search for first without lock.
    is_strict : Out(1)
        The format of the words that arrive.
    others
        :func:`receiver_members`
    """

    def __init__(self, settle=0):
        self._fec = SelectedDecode(settle=settle, managed=False)
        super().__init__({**receiver_members(BEATS.bits), "strict": In(1), "is_strict": Out(1)})

    @property
    def may_be_noise(self):
        """The same as that of a light line; any block in the light format."""
        return ~self.is_strict

    def elaborate(self, platform):
        m = Module()
        m.submodules.fec = fec = self._fec
        m.submodules.decoder = decoder = BlockDecoder(selected=True)
        wiring.connect(m, wiring.flipped(self.i), fec.i)
        connect_ports(m, decoder, self, ("is_data", "no_start", "plain"))
        connect_ports(m, self, fec, ("strict",))
        connect_ports(m, fec, self, ("locked", "slip", "is_strict"))
        came = Signal(received_dual_layout())
        arrives = Signal()
        m.d.sync += arrives.eq(fec.o.valid)
        with m.If(fec.o.valid):
            m.d.sync += came.eq(fec.o.payload)
        m.d.comb += [
            fec.o.ready.eq(1),
            decoder.valid.eq(arrives),
            decoder.coded.eq(came.block),
            decoder.strict.eq(came.strict),
            self.valid.eq(arrives),
            self.bad.eq(came.bad | came.fault | decoder.bad),
            self.corrected.eq((fec.ended_corrected | fec.one_corrected) & fec.locked),
            self.uncorrectable.eq((fec.ended_uncorrectable | fec.one_uncorrectable) & fec.locked),
        ]
        return m
