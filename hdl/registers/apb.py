"""APB4 target in front of register files."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.decoders import equals
from dsnswitch.hdl.registers.description import WORD, RegisterMap
from dsnswitch.hdl.registers.register_file import access_signature

__all__ = ["Apb", "ApbTarget"]


class Apb(wiring.Signature):
    """APB4 with 32 bits of data, from the side of the requester (AMBA APB, ARM IHI 0024).

    PCLK and PRESETn are clock and reset of the design. PPROT is not used.

    Parameters
    ----------
    address_width : int
        Bits of a byte address.

    Members
    -------
    psel, penable, pwrite : Out(1)
        The target is selected; access phase; the transfer is a write.
    paddr, pwdata, pstrb : Out(address_width), Out(32), Out(4)
        Byte address; data of a write, and which octets are written.
    pready, prdata, pslverr : In(1), In(32), In(1)
        The transfer ends; data of a read; the transfer has failed.
    """

    #: What the manifest of a top says of the members: their role, with the direction before it.
    ROLE = "apb"

    def __init__(self, address_width):
        super().__init__(
            {
                **{name: Out(1) for name in ("psel", "penable", "pwrite")},
                "paddr": Out(address_width),
                "pwdata": Out(WORD),
                "pstrb": Out(WORD // 8),
                "pready": In(1),
                "prdata": In(WORD),
                "pslverr": In(1),
            }
        )


class ApbTarget(wiring.Component):
    """Turns APB transfers into accesses to register files. A transfer takes 4 cycles: setup, and access with 2 wait states.

    Every step is registered, so that the registers do not limit the clock: the address, the word of each register file, and
    the sum of all words. ``pslverr`` is 1 for an address without a register, a write to a register without a writable field, and
    an address that is not a multiple of 4. Such a transfer reads 0 and writes nothing.

    Parameters
    ----------
    registers : RegisterMap

    Members
    -------
    apb : In(Apb)
    <instance> : Out(access_signature)
        The register file of each slot.
    """

    def __init__(self, registers: RegisterMap):
        self._registers = registers
        words = registers.stride // 4
        files = {instance: Out(access_signature(words)) for instance, _ in registers.slots}
        super().__init__({"apb": In(Apb(registers.address_width)), **files})

    def elaborate(self, platform):
        m = Module()
        apb, registers = self.apb, self._registers
        word_bits = (registers.stride // 4 - 1).bit_length()
        word, slot = apb.paddr[2 : 2 + word_bits], apb.paddr[2 + word_bits :]
        setup = Signal()
        aligned = Signal()
        held_word = Signal(word_bits)
        held_value = Signal(WORD)
        held_mask = Signal(WORD)
        held_write = Signal()
        started = Signal()
        answered = Signal()
        m.d.comb += [setup.eq(apb.psel & ~apb.penable), aligned.eq(~apb.paddr[:2].any())]
        with m.If(setup):
            m.d.sync += [
                held_word.eq(word),
                held_value.eq(apb.pwdata),
                held_mask.eq(Cat(strobe.replicate(8) for strobe in apb.pstrb)),
                held_write.eq(apb.pwrite),
            ]
        files = [getattr(self, instance) for instance, _ in registers.slots]
        for number, file in enumerate(files):
            selects = Signal(name=f"selects_{number}")
            m.d.sync += selects.eq(setup & aligned & (equals(slot, number) if len(slot) else 1))
            m.d.comb += [
                file.select.eq(selects),
                file.write.eq(held_write),
                file.word.eq(held_word),
                file.value.eq(held_value),
                file.mask.eq(held_mask),
            ]
        good = Cat(file.good for file in files).any()
        m.d.sync += [
            started.eq(setup),
            answered.eq(started & apb.psel),
            apb.pready.eq(answered & apb.psel),
            apb.pslverr.eq(answered & apb.psel & ~good),
            apb.prdata.eq(reduce(or_, (file.data for file in files))),
        ]
        return m
