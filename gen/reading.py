"""Files that the user gives: their text, and what of it breaks a schema."""

from pathlib import Path

from .errors import UsageError

__all__ = ["breaches", "read_text"]


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


def breaches(schema, value):
    """Errors of jsonschema, one by one: what of ``value`` breaks ``schema``. Unlike in JSON Schema 7.0 is no integer."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    def is_integer(_, found):
        return isinstance(found, int) and not isinstance(found, bool)

    types = Draft202012Validator.TYPE_CHECKER.redefine("integer", is_integer)
    return extend(Draft202012Validator, type_checker=types)(schema).iter_errors(value)
