"""CSV of links: two columns with quotes or ``;``, or a header that names the columns of both ends, as that of Gephi."""

import csv
from typing import Any

from dsnswitch.net.files.formats.content import Content, append, wrong
from dsnswitch.net.messages import UsageError

#: Columns of the ends of a link.
_ENDS = (("source", "target"), ("source", "destination"), ("src", "dst"), ("src", "dest"), ("from", "to"))


def recognise(head: str) -> Any:
    """Whether the first line has two ends with quotes or ``;``, or names of columns with a separator."""
    line = next((line for line in head.splitlines() if line.strip() and line[0] != "#"), "")
    return line[:1] not in ("[", "{", "(") and _form(line)


def _form(line):
    """Separator and columns of a first line, and whether it is a header; None if it has another form."""
    for separator in ";\t,":
        try:
            words = _row(line, separator)
        except csv.Error:
            continue
        names = [word.lower() for word in words]
        for ends in _ENDS:
            if len(words) > 1 and all(names.count(end) == 1 for end in ends):
                return separator, [names.index(end) for end in ends], names
        if len(words) == 2 and all(words) and (separator == ";" or '"' in line):
            return separator, [0, 1], None
    return None


def _row(line, separator):
    words = next(csv.reader([line], delimiter=separator, strict=True, skipinitialspace=True), [])
    return [word.strip() for word in words]


def read(name: str, text: str) -> Content:
    """The :class:`Content` of a table. Other columns are ignored, but for ``type`` Directed: opposite links are then one link."""
    links, form, directed = [], None, False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line[0] == "#":
            continue
        if form is None:
            form = _form(line)
            if form is None:
                raise wrong(name, number, "expected two ends with quotes or ;, or a header such as source;target", line)
            separator, columns, header = form
            width = len(header or columns)
            if header:
                continue
        try:
            words = _row(line, separator)
        except csv.Error as error:
            raise UsageError(f"{name}, line {number}: this is not CSV: {error}") from None
        ends = tuple(words[column] for column in columns) if len(words) == width else ("",)
        if not all(ends):
            raise wrong(name, number, f"a row must have {width} columns, and a vertex at both ends of the link", line)
        if '"' in "".join(ends):
            raise wrong(name, number, "quotes must enclose a whole vertex", line)
        if header and {end.lower() for end in ends} & {header[column] for column in columns}:
            raise wrong(name, number, "a vertex must not have the name of a column", line)
        directed |= bool(header) and "type" in header and words[header.index("type")].lower() == "directed"
        append(links, ends, name, number)
    return Content(links, directed=directed or None)
