"""How an option is declared: its type, range, default, text, placeholder, ending of file names, and what it needs.

An option is declared once. Command line, configuration files, JSON schemas, tables of pages, axes of sweeps and names of files
follow from the declaration. :mod:`dsnswitch.net.files.options` declares those of networks, switches and simulations.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from dsnswitch.net.checks import integer as checked_integer


@dataclass(frozen=True)
class Option:
    """One option."""

    #: ``integer``, ``number``, ``choice``, ``flag`` or ``text``.
    kind: str
    #: What it means. The first sentence is all that a long list of options shows.
    help: str
    #: None if it follows from other options.
    default: object = None
    #: Inclusive bounds of a number, but for ``low`` if it is ``open``.
    low: float | None = None
    high: float | None = None
    #: An integer is a multiple of it; a command line rounds up.
    step: int = 1
    #: The words of a choice.
    words: tuple[str, ...] = ()
    #: What the default means, or what it is if it follows from other options.
    note: str = ""
    #: A value, of an option that must be given.
    example: object = None
    #: What stands for the value in a list of options.
    unit: str = ""
    #: Ending of file names if the value is not the default; ``{}`` stands for the value.
    suffix: str = ""
    #: Other options and the values that they must have: ``{"lookup": ("table",)}``. True stands for any but off, and the least.
    needs: Any = None
    #: Its name on the command line, if it differs from the key.
    word: str = ""
    #: It may be repeated on a command line, and is a list in a file.
    many: bool = False
    #: The values of a text of a command line; it raises :class:`ValueError`.
    parse: Callable | None = None
    #: A text that may be written as a number in a sweep.
    or_integer: bool = False
    open: bool = False

    @property
    def usual(self):
        """The sentence about the default, or an empty text."""
        if self.default is None or self.default == ():
            return self.note and f"Default {self.note}."
        shown = self.default
        if self.kind == "flag":
            shown = "on" if shown else "off"
        elif self.kind == "number":
            shown = f"{shown:g}"
        return f"Default {shown}{self.note and f', {self.note}'}."

    @property
    def description(self):
        """What it means, and its default."""
        return f"{self.help} {self.usual}".rstrip()

    @property
    def brief(self):
        """The first sentence of the description, and the default in brackets."""
        first, _, _ = self.help.partition(". ")
        usual = self.usual.removeprefix("Default ").rstrip(".")
        return f"{first.rstrip('.')}. [{usual}]" if usual else f"{first.rstrip('.')}."

    @property
    def range(self):
        """The values that it takes, for tables of pages."""
        if self.words:
            return ", ".join(f"`{word}`" for word in self.words)
        if self.low is not None:
            return f"{self.low:,} to {self.high:,}"
        return {"flag": "yes or no"}.get(self.kind, self.unit or "text")

    @property
    def rule(self):
        """JSON schema of a value."""
        if self.words:
            return {"enum": list(self.words)}
        found = {"type": {"flag": "boolean", "text": "string"}.get(self.kind, self.kind)}
        if self.low is not None:
            found |= {"exclusiveMinimum" if self.open else "minimum": self.low, "maximum": self.high}
        if self.step > 1:
            found["multipleOf"] = self.step
        return found if self.example is None else found | {"examples": [self.example]}

    @property
    def schema(self):
        """JSON schema of the option."""
        rule = {"anyOf": [self.rule, {"type": "array", "items": self.rule}]} if self.many else self.rule
        found = {**rule, "description": self.description}
        return found if self.default is None or self.many else found | {"default": self.default}

    def checked(self, name, value):
        """The value of the option ``name``; the default for None. An option for ``many`` values takes one, or a sequence.

        Raises :class:`TypeError` for a wrong type, :class:`ValueError` for a wrong value.
        """
        if value is None:
            return self.default
        if not self.many:
            return self._checked(name, value)
        found = []
        for one in value if isinstance(value, list | tuple) else (value,):
            # A word of a command line may stand for several values.
            found += one if isinstance(one, tuple) else (one,)
        return tuple(dict.fromkeys(self._checked(name, one) for one in found))

    def _checked(self, name, value):
        if self.kind == "integer":
            return checked_integer(name, value, self.low, self.high)
        if self.kind == "number" and not (self.low <= value <= self.high and (value > self.low or not self.open)):
            limits = f"above {self.low:g} and at most {self.high:g}" if self.open else f"in {self.low:g}..{self.high:g}"
            raise ValueError(f"{name} must be {limits}, not {value:g}")
        if self.words and value not in self.words:
            raise ValueError(f"{name} must be one of {', '.join(self.words)}, not {value!r}")
        return value

    def ending(self, value):
        """What a file name has for a value."""
        return "" if value == self.default else self.suffix.format(value)


def integer(help, low, high, default=None, note="", **more) -> Any:
    """An integer in ``low..high``. ``note`` says what the default means. A mandatory one has an ``example``."""
    return Option("integer", help, default, low, high, note=note, **more)


def number(help, low, high, default=None, note="", **more) -> Any:
    """A finite number in ``low..high``."""
    return Option("number", help, default, low, high, note=note, **more)


def choice(help, words, default=None, optional=False, **more) -> Any:
    """One of ``words``. The first is the default, unless another one is given. An ``optional`` choice has no default."""
    words = tuple(words)
    return Option("choice", help, None if optional else default or words[0], words=words, **more)


def flag(help, default, **more) -> Any:
    """True or false."""
    return Option("flag", help, default, **more)


def text(help, default=None, **more) -> Any:
    """A string."""
    return Option("text", help, default, **more)


def refuse_unneeded(options, values):
    """Raise :class:`ValueError` if one of ``values`` is not the default and needs another value of another one of ``options``."""
    for name, one in options.items():
        value = values.get(name)
        if value is None or value == one.default:
            continue
        for other, words in (one.needs or {}).items():
            if other not in options:
                continue
            own = options[other].default if values.get(other) is None else values[other]
            what = name if one.kind == "flag" or one.many else f"{name} (= {value})"
            if words is True and (not own or own == options[other].low):
                raise ValueError(f"{what} needs {other}")
            if words is not True and own not in words:
                raise ValueError(f"{what} needs {other} = {' or '.join(words)}, not {own}")


class Options:
    """Base of dataclasses whose fields are options: their defaults are the declarations, and their values are checked.

    ::

        @dataclass(frozen=True, kw_only=True)
        class CoreOptions(Options):
            flit: int = integer("Bits of a flit.", 16, 512, 256)
    """

    #: Declarations by name.
    OPTIONS: ClassVar[dict] = {}

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Option)}
        cls.OPTIONS = cls.OPTIONS | own
        for name, one in own.items():
            setattr(cls, name, one.default)

    def __post_init__(self):
        for name, one in self.OPTIONS.items():
            object.__setattr__(self, name, one.checked(name, getattr(self, name)))
        refuse_unneeded(self.OPTIONS, vars(self))

    @classmethod
    def of(cls, values):
        """The options of a dictionary, in which other keys do not count."""
        return cls(**{name: values[name] for name in cls.OPTIONS if name in values})
