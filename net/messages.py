"""The error of the command line: one line that names the rule and the value, and exit status 2. And notes beside a result."""

import sys
from contextlib import contextmanager


class UsageError(Exception):
    """The user's request cannot be carried out. The message is one line."""


@contextmanager
def refusing(errors=ValueError):
    """Context in which an exception of the types ``errors`` becomes a :class:`UsageError` with the same text."""
    try:
        yield
    except errors as error:
        raise UsageError(str(error)) from None


def note(text):
    """Print a line of at most 200 characters on standard error beside the result."""
    print(shortened(printable(f"dsnswitch: {text}"), 200), file=sys.stderr)


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


def unwatched(items, label, length=None):
    """The default of ``bar``, a parameter of long computations: an iterator over ``items``, which may show progress.

    This one shows none. ``length`` is the number of items if they have no length.
    """
    return items
