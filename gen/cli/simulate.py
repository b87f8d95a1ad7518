"""The command ``simulate``."""

import json
import os
import sys

import click

from dsnswitch.gen.cli.options import Finite, Picture, given, refuse_same, with_options
from dsnswitch.gen.cli.progress import meter, stage, tell, watched
from dsnswitch.net.extras import need
from dsnswitch.net.files.parameters import MAX_P, PROPERTIES, ROUTING_OPTIONS
from dsnswitch.net.messages import UsageError, shortened

__all__ = ["simulate"]


class _Loads(click.ParamType):
    """A load, several with commas, or a range ``FIRST:LAST:STEP``."""

    name = "loads"

    def convert(self, value, param, ctx):
        from dsnswitch.sim.network.experiment.experiment import MOST_LOADS

        if isinstance(value, tuple):
            return value
        try:
            if ":" in value:
                first, last, step = map(float, value.split(":"))
                if not step > 0 or not 0 <= last - first <= step * MOST_LOADS:
                    raise ValueError
                found = [round(first + step * index, 9) for index in range(int((last - first) / step + 1e-9) + 1)]
            else:
                found = [float(word) for word in value.split(",")]
            if not all(0 < load <= 1 for load in found):
                raise ValueError
        except ValueError:
            self.fail(
                f"must be above 0 and at most 1: a number, several with commas, or FIRST:LAST:STEP, not"
                f" {shortened(value, 40)!r}",
                param,
                ctx,
            )
        return tuple(found)


