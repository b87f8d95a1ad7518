"""Entries of a longest-prefix table, and the rules for a set of entries."""

import re
from dataclasses import dataclass

import numpy as np

from dsnswitch.net.messages import UsageError

#: Maximum number of entries of an image, and of bits of a key.
MOST_ENTRIES, MOST_KEY = 1 << 16, 64

#: Maximum number of bits of a key whose values are all listed to answer several keys.
MOST_LISTED = 16


def action_names(network):
    """Names of the actions at a switch of a network: every output port, then ``arrived``."""
    return (*(port.name for port in network.ports), "arrived")


@dataclass(frozen=True)
class Entry:
    """A prefix and its action: it matches all keys whose first ``length`` bits are those of ``value``.

    ``remark`` explains the entry to people. ``other`` is a second port, which a waiting packet may take in place of that of the
    action; None if there is none.
    """

    value: int
    length: int
    action: int
    remark: str = ""
    other: int | None = None

    @property
    def word(self):
        """What decides of two entries of a prefix whether they are equal: the action and the second port."""
        return self.action, self.other

    def match(self, width):
        """The prefix as text, most significant bit first, with ``*`` for the bits that are not compared."""
        if not self.length:
            return "*" * width
        return format(self.value >> width - self.length, f"0{self.length}b") + "*" * (width - self.length)

    def mask(self, width):
        """Bit mask of the bits that are compared."""
        return (1 << self.length) - 1 << width - self.length


@dataclass(frozen=True)
class Table:
    """A longest-prefix table with keys of ``width`` bits; ``actions`` are the names of the actions 0, 1, ...

    ``name`` identifies the switch. The constructor sorts the entries: longest prefix first, then by value. So equal tables are
    equal objects, and a table that returns the *first* match may use the entries in this order.

    Raises :class:`UsageError` if two entries have the same prefix, an entry does not fit the key or the actions, or a name or
    remark has a control character, such as a line break, which would end the comment of an image.
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
        # The lengths have the order of the entries, longest first.
        by_length, most = {}, len(self.actions)
        for entry in entries:
            rest = self.width - entry.length
            if not 0 <= rest <= self.width or entry.value >> rest << rest != entry.value or entry.value >> self.width:
                raise UsageError(
                    f"{self.name}: a prefix must have 0..{self.width} bits and nothing below them, "
                    f"not {entry.value:#x}/{entry.length}"
                )
            same = by_length.setdefault(entry.length, {})
            for what, number in (("action", entry.action), ("other", entry.other or 0)):
                if not 0 <= number < most:
                    where = f"{self.name}, entry {entry.match(self.width)}"
                    raise UsageError(f"{where}: {what} must be in 0..{most - 1}, not {number}")
            if entry.value >> rest in same:
                raise UsageError(
                    f"{self.name}: entries of equal length must not overlap; {entry.match(self.width)} occurs twice, "
                    f"with actions {same[entry.value >> rest]} and {entry.action}"
                )
            same[entry.value >> rest] = entry.action
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
        """Action of every key as an array of ``2**width`` elements, -1 on a miss."""
        return self._listed("action")

    def others(self):
        """The second port of every key, -1 where there is none."""
        return self._listed("other")

    def _listed(self, name):
        found = np.full(1 << self.width, -1, np.int64)
        for entry in reversed(self.entries):
            value = getattr(entry, name)
            found[entry.value : entry.value + (1 << self.width - entry.length)] = -1 if value is None else value
        return found

    def others_to(self, keys):
        """The second port of each of ``keys``, an array; -1 where there is none."""
        if not self.chooses:
            return np.full(len(keys), -1, np.int64)
        if self.width <= MOST_LISTED:
            return self.others()[keys]
        by_match = {(entry.length, entry.value): entry.other for entry in self.entries}
        found = []
        for key in keys.tolist():
            matching = (key >> self.width - length << self.width - length for length in self._by_length)
            known = [by_match[at] for at in zip(self._by_length, matching) if at in by_match]
            found.append(-1 if not known or known[0] is None else known[0])
        return np.array(found, np.int64)

    @property
    def chooses(self):
        """Whether an entry has a second port."""
        return any(entry.other is not None for entry in self.entries)

    def answers_to(self, keys):
        """Action of each of ``keys``, an array; -1 on a miss."""
        if self.width <= MOST_LISTED:
            return self.answers()[keys]
        found = (self.lookup(key) for key in keys.tolist())
        return np.array([-1 if action is None else action for action in found], np.int64)

    def check_capacity(self, capacity):
        """Raise :class:`UsageError` unless the entries fit a table with ``capacity`` entries, and that capacity is allowed."""
        if capacity > MOST_ENTRIES:
            raise UsageError(f"A table must have at most {MOST_ENTRIES} entries, not {capacity}")
        if len(self.entries) > capacity:
            raise UsageError(f"{self.name} has {len(self.entries)} entries, more than the {capacity} of the table")


class Words:
    """What a direct table holds: the action of every key, as ``answers`` returns them. It stands for a :class:`Table`."""

    chooses = False

    def __init__(self, name, width, actions, answers):
        self.name, self.width, self.actions, self.answers = name, width, actions, answers

    action_width = Table.action_width


def parse_match(text, where):
    """``(value, length, width)`` of a prefix such as ``0001*****``; ``_`` may separate fields.

    Raises :class:`UsageError` if it is not a ternary word, or its mask is not a prefix; the message begins with ``where``.
    """
    word = text.replace("_", "").strip()
    if not word or not re.fullmatch(r"[01*]+", word):
        raise UsageError(f"{where}: a match must be a word of 0, 1 and *, not {text!r}")
    prefix = word.rstrip("*")
    if "*" in prefix:
        raise UsageError(f"{where}: a mask must be a prefix, with every * at the end, not {text!r}")
    width = len(word)
    if width > MOST_KEY:
        raise UsageError(f"{where}: a match must have at most {MOST_KEY} bits, not {width}")
    return int(prefix or "0", 2) << width - len(prefix), len(prefix), width
