"""Reads users' files: limited size and depth, UTF-8, and only values that every output can represent."""

import json
import math
import tomllib
from typing import Any
from xml.parsers import expat

from dsnswitch.net.messages import UsageError, printable

#: Maximum number of bytes of a data file (graph, tables), and of a file that people write (configuration, budgets).
MOST_DATA, MOST_SETTINGS = 64 << 20, 64 << 10

#: Maximum nesting of lists, objects or elements.
MOST_DEPTH = 32

#: Maximum number of bits of an integer, without its sign.
MOST_BITS = 63


def read_text(path, what, most=MOST_DATA) -> str:
    """Text of a file of at most ``most`` bytes. No more than one further byte is read.

    Raises :class:`UsageError` if it cannot be read, is too long or is not UTF-8. The message begins with ``what``, the kind of
    file, and the path.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise UsageError(f"{what} {path} must have at most {most} bytes; it has more")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{what} {path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{what} {path} is not text") from None
    except ValueError as error:
        raise UsageError(f"{what} {path} cannot be read: {error}") from None


def read_json(path, what, most=MOST_DATA) -> Any:
    """Value of a JSON file. Keys of an object must be unique, and numbers finite and of limited size."""
    return parse_json(path, what, read_text(path, what, most))


def parse_json(path, what, text) -> Any:
    """The value of the text of a JSON file, as :func:`read_json`."""
    return _parsed(path, what, lambda: json.loads(text, object_pairs_hook=_once, parse_constant=_no_number))


def read_toml(path, what, most=MOST_SETTINGS) -> Any:
    """Value of a TOML file, by the rules of :func:`read_json`."""
    text = read_text(path, what, most)
    return _parsed(path, what, lambda: tomllib.loads(text))


def _parsed(path, what, parse):
    try:
        value = parse()
        _check(value)
    except RecursionError:
        raise UsageError(f"{what} {path} must have at most {MOST_DEPTH} levels of nesting; it has more") from None
    except ValueError as error:
        raise UsageError(f"{what} {path} is malformed: {str(error).splitlines()[0]}") from None
    return value


def _once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise ValueError(f"an object must have each key once, not {twice!r} twice")
    return found


def _no_number(word):
    raise ValueError(f"{word} is not a number")


def _check(value):
    """Refuse values that parsers accept but outputs cannot represent.

    The function visits the value level by level and not recursively, so a deep value needs no deep stack.
    """
    level = [value]
    for _ in range(MOST_DEPTH + 1):
        level = [part for item in level for part in _parts(item)]
        if not level:
            return
    raise ValueError(f"it must have at most {MOST_DEPTH} levels of nesting; it has more")


def _parts(item):
    if isinstance(item, dict):
        return (*item, *item.values())
    if isinstance(item, list):
        return item
    if isinstance(item, str) and not item.isascii():
        try:
            item.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{printable(item)[:40]!r} holds half of a surrogate pair") from None
    if isinstance(item, int) and item.bit_length() > MOST_BITS:
        raise ValueError(f"an integer must have at most {MOST_BITS} bits, not {item.bit_length()}")
    if isinstance(item, float) and not math.isfinite(item):
        raise ValueError(f"a number must be finite, not {item}")
    return ()


def scan_xml(name, text, start, end) -> None:
    """Call ``start(path, attributes, line)`` and ``end(path, content)`` for each element of an XML text.

    ``path`` contains the names of the enclosing elements and of the element, outermost first, without namespaces. ``content`` is
    the character data of the element without that of its child elements.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    path, content = [], [[]]

    def opened(tag, attributes):
        path.append(tag.rpartition(" ")[2])
        content.append([])
        if len(path) > MOST_DEPTH:
            raise UsageError(f"{name} must have at most {MOST_DEPTH} levels of nesting; it has more")
        start(tuple(path), attributes, parser.CurrentLineNumber)

    def closed(_):
        end(tuple(path), "".join(content.pop()))
        path.pop()

    def data(part):
        content[-1].append(part)

    def document_type(*_):
        raise UsageError(f"{name}, line {parser.CurrentLineNumber}: a document type declaration is not allowed")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = opened, closed, data
    parser.StartDoctypeDeclHandler = document_type
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise UsageError(f"{name} is not XML: {error}") from None


def breaches(schema, value) -> Any:
    """Errors of jsonschema for ``value`` against ``schema``, one by one. In contrast to JSON Schema, 7.0 is not an integer."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    def is_integer(_, found):
        return isinstance(found, int) and not isinstance(found, bool)

    types = Draft202012Validator.TYPE_CHECKER.redefine("integer", is_integer)
    return extend(Draft202012Validator, type_checker=types)(schema).iter_errors(value)


def read_valid(path, subject, schema) -> Any:
    """The value of the JSON file at ``path``, which must obey ``schema``; ``subject`` begins the messages."""
    found = read_json(path, subject)
    for error in breaches(schema, found):
        raise UsageError(f"{subject} {path}, {error.json_path}: {error.message}")
    return found
