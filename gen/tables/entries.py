"""Entries of a longest-prefix table, and the rules that make a set of them a table."""

import re
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError

__all__ = ["Entry", "Table", "action_names", "parse_match"]

#: Most entries of an image, and most bits of a key.
MOST_ROOM, MOST_KEY = 1 << 16, 64


def action_names(network):
    """Names of the actions at a switch of a network: every output port, then ``arrived``."""
    return (*(port.name for port in network.ports), "arrived")


@dataclass(frozen=True)
class Entry:
    """Keys whose first ``length`` bits are those of ``value`` have ``action``; ``remark`` says why, for people."""

    value: int
    length: int
    action: int
    remark: str = ""

    def match(self, width):
        """The prefix as text, most significant bit first, ``*`` for the bits that do not count."""
        if not self.length:
            return "*" * width
        return format(self.value >> width - self.length, f"0{self.length}b") + "*" * (width - self.length)

    def mask(self, width):
        """Bit mask of the bits that count."""
        return (1 << self.length) - 1 << width - self.length

    def covers(self, key, width):
        """Whether ``key`` has this prefix."""
        return (key ^ self.value) >> width - self.length == 0


@dataclass(frozen=True)
class Table:
    """Entries over keys of ``width`` bits, longest first. ``actions`` are the names of the actions 0, 1, ...

    ``name`` says whose table it is. The constructor sorts the entries: longest prefix first, then by value, so that equal
    tables are equal objects, and so that a table in which the *first* match wins may take them as they come.

    Raises
    ------
    UsageError
        If two entries have the same prefix, an entry does not fit the key or the actions, or a name or remark has a control
        character, such as a line break, which would end the comment of an image.
    """

    name: str
    width: int
    actions: tuple
    entries: tuple

    def __post_init__(self):
        entries = tuple(sorted(self.entries, key=lambda entry: (-entry.length, entry.value)))
        object.__setattr__(self, "entries", entries)
        for text in (self.name, *self.actions, *(entry.remark for entry in entries)):
            if not text.isprintable():
                raise UsageError(f"A name must have printable characters only, not {text!r}")
        seen = {}
        for entry in entries:
            if not 0 <= entry.length <= self.width or entry.value & ~entry.mask(self.width):
                raise UsageError(
                    f"{self.name}: a prefix must have 0..{self.width} bits and nothing below them, "
                    f"not {entry.value:#x}/{entry.length}"
                )
            match = entry.match(self.width)
            if not 0 <= entry.action < len(self.actions):
                raise UsageError(
                    f"{self.name}, entry {match}: action must be in 0..{len(self.actions) - 1}, not {entry.action}"
                )
            if match in seen:
                raise UsageError(
                    f"{self.name}: entries of equal length must not overlap; {match} occurs twice, "
                    f"with actions {seen[match]} and {entry.action}"
                )
            seen[match] = entry.action
        # Longest first, as the entries are.
        by_length = {}
        for entry in entries:
            by_length.setdefault(entry.length, {})[entry.value >> self.width - entry.length] = entry.action
        object.__setattr__(self, "_by_length", by_length)

    @property
    def action_width(self):
        """Bits of an action."""
        return max((len(self.actions) - 1).bit_length(), 1)

    def lookup(self, key):
        """Action of ``key``, or None on a miss."""
        for length, found in self._by_length.items():
            action = found.get(key >> self.width - length)
            if action is not None:
                return action
        return None

    def answers(self):
        """Action of every key as an array of ``2**width``, -1 on a miss."""
        found = np.full(1 << self.width, -1, np.int64)
        for entry in reversed(self.entries):
            found[entry.value : entry.value + (1 << self.width - entry.length)] = entry.action
        return found

    def check_room(self, room):
        """Raise :class:`UsageError` unless the entries fit a table of ``room``, and such a table can be had."""
        if room > MOST_ROOM:
            raise UsageError(f"A table must have at most {MOST_ROOM} entries, not {room}")
        if len(self.entries) > room:
            raise UsageError(f"{self.name} has {len(self.entries)} entries, more than the {room} of the table")


def parse_match(text, place):
    """``(value, length, width)`` of a prefix such as ``0001*****``; ``_`` may stand between fields.

    Raises
    ------
    UsageError
        If it is no ternary word, or its mask is not a prefix; the message begins with ``place``.
    """
    word = text.replace("_", "").strip()
    if not word or not re.fullmatch(r"[01*]+", word):
        raise UsageError(f"{place}: a match must be a word of 0, 1 and *, not {text!r}")
    prefix = word.rstrip("*")
    if "*" in prefix:
        raise UsageError(f"{place}: a mask must be a prefix, with every * at the end, not {text!r}")
    width = len(word)
    if width > MOST_KEY:
        raise UsageError(f"{place}: a match must have at most {MOST_KEY} bits, not {width}")
    return int(prefix or "0", 2) << width - len(prefix), len(prefix), width
