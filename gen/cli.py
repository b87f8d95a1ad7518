"""Command line: parses, calls, prints. Every error is one line on standard error, exit status 2."""

import dataclasses
import json
import sys
from contextlib import contextmanager
from pathlib import Path

import click

from .config import SCHEMA, address, load, resolve
from .errors import UsageError
from .version import __version__

__all__ = ["cli", "main"]

_FLAGS = {"p": "-p", "x": "-x", "y": "-y", "n": "-n", "m": "-m"}


def _option(key):
    rule = SCHEMA["properties"][key]
    kind = click.Choice(rule["enum"]) if "enum" in rule else {"integer": int, "string": str}.get(rule.get("type"))
    flags = [_FLAGS[key]] if key in _FLAGS else [f"--{key}"]
    if rule.get("type") == "boolean":
        return click.option(f"--{key}/--no-{key}", key, default=None, help=rule["description"])
    return click.option(*flags, key, type=kind, help=rule["description"])


def configured(*keys, required=True):
    """Decorate a command with the options ``keys`` and ``--config``; it receives the resolved configuration first.

    Unless ``required``, it receives None where none of them is given.
    """

    def decorate(command):
        def run(config, **values):
            chosen = {key: values.pop(key) for key in keys}
            given = (load(config) if config else {}) | {k: v for k, v in chosen.items() if v is not None}
            return command(resolve(given) if given or required else None, **values)

        run.__name__, run.__doc__ = command.__name__, command.__doc__
        run.__click_params__ = getattr(command, "__click_params__", [])
        for key in reversed(keys):
            run = _option(key)(run)
        return click.option("--config", metavar="FILE", help="TOML or JSON file with the same keys.")(run)

    return decorate


NETWORK = ("topology", "p", "x", "y", "n", "m", "supernode", "directions")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dsnswitch")
def cli():
    """Generate and question the datapath of a switch on the Distributed Shortcut Network."""


@cli.command()
@configured(*NETWORK, "node", "register")
@click.option("--block", type=click.Choice(["route"]), default="route", show_default=True, help="What to generate.")
@click.option(
    "--out", default="build/verilog", show_default=True, help="Folder to write to; - prints the Verilog only."
)
def verilog(config, block, out):
    """Write Verilog, manifest, file list, FuseSoC core and SDC."""
    from .blocks import BLOCKS
    from .emit import emit
    from .verilog import convert

    made = BLOCKS[block](config)
    if out == "-":
        click.echo(convert(made.component(), made.name, made.description), nl=False)
        return
    about, paths = emit(made, out)
    rows = [("top", about["top"]), ("latency", f"{about['latency_cycles']} cycles")]
    rows += [("parameters", " ".join(f"{k}={v}" for k, v in about["parameters"].items() if v is not None))]
    for way in ("input", "output"):
        ports = [f"{port['name']}[{port['width']}]" for port in about["ports"] if port["direction"] == way]
        rows.append((f"{way}s", " ".join(ports)))
    for path in paths.values():
        lines = path.read_text().count("\n")
        rows.append(("wrote", f"{path}  {lines} lines, {path.stat().st_size} bytes"))
    for name, value in rows:
        click.echo(f"{name:<11} {value}")


@cli.command()
@configured(*NETWORK)
@click.option("--format", "form", default="edges", show_default=True, help="edges, json, graphml, anynet, dot or svg.")
@click.option("--out", default="-", show_default=True, help="File to write; - is standard output.")
def topology(config, form, out):
    """Print the whole graph, every link with its kind and level."""
    from .emit import write_text
    from .topology_export import export

    text = export(config.dsn, form)
    if out == "-":
        click.echo(text, nl=False)
    else:
        write_text(out, text)


