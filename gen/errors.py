"""The one error of the command line: a line that names the rule and the value, exit status 2."""

__all__ = ["UsageError"]


class UsageError(Exception):
    """What the user asked for cannot be done. The message is one line."""
