"""Reads and writes files of tables: JSON, CSV, and ``$readmemh`` images."""

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.net.options import integer, text
from dsnswitch.net.reading import breaches, read_json, read_text
from dsnswitch.net.tables.entries import Entry, Table, parse_match

# JSON schema of a file of tables.

#: One entry of a table.
ENTRY = {
    "type": "object",
    "additionalProperties": False,
    "required": ["match", "action", "name"],
    "properties": {
        "match": {"type": "string", "pattern": "^[01*]+$", "description": "Bits, most significant first."},
        "action": {"type": "integer", "minimum": 0},
        "name": {"type": "string"},
        "remark": {"type": "string"},
        "other": {"type": "integer", "minimum": 0, "description": "Second port, for packets that choose."},
    },
}

#: Schema of the files that :func:`to_json` writes and :func:`read_tables` reads.
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "dsnswitch tables",
    "description": "Longest-prefix tables. Of the entries that match a key the one with the fewest * counts.",
    "type": "object",
    "required": ["format", "version", "tables"],
    "properties": {
        "format": {"const": "dsnswitch-table"},
        "version": {"const": 1},
        "network": text("DSN or graph that the tables are of.").schema,
        "keys": {"enum": ["absolute", "relative", "folded"], "description": "What a key is made of."},
        "fields": {
            "type": "array",
            "description": "Name and bits of the fields of a key, most significant first.",
            "items": {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "integer", "minimum": 0, "maximum": 64}],
                "minItems": 2,
                "maxItems": 2,
            },
        },
        "routing": text("How routes were chosen.").schema,
        "layers": integer("Virtual channels.", 1, 64).schema,
        "port_bits": integer("An action is layer * 2^port_bits + port.", 0, 16).schema,
        "root": text("Root of up*/down*.").schema,
        "up": {
            "type": "object",
            "description": "Turn classes: for each switch, its ports that lead up. Actions are ports without a layer.",
            "additionalProperties": {"type": "array", "items": {"type": "integer", "minimum": 0}},
        },
        "classes": {"type": "array", "description": "Share of the pairs by the turn class in which they arrive."},
        "longer": {"type": "number", "description": "Hops beyond those of shortest paths, as a share."},
        "adaptive": {"type": "boolean", "description": "Entries have a second port where there is one."},
        "choices": {"type": "number", "description": "Share of switches and destinations with a second port."},
        "broken": {"type": "array", "items": {"type": "string"}, "description": "Failed links of a DSN."},
        "hops": {"type": "object", "description": "Mean and maximum of the pairs of different switches."},
        "load": {"type": "object", "description": "Pairs over the most loaded channel, and a lower bound of any routing."},
        "entries": {"type": "object", "description": "Switch to the number of its entries."},
        "ports": {"type": "object", "description": "For each switch, the neighbour at each of its ports; null if there is none."},
        "destinations": {
            "type": "object",
            "description": "Destination to key.",
            "additionalProperties": {"type": "integer", "minimum": 0},
        },
        "tables": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["table", "key_width", "action_width", "actions", "entries"],
                "properties": {
                    "table": text("Whose it is.").schema,
                    "key_width": {"type": "integer", "minimum": 1, "maximum": 64},
                    "action_width": {"type": "integer", "minimum": 1, "maximum": 16},
                    "actions": {
                        "type": "array",
                        "items": {"type": "string"},
                        "minItems": 1,
                        "maxItems": 65536,
                        "description": "Name of each action.",
                    },
                    "entries": {"type": "array", "description": "Longest prefix first.", "items": ENTRY},
                },
            },
        },
    },
}


# Writes tables as text: JSON and CSV, which :func:`read_tables` reads, and ``$readmemh`` images.

#: Formats of tables.
FORMATS = ("json", "csv", "mem", "lft")

#: Maximum number of key bits of a direct image, and the fewest words of a direct table.
MOST_DIRECT, FEWEST_WORDS = 16, 2

#: Columns of CSV.
COLUMNS = ("table", "match", "action", "name", "remark", "other")