@click.command()
@click.option(
    "--block",
    type=click.Choice(["switch-core", "switch"]),
    help="Cores alone, which is the default, or whole switches with fabric ports, in small networks.",
)
@click.option("--link", type=click.Choice(["light", "strict"]), help="Links of whole switches. Default light.")
@click.option("--hosts", type=click.IntRange(1, 64), help="Hosts of a switch. Default as the topology says, else 1.")
@click.option("--flit", type=click.IntRange(16, 512), help="Bits of a flit. Default 64; timing does not depend on it.")
@click.option("--packet", type=click.IntRange(1, 255), help="Flits of the longest packet. Default 4.")
@click.option("--depth", type=click.IntRange(2, 4096), help="Flits of a channel's buffer. Default two longest packets.")
@click.option("--channels", help="Virtual channels per class, such as 2 or x=4,y=4. Default 1.")
@click.option("--pool", help="Flits that the channels of a port share, such as 16 or x=48,y=48,local=24. Default none.")
@click.option(
    "--age", type=click.IntRange(0, 4), help="Bits of an age by which outputs prefer old packets. Default 0: none."
)
@click.option(
    "--lookup",
    type=click.Choice(["algorithm", "table", "forwarding"]),
    help="How a packet finds its output. Default algorithm; forwarding: the algorithm, and tables at failed links.",
)
@click.option("--layers", type=click.IntRange(1, 8), help="With --lookup table: classes of every port. Default 1.")
@click.option("--kind", type=click.Choice(["ternary", "direct"]), help="Of table. Default ternary.")
@click.option(
    "--keys", type=click.Choice(["absolute", "relative", "folded"]), help="Of a ternary table. Default absolute."
)
@click.option(
    "--entries", type=click.IntRange(1, 1024), help="Of a ternary table. Default: as many as the tables need."
)
@click.option("--stages", type=click.IntRange(0, 2), help="Register stages of a ternary table. Default 0.")
@click.option(
    "--tables",
    metavar="ROUTING|FILE",
    help="Routes of the tables: updown (default with one layer), shortest, or a JSON file of dsnswitch table.",
)
@click.option(
    "--reroute",
    type=click.IntRange(1, 1_000_000_000),
    metavar="CYCLES",
    help="Cycles from a failure until all switches write new tables. Default: never.",
)
@click.option(
    "--register/--no-register", default=None, help="Registers after the route logic: 3 cycles per hop, not 2."
)
@click.option("--pattern", default="uniform", show_default=True, help="Traffic; --pattern help lists the patterns.")
@click.option(
    "--load",
    "loads",
    type=_Loads(),
    multiple=True,
    help="Flits per host and cycle: 0.1, or 0.1,0.2, or 0.05:0.4:0.05; repeatable. Default 0.1.",
)
@click.option("--burst", metavar="ON:OFF", help="Sources send in bursts: mean cycles of a burst and of the silence.")
@click.option("--lengths", metavar="FLITS:SHARE,...", help="Mixed packet lengths. Default: all of --packet flits.")
@click.option(
    "--link-delay",
    default="0",
    show_default=True,
    metavar="CYCLES|METRES|FILE",
    help="Cycles of a cable, such as 3, or its length, such as 5m; or a CSV file with from,port,delay of each cable; or "
    "graph, the latencies in the file of a graph.",
)
@click.option("--ns-per-metre", type=Finite(0.1, 100), default=5.0, show_default=True, help="Delay of a cable.")
@click.option("--clock", type=Finite(0.001, 100), default=1.0, show_default=True, help="GHz, for lengths of cables.")
@click.option(
    "--fail",
    metavar="LINK[@CYCLE]",
    multiple=True,
    help="Failed link: ADDRESS:ADDRESS or ADDRESS:PORT, or a share of all links at random, 5% or 5%:SEED, from the start or "
    "from a cycle on; repeatable. Needs a core with --routing detour, or tables.",
)
@click.option(
    "--bit-errors",
    type=Finite(0, 0.1),
    default=0.0,
    show_default=True,
    metavar="RATE",
    help="Probability per bit of a flit of an error that a link between switches cannot correct.",
)
@click.option(
    "--ordered",
    type=Finite(0, 1),
    default=0.0,
    show_default=True,
    metavar="SHARE",
    help="With --adaptive: share of the flows whose packets are marked to stay in order, which is checked.",
)
@click.option("--seed", type=click.IntRange(0, (1 << 63) - 1), default=1, show_default=True, help="Of random traffic.")
@click.option("--warm-up", type=click.IntRange(100), help="Most cycles of the warm-up. Default 20 windows.")
@click.option(
    "--cycles",
    type=click.IntRange(1000, 10_000_000),
    default=10_000,
    show_default=True,
    help="Cycles of the measurement, rounded up to thousands.",
)
@click.option("--saturation", "saturate", is_flag=True, help="Also find the loads at which the network saturates.")
@click.option("--threads", type=click.IntRange(1, 256), help="Default: as many as the machine has cores.")
@click.option("--isa", type=click.Choice(["avx512", "generic"]), help="Default: the best of this machine.")
@click.option("--limit", "limit_texts", multiple=True, metavar="RULE", help="Such as p99<60: else exit status 1.")
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
@click.option("--out", metavar="FILE", help="Also write all results to a JSON file.")
@click.option(
    "--log", metavar="FILE", help="Also write a CSV file with a line for each measured packet: when, whence, whither."
)
@click.option("--plot", type=Picture("svg"), metavar="FILE", help="Write latency against load as .svg.")
@click.option(
    "--compare", multiple=True, metavar="FILE", help="Draw the result of an earlier --out in the same plot; repeatable."
)
def simulate(config, pattern, **values):
    """Simulate a network of switch cores, or of switches, cycle by cycle: latency against load, saturation."""
    if pattern == "help":
        from dsnswitch.sim.network.workload.patterns import FORMS

        width = max(len(form) for form, _ in FORMS.values())
        click.echo("\n".join(f"{form:<{width}}  {description}" for form, description in FORMS.values()))
        return
    from dsnswitch.sim.network.experiment.experiment import DEFAULTS, KEYS

    core = DEFAULTS | given(config, values, ("block", "link", *KEYS), "switch-core")
    block = core.pop("block", "switch-core")
    if block not in ("switch-core", "switch"):
        raise UsageError(f"A simulation takes the configuration of a switch-core or a switch, not of {block}")
    if block == "switch":
        core = {"apb": False, "end_to_end": "none"} | core | {"block": block}
        if core.get("link", "light") not in ("light", "strict"):
            raise UsageError(
                f"Links of simulated switches must be light or strict, not {shortened(str(core['link']), 40)}"
            )
        if core["apb"]:
            raise UsageError("A simulation needs a switch without registers: apb must be false")
    elif "link" in core:
        raise UsageError("Cores have no links of their own: --link needs --block switch")
    if core.get("node") is not None:
        raise UsageError(f"A simulation needs a universal core, not one of node {core['node']}")
    _simulate(core, pattern=pattern, **values)