@cli.command()
@configured(*NETWORK)
@click.option("--from", "source", required=True, metavar="ADDRESS", help="x,y,id or x,id.")
@click.option("--to", "target", required=True, metavar="ADDRESS", help="x,y,id or x,id.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def route(config, source, target, as_json):
    """Print the path between two nodes, hop by hop."""
    from ..sim.golden.routing import route as golden_route

    ends = [address(config.dsn, text) for text in (source, target)]
    hops = golden_route(config.dsn, *map(_fields, ends))
    if as_json:
        rows = [hop._asdict() for hop in hops]
        click.echo(json.dumps({"from": _fields(ends[0]), "to": _fields(ends[1]), "hops": rows}, indent=2))
        return
    click.echo(f"{ends[0]} to {ends[1]}: {len(hops)} hops")
    for hop in hops:
        level = "" if hop.level is None else f" level {hop.level} {hop.direction}"
        click.echo(f"  {','.join(map(str, hop.source))} -> {','.join(map(str, hop.target))}  {hop.kind}{level}")


def _fields(node):
    return (*node.coordinates, node.id)


@cli.command()
@configured(*NETWORK)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def check(config, as_json):
    """Check that every pair is delivered within the paper's bound; exit status 1 if not."""
    from ..sim.golden.allpairs import statistics

    dsn = config.dsn
    found = statistics(dsn, lambda sources: _progress(sources, dsn.nodes > 5000))
    if as_json:
        click.echo(json.dumps({**dataclasses.asdict(found), "within_bound": found.within_bound}, indent=2))
    else:
        for field in dataclasses.fields(found):
            value = getattr(found, field.name)
            if field.name == "worst_pair":
                value = " to ".join(",".join(map(str, end)) for end in value)
            text = f"{value:.4f}" if isinstance(value, float) else str(value)
            click.echo(f"{field.name.replace('_', ' '):<17} {text}")
    if not found.within_bound:
        pair = " to ".join(",".join(map(str, end)) for end in found.worst_pair)
        reason = f"{pair} takes {found.routing_diameter} hops, the bound is {found.path_bound}"
        click.echo(f"dsnswitch: not within the bound: {reason}", err=True)
        sys.exit(1)


@cli.command()
@configured(*NETWORK, "node", "register", required=False)
@click.option("--block", type=click.Choice(["route"]), default="route", show_default=True, help="What to measure.")
@click.option("--verilog", "source", metavar="FILE", help="Measure this file's module --top beside the block.")
@click.option("--top", metavar="NAME", help="Top module of --verilog.")
@click.option("--out", metavar="FILE", help="Write the JSON report; - prints it instead of the table.")
def synth(config, block, source, top, out):
    """Synthesize: area, levels and delay by the model library."""
    from .blocks import BLOCKS
    from .emit import write_text
    from .synth.measure import measure_block, measure_verilog, report, table

    if (source is None) != (top is None):
        raise UsageError("Options --verilog and --top go together")
    if source is not None and not Path(source).is_file():
        raise UsageError(f"Verilog file {source} cannot be read")
    if config is None and source is None:
        raise UsageError("A network or --verilog must be given")
    figures = [] if config is None else [measure_block(BLOCKS[block](config))]
    if source is not None:
        figures.append(measure_verilog(source, top))
    if out == "-":
        click.echo(report(figures), nl=False)
        return
    click.echo(table(figures), nl=False)
    if out:
        write_text(out, report(figures))


def _progress(items, visible):
    """Yield ``items``, behind a progress bar on standard error if ``visible``."""
    if not visible:
        yield from items
        return
    with click.progressbar(items, label="shortest paths", file=sys.stderr) as bar:
        yield from bar


@contextmanager
def _one_line_errors():
    try:
        yield
    except UsageError as error:
        message = str(error)
    except click.ClickException as error:
        message = error.format_message().replace("\n", " ")
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    else:
        return
    click.echo(f"dsnswitch: error: {message}", err=True)
    sys.exit(2)


def main():
    """Entry point of the console command."""
    with _one_line_errors():
        cli.main(standalone_mode=False)
