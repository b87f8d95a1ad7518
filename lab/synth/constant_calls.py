"""Constants that slang executes statement by statement: calls of functions in loops of processes, and arrays of initial blocks.

slang computes a function of constants at once, but in a loop of a process it executes each of its statements: the masks of a CRC
of 64 bits take 40 seconds, and a quarter of a second as entries of a table (:func:`tables`). An array that it takes for a memory
has no value in an initial block that computes it (:func:`arrays`). Both changes are made in copies of the sources.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from dsnswitch.lab.synth.copies import offset, read, report, write

#: Strings and comments.
_HIDDEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)

_TOKEN = re.compile(r"[A-Za-z_$][\w$]*|\d[\w']*|[^\s\w]")

_INITIALIZER = re.compile(r"\s*(?:(?:var\s+)?(?P<type>\w[^=]*?)\s+)?(?P<name>[A-Za-z_][\w$]*)\s*=(?P<first>[^=].*)", re.DOTALL)

_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
_BLOCKS = ("begin", "fork", "case", "casez", "casex", "randcase")
_ENDS = ("end", "join", "join_any", "join_none", "endcase")

#: Message of slang about an array without a value.
_VALUE = "evaluation does not resolve to a constant in design initialization"


@dataclass(frozen=True)
class _Loop:
    """A ``for`` loop: the type of its variable, if the header declares it; the variable, its bounds, the parts of the header."""

    type: str | None
    name: str
    bounds: tuple[str, str]
    header: tuple[str, str, str]


def tables(folder) -> list:
    """Replace calls of the functions that exhausted the limit of loops by entries of tables, where the arguments are constant.

    The result is the pairs of path and text with which :func:`restore` undoes it: whether an argument is constant is known when
    slang has read the tables.
    """
    names, paths = set(), {os.path.realpath(entry.path) for entry in os.scandir(folder) if entry.name.startswith("source_")}
    for entry in report(folder):
        if entry["message"].startswith("unroll limit"):
            for place in (entry, *entry.get("notes", ())):
                path, line, column = place["location"].rsplit(":", 2)
                paths.add(os.path.realpath(path))
                names |= _function_at(_plain(read(path)), int(line), int(column))
    undo = []
    for path in sorted(paths) if names else ():
        text = read(path)
        changed = _with_tables(text, names)
        if changed != text:
            undo += [(copy, text) for copy in write(folder, path, changed)]
    return undo


def restore(undo) -> None:
    """Undo :func:`tables`."""
    for path, text in undo:
        Path(path).write_bytes(text.encode("latin-1"))


def arrays(folder) -> bool:
    """Keep arrays that an initial block reads from becoming memories; returns whether there was a new one.

    slang takes an array for a memory as long as nothing outside of initial blocks uses the whole of it.
    """
    edits: dict[str, dict[str, int]] = {}
    for entry in report(folder):
        if _VALUE in entry["message"]:
            path, line, column = entry["location"].rsplit(":", 2)
            text = read(path)
            start = offset(text, int(line), int(column))
            array = re.match(r"[A-Za-z_][\w$]*", text[start:])
            blocks = [match.start() for match in re.finditer(r"\binitial\b", _plain(text)[:start])]
            if array and blocks:
                edits.setdefault(os.path.realpath(path), {})[array[0]] = blocks[-1]
    done = False
    for path, names in edits.items():
        text = changed = read(path)
        for name, position in sorted(names.items(), key=lambda item: -item[1]):
            declaration = f"wire dsnswitch_bits_{name} = $bits({name}); "
            if declaration not in text:
                changed = changed[:position] + declaration + changed[position:]
        if changed != text:
            write(folder, path, changed)
            done = True
    return done


def _plain(text):
    """``text`` with blanks for strings and comments."""
    return _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _function_at(text, line, column):
    """The name of the function that contains a place, as a set, which is empty outside of functions."""
    words = list(re.finditer(r"\b(end)?function\b", text[: offset(text, line, column)]))
    if not words or words[-1][1]:
        return set()
    return {re.findall(r"[A-Za-z_][\w$]*", re.split(r"[(;]", text[words[-1].end() :])[0])[-1]}


def _with_tables(text, names):
    """``text`` with a table for each call of functions ``names`` in loops of processes, if its form allows one."""
    plain = _plain(text)
    tokens = list(_TOKEN.finditer(plain))
    words = [token[0] for token in tokens]
    edits = []
    for start, word in enumerate(words):
        if word not in ("always", "always_comb", "always_ff", "always_latch"):
            continue
        end = _statement(words, start + 1)
        loops = {index: _loop(text, tokens, words, index) for index in range(start, end) if words[index] == "for"}
        for call in range(start, end):
            if words[call] in names and words[call + 1 : call + 2] == ["("] and words[call - 1] not in (".", ":"):
                around = [loops[index] for index in loops if index < call < _statement(words, index)]
                first, last = tokens[call].start(), tokens[_after(words, call + 1) - 1].end()
                table = _table(text[first:last], around, f"dsnswitch_{len(edits)}_")
                if table:
                    edits.append((first, last, table[1]))
                    edits.append((_item(plain, tokens[start].start()), None, table[0]))
    for first, last, value in sorted(edits, key=lambda edit: edit[0], reverse=True):
        text = text[:first] + value + text[first if last is None else last :]
    return text


def _table(call, loops, stem):
    """Declarations of a table of a call within ``loops``, and the entry that replaces the call, or None."""
    if None in loops:
        return None
    used = [loop for loop in loops if re.search(rf"\b{re.escape(loop.name)}\b", call)]
    if not used:
        return None
    new = {loop.name: f"{stem}{index}" for index, loop in enumerate(used)}

    def renamed(text, names=new):
        return re.sub(r"(?<![\w$.])[A-Za-z_][\w$]*", lambda match: names.get(match[0], match[0]), text)

    sizes = "".join("[({0}) < ({1}) ? ({0}) : ({1}) : ({0}) < ({1}) ? ({1}) : ({0})]".format(*loop.bounds) for loop in used)
    variables = "".join(f"var {loop.type or f'type({loop.name})'} {new[loop.name]}; " for loop in used)
    headers = "".join(f"for ({renamed('; '.join(loop.header))}) " for loop in used)
    entry = "".join(f"[{name}]" for name in new.values())
    zero = renamed(call, dict.fromkeys(new, "(0)"))
    declarations = (
        f"typedef type({zero}) {stem}entry; typedef {stem}entry {stem}type {sizes}; "
        f"function automatic {stem}type {stem}all(); {variables}{headers}{stem}all{entry} = {renamed(call)}; endfunction "
        f"localparam {stem}type {stem}table = {stem}all(); "
    )
    return declarations.replace("\n", " "), f"{stem}table" + "".join(f"[{name}]" for name in new) + "\n" * call.count("\n")


def _loop(text, tokens, words, index):
    """The loop at a token ``for``, or None if its header has another form than a variable with bounds."""
    end = _after(words, index + 1)
    parts = text[tokens[index + 1].end() : tokens[end - 1].start()].split(";")
    if len(parts) != 3:
        return None
    first = _INITIALIZER.fullmatch(parts[0])
    last = first and re.fullmatch(rf"\s*{re.escape(first['name'])}\s*(?:[<>]=?|!=)(?P<last>[^=<>].*)", parts[1], re.DOTALL)
    if not last:
        return None
    header = (f"{first['name']} ={first['first']}", parts[1], parts[2])
    return _Loop(first["type"], first["name"], (first["first"].strip(), last["last"].strip()), header)


def _item(plain, position):
    """Position of the item of a module that begins at ``position``, or of its attributes."""
    before = plain[:position].rstrip()
    return before.rindex("(*") if before.endswith("*)") else position


def _after(words, index):
    """Index after the bracket at ``index`` and what it encloses."""
    depth = 0
    for end in range(index, len(words)):
        depth += (words[end] in _OPENING) - (words[end] in _CLOSING)
        if depth == 0:
            return end + 1
    return len(words)


def _statement(words, index):
    """Index after the statement at ``index``."""
    if index >= len(words):
        return index
    word = words[index]
    if word in _BLOCKS:
        depth = 0
        for end in range(index, len(words)):
            depth += (words[end] in _BLOCKS) - (words[end] in _ENDS)
            if depth == 0:
                return end + 1
        return len(words)
    if word in ("for", "while", "repeat", "foreach"):
        return _statement(words, _after(words, index + 1))
    if word == "if":
        end = _statement(words, _after(words, index + 1))
        return _statement(words, end + 1) if words[end : end + 1] == ["else"] else end
    if word in ("@", "#"):
        return _statement(words, _after(words, index + 1) if words[index + 1 : index + 2] == ["("] else index + 2)
    if word in ("unique", "unique0", "priority"):
        return _statement(words, index + 1)
    if words[index + 1 : index + 2] == [":"]:
        return _statement(words, index + 2)
    depth = 0
    for end in range(index, len(words)):
        depth += (words[end] in _OPENING) - (words[end] in _CLOSING)
        if words[end] == ";" and depth == 0:
            return end + 1
    return len(words)