simulate = with_options(
    simulate,
    {key: {"network": rule} for key, rule in {**PROPERTIES, **ROUTING_OPTIONS}.items()}
    | {
        "max_p": {
            "core": MAX_P | {"description": "Core whose sizes are inputs, for up to 2^P supernodes in each dimension."}
        }
    },
    "TOML or JSON file with keys of the block switch-core or switch, such as topology and depth, but not with those of traffic"
    " and measurement, such as load, pattern and seed.",
)


def _simulate(values, loads, limit_texts, **more):
    """Check everything that can be checked before the core is made; then make it, run, and print."""
    from dsnswitch.net import limits
    from dsnswitch.net.reading import read_valid
    from dsnswitch.sim.network.experiment.experiment import experiment
    from dsnswitch.sim.network.experiment.limit import Limit
    from dsnswitch.sim.network.experiment.log import MOST_LOGGED
    from dsnswitch.sim.network.experiment.schema import SCHEMA

    refuse_same([("--out", more["out"]), ("--log", more["log"]), ("--plot", more["plot"])])
    options = ("pattern", "burst", "lengths", "link_delay", "ns_per_metre", "clock", "fail")
    options += ("bit_errors", "ordered", "tables", "reroute", "seed")
    # A load that is given twice is one point.
    loads = tuple(dict.fromkeys(sum(loads, ())))
    chosen = {key: more.pop(key) for key in options}
    one = experiment(values, loads=loads, bar=watched, tell=tell, log=more["log"] is not None, **chosen)
    if not one.loads:
        name = one.traffic["pattern"].partition(":")[0]
        if more["saturate"]:
            raise UsageError(f"Pattern {name} takes no --saturation: its packets are given")
        if more["plot"]:
            raise UsageError(f"A plot needs loads, and pattern {name} has none")
    rules = [Limit(text) for text in limit_texts]
    for rule in rules:
        rule.refuse_missing(one.traffic["pattern"], bool(one.loads))
    if more["compare"] and not more["plot"]:
        raise UsageError("Option --compare needs --plot")
    more["others"] = [read_valid(path, "Result", SCHEMA) for path in more.pop("compare")]
    if more["plot"]:
        need("A plot", "plot", "matplotlib")
    need("A simulation", "synth", "pyosys")
    if more["log"]:
        limits.at_most(MOST_LOGGED, one.packets(more["cycles"]), "Packets of a log")
    _print(*_run(one, **more), rules, more)


def _run(one, saturate, threads, isa, warm_up, cycles, log, **_):
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
    core = kind(core_manifest(one.core, stage), isa, watch=stage, network=one.network)
    rules = Rules(warm_up=warm_up and -(-warm_up // 100) * 100, cycles=-(-cycles // 1000) * 1000)
    most = threads or os.cpu_count() or 1
    try:
        with meter("simulating") as show:
            watch = Speed.of(one, rules, saturate, most, show)
            packets = [] if log else None
            found = simulated(one, core, rules, f"dsnswitch {__version__}", watch, saturate, most, packets)
        return found, log and log_text(core, packets)
    except SimulationError as error:
        click.echo(f"dsnswitch: the simulation ends: {error}", err=True)
        sys.exit(1)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _print(result, log, rules, more):
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
    if log:
        write_text(more["log"], log)
    shown = {"json": lambda: as_json, "csv": lambda: csv_text(result), "text": lambda: text(result, usual_sizes())}
    click.echo(shown[more["form"]](), nl=False)
    broken = False
    for rule in rules:
        for point, value in rule.broken(result["points"]):
            at = f" at load {point['load']:g}" if "load" in point else ""
            nothing = "saturated" if point.get("saturated") else "no packet arrived"
            state = nothing if value is None else f"{value:g}"
            click.echo(f"dsnswitch: limit {rule.text} does not hold{at}: {state}", err=True)
            broken = True
    if broken:
        sys.exit(1)
