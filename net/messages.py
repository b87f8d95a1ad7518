"""The error of the command line: one line that names the rule and the value, and exit status 2. And notes beside a result."""

import sys
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache

#: Characters of an error or a note. A line with the path of a file deep in a tree is not cut.
MOST_LINE = 300


class UsageError(Exception):
    """The user's request cannot be carried out. The message is one line."""


@contextmanager
def refusing(errors=ValueError):
    """Context in which an exception of the types ``errors`` becomes a :class:`UsageError` with the same text."""
    try:
        yield
    except errors as error:
        raise UsageError(str(error)) from None


@cache
def note(text):
    """Print a line of at most :data:`MOST_LINE` characters on standard error beside the result, once for each command."""
    print(shortened(printable(f"dsnswitch: {text}"), MOST_LINE), file=sys.stderr)


def printable(text):
    """``text`` with an escape sequence (``\\n``, ``\\x1b``, ``\\ud800``) for each character that cannot be printed."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def shortened(text, most):
    """``text``, or its first and last characters around `` ... `` if it has more than ``most``."""
    if len(text) <= most:
        return text
    gap = " ... "
    head = (most - len(gap)) * 2 // 3
    return text[:head] + gap + text[len(text) - (most - len(gap) - head) :]


#: How like the word must be that a message suggests: the ratio of :class:`difflib.SequenceMatcher`.
LEAST_LIKENESS = 0.7


def closest(word, known):
    """The one of the ``known`` words that ``word`` most likely means, or None. Leading hyphens and case do not count."""
    plain = {name.lstrip("-").lower(): name for name in known}
    found = get_close_matches(word.lstrip("-").lower(), plain, 1, LEAST_LIKENESS)
    return plain[found[0]] if found else None


def nearest(word, known, more):
    """The end of a message about an unknown ``word``: the closest of the ``known`` words; ``more`` says what lists all."""
    return suggested(closest(word, known), more)


def suggested(word, more):
    """The end of a message that suggests a word, or None, and says what lists all."""
    return f"; did you mean {word}? {more}" if word else f"; {more}"


def listed(words):
    """``a``, ``a and b``, or ``a, b and c``."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def unwatched(items, label, length=None):
    """The default of ``bar``, a parameter of long computations: an iterator over ``items``, which may show progress.

    This one shows none. ``length`` is the number of items if they have no length.
    """
    return items
