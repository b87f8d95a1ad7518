"""Statements of simulation in a user's sources, which slang refuses and synthesis ignores: copies of the files are without them.

slang reports their positions (:mod:`.copies`), so the same task is kept where it has a meaning: ``$error`` at elaboration ends
the synthesis, and so does ``$error`` that an initial block reaches.
"""

import os
import re
from pathlib import Path

from dsnswitch.lab.synth.copies import offset, read, report, write

_NAME = r"unsupported system task '(\$[\w$]+)'|unknown system name '(\$[\w$]+)'|(\$info|\$warning) encountered"

#: What slang says of delays and of event controls within a process.
_TIMING = "unsynthesizable timing control"

#: Tasks that only print, write or record, or end a simulation.
_TASKS = re.compile(
    r"\$(f?(display|write|strobe|monitor)[bho]?|monitor(on|off)|info|warning|error|fatal|finish|stop|exit|fflush|fclose"
    r"|writemem[bh]|timeformat|printtimescale|assert(on|off|kill|control)|dump\w+|vcdplus\w+|fsdb\w+|wlf\w+)"
)

#: Functions whose result is 0, because there are no files to write and no arguments of a simulator.
_FUNCTIONS = ("$fopen", "$test$plusargs", "$value$plusargs")

#: Tasks that report a mistake if an initial block reaches them, such as a wrong parameter.
_CHECKS = ("$error", "$fatal", "$finish", "$stop", "$exit")

#: A string or a comment; and one of these, or one character.
_HIDDEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_PIECE = re.compile(_HIDDEN.pattern + "|.", re.DOTALL)


def blank(folder) -> bool:
    """Remove the reported statements from the copies in the job's ``folder``; returns whether there was one.

    The report is removed, too. Paths in it are relative to the working directory.
    """
    edits = {}
    for entry in report(folder, remove=True):
        name = _name(entry)
        if name is None or _is_check(name, entry):
            continue
        for place in _places(entry):
            path, line, column = place.rsplit(":", 2)
            edits.setdefault(os.path.realpath(path), {})[int(line), int(column)] = name
    done = False
    for path, places in edits.items():
        text = read(path)
        changed = _without(text, places)
        if changed != text:
            write(folder, path, changed)
            done = True
    return done


def failed_check(folder) -> str | None:
    """A sentence about the first check in an initial block that failed, such as one of a parameter, or None."""
    for entry in report(folder):
        if _is_check(_name(entry), entry):
            path, line, column = entry["location"].rsplit(":", 2)
            text = read(path)
            start = offset(text, int(line), int(column))
            return f"{Path(path).name}:{line}: an initial block calls {' '.join(text[start : _end(text, start)].split())}"
    return None


def delays(folder) -> bool:
    """Whether delays are among what slang has refused."""
    return any(_is_delay(entry) for entry in report(folder) if entry["message"].startswith(_TIMING))


def event(folder) -> str | None:
    """A sentence about the first event control within a process, which ``--ignore-timing`` would drop, or None.

    Initial blocks may contain them, as stimuli of a simulation do.
    """
    for entry in report(folder):
        if entry["message"].startswith(_TIMING) and not _is_delay(entry):
            path, line, column = entry["location"].rsplit(":", 2)
            text = read(path)
            before = _HIDDEN.sub(" ", text[: offset(text, int(line), int(column))])
            if re.findall(r"\b(initial|final|always|always_ff|task|function)\b", before)[-1:] == ["initial"]:
                continue
            return f"{Path(path).name}:{line}: an event control within a process is not synthesized"
    return None


def _is_delay(entry):
    for place in _places(entry):
        path, line, column = place.rsplit(":", 2)
        text = read(path)
        if text.startswith("#", offset(text, int(line), int(column))):
            return True
    return False


def _places(entry):
    """Places in files; of a text from a macro, where the macro is used, and where it is defined."""
    return (entry["location"], *(macro["location"] for macro in entry.get("macroStack", ())))


def _name(entry):
    """Name of the task or function that an entry of the report is about, or None."""
    match = re.match(_NAME, entry["message"])
    name = match and next(filter(None, match.groups()))
    return name if name in _FUNCTIONS or _TASKS.fullmatch(name or "") else None


def _is_check(name, entry):
    # slang proposes to ignore initial blocks where it refuses a task in one.
    return name in _CHECKS and any("--ignore-initial" in note["message"] for note in entry.get("notes", ()))


def _without(text, places):
    """``text`` without the calls that begin at ``places``: ``{(line, column): name}``."""
    for (line, column), name in sorted(places.items(), reverse=True):
        start = offset(text, line, column)
        # Of a call from a macro, one of the places is where the macro is used.
        if re.match(re.escape(name) + r"(?![\w$])", text[start:]):
            end = _end(text, start)
            rest = re.sub(r"[^\n\\]|\\(?!\r?\n)", " ", text[start:end])
            value = "0" if name in _FUNCTIONS else " "
            text = text[:start] + value + rest[1:] + text[end:]
    return text


def _end(text, start):
    """Position after the call that begins at ``start``."""
    end = start + re.match(r"[\w$]+", text[start:]).end()
    arguments = re.match(r"(?:\s|\\(?=\r?\n))*\(", text[end:])
    if arguments is None:
        return end
    end += arguments.end()
    depth = 1
    while depth and (piece := _PIECE.match(text, end)):
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        end = piece.end()
    return end
