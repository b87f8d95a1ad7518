"""Writes tables as text: JSON and CSV, which :mod:`load` reads, and ``$readmemh`` images."""

import csv
import io
import json

from dsnswitch.net.errors import UsageError

__all__ = ["COLUMNS", "FORMATS", "direct_image", "ternary_image", "to_csv", "to_json"]

#: Formats of tables.
FORMATS = ("json", "csv", "mem")

#: Maximum number of key bits of a direct image, and the fewest words of a direct table.
MOST_DIRECT, FEWEST_WORDS = 16, 2

#: Columns of CSV.
COLUMNS = ("table", "match", "action", "name", "remark")


def to_json(tables, more=None):
    """Text of an object of ``docs/table.schema.json``; ``more`` are further keys of the object."""
    head = {"format": "dsnswitch-table", "version": 1, **(more or {})}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    parts = []
    for table in tables:
        rows = ",\n".join(f"      {json.dumps(_row(table, entry))}" for entry in table.entries)
        about = {
            "table": table.name,
            "key_width": table.width,
            "action_width": table.action_width,
            "actions": table.actions,
        }
        inner = [f"     {json.dumps(key)}: {json.dumps(value)}" for key, value in about.items()]
        inner.append(f'     "entries": [\n{rows}\n     ]' if rows else '     "entries": []')
        parts.append("    {\n" + ",\n".join(inner) + "\n    }")
    lines.append('  "tables": [\n' + ",\n".join(parts) + "\n  ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _row(table, entry):
    row = {"match": entry.match(table.width), "action": entry.action, "name": table.actions[entry.action]}
    return row | ({"remark": entry.remark} if entry.remark else {})


def to_csv(tables):
    """One line per entry, longest prefix first, after a line with the names of the columns."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for table in tables:
        for entry in table.entries:
            rows.writerow(
                (table.name, entry.match(table.width), entry.action, table.actions[entry.action], entry.remark)
            )
    return out.getvalue()


def _action_width(table, bits):
    """Bits of an action in an image: ``bits``, the width in the hardware, or by default the width that the table needs."""
    if bits is not None and bits < table.action_width:
        raise UsageError(f"{table.name}: actions take {table.action_width} bits, more than the {bits} of the table")
    return bits or table.action_width


def ternary_image(table, capacity, bits=None):
    """One word per row, for the write port of a ternary table: valid, length, value, action, with valid most significant.

    Rows without an entry are words of 0. A table with more than ``capacity`` entries, or whose actions need more than ``bits``,
    is a :class:`UsageError`.
    """
    table.check_capacity(capacity)
    bits = _action_width(table, bits)
    length_width = table.width.bit_length()
    digits = -(-(1 + length_width + table.width + bits) // 4)
    lines = [
        f"// {table.name}: {len(table.entries)} entries, longest first, in {capacity} places",
        f"// {{valid[1], length[{length_width}], value[{table.width}], action[{bits}]}}",
    ]
    for entry in table.entries:
        word = (1 << length_width | entry.length) << table.width | entry.value
        lines.append(format(word << bits | entry.action, f"0{digits}x"))
    lines += ["0" * digits] * (capacity - len(table.entries))
    return "\n".join(lines) + "\n"


def direct_image(table, words=None, bits=None):
    """One word per key, for a direct table of ``words`` words: valid, action. A miss is a word of 0.

    By default, the last word is that of the greatest key with an action. A key with an action but without a word is a
    :class:`UsageError`.
    """
    if table.width > MOST_DIRECT:
        raise UsageError(f"{table.name}: a direct table takes keys of at most {MOST_DIRECT} bits, not {table.width}")
    bits = _action_width(table, bits)
    answers = table.answers().tolist()
    needed = max([FEWEST_WORDS, *(key + 1 for key, action in enumerate(answers) if action >= 0)])
    words = words or needed
    if not needed <= words <= 1 << MOST_DIRECT:
        raise UsageError(f"{table.name}: a direct table must have {needed}..{1 << MOST_DIRECT} words, not {words}")
    answers = answers[:words] + [-1] * (words - len(answers))
    digits = -(-(1 + bits) // 4)
    lines = [f"// {table.name}: {words} words, one per key", f"// {{valid[1], action[{bits}]}}"]
    lines += [format(0 if action < 0 else 1 << bits | action, f"0{digits}x") for action in answers]
    return "\n".join(lines) + "\n"