def to_json(tables, more=None):
    """Text of an object of :data:`SCHEMA`; ``more`` are further keys of the object."""
    head = {"format": "dsnswitch-table", "version": 1, **(more or {})}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    parts = []
    for table in tables:
        rows = ",\n".join(f"      {json.dumps(_row(table, entry))}" for entry in table.entries)
        about = {"table": table.name, "key_width": table.width, "action_width": table.action_width, "actions": table.actions}
        inner = [f"     {json.dumps(key)}: {json.dumps(value)}" for key, value in about.items()]
        inner.append(f'     "entries": [\n{rows}\n     ]' if rows else '     "entries": []')
        parts.append("    {\n" + ",\n".join(inner) + "\n    }")
    lines.append('  "tables": [\n' + ",\n".join(parts) + "\n  ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _row(table, entry):
    row = {"match": entry.match(table.width), "action": entry.action, "name": table.actions[entry.action]}
    row |= {} if entry.other is None else {"other": entry.other}
    return row | ({"remark": entry.remark} if entry.remark else {})


def to_csv(tables):
    """One line per entry, longest prefix first, after a line with the names of the columns; ``other`` only with second ports."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    columns = len(COLUMNS) - (not any(table.chooses for table in tables))
    rows.writerow(COLUMNS[:columns])
    for table in tables:
        for entry in table.entries:
            row = table.name, entry.match(table.width), entry.action, table.actions[entry.action], entry.remark, entry.other
            rows.writerow(row[:columns])
    return out.getvalue()


def _action_width(table, bits):
    """Bits of an action in an image: ``bits``, the width in the hardware, or by default the width that the table needs."""
    if bits is not None and bits < table.action_width:
        raise UsageError(f"{table.name}: actions take {table.action_width} bits, more than the {bits} of the table")
    return bits or table.action_width


def _word(entry, bits, adaptive):
    """The action of an entry in an image, and its bits; ``adaptive`` with the second port, or the first again, above it."""
    action, other = entry.word
    return (action if other is None else other) << bits | action if adaptive else action


def _field(bits, adaptive):
    """The action of an image for its head comment."""
    return f"other[{bits}], action[{bits}]" if adaptive else f"action[{bits}]"


def ternary_image(table, capacity, bits=None, adaptive=False):
    """One word per row, for the write port of a ternary table: valid, length, value, action, with valid most significant.

    Rows without an entry are words of 0. A table with more than ``capacity`` entries, or whose actions need more than ``bits``,
    is a :class:`UsageError`. ``adaptive``: the action has the second port above it, or the first again.
    """
    table.check_capacity(capacity)
    bits = _action_width(table, bits)
    length_width, whole = table.width.bit_length(), bits << adaptive
    digits = -(-(1 + length_width + table.width + whole) // 4)
    lines = [
        f"// {table.name}: {len(table.entries)} entries, longest first, in {capacity} places",
        f"// {{valid[1], length[{length_width}], value[{table.width}], {_field(bits, adaptive)}}}",
    ]
    for entry in table.entries:
        word = (1 << length_width | entry.length) << table.width | entry.value
        lines.append(format(word << whole | _word(entry, bits, adaptive), f"0{digits}x"))
    lines += ["0" * digits] * (capacity - len(table.entries))
    return "\n".join(lines) + "\n"


def direct_image(table, words=None, bits=None, adaptive=False):
    """One word per key, for a direct table of ``words`` words: valid, action. A miss is a word of 0.

    ``adaptive``: the action has the second port above it, or the first again.

    By default, the last word is that of the greatest key with an action. A key with an action but without a word is a
    :class:`UsageError`.
    """
    if table.width > MOST_DIRECT:
        raise UsageError(f"{table.name}: a direct table takes keys of at most {MOST_DIRECT} bits, not {table.width}")
    bits = _action_width(table, bits)
    answers = table.answers()
    needed = max(FEWEST_WORDS, 1 + int(np.flatnonzero(answers >= 0).max(initial=-1)))
    words = words or needed
    if not needed <= words <= 1 << MOST_DIRECT:
        raise UsageError(f"{table.name}: a direct table must have {needed}..{1 << MOST_DIRECT} words, not {words}")
    whole = bits << adaptive
    values = answers | 1 << whole
    if adaptive:
        others = table.others()
        values |= np.where(others < 0, answers, others) << bits
    values = np.pad(np.where(answers < 0, 0, values)[:words], (0, max(0, words - len(answers))))
    digits = -(-(1 + whole) // 4)
    lines = [f"// {table.name}: {words} words, one per key", f"// {{valid[1], {_field(bits, adaptive)}}}"]
    # Few words differ.
    texts = {word: format(word, f"0{digits}x") for word in np.unique(values).tolist()}
    return "\n".join([*lines, *(texts[word] for word in values.tolist())]) + "\n"


#: Largest action.
MOST_ACTION = (1 << 16) - 1


def read_tables(path):
    """Read the tables of a JSON or CSV file.

    Raises :class:`UsageError` if the file cannot be read, is malformed or contradicts itself, a mask is not a prefix, or two
    entries of a table have the same prefix. The message names file and entry, and no table of the file is used.
    """
    return read_file(path)[0]


def read_file(path):
    """The tables of a file as :func:`read_tables` reads them, and its other keys, of which CSV has none."""
    path = Path(path)
    if path.suffix != ".json":
        return _csv_tables(path), {}
    value = read_json(path, "Table")
    return _json_tables(path, value), value


def _entry(where, match, action, remark, width, other=None):
    value, length, bits = parse_match(match, where)
    if bits != width:
        raise UsageError(f"{where}: a match must have {width} bits, not {match!r}")
    if not re.fullmatch("[0-9]{1,9}", str(action)) or int(action) > MOST_ACTION:
        raise UsageError(f"{where}: action must be a number in 0..{MOST_ACTION}, not {action!r}")
    if other is not None and (not re.fullmatch("[0-9]{1,9}", str(other)) or int(other) > MOST_ACTION):
        raise UsageError(f"{where}: other must be a number in 0..{MOST_ACTION}, not {other!r}")
    return Entry(value, length, int(action), remark, None if other is None else int(other))


def _csv_tables(path):
    """Tables of a CSV file. The rows of a table give its actions their names, and must agree on the name of each action."""
    found = {}
    for where, name, match, action, title, remark, other in _csv_rows(path):
        width, entries, titles = found.setdefault(name, (parse_match(match, where)[2], [], {}))
        entry = _entry(where, match, action, remark, width, other or None)
        if titles.setdefault(entry.action, title) != title:
            raise UsageError(f"{where}: action {action} has the name {titles[entry.action]!r} in an earlier line, not {title!r}")
        entries.append(entry)
    if not found:
        raise UsageError(f"Table {path} has no entry")
    return [Table(name, width, _names(titles, entries), tuple(entries)) for name, (width, entries, titles) in found.items()]


def _names(titles, entries):
    """Names of the actions up to the greatest, those of second ports included."""
    greatest = max(max(titles), *(entry.other or 0 for entry in entries))
    return tuple(titles.get(action, "-") for action in range(greatest + 1))


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
                f"{where}: an entry must have table, match and action, and may have name, remark and other, not {','.join(row)!r}"
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


_KINDS = {"match": str, "action": int, "name": str, "remark": str, "other": int}


def _looks_well(row):
    return (
        type(row) is dict
        and len(row) - ("remark" in row) - ("other" in row) == 3
        and all(type(value) is _KINDS.get(key) for key, value in row.items())
        and row["action"] >= 0 <= row.get("other", 0)
    )


def _json_table(path, table):
    name, actions = table["table"], tuple(table["actions"])
    entries = []
    for number, row in enumerate(table["entries"], 1):
        where = f"{path}, {name}, entry {number}"
        entry = _entry(where, row["match"], row["action"], row.get("remark", ""), table["key_width"], row.get("other"))
        if entry.action < len(actions) and row["name"] != actions[entry.action]:
            raise UsageError(f"{where}: action {entry.action} is {actions[entry.action]!r}, not {row['name']!r}")
        entries.append(entry)
    made = Table(name, table["key_width"], actions, tuple(entries))
    if made.action_width != table["action_width"]:
        raise UsageError(
            f"{path}, {name}: {len(actions)} actions take an action_width of {made.action_width}, not {table['action_width']}"
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
    layers = 1 if "up" in head else head.get("layers", 1)
    if "port_bits" in head and len(table.actions) != layers << head["port_bits"]:
        raise UsageError(f"{where}: {layers} layers of {head['port_bits']} port bits make no {len(table.actions)} actions")
