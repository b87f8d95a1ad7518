"""A group of registers as gateware."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from dsnswitch.hdl.logic.decoders import equals
from dsnswitch.hdl.registers.description import WORD, Group
from dsnswitch.net.checks import Parameter

__all__ = ["RegisterFile", "access_signature"]


def access_signature(words):
    """An access to one of ``words`` words, from the side that starts it.

    Members
    -------
    select : Out(1)
        One cycle: the access takes place.
    write : Out(1)
        It is a write.
    word : Out(max(1, ceil(log2 words)))
        Index of the word.
    value, mask : Out(32), Out(32)
        What is written, and which bits.
    data : In(32)
        One cycle later: what was read; 0 if nothing was selected, and for a write.
    good : In(1)
        One cycle later: the access has succeeded. A word that does not exist, and a write to a word without a writable field,
        do not succeed and have no effect.
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
    access : In(access_signature)
    <field>
        One for each field (:meth:`fields`): ``rw``, the value, an output; ``pulse``, an output that is 1 in
        the cycle after the write; ``ro``, the value, an input; ``w1c``, the event that sets the bit, an input. A constant has no
        port.
    """

    group = Parameter("The group.")

    def __init__(self, group: Group, words=None):
        self._group = group
        ways = {"ro": In, "w1c": In, "rw": Out, "pulse": Out}
        ports = {}
        for _, name, field in group.fields():
            if field.access != "constant":
                port = ways[field.access](field.width, **({"init": field.reset} if field.access == "rw" else {}))
                ports[name] = port
        super().__init__({"access": In(access_signature(words or group.words)), **ports})

    def elaborate(self, platform):
        m = Module()
        access, words = self.access, {}
        chosen, writes = {}, {}
        for word, register in self._places():
            here = Signal(name=f"chosen_{word}")
            m.d.comb += here.eq(access.select & equals(access.word, word))
            chosen[word] = here
            if register.writable:
                writes[word] = Signal(name=f"writes_{word}")
                m.d.comb += writes[word].eq(here & access.write)
        for word, name, field in self._group.fields():
            shown = self._field(m, name, field, writes.get(word))
            words.setdefault(word, []).append((field, shown))
        data = Const(0, WORD)
        for word, fields in words.items():
            data |= Mux(chosen[word] & ~access.write, self._word(fields), 0)
        reads = Cat(chosen.values()).any() & ~access.write
        m.d.sync += [access.data.eq(data), access.good.eq(reads | reduce(or_, writes.values(), Const(0)))]
        return m

    def _places(self):
        """``(word, register)`` of each word."""
        return [(word + index, register) for word, register in self._group.places for index, _ in register.instances()]

    def _field(self, m, name, field, writes):
        """What a read of the field shows, after its register has been made."""
        low, high = field.low, field.low + field.width
        value, mask = self.access.value[low:high], self.access.mask[low:high]
        port = getattr(self, name, None)
        if field.access == "constant":
            return Const(field.reset, field.width)
        if field.access == "ro":
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
