"""Text files that the user gives."""

from pathlib import Path

from .errors import UsageError

__all__ = ["read_text"]


def read_text(path, what):
    """Text of a file.

    Raises
    ------
    UsageError
        If it cannot be read or is not UTF-8; the message names ``what`` it is, and the path.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{what} {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{what} {path} is not text") from None
