"""Reads tables from JSON or CSV files, which :mod:`write` or a person has written."""

import csv
import io
import re
from collections import Counter
from pathlib import Path

from dsnswitch.net.errors import UsageError
from dsnswitch.net.reading import breaches, read_json, read_text
from dsnswitch.net.tables.entries import Entry, Table, parse_match
from dsnswitch.net.tables.schema import ENTRY, SCHEMA
from dsnswitch.net.tables.write import COLUMNS

__all__ = ["read_file", "read_tables"]

#: Largest action.
MOST_ACTION = (1 << 16) - 1


def read_tables(path):
    """Read the tables of a JSON or CSV file.

    Raises
    ------
    UsageError
        If the file cannot be read, is malformed or contradicts itself, a mask is not a prefix, or two entries of a table have
        the same prefix. The message names file and entry, and no table of the file is used.
    """
    return read_file(path)[0]


def read_file(path):
    """The tables of a file as :func:`read_tables` reads them, and its other keys, of which CSV has none."""
    path = Path(path)
    if path.suffix != ".json":
        return _csv_tables(path), {}
    value = read_json(path, "Table")
    return _json_tables(path, value), value


def _entry(where, match, action, remark, width):
    value, length, bits = parse_match(match, where)
    if bits != width:
        raise UsageError(f"{where}: a match must have {width} bits, not {match!r}")
    if not re.fullmatch("[0-9]{1,9}", str(action)) or int(action) > MOST_ACTION:
        raise UsageError(f"{where}: action must be a number in 0..{MOST_ACTION}, not {action!r}")
    return Entry(value, length, int(action), remark)


def _csv_tables(path):
    """Tables of a CSV file. The rows of a table give its actions their names, and must agree on the name of each action."""
    found = {}
    for where, name, match, action, title, remark in _csv_rows(path):
        width, entries, titles = found.setdefault(name, (parse_match(match, where)[2], [], {}))
        entry = _entry(where, match, action, remark, width)
        if titles.setdefault(entry.action, title) != title:
            raise UsageError(
                f"{where}: action {action} has the name {titles[entry.action]!r} in an earlier line, not {title!r}"
            )
        entries.append(entry)
    if not found:
        raise UsageError(f"Table {path} has no entry")
    return [
        Table(name, width, tuple(titles.get(action, "-") for action in range(max(titles) + 1)), tuple(entries))
        for name, (width, entries, titles) in found.items()
    ]


def _csv_rows(path):
    lines = csv.reader(io.StringIO(read_text(path, "Table"), newline=""), strict=True)
    try:
        rows = [(lines.line_num, row) for row in lines if row]
    except csv.Error as error:
        raise UsageError(f"{path}, line {lines.line_num} is not CSV: {error}") from None
    if not rows or tuple(rows[0][1][:3]) != COLUMNS[:3]:
        raise UsageError(f"{path}: the first line must be {','.join(COLUMNS)}")
    for number, row in rows[1:]:
        where = f"{path}, line {number}"
        if not 3 <= len(row) <= len(COLUMNS):
            raise UsageError(
                f"{where}: an entry must have table, match and action, and may have name and remark, not {','.join(row)!r}"
            )
        yield (where, *row, *("",) * (len(COLUMNS) - len(row)))


def _json_tables(path, value):
    _check_schema(path, value)
    names = Counter(table["table"] for table in value["tables"])
    if not names:
        raise UsageError(f"Table {path} has no table")
    (name, count), *_ = names.most_common(1)
    if count > 1:
        raise UsageError(f"{path}: tables must differ in name; {name!r} occurs {count} times")
    made = [_json_table(path, table) for table in value["tables"]]
    for table in made:
        _check_head(path, value, table)
    return made


def _check_schema(path, value):
    """Compare ``value`` with the schema.

    Files have very many entries, so jsonschema only checks those entries that fail a quick test.
    """
    head = value
    if isinstance(value, dict) and isinstance(value.get("tables"), list):
        head = value | {"tables": [_without_entries(table) for table in value["tables"]]}
    for error in breaches(SCHEMA, head):
        raise UsageError(f"{path}, {error.json_path}: {error.message}")
    for table in value["tables"]:
        for number, row in enumerate(table["entries"], 1):
            if not _looks_well(row):
                for error in breaches(ENTRY, row):
                    raise UsageError(f"{path}, {table['table']}, entry {number}, {error.json_path}: {error.message}")


def _without_entries(table):
    whole = isinstance(table, dict) and isinstance(table.get("entries"), list)
    return table | {"entries": []} if whole else table


_KINDS = {"match": str, "action": int, "name": str, "remark": str}


def _looks_well(row):
    return (
        type(row) is dict
        and len(row) - ("remark" in row) == 3
        and all(type(value) is _KINDS.get(key) for key, value in row.items())
        and row["action"] >= 0
    )


def _json_table(path, table):
    name, actions = table["table"], tuple(table["actions"])
    entries = []
    for number, row in enumerate(table["entries"], 1):
        where = f"{path}, {name}, entry {number}"
        entry = _entry(where, row["match"], row["action"], row.get("remark", ""), table["key_width"])
        if entry.action < len(actions) and row["name"] != actions[entry.action]:
            raise UsageError(f"{where}: action {entry.action} is {actions[entry.action]!r}, not {row['name']!r}")
        entries.append(entry)
    made = Table(name, table["key_width"], actions, tuple(entries))
    if made.action_width != table["action_width"]:
        raise UsageError(
            f"{path}, {name}: {len(actions)} actions take an action_width of {made.action_width}, "
            f"not {table['action_width']}"
        )
    return made


def _check_head(path, head, table):
    """Check that fields, destinations and layers of the file do not contradict a table."""
    where = f"{path}, {table.name}"
    bits = sum(width for _, width in head.get("fields", ()))
    if bits not in (0, table.width):
        raise UsageError(f"{where}: fields of {bits} bits make no key of {table.width} bits")
    greatest = max(head.get("destinations", {}).values(), default=0)
    if greatest >> table.width:
        raise UsageError(f"{where}: destination {greatest} takes more than the {table.width} bits of a key")
    if "port_bits" in head and len(table.actions) != head.get("layers", 1) << head["port_bits"]:
        raise UsageError(
            f"{where}: {head.get('layers', 1)} layers of {head['port_bits']} port bits make no {len(table.actions)} actions"
        )
