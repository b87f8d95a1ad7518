"""Options of the command line, made from their declarations, and the configuration file whose values they override."""

import functools
import math
import os
from typing import Any, ClassVar

import click

from dsnswitch.net.files.options import NETWORK, ROUTING
from dsnswitch.net.files.parameters import network, relation
from dsnswitch.net.messages import UsageError, shortened
from dsnswitch.net.options import Option


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


def out_option(help="File to write; - is standard output.", default="-"):
    """The option ``--out`` of a command: always one file."""
    return click.option("--out", metavar="FILE", default=default, show_default=True, help=help)


def folder_option(help="Folder of the files.", default=None):
    """The option ``--folder`` of a command that writes several files."""
    return click.option("--folder", metavar="FOLDER", default=default, show_default=True, help=help)


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


def option_of(key: str, declared: dict[str, Option], brief: bool = False) -> tuple[tuple, dict]:
    """``(names, attributes)`` of the option of the command line for ``key``.

    ``declared`` has its :class:`Option` of each block, or of each group, that has it. ``brief`` shows only the first sentence of
    its meaning.
    """
    one = next(iter(declared.values()))
    texts = dict.fromkeys(other.brief if brief else other.description for other in declared.values())
    described = " ".join(
        text if len(texts) == 1 else f"[{', '.join(name for name in declared if declared[name].description == text)}] {text}"
        for text in texts
    )
    if one.kind == "flag":
        word = key.replace("_", "-")
        return (f"--{word}/--no-{word}", key), {"default": None, "help": described}
    kind: Any
    if one.parse:
        kind = _Parsed(one.parse)
    elif one.words:
        # Blocks may have different words; each refuses those of the others.
        kind = click.Choice(list(dict.fromkeys(word for other in declared.values() for word in other.words)))
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
    return found


def _options(command, keys, make):
    """Decorate a command with options; its first argument is what ``make`` returns for their values."""

    @functools.wraps(command)
    def run(config, **values):
        return command(make(given(config, values, keys)), **values)

    return with_options(run, {key: {"network": one} for key, one in keys.items()})


def network_options(command):
    """Decorate a command with the options of a network; its first argument is the :class:`Network`."""
    return _options(command, NETWORK, network)


def relation_options(command):
    """Decorate a command with the options of a network and its routing; its first argument is the :class:`Relation`."""
    return _options(command, NETWORK | ROUTING, relation)


def maybe_network_options(command):
    """As :func:`network_options`; the argument is None if no option of a network is given."""
    return _options(command, NETWORK, lambda values: network(values) if values else None)
