"""Description of registers: fields, registers, groups of registers, and the map of all groups. No Amaranth here.

The description is the only source: gateware, SystemRDL text and addresses follow from it.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property

from dsnswitch.net.checks import integer

#: Bits of a register.
WORD = 32

#: What software can do with a field. ``constant`` and ``ro``: read a constant, a value of the hardware. ``rw``: read and write.
#: ``rc``: as ``ro``, and a read begins the value anew. ``w1c``: read a bit that an event sets, and clear it by writing 1.
#: ``pulse``: write 1 for a pulse of one cycle; it reads as 0.
ACCESSES = ("constant", "ro", "rc", "rw", "w1c", "pulse")

_NAME = re.compile("[a-z][a-z0-9_]*")


def _named(what, name):
    if not _NAME.fullmatch(name):
        raise ValueError(f"Name of a {what} must be lower-case letters, digits and underscores, not {name!r}")


def _distinct(what, names):
    names = list(names)
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Names of {what} must differ, not two times {name!r}")


@dataclass(frozen=True)
class Field:
    """Some bits of a register.

    Parameters
    ----------
    name : str
    description : str
        A sentence.
    width : int
        Bits.
    low : int
        Lowest bit.
    access : str
        See :data:`ACCESSES`.
    reset : int or None
        Value after a reset, or the constant; None if inputs of the hardware decide it.
    values : tuple
        ``(name, number, description)`` of each value that has a name.
    """

    name: str
    description: str
    width: int = 1
    low: int = 0
    access: str = "ro"
    reset: int | None = 0
    values: tuple = ()

    def __post_init__(self):
        _named("field", self.name)
        integer(f"Lowest bit of field {self.name}", self.low, 0, WORD - 1)
        integer(f"Width of field {self.name}", self.width, 1, WORD - self.low)
        if self.access not in ACCESSES:
            raise ValueError(f"Access to a field must be one of {', '.join(ACCESSES)}, not {self.access!r}")
        if self.access in ("w1c", "pulse"):
            integer(f"Width of field {self.name}, which is {self.access},", self.width, 1, 1)
        if self.reset is None and self.access not in ("ro", "rc"):
            raise ValueError(f"Field {self.name} is {self.access}, so its reset must be a number, not None")
        integer(f"Reset of field {self.name}", self.reset or 0, 0, (1 << self.width) - 1)

    @property
    def bits(self):
        """The bits of the field in its register, as a mask."""
        return (1 << self.width) - 1 << self.low

    @property
    def writable(self):
        """Whether a write has an effect."""
        return self.access in ("rw", "w1c", "pulse")


@dataclass(frozen=True)
class Register:
    """A word, or several equal ones that follow each other.

    Parameters
    ----------
    name : str
    description : str
    fields : tuple of Field
    count : int or None
        Number of words of an array; None for a register that is not an array.
    """

    name: str
    description: str
    fields: tuple
    count: int | None = None

    def __post_init__(self):
        _named("register", self.name)
        _distinct(f"fields of register {self.name}", (field.name for field in self.fields))
        if self.count is not None:
            integer(f"Words of register {self.name}", self.count, 1, 256)
        taken = 0
        for one in self.fields:
            if taken & one.bits:
                raise ValueError(f"Field {one.name} of register {self.name} must have bits of its own, not {one.bits:#x}")
            taken |= one.bits

    @property
    def words(self):
        """Number of words."""
        return self.count or 1

    @property
    def writable(self):
        """Whether a write is not an error."""
        return any(one.writable for one in self.fields)

    def instances(self):
        """``(index, prefix of signals)`` of each word."""
        return [(0, self.name)] if self.count is None else [(i, f"{self.name}_{i}") for i in range(self.count)]


@dataclass(frozen=True)
class Group:
    """Registers that belong together, such as those of a port.

    Parameters
    ----------
    name : str
        Name of the type; groups of one type are equal.
    description : str
    places : tuple
        ``(word, Register)``, in ascending order: the first word of each register.
    """

    name: str
    description: str
    places: tuple

    def __post_init__(self):
        _named("group", self.name)
        _distinct(f"registers of group {self.name}", (register.name for _, register in self.places))
        first = 0
        for word, register in self.places:
            integer(f"Word of register {register.name}", word, first, 1 << 16)
            first = word + register.words
        _distinct(f"signals of group {self.name}", (name for _, name, _ in self.fields()))

    @cached_property
    def words(self):
        """Words from the first to the last register."""
        return max((word + register.words for word, register in self.places), default=1)

    def fields(self):
        """``(word, name of its signal, field)`` of each field of each word: the names of register and field, joined."""
        return [
            (word + index, f"{prefix}_{one.name}", one)
            for word, register in self.places
            for index, prefix in register.instances()
            for one in register.fields
        ]


@dataclass(frozen=True)
class RegisterMap:
    """All groups, in slots of equal size: the slot is decoded from the highest bits of an address.

    Parameters
    ----------
    name : str
    description : str
    slots : tuple
        ``(instance, Group)`` of each slot, the first from address 0.
    """

    name: str
    description: str
    slots: tuple = field(default=())

    def __post_init__(self):
        _named("map", self.name)
        _distinct(f"slots of map {self.name}", (instance for instance, _ in self.slots))
        integer(f"Slots of map {self.name}", len(self.slots), 1, 256)

    @cached_property
    def stride(self):
        """Bytes of a slot: a power of two, 8 at least."""
        return 4 << max(1, (max(group.words for _, group in self.slots) - 1).bit_length())

    @property
    def size(self):
        """Bytes of the map, up to the end of the last slot."""
        return self.stride * len(self.slots)

    @property
    def address_width(self):
        """Bits of a byte address."""
        return (self.size - 1).bit_length()

    def address(self, instance, register, index=0):
        """Byte address of a register."""
        for slot, (name, group) in enumerate(self.slots):
            for word, one in group.places:
                if (name, one.name) == (instance, register) and 0 <= index < one.words:
                    return slot * self.stride + 4 * (word + index)
        raise ValueError(f"Map {self.name} has no register {instance}.{register}[{index}]")
