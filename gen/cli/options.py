"""Options of the command line, made from their declarations, and the configuration file whose values they override."""

import functools
import math
import os
from typing import ClassVar

import click

from dsnswitch.net.files.formats.registry import FORMATS as GRAPH_FORMATS
from dsnswitch.net.files.options import NETWORK, ROUTING
from dsnswitch.net.files.parameters import current, network, relation, stating
from dsnswitch.net.messages import UsageError, shortened


class Finite(click.FloatRange):
    """A number within a range. Infinity and NaN are refused; the comparisons of a range would accept NaN."""

    name = "number"

    def convert(self, value, param, ctx):
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return found


class Picture(click.ParamType):
    """The name of a picture's file, which ends in one of ``forms``."""

    name = "file"

    def __init__(self, *forms):
        self._forms = forms

    def convert(self, value, param, ctx):
        if value.rpartition(".")[2].lower() not in self._forms:
            self.fail(f"must end in .{' or .'.join(self._forms)}, not {shortened(value, 40)!r}", param, ctx)
        return value


def form_option(*forms):
    """The option ``--format`` of a command; the first of ``forms`` is the default. The command receives it as ``form``."""
    return click.option(
        "--format", "form", type=click.Choice(forms), default=forms[0], show_default=True, help="Form of the output."
    )


def refuse_same(files):
    """Raise :class:`UsageError` if two of ``files``, ``[(option, path or None)]``, are the same: one would replace the other."""
    from dsnswitch.gen.writing import STANDARD_OUTPUT

    known = {}
    for option, path in files:
        # Standard output and devices take several texts.
        if path is None or path == STANDARD_OUTPUT or (os.path.exists(path) and not os.path.isfile(path)):
            continue
        place = os.path.realpath(path)
        if place in known:
            raise UsageError(f"Options {known[place]} and {option} must name different files, not both {shortened(path, 60)!r}")
        known[place] = option


class _Integer(click.types.IntParamType):
    """A decimal number of at most 18 digits, or a hexadecimal number after 0x, which is the usual form of a polynomial."""

    def __init__(self, step):
        self._step = step

    def convert(self, value, param, ctx):
        if isinstance(value, str):
            if len(value) > 18:
                self.fail(f"{shortened(value, 40)!r} has more than 18 digits.", param, ctx)
            if value.lower().startswith("0x"):
                try:
                    return int(value, 16)
                except ValueError:
                    pass
        return -(-super().convert(value, param, ctx) // self._step) * self._step


class _Word(click.Choice):
    """One of some words, or an old word for one of them."""

    def convert(self, value, param, ctx):
        return super().convert(current(value), param, ctx)


class Grouped(click.Command):
    """A command whose help shows its options in ``sections``: ``{title: names of options}``; others are under Options."""

    sections: ClassVar = {}

    def format_options(self, ctx, formatter):
        """Print a section for each title that has options."""
        records = {one.name: one.get_help_record(ctx) for one in self.get_params(ctx)}
        listed = {name for names in self.sections.values() for name in names}
        for title, names in {**self.sections, "Options": [name for name in records if name not in listed]}.items():
            rows = [records[name] for name in names if records.get(name)]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class _Parsed(click.ParamType):
    """A text that ``parse`` understands."""

    name = "text"

    def __init__(self, parse):
        self._parse = parse

    def convert(self, value, param, ctx):
        try:
            return self._parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def option_of(key, declared, brief=False):
    """``(names, attributes)`` of the option of the command line for ``key``.

    Parameters
    ----------
    key : str
    declared : dict
        Its :class:`~dsnswitch.net.options.Option` of each block, or of each group, that has it.
    brief : bool
        Show only the first sentence of its meaning.
    """
    one = next(iter(declared.values()))
    texts = dict.fromkeys(other.brief if brief else other.description for other in declared.values())
    described = " ".join(
        text if len(texts) == 1 else f"[{', '.join(name for name in declared if declared[name].description == text)}] {text}"
        for text in texts
    )
    if one.kind == "flag":
        return (f"--{key}/--no-{key}", key), {"default": None, "help": described}
    if one.parse:
        kind = _Parsed(one.parse)
    elif one.words:
        # Blocks may have different words; each refuses those of the others.
        kind = _Word(list(dict.fromkeys(word for other in declared.values() for word in other.words)))
    else:
        kind = {"integer": _Integer(one.step), "number": float, "text": str}[one.kind]
    names = [f"-{key}", f"--{key}"] if len(key) == 1 else [f"--{key.replace('_', '-')}"]
    return (*names, key), {"type": kind, "help": described, "metavar": one.unit or None, "multiple": one.many}


def with_options(command, keys, about="TOML or JSON file with the same keys.", brief=False):
    """Decorate a command with ``--config`` and an option for each of ``keys``, as :func:`option_of` takes them.

    ``about`` says what the file of ``--config`` has.
    """
    for key, declared in reversed(keys.items()):
        names, attributes = option_of(key, declared, brief)
        command = click.option(*names, **attributes)(command)
        if key == "topology":
            form = f"Of graph:FILE: {', '.join(GRAPH_FORMATS)}. Default: by the content of the file."
            form = "Of graph:FILE. Default by its content." if brief else form
            command = click.option("--graph-format", "graph_form", help=form)(command)
    return click.option("--config", "config", metavar="FILE", help=about)(command)


def given(config, values, keys, default=None, more=None):
    """The values of ``keys``, which are taken out of ``values``, and those of a configuration file for a block by ``default``.

    The file may have ``more`` options than the block.
    """
    chosen = {key: values.pop(key) for key in keys}
    found = {key: value for key, value in chosen.items() if value not in (None, ())}
    if config:
        from dsnswitch.gen.config import load

        found = load(config, *filter(None, [chosen.get("block") or default]), more=more) | found
    return stating(found, values.pop("graph_form", None))


def _options(command, keys, make, graph=False):
    """Decorate a command with options; its first argument is what ``make`` returns for their values.

    With ``graph``, ``make`` also takes the options of a graph of a file, and returns all arguments.
    """

    @functools.wraps(command)
    def run(config, **values):
        stated = (values.pop("graph_form"), values.pop("hosts")) if graph else ()
        found = given(config, values, keys)
        return command(*make(found, *stated), **values) if graph else command(make(found), **values)

    if graph:
        hosts = "Number of hosts in an edge list or adjacency list: its vertices from 0."
        run = click.option("--hosts", type=click.IntRange(0), default=0, help=hosts)(run)
    return with_options(run, {key: {"network": one} for key, one in keys.items()})


def network_options(command):
    """Decorate a command with the options of a network; its first argument is the :class:`Network`."""
    return _options(command, NETWORK, network)


def graph_options(command):
    """As :func:`network_options`, with the options of a graph of a file."""
    return _options(command, NETWORK, lambda *words: (network(stating(*words)),), graph=True)


def relation_options(command):
    """Decorate a command with the options of a network and its routing; its first argument is the :class:`Relation`."""
    return _options(command, NETWORK | ROUTING, relation)


def maybe_network_options(command):
    """As :func:`graph_options`; the first argument is None if no option of a network is given.

    Second and third are the options of a graph, because another option may name its file.
    """
    return _options(
        command, NETWORK, lambda found, *words: (network(stating(found, *words)) if found else None, *words), graph=True
    )
