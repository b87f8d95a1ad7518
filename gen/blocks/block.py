"""The interface of a block to the generator: the command line, the manifest and the measuring flow use only this."""

from abc import ABC, abstractmethod
from typing import ClassVar

from ..errors import UsageError

__all__ = ["Block"]


class Block(ABC):
    """A configured block: a set of parameters that makes one top module.

    The first line of a block's docstring says what the block is: ``dsnswitch blocks`` and the help print it.
    """

    #: Name that ``--block`` takes.
    block: ClassVar[str]
    #: Parameters that its configuration may have: JSON schema of each, by name.
    PROPERTIES: ClassVar[dict]

    @classmethod
    @abstractmethod
    def resolve(cls, values):
        """The block of a dictionary with keys of :attr:`PROPERTIES`; absent means the default.

        Raises
        ------
        UsageError
            If the values contradict each other or are out of range.
        """

    @classmethod
    def summary(cls):
        """Return the first line of the block's docstring, which describes the block."""
        return cls.__doc__.partition("\n")[0]

    @classmethod
    def number(cls, values, key, default=None):
        """The number ``values[key]``, or ``default``, within the range that :attr:`PROPERTIES` gives.

        Raises
        ------
        UsageError
            If it is missing without a default, or out of range.
        """
        rule, value = cls.PROPERTIES[key], values.get(key)
        value = default if value is None else value
        if value is None:
            raise UsageError(f"Block {cls.block} needs {key}")
        if not rule["minimum"] <= value <= rule["maximum"]:
            raise UsageError(f"{key} must be in {rule['minimum']}..{rule['maximum']}, not {value}")
        return value

    @property
    @abstractmethod
    def name(self):
        """Name of the top module."""

    @property
    @abstractmethod
    def description(self):
        """Lines of the head comment; the first begins with the name and a colon."""

    @property
    @abstractmethod
    def parameters(self):
        """Parameters as the configuration spells them, defaults filled in."""

    @abstractmethod
    def component(self):
        """A new component. It has ``latency`` (cycles) and may have ``results_per_cycle`` (default 1)."""

    @abstractmethod
    def interface(self):
        """The block's own part of the manifest: ``({port name: attributes}, {key: value})``.

        Attributes of a port are at least ``role`` and ``static``.
        """
