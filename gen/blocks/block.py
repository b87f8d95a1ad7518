"""The interface between a block and the generator. Command line, manifest and measuring flow use only this interface."""

from abc import ABC, abstractmethod
from typing import ClassVar

from dsnswitch.net.messages import UsageError

__all__ = ["Block", "counters", "flags", "node_suffix"]


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
    def default(cls, key):
        """Return the default in :attr:`PROPERTIES`; None if there is none."""
        return cls.PROPERTIES[key].get("default")

    @classmethod
    def optional(cls, values, key):
        """Return ``values[key]``; if it is absent or None, the default, which may be None. The range of an integer is checked.

        Raises
        ------
        UsageError
            If an integer is out of range.
        """
        rule, value = cls.PROPERTIES[key], values.get(key)
        if value is None:
            return cls.default(key)
        if "minimum" in rule and not rule["minimum"] <= value <= rule["maximum"]:
            raise UsageError(f"{key} must be in {rule['minimum']}..{rule['maximum']}, not {value}")
        return value

    @classmethod
    def value(cls, values, key):
        """As :meth:`optional`, for a parameter that must be given if it has no default.

        Raises
        ------
        UsageError
            If it is missing without a default, or an integer is out of range.
        """
        value = cls.optional(values, key)
        if value is None:
            raise UsageError(f"Block {cls.block} needs {key}")
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
    def parameters(self):
        """Parameters in the spelling of the configuration, including defaults. By default the attributes of the same names."""
        return {key: getattr(self, key) for key in self.PROPERTIES}

    @abstractmethod
    def component(self):
        """Return a new component. It has ``latency`` (cycles), and may have ``results_per_cycle`` (default 1) and ``registers``.

        ``registers`` is the :class:`RegisterMap` of the registers that software accesses, or None.
        """

    def interface(self):
        """Return the block's own part of the manifest: ``({port name: attributes}, {key: value})``. By default empty.

        A port has at least the attributes ``role`` and ``static``. Attributes that follow from the signature of the component are
        not repeated here: roles of streams and of links of flits, and fields of structures.
        """
        return {}, {}


# Roles of ports that many blocks have: flags and counters.


def flags(role, *names):
    """Roles of several one-bit ports with the same role."""
    return {name: {"role": role, "static": False, "encoding": "flag"} for name in names}


def counters(*names):
    """Roles of saturating event counters, and of the input that sets them to 0."""
    return {name: {"role": "counter", "static": False, "encoding": "unsigned"} for name in names} | flags(
        "clear", "clear"
    )


# Parts of the names of top modules that depend on the network.


def node_suffix(node):
    """``_at_1_2_3`` for specialised logic of the node (1, 2, 3); empty for universal logic, whose node is None."""
    return "" if node is None else "_at_" + "_".join(map(str, node))
