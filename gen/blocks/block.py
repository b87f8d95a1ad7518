"""The interface between a block and the generator. Command line, manifest and measuring flow use only this interface."""

from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, ClassVar

from dsnswitch.net.messages import UsageError, listed, refusing


@dataclass(frozen=True)
class Block:
    """A configured block: a set of parameters from which the generator makes one top module.

    A block states what differs from the defaults here. The first line of its docstring describes it; ``dsnswitch blocks`` and the
    help print it.
    """

    #: Name of the block in the option ``--block``.
    block: ClassVar[str]
    #: Parameters of the configuration: name -> :class:`~dsnswitch.net.options.Option`.
    OPTIONS: ClassVar[dict] = {}
    #: Module and class of the component, such as ``hdl.pcs.pcs257:Pcs257Tx``. The module is imported when a component is made.
    gateware: ClassVar[str]
    #: Lines of the head comment, without the name before the first. ``{self.n}`` stands for an attribute.
    about: ClassVar[tuple]
    #: Roles of ports in the manifest: port -> attributes, at least ``role`` and ``static``. Attributes that follow from the
    #: signature of the component are not repeated: roles of streams and of links of flits, and fields of structures.
    roles: ClassVar[dict] = {}
    #: The block's own entries of the manifest.
    facts: ClassVar[dict] = {}
    #: End of the name of the top module.
    suffix: ClassVar[str] = ""
    #: Whether the recorded figures state the area of each module in the top, too.
    breakdown: ClassVar[bool] = False

    @classmethod
    def resolve(cls, values: dict[str, Any]) -> Any:
        """Return the block for a dictionary with keys of :attr:`OPTIONS`. An absent key has the default value."""
        return cls(*(cls.value(values, key) for key in cls.OPTIONS))

    @classmethod
    def summary(cls):
        """Return the first line of the block's docstring, which describes the block."""
        return cls.__doc__.partition("\n")[0]

    @classmethod
    def default(cls, key) -> Any:
        """Return the default in :attr:`OPTIONS`; None if there is none."""
        return cls.OPTIONS[key].default

    @classmethod
    def optional(cls, values, key) -> Any:
        """Return ``values[key]``; if it is absent or None, the default, which may be None. Range and choice are checked."""
        # Blocks may have different words for a choice, so the message names the block.
        one = cls.OPTIONS[key]
        with refusing((TypeError, ValueError)):
            return one.checked(f"{key} of {cls.block}" if one.words else key, values.get(key))

    @classmethod
    def value(cls, values, key) -> Any:
        """As :meth:`optional`, for a parameter that must be given if it has no default."""
        value = cls.optional(values, key)
        if value is None:
            needed = {key: one.example for key, one in cls.OPTIONS.items() if one.example is not None}
            examples = ", ".join(f"{key} {example}" for key, example in needed.items())
            missing = listed(key for key in needed if values.get(key) is None)
            raise UsageError(f"Block {cls.block} needs {missing}; an example: {examples}")
        return value

    @property
    def name(self) -> str:
        """Name of the top module."""
        return self.block.replace("-", "_") + self.suffix

    @property
    def description(self) -> Any:
        """Lines of the head comment. The first line begins with the name and a colon."""
        first, *rest = (line.format(self=self) for line in self.about)
        return f"{self.name}: {first}", *rest

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters in the spelling of the configuration, including defaults. By default the attributes of the same names."""
        return {key: getattr(self, key) for key in self.OPTIONS}

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of the component by name. By default all fields of the block."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def component(self) -> Any:
        """Return a new component. It has ``latency`` (cycles), and may have ``results_per_cycle`` (default 1) and ``registers``.

        ``registers`` is the :class:`RegisterMap` of the registers that software accesses, or None.
        """
        module, _, name = self.gateware.partition(":")
        return getattr(import_module(f"dsnswitch.{module}"), name)(**self.arguments)

    def interface(self) -> tuple[dict, dict]:
        """Return the block's own part of the manifest: ``(roles, facts)``."""
        return self.roles, self.facts


def code_of(block, values, named, parts, make):
    """The error-correcting code of the ``values`` of a class of blocks: one of ``named``, or ``make(*parts)``.

    It is the first of ``named`` if neither the key ``code`` nor parts are given.
    """
    name = block.optional(values, "code")
    given = [key for key in parts if values.get(key) is not None]
    if not given:
        return named[name or next(iter(named))]
    if name:
        raise UsageError(f"code and {given[0]} cannot be given together")
    found = {key: block.optional(values, key) for key in parts}
    missing = [key for key, value in found.items() if value is None]
    if missing:
        raise UsageError(f"Block {block.block} needs {listed(missing)} too, or code alone: {', '.join(named)}")
    with refusing():
        return make(*found.values())


def ports(role, *names, static=False, **more):
    """Roles of several ports with the same role; ``more`` are their other attributes."""
    return {name: {"role": role, "static": static, **more} for name in names}


def flags(role, *names):
    """Roles of several one-bit ports with the same role."""
    return ports(role, *names, encoding="flag")


def counters(*names):
    """Roles of saturating event counters, and of the input that sets them to 0."""
    return ports("counter", *names, encoding="unsigned") | flags("clear", "clear")


def table_ports(*writes, **key):
    """Roles of the ports of a table: those that write it, ``key`` with these attributes, ``action`` and ``hit``."""
    return ports("table-write", *writes) | ports("key", "key", **key) | ports("action", "action") | flags("hit", "hit")


def node_suffix(node) -> str:
    """``_at_1_2_3`` for specialised logic of the node (1, 2, 3); empty for universal logic, whose node is None."""
    return "" if node is None else "_at_" + "_".join(map(str, node))
