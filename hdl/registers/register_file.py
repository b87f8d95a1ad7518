"""A group of registers as gateware."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.gates import equals
from dsnswitch.hdl.registers.description import WORD, Group, RegisterMap


def access_signature(words):
    """An access to one of ``words`` words, from the side that starts it.

    Members
    -------
    - select (Out(1)): One cycle: the access takes place.
    - write (Out(1)): It is a write.
    - word (Out(max(1, ceil(log2 words)))): Index of the word.
    - value, mask (Out(32), Out(32)): What is written, and which bits.
    - data (In(32)): One cycle later: what was read; 0 if nothing was selected, and for a write.
    - good (In(1)): One cycle later: the access has succeeded. A word that does not exist, and a write to a word without a
      writable field, do not succeed and have no effect.
    """
    return wiring.Signature(
        {
            "select": Out(1),
            "write": Out(1),
            "word": Out(range(max(words, 2))),
            "value": Out(WORD),
            "mask": Out(WORD),
            "data": In(WORD),
            "good": In(1),
        }
    )


class RegisterFile(wiring.Component):
    """The registers of a group. A read and a write take one cycle.

    Parameters
    ----------
    group : Group
    words : int or None
        Words of its slot; None for those of the group.

    Members
    -------
    - access (In(access_signature))
    - <field>: One for each field (:meth:`fields`): ``rw``, the value, an output; ``pulse``, an output that is 1 in the cycle
      after the write; ``ro`` and ``rc``, the value, an input; ``w1c``, the event that sets the bit, an input. A constant has no
      port.
    - <field>_read (Out(1)): Of a field ``rc``: it is read in this cycle.
    """

    def __init__(self, group: Group, words=None):
        self._group = group
        ways = {"ro": In, "rc": In, "w1c": In, "rw": Out, "pulse": Out}
        ports = {}
        for _, name, field in group.fields():
            if field.access != "constant":
                port = ways[field.access](field.width, **({"init": field.reset} if field.access == "rw" else {}))
                ports[name] = port
            if field.access == "rc":
                ports[f"{name}_read"] = Out(1)
        super().__init__({"access": In(access_signature(words or group.words)), **ports})

    def elaborate(self, platform):
        m = Module()
        access, words, writes, shown = self.access, {}, {}, []
        for word, name, field in self._group.fields():
            words.setdefault(word, []).append((name, field))
        reads = Signal(len(words))
        chosen = Signal(len(words))
        m.d.comb += [
            chosen.eq(Cat(access.select & equals(access.word, word) for word in words)),
            reads.eq(Mux(access.write, 0, chosen)),
        ]
        for place, (word, name, register) in enumerate(self._places()):
            if register.writable:
                writes[word] = Signal(name=f"writes_{name}")
                m.d.comb += writes[word].eq(chosen[place] & access.write)
            fields = [(field, self._field(m, signal, field, writes.get(word))) for signal, field in words[word]]
            taken = [getattr(self, f"{signal}_read") for signal, field in words[word] if field.access == "rc"]
            m.d.comb += [signal.eq(reads[place]) for signal in taken]
            shown.append(Signal(WORD, name=f"read_{name}"))
            m.d.comb += shown[-1].eq(Mux(reads[place], self._word(fields), 0))
        m.d.sync += [access.data.eq(reduce(or_, shown)), access.good.eq(reads.any() | Cat(writes.values()).any())]
        return m

    def _places(self):
        """``(word, its name, register)`` of each word."""
        return [(word + index, name, register) for word, register in self._group.places for index, name in register.instances()]

    def _field(self, m, name, field, writes):
        """What a read of the field shows, after its register has been made."""
        low, high = field.low, field.low + field.width
        value, mask = self.access.value[low:high], self.access.mask[low:high]
        port = getattr(self, name, None)
        if field.access == "constant":
            return Const(field.reset, field.width)
        if field.access in ("ro", "rc"):
            return port
        if field.access == "pulse":
            m.d.sync += port.eq(writes & value & mask)
            return Const(0, 1)
        if field.access == "w1c":
            kept = Signal(name=f"{name}_kept", init=field.reset)
            m.d.sync += kept.eq(port | kept & ~(writes & value & mask))
            return kept
        with m.If(writes):
            m.d.sync += port.eq(port & ~mask | value & mask)
        return port

    @staticmethod
    def _word(fields):
        """The word with ``(field, value)`` in it, and 0 elsewhere."""
        parts, used = [], 0
        for field, shown in sorted(fields, key=lambda pair: pair[0].low):
            parts += [Const(0, field.low - used), shown]
            used = field.low + field.width
        return Cat(*parts, Const(0, WORD - used))


class Apb(wiring.Signature):
    """APB4 with 32 bits of data, from the side of the requester (AMBA APB, ARM IHI 0024).

    PCLK and PRESETn are clock and reset of the design. PPROT is not used.

    Parameters
    ----------
    address_width : int
        Bits of a byte address.

    Members
    -------
    - psel, penable, pwrite (Out(1)): The target is selected; access phase; the transfer is a write.
    - paddr, pwdata, pstrb (Out(address_width), Out(32), Out(4)): Byte address; data of a write, and which octets are written.
    - pready, prdata, pslverr (In(1), In(32), In(1)): The transfer ends; data of a read; the transfer has failed.
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

    Members
    -------
    - apb (In(Apb))
    - <instance> (Out(access_signature)): The register file of each slot.
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
