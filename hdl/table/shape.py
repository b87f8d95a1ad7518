"""Sizes of a table. No Amaranth."""

from dataclasses import dataclass

from dsnswitch.net.checks import integer
from dsnswitch.net.files.options import TableOptions

#: Storage of a direct table; the first is the default.
MEMORIES = TableOptions.OPTIONS["memory"].words
RAM = MEMORIES[0]

#: Largest table in flip-flops that is generated, and its greatest number of register stages.
MAX_ENTRIES, STAGES = (TableOptions.OPTIONS[key].high for key in ("entries", "stages"))

#: Widest key and action.
MAX_KEY = 64

#: Largest table in RAM that is generated.
MAX_WORDS = 1 << 16


@dataclass(frozen=True)
class TableShape:
    """Sizes of a table: ``entries`` words, each a prefix of a ``key``-bit key and an action of ``action`` bits."""

    entries: int
    key: int
    action: int

    def __post_init__(self):
        for name, label, high in (
            ("entries", "Table entries", MAX_ENTRIES),
            ("key", "Table key width", MAX_KEY),
            ("action", "Table action width", MAX_KEY),
        ):
            object.__setattr__(self, name, integer(label, getattr(self, name), 1, high))

    @property
    def name(self):
        """Last part of module names, such as ``16x9_4``."""
        return f"{self.entries}x{self.key}_{self.action}"
