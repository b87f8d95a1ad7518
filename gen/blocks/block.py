"""The interface between a block and the generator. Command line, manifest and measuring flow use only this interface."""

from abc import ABC, abstractmethod
from typing import ClassVar

from ..errors import UsageError

__all__ = ["Block"]


class Block(ABC):
    """A configured block: a set of parameters from which the generator makes one top module.

    The first line of a block's docstring describes the block. ``dsnswitch blocks`` and the help print it.
    """

    #: Name of the block in the option ``--block``.
    block: ClassVar[str]
    #: Parameters of the configuration: name -> JSON schema.
    PROPERTIES: ClassVar[dict]
    #: Whether the recorded figures state the area of each module in the top, too.
    breakdown: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def resolve(cls, values):
        """Return the block for a dictionary with keys of :attr:`PROPERTIES`. An absent key has the default value.

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
        """Return the number ``values[key]``, or ``default``, after a check of the range in :attr:`PROPERTIES`.

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
        """Lines of the head comment. The first line begins with the name and a colon."""

    @property
    @abstractmethod
    def parameters(self):
        """Parameters in the spelling of the configuration, including defaults."""

    @abstractmethod
    def component(self):
        """Return a new component. It has ``latency`` (cycles), and may have ``results_per_cycle`` (default 1) and ``registers``.

        ``registers`` is the :class:`~dsnswitch.hdl.registers.RegisterMap` of the registers that software accesses, or None.
        """

    def interface(self):
        """Return the block's own part of the manifest: ``({port name: attributes}, {key: value})``. By default empty.

        A port has at least the attributes ``role`` and ``static``. Attributes that follow from the signature of the component are
        not repeated here: roles of streams and of links of flits, and fields of structures.
        """
        return {}, {}
