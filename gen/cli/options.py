"""Options of the commands: one for each parameter of each block, and the configuration file whose values they override."""

import functools
import math

import click

from dsnswitch.gen.blocks import BLOCKS, DEFAULT
from dsnswitch.gen.config import build, load
from dsnswitch.net.files.parameters import CLASSES, PROPERTIES, PROPERTY, network, relation
from dsnswitch.net.messages import shortened

__all__ = [
    "NAMED",
    "Finite",
    "block_options",
    "graph_options",
    "maybe_network_options",
    "network_options",
    "option_of",
    "relation_options",
]


class Finite(click.FloatRange):
    """A number within a range. Infinity and NaN are refused; the comparisons of a range would accept NaN."""

    name = "number"

    def convert(self, value, param, ctx):
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return found


#: Key in the ``meta`` of a context: whether the user has named a block.
NAMED = f"{__name__}.named"


class _Integer(click.types.IntParamType):
    """A decimal number of at most 18 digits, or a hexadecimal number after 0x, which is the usual form of a polynomial."""

    def convert(self, value, param, ctx):
        if isinstance(value, str):
            if len(value) > 18:
                self.fail(f"{shortened(value, 40)!r} has more than 18 digits.", param, ctx)
            if value.lower().startswith("0x"):
                try:
                    return int(value, 16)
                except ValueError:
                    pass
        return super().convert(value, param, ctx)


def _flags(key):
    return [f"-{key}", f"--{key}"] if len(key) == 1 else [f"--{key.replace('_', '-')}"]


def option_of(key, rules):
    """``(names, attributes)`` of the option for parameter ``key``.

    ``rules`` maps the name of each block that has the parameter, or ``network``, to the parameter's schema.
    """
    rule = next(iter(rules.values()))
    texts = dict.fromkeys(rule["description"] for rule in rules.values())
    described = " ".join(
        text
        if len(texts) == 1
        else f"[{', '.join(name for name in rules if rules[name]['description'] == text)}] {text}"
        for text in texts
    )
    if rule.get("type") == "boolean":
        return (f"--{key}/--no-{key}", key), {"default": None, "help": described}
    kind = click.Choice(rule["enum"]) if "enum" in rule else {"integer": _Integer(), "string": str}[rule["type"]]
    return (*_flags(key), key), {"type": kind, "help": described, "metavar": rule.get("metavar")}


def _with_options(command, keys):
    for key, rules in reversed(keys.items()):
        names, attributes = option_of(key, rules)
        command = click.option(*names, **attributes)(command)
    return click.option("--config", "config", metavar="FILE", help="TOML or JSON file with the same keys.")(command)


def _given(config, values, keys, default=DEFAULT):
    chosen = {key: values.pop(key) for key in keys}
    return (load(config, chosen.get("block") or default) if config else {}) | {
        key: value for key, value in chosen.items() if value is not None
    }


def network_options(command):
    """Decorate a command with the options of a network; its first argument is the :class:`Network`."""

    @functools.wraps(command)
    def run(config, **values):
        return command(network(_given(config, values, PROPERTIES)), **values)

    return _with_options(run, {key: {"network": rule} for key, rule in PROPERTIES.items()})


def graph_options(command):
    """As :func:`network_options`, with the options of a graph of a file."""

    @functools.wraps(command)
    def run(config, graph_form, hosts, **values):
        return command(network(_given(config, values, PROPERTIES), graph_form, hosts), **values)

    return _with_options(_with_graph_options(run), {key: {"network": rule} for key, rule in PROPERTIES.items()})


def _with_graph_options(command):
    command = click.option(
        "--hosts", type=click.IntRange(0), default=0, help="Number of hosts in an edge list: its vertices from 0."
    )(command)
    return click.option(
        "--graph-format", "graph_form", help="edges, graphml or anynet. Default: by the content of the graph's file."
    )(command)


def relation_options(command):
    """Decorate a command with the options of a network and its routing; its first argument is the :class:`Relation`."""
    keys = {key: {"network": rule} for key, rule in {**PROPERTIES, "routing": PROPERTY, "classes": CLASSES}.items()}

    @functools.wraps(command)
    def run(config, **values):
        return command(relation(_given(config, values, keys)), **values)

    return _with_options(run, keys)


def maybe_network_options(command):
    """As :func:`graph_options`; the first argument is None if no option of a network is given.

    The options of a graph are passed on, because another option may name its file.
    """

    @functools.wraps(command)
    def run(config, graph_form, hosts, **values):
        given = _given(config, values, PROPERTIES)
        found = network(given, graph_form, hosts) if given else None
        return command(found, graph_form=graph_form, hosts=hosts, **values)

    return _with_options(_with_graph_options(run), {key: {"network": rule} for key, rule in PROPERTIES.items()})


def block_options(required=True, default=DEFAULT):
    """Decorate a command with ``--block`` and the options of all blocks; its first argument is the block.

    If ``required`` is false and no option is given, the argument is None. The block is ``default`` if neither the command line
    nor the configuration file names one. The command is a :class:`BlockCommand`.
    """
    which = f"Which block: dsnswitch blocks lists them. Default {default}. With --help, only its parameters are shown."
    keys = {"block": {"": {"enum": list(BLOCKS), "description": which, "metavar": "NAME"}}}
    for name, block in BLOCKS.items():
        for key, rule in block.PROPERTIES.items():
            keys.setdefault(key, {})[name] = rule

    def decorate(command):
        @functools.wraps(command)
        def run(config, **values):
            given = _given(config, values, keys, default)
            click.get_current_context().meta[NAMED] = "block" in given
            return command(build(given, default) if given or required else None, **values)

        return _with_options(run, keys)

    return decorate
