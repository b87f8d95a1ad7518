"""The error of the command line: one line that names the rule and the value, and exit status 2."""

__all__ = ["UsageError"]


class UsageError(Exception):
    """The user's request cannot be carried out. The message is one line."""
