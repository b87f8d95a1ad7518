"""Parameters as entries of a JSON schema. The default is stated here once; the description ends with it.

A default that follows from other parameters is part of the description only.
"""


def integer(description, low, high, default=None, note="", example=None):
    """An integer in ``low..high``. ``note`` says what the default means. A mandatory parameter has an ``example``."""
    rule = {"type": "integer", "minimum": low, "maximum": high}
    return _entry(rule if example is None else rule | {"examples": [example]}, description, default, note=note)


def choice(description, values, default=None, optional=False):
    """One of ``values``, which are strings. The first is the default, unless another one is given.

    An ``optional`` choice has no default.
    """
    values = list(values)
    return _entry({"enum": values}, description, None if optional else default or values[0])


def flag(description, default):
    """True or false."""
    return _entry({"type": "boolean"}, description, default, "on" if default else "off")


def text(description, default=None, example=None):
    """A string. A mandatory parameter has an ``example``."""
    rule = {"type": "string"}
    return _entry(rule if example is None else rule | {"examples": [example]}, description, default)


def _entry(rule, description, default, spelling=None, note=""):
    if default is None:
        return {**rule, "description": description}
    sentence = f"Default {default if spelling is None else spelling}{note and f', {note}'}."
    return {**rule, "description": f"{description} {sentence}", "default": default}
