"""Addresses of switches: their fields, numbers, spelling, and keys of tables."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from dsnswitch.net.checks import integer

#: Every kind of table key, which :meth:`Network.key` explains.
KEYS = ("absolute", "relative", "folded")


def by_name(text: str) -> tuple:
    """Sort key of the name of a switch or host in which runs of digits count as numbers: ``leaf2`` precedes ``leaf10``."""
    parts = re.split(r"([0-9]+)", text)
    # A number is compared as (length, digits), so it may have any length. The text distinguishes 1 from 01.
    digits = [part.lstrip("0") for part in parts[1::2]]
    return [*((word, len(number), number) for word, number in zip(parts, digits)), (parts[-1], 0, "")], text


@dataclass(frozen=True)
class Field:
    """One field of a switch address: values ``0..size-1``, in ``width`` bits."""

    name: str
    size: int

    @property
    def width(self) -> int:
        """Bits of the field; 0 if it has one value."""
        return (self.size - 1).bit_length()


class Addresses(ABC):
    """The switches of a network as tuples of integers, one for each of :attr:`fields`."""

    #: Names of the key kinds that :meth:`key` accepts; the first is the default.
    keys: tuple[str, ...] = KEYS[:1]

    @property
    @abstractmethod
    def fields(self) -> tuple[Field, ...]:
        """The address as a tuple of :class:`Field`, in the order in which an address is written."""

    @property
    def number_order(self) -> Sequence[int]:
        """Indices of :attr:`fields` in the order of :meth:`number`, the field that changes fastest first."""
        return tuple(range(len(self.fields)))

    @property
    def nodes(self) -> int:
        """Number of switches."""
        return math.prod(field.size for field in self.fields)

    def switches(self) -> Iterable[tuple[int, ...]]:
        """Every switch, in the order of :meth:`number`."""
        order = self.number_order
        for values in product(*(range(self.fields[index].size) for index in reversed(order))):
            by_index = dict(zip(reversed(order), values))
            yield tuple(by_index[index] for index in range(len(order)))

    @property
    def number_formula(self) -> str:
        """The formula of :meth:`number` as text, such as ``(y * X + x) * m + id``."""
        names = [self.fields[index].name for index in self.number_order]
        sizes = [self.fields[index].size for index in self.number_order]
        text = names[-1]
        for name, size in zip(names[-2::-1], sizes[-2::-1]):
            text = f"({text}) * {size} + {name}" if " " in text else f"{text} * {size} + {name}"
        return text

    def contains(self, switch: tuple[int, ...]) -> bool:
        """Whether ``switch`` is a switch of this network."""
        return len(switch) == len(self.fields) and all(0 <= value < field.size for value, field in zip(switch, self.fields))

    def number(self, switch: tuple[int, ...]) -> int:
        """Flat number of a switch, ``0..nodes-1``."""
        total = 0
        for index in reversed(self.number_order):
            total = total * self.fields[index].size + switch[index]
        return total

    def switch(self, number: int) -> tuple[int, ...]:
        """Inverse of :meth:`number`."""
        values = [0] * len(self.fields)
        for index in self.number_order:
            number, values[index] = divmod(number, self.fields[index].size)
        return tuple(values)

    def parse_switch(self, text: str) -> tuple[int, ...]:
        """The switch spelt as its fields with commas between them, such as ``3,5,7``.

        Raises :class:`ValueError` if the spelling is wrong or a field is out of range.
        """
        if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", text) or text.count(",") != len(self.fields) - 1:
            form = ",".join(field.name for field in self.fields)
            raise ValueError(f"Node address must have the form {form}, not {text!r}")
        values = tuple(map(int, text.split(",")))
        for field, value in zip(self.fields, values):
            integer(f"Field {field.name} of node {text}", value, 0, field.size - 1)
        return values

    @staticmethod
    def spell_switch(switch: tuple[int, ...]) -> str:
        """The text that :meth:`parse_switch` accepts."""
        return ",".join(map(str, switch))

    def key(self, own: tuple[int, ...], destination: tuple[int, ...], kind: str = "absolute") -> int:
        """Table key of ``destination`` at ``own``: its fields by :meth:`key_rule`, the first in the most significant bits."""
        key = 0
        for axis, (_, width) in enumerate(self.key_fields(kind)):
            key = key << width | self.key_coordinate(axis, kind, own[axis], destination[axis])
        return key

    def key_fields(self, kind: str = "absolute") -> list[tuple[str, int]]:
        """``[(name, bits)]`` of a key, the most significant field first."""
        longer = ("padded", "folded")
        return [(at.name, at.width + (at.width > 0 and self.key_rule(at, kind) in longer)) for at in self.fields]

    def key_rule(self, field, kind: str) -> Any:
        """How :meth:`key` writes an address field: ``absolute``, its value at the destination. For other kinds of :attr:`keys`:

        ``relative``
            The forward distance ``(destination - own) mod size`` (D Fig. 4.12(b)).
        ``padded``
            A bit 0, then the forward distance.
        ``folded``
            Bit 0 and the forward distance, or bit 1 and the backward distance in reverse order of bits if that is less. The
            *trailing* one of a backward distance decides in a DSN, which only the reversed word has at the front.
        """
        return KEYS[0]

    def key_coordinate(self, axis: int, kind, own: int, destination: int) -> int:
        """The field of :meth:`key` for value ``destination`` of field ``axis`` at a switch whose field has the value ``own``."""
        field = self.fields[axis]
        rule = self.key_rule(field, kind)
        if rule == KEYS[0]:
            return destination
        distance = (destination - own) % field.size
        if rule != "folded" or 2 * distance <= field.size:
            return distance
        return 1 << field.width | int(format(field.size - distance, f"0{field.width}b")[::-1], 2)

    def key_width(self, kind: str = "absolute") -> int:
        """Bits of a key."""
        return sum(width for _, width in self.key_fields(kind))
