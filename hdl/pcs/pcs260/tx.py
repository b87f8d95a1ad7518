"""256b/260b transmitter."""

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.pcs.layouts import mii
from dsnswitch.hdl.pcs.pcs260.header import CONTROL, DATA
from dsnswitch.hdl.pcs.pcs260.literal import LiteralPacker
from dsnswitch.hdl.pcs.pcs260.protected import ProtectedPacker
from dsnswitch.hdl.pcs.scrambler import scramble
from dsnswitch.hdl.pcs.transmit_words import take_words
from dsnswitch.hdl.stream.stage import stage
from dsnswitch.net.checks import Parameter

__all__ = ["FORMATS", "Pcs260Tx"]

#: Packer of each format.
FORMATS = {"protected": ProtectedPacker, "literal": LiteralPacker}


class Pcs260Tx(wiring.Component):
    """256b/260b transmitter: converts four MII words to a scrambled block. Latency 1 cycle, one block per cycle.

    A word that may not follow the word before it (IEEE 802.3 Figure 49-16) is sent as an error.

    Parameters
    ----------
    layout : str
        ``protected`` or ``literal``.

    Members
    -------
    i : In(stream of mii(4))
        The words; word 0 is sent first.
    o : Out(stream of 260 bits)
        Bits 0..3 are the header, which is not scrambled; bits 4..259 are the body. Bit 0 is sent first. The payload holds
        its value until it is accepted.
    """

    latency = 1

    layout = Parameter("Format of 256b/260b.")

    def __init__(self, layout="protected"):
        if layout not in FORMATS:
            raise ValueError(f"256b/260b format must be one of {', '.join(FORMATS)}, not {layout!r}")
        self._layout = layout
        super().__init__({"i": In(stream.Signature(mii(4))), "o": Out(stream.Signature(260))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.packer = packer = FORMATS[self._layout]()
        taken = stage(m, self.i, self.o)
        take_words(m, taken, self.i.payload, [packer])
        scrambled = scramble(m, taken, packer.body_bits)
        with m.If(taken):
            m.d.sync += self.o.payload.eq(Cat(Mux(packer.is_data, DATA, CONTROL), scrambled))
        return m
