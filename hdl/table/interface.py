"""Write ports of tables, as signatures of the side that writes."""

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from dsnswitch.hdl.table.shape import TableShape


class TableWrite(wiring.Signature):
    """Write port of a table: one write per cycle, which takes effect at the clock edge.

    Parameters
    ----------
    fields : dict
        Shape of each field of a write, by name.
    more : dict
        Members besides those of a write.

    Members
    -------
    - write (Out(1)): Do the write that the fields describe.
    - write_<field> (Out): The fields.
    """

    def __init__(self, fields, more=()):
        super().__init__(
            {**dict(more), "write": Out(1), **{f"write_{name}": Out(shape) for name, shape in fields.items()}}
        )


class TernaryWrite(TableWrite):
    """Write port of a :class:`TernaryTable`: a write replaces one entry.

    Members
    -------
    - write (Out(1)): Replace entry ``write_place``.
    - write_place (Out(max(1, ceil(log2 entries)))): Index of the entry. A write to an index without an entry has no effect: a
      table of one entry ignores index 1.
    - write_valid (Out(1)): 0 frees the entry.
    - write_value (Out(key)): The prefix; bits after ``write_length`` are ignored.
    - write_length (Out(ceil(log2(key + 1)))): Length of the prefix, counted from the most significant bit; a greater length
      than ``key`` counts as ``key``.
    - write_action (Out(action)): The action.
    """

    def __init__(self, shape: TableShape):
        super().__init__(
            {
                "place": range(max(2, shape.entries)),
                "valid": 1,
                "value": shape.key,
                "length": range(shape.key + 1),
                "action": shape.action,
            }
        )


class DirectWrite(TableWrite):
    """Write port of a :class:`DirectTable`: a write replaces one word.

    Members
    -------
    - loaded (Out(1)): All words have been written. While 0, every lookup misses.
    - write (Out(1)): Replace word ``write_word``.
    - write_word (Out(ceil(log2 words))): Index of the word, which is its key.
    - write_valid (Out(1)): 0 makes the key miss.
    - write_action (Out(action)): The action.
    """

    def __init__(self, words, action):
        super().__init__({"word": range(words), "valid": 1, "action": action}, {"loaded": Out(1)})
