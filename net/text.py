"""Text that is safe in a terminal and in a comment: no control characters, limited length."""

__all__ = ["printable", "shortened"]


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
