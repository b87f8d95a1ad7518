"""Tables as files: JSON and CSV, which can be read back, and ``$readmemh`` images."""

import csv
import io
import json
from pathlib import Path

from ..errors import UsageError
from ..reading import breaches, read_text
from .entries import Entry, Table, parse_match
from .schema import SCHEMA

__all__ = ["FORMATS", "direct_image", "read_tables", "ternary_image", "to_csv", "to_json"]

#: Formats of tables.
FORMATS = ("json", "csv", "mem")

#: Greatest action, and most key bits of a direct image.
MOST_ACTION, MOST_DIRECT = (1 << 16) - 1, 16

_COLUMNS = ("table", "match", "action", "name", "remark")


def to_json(tables, more=None):
    """Text of an object of ``docs/table.schema.json``; ``more`` are keys beside the tables."""
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
    """A line an entry, longest prefix first, with a head line."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for table in tables:
        for entry in table.entries:
            rows.writerow(
                (table.name, entry.match(table.width), entry.action, table.actions[entry.action], entry.remark)
            )
    return out.getvalue()


def _action_width(table, bits):
    """Bits of an action in an image: as many as the hardware has, by default as the table needs."""
    if bits is not None and bits < table.action_width:
        raise UsageError(f"{table.name}: actions take {table.action_width} bits, more than the {bits} of the table")
    return bits or table.action_width


def ternary_image(table, room, bits=None):
    """A word a place, for the write port of a ternary table: valid, length, value, action, the first most significant.

    Places without an entry are words of 0. A table with fewer places than entries, or fewer ``bits`` of action than they need,
    is a :class:`UsageError`.
    """
    table.check_room(room)
    bits = _action_width(table, bits)
    length_width = table.width.bit_length()
    digits = -(-(1 + length_width + table.width + bits) // 4)
    lines = [
        f"// {table.name}: {len(table.entries)} entries, longest first, in {room} places",
        f"// {{valid[1], length[{length_width}], value[{table.width}], action[{bits}]}}",
    ]
    for entry in table.entries:
        word = (1 << length_width | entry.length) << table.width | entry.value
        lines.append(format(word << bits | entry.action, f"0{digits}x"))
    lines += ["0" * digits] * (room - len(table.entries))
    return "\n".join(lines) + "\n"


def direct_image(table, bits=None):
    """A word a key, for the memory of a direct table: valid, action; misses are words of 0."""
    if table.width > MOST_DIRECT:
        raise UsageError(f"{table.name}: a direct table takes keys of at most {MOST_DIRECT} bits, not {table.width}")
    bits = _action_width(table, bits)
    digits = -(-(1 + bits) // 4)
    lines = [
        f"// {table.name}: a word for each of {1 << table.width} keys",
        f"// {{valid[1], action[{bits}]}}",
    ]
    for key in range(1 << table.width):
        action = table.lookup(key)
        lines.append(format(0 if action is None else 1 << bits | action, f"0{digits}x"))
    return "\n".join(lines) + "\n"


def read_tables(path):
    """Tables of a JSON or CSV file as written here, or by hand.

    Raises
    ------
    UsageError
        If it cannot be read or is malformed, a mask is no prefix, two entries of a table have the same prefix, or the words
        of a table differ in length; the message names file and place. Nothing of the file is used then.
    """
    path = Path(path)
    text = read_text(path, "Table")
    rows, actions = (_json_rows if path.suffix == ".json" else _csv_rows)(str(path), text)
    found = {}
    for place, name, match, action, title, remark in rows:
        value, length, width = parse_match(match, place)
        if not str(action).isdecimal() or int(action) > MOST_ACTION:
            raise UsageError(f"{place}: action must be a number in 0..{MOST_ACTION}, not {action!r}")
        known = found.setdefault(name, (width, [], {}))
        if known[0] != width:
            raise UsageError(f"{place}: a match must have the {known[0]} bits of those before, not {width}")
        known[1].append(Entry(value, length, int(action), remark))
        known[2][int(action)] = title
    if not found:
        raise UsageError(f"Table {path} has no entry")
    made = []
    for name, (width, entries, titles) in found.items():
        names = actions.get(name) or tuple(titles.get(number, "-") for number in range(max(titles) + 1))
        made.append(Table(name, width, names, tuple(entries)))
    return made


def _csv_rows(path, text):
    try:
        rows = [row for row in csv.reader(io.StringIO(text)) if row]
    except csv.Error as error:
        raise UsageError(f"{path} is no CSV: {error}") from None
    if not rows or tuple(rows[0][:3]) != _COLUMNS[:3]:
        raise UsageError(f"{path}: the first line must be {','.join(_COLUMNS)}")
    found = []
    for number, row in enumerate(rows[1:], 2):
        if len(row) < 3:
            raise UsageError(
                f"{path}, line {number}: an entry must have table, match and action, not {','.join(row)!r}"
            )
        name, match, action, title, remark = (*row, "", "")[:5]
        found.append((f"{path}, line {number}", name, match, action, title, remark))
    return found, {}


def _json_rows(path, text):
    try:
        told = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{path} is no JSON: {str(error).splitlines()[0]}") from None
    for error in breaches(SCHEMA, told):
        raise UsageError(f"{path}, {error.json_path}: {error.message}")
    rows = []
    for table in told["tables"]:
        for number, row in enumerate(table["entries"], 1):
            place = f"{path}, {table['table']}, entry {number}"
            if len(row["match"]) != table["key_width"]:
                raise UsageError(f"{place}: a match must have {table['key_width']} bits, not {row['match']!r}")
            rows.append((place, table["table"], row["match"], row["action"], row["name"], row.get("remark", "")))
    return rows, {table["table"]: tuple(table["actions"]) for table in told["tables"]}
