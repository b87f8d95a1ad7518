"""The command ``simulate``."""

import json
import os
import sys
from typing import ClassVar

import click

from dsnswitch.gen.cli.options import Grouped, Picture, form_option, given, out_option, refuse_same, with_options
from dsnswitch.gen.cli.progress import meter, stage, tell, watched
from dsnswitch.net.extras import need
from dsnswitch.net.files.options import SIMULATION, Links, Measurement, Traffic
from dsnswitch.net.files.parameters import core_of
from dsnswitch.net.messages import UsageError, refusing

__all__ = ["simulate"]

#: Every option of a simulation.
OPTIONS = {key: one for group in SIMULATION.values() for key, one in group.items()}

#: Those that the core does not have.
WORKLOAD = Traffic.OPTIONS | Links.OPTIONS | Measurement.OPTIONS


class _Simulate(Grouped):
    """The command simulate: its help has the options by group, on two screens."""

    sections: ClassVar = {
        **SIMULATION,
        "Measurement": [*SIMULATION["Measurement"], "saturate", "threads", "isa", "require"],
        "Output": ["form", "out", "log", "plot", "compare"],
    }


@click.command(cls=_Simulate, context_settings={"max_content_width": 120})
@click.option("--saturation", "saturate", is_flag=True, help="Also find the loads of saturation.")
@click.option("--threads", type=click.IntRange(1, 256), metavar="NUMBER", help="Default as many as cores.")
@click.option("--isa", type=click.Choice(["avx512", "generic"]), help="Default the best of this machine.")
@click.option("--require", multiple=True, metavar="RULE", help="Exit status 1 unless p99<60, for example.")
@form_option("text", "json", "csv")
@out_option("Also write all results to a JSON file.", None)
@click.option("--log", metavar="FILE", help="Also write a CSV file, a line per packet.")
@click.option("--plot", type=Picture("svg"), metavar="FILE", help="Write latency against load as .svg.")
@click.option("--compare", multiple=True, metavar="FILE", help="Result to draw in the same plot; repeatable.")
def simulate(config, **values):
    """Simulate a network of switch cores, or of switches, cycle by cycle: latency against load, saturation."""
    if values["pattern"] == "help":
        from dsnswitch.sim.network.workload.patterns import FORMS

        width = max(len(form) for form, _ in FORMS.values())
        click.echo("\n".join(f"{form:<{width}}  {description}" for form, description in FORMS.values()))
        return
    more = {key: values.pop(key) for key in list(values) if key not in OPTIONS}
    found = given(config, values, OPTIONS, "switch-core", WORKLOAD)
    with refusing((TypeError, ValueError)):
        groups = [group.of(found) for group in (Traffic, Links, Measurement)]
    _simulate(core_of({key: value for key, value in found.items() if key not in WORKLOAD}), *groups, more)


simulate = with_options(
    simulate, {key: {"core": one} for key, one in OPTIONS.items()}, "TOML or JSON file with the same keys.", brief=True
)


def _simulate(values, traffic, links, rules, more):
    """Check everything that can be checked before the core is made; then make it, run, and print."""
    from dsnswitch.net import limits
    from dsnswitch.net.reading import read_valid
    from dsnswitch.sim.network.experiment.experiment import experiment
    from dsnswitch.sim.network.experiment.limit import Limit
    from dsnswitch.sim.network.experiment.log import MOST_LOGGED
    from dsnswitch.sim.network.experiment.schema import SCHEMA

    refuse_same([("--out", more["out"]), ("--log", more["log"]), ("--plot", more["plot"])])
    one = experiment(values, traffic, links, more["log"] is not None, watched, tell)
    if not one.loads:
        name = traffic.pattern.partition(":")[0]
        if more["saturate"]:
            raise UsageError(f"Pattern {name} takes no --saturation: its packets are given")
        if more["plot"]:
            raise UsageError(f"A plot needs loads, and pattern {name} has none")
    conditions = [Limit(text) for text in more["require"]]
    for condition in conditions:
        condition.refuse_missing(traffic.pattern, bool(one.loads))
    if more["compare"] and not more["plot"]:
        raise UsageError("Option --compare needs --plot")
    more["others"] = [read_valid(path, "Result", SCHEMA) for path in more.pop("compare")]
    if more["plot"]:
        need("A plot", "plot", "matplotlib")
    need("A simulation", "synth", "pyosys")
    if more["log"]:
        limits.at_most(MOST_LOGGED, one.packets(rules.cycles), "Packets of a log")
    _print(*_run(one, rules, more), conditions, more)


def _run(one, measurement, more):
    """The result of an experiment, and its log as text or None."""
    from dsnswitch.gen.cli.cores import core_manifest
    from dsnswitch.gen.version import __version__
    from dsnswitch.sim.network.engine.core import Core
    from dsnswitch.sim.network.engine.points import SimulationError
    from dsnswitch.sim.network.engine.switch import Switch
    from dsnswitch.sim.network.experiment.experiment import Speed, simulated
    from dsnswitch.sim.network.experiment.log import log_text
    from dsnswitch.sim.network.experiment.measure import Rules

    kind = Switch if one.values.get("block") == "switch" else Core
    core = kind(core_manifest(one.core, stage), more["isa"], watch=stage, network=one.network)
    rules, saturate, most = Rules(**vars(measurement)), more["saturate"], more["threads"] or os.cpu_count() or 1
    try:
        with meter("simulating") as show:
            watch = Speed.of(one, rules, saturate, most, show)
            packets = [] if more["log"] else None
            found = simulated(one, core, rules, f"dsnswitch {__version__}", watch, saturate, most, packets)
        return found, None if packets is None else log_text(core, packets)
    except SimulationError as error:
        click.echo(f"dsnswitch: the simulation ends: {error}", err=True)
        sys.exit(1)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _print(result, log, conditions, more):
    """Write the files, print the result, and end with status 1 if a limit does not hold."""
    from dsnswitch.gen.blocks.core import usual_sizes
    from dsnswitch.gen.writing import write_text
    from dsnswitch.sim.network.experiment.results import csv_text
    from dsnswitch.sim.network.experiment.summary import text

    as_json = json.dumps(result, indent=1) + "\n"
    if more["plot"]:
        from dsnswitch.sim.network.experiment.plots import grouped, load_plot

        title = f"Traffic: {result['traffic']['pattern']}"
        write_text(more["plot"], load_plot(title, grouped([result, *more["others"]])))
    if more["out"]:
        write_text(more["out"], as_json)
    if log is not None:
        write_text(more["log"], log)
    shown = {"json": lambda: as_json, "csv": lambda: csv_text(result), "text": lambda: text(result, usual_sizes())}
    click.echo(shown[more["form"]](), nl=False)
    broken = False
    for rule in conditions:
        for point, value in rule.broken(result["points"]):
            at = f" at load {point['load']:g}" if "load" in point else ""
            nothing = "saturated" if point.get("saturated") else "no packet arrived"
            state = nothing if value is None else f"{value:g}"
            click.echo(f"dsnswitch: limit {rule.text} does not hold{at}: {state}", err=True)
            broken = True
    if broken:
        sys.exit(1)
