"""The command ``simulate``."""

import dataclasses
import json
import math
import os
import re
import sys
import time

import click

from dsnswitch.gen.cli.options import Finite, given, with_options
from dsnswitch.gen.cli.progress import stage
from dsnswitch.gen.extras import need
from dsnswitch.net import limits
from dsnswitch.net.files.parameters import CLASSES, MAX_P, PROPERTIES, PROPERTY, SIZES, network
from dsnswitch.net.messages import UsageError, shortened

__all__ = ["simulate"]

#: Defaults of the core that differ from those of the block ``switch-core``: timing does not depend on the width of a flit.
DEFAULTS = {"flit": 64, "packet": 4}

#: Maximum number of loads of one call, and of cycles of a link.
MOST_LOADS, MOST_DELAY = 100, 1000

#: Parameters of the core that have options of their own here.
CORE = ("hosts", "flit", "packet", "depth", "channels", "switching", "register")


class _Loads(click.ParamType):
    """A load, several with commas, or a range ``FIRST:LAST:STEP``."""

    name = "loads"

    def convert(self, value, param, ctx):
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


def _pairs(text, what):
    """``[(number, number)]`` of a text such as ``1:0.5,4:0.5``."""
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?:\d{1,9}(\.\d{1,9})?(,\d{1,9}(\.\d{1,9})?:\d{1,9}(\.\d{1,9})?)*", text):
        raise UsageError(f"{what}, not {shortened(text, 40)!r}")
    return [tuple(map(float, part.split(":"))) for part in text.split(",")]


def _delay(text, per_metre, clock):
    """Cycles of a link: a number of cycles, or metres such as ``5m``."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?) ?(m?)", text)
    if not match or (not match[2] and "." in match[1]):
        raise UsageError(f"Option --link-delay must be cycles, such as 3, or metres, such as 5m, not {text[:40]!r}")
    cycles = math.ceil(float(match[1]) * per_metre * clock - 1e-9) if match[2] else int(match[1])
    limits.at_most(MOST_DELAY, cycles, "Cycles of a link")
    return cycles


def _failures(found, words):
    """``[(switch, port, cycle)]`` of the failed links."""
    from dsnswitch.net.tables.walk import parse_link

    failed = []
    for word in words:
        link, at, cycle = word.partition("@")
        if at and not re.fullmatch("[0-9]{1,9}", cycle):
            raise UsageError(f"A link fails at a cycle such as 0,0,0:x_forward@5000, not {shortened(word, 40)!r}")
        try:
            switch, port = parse_link(found, link)
        except ValueError as error:
            raise UsageError(str(error)) from None
        ports = [port]
        if isinstance(port, tuple):
            ports = [one.index for one, end in found.links_of(switch) if end[0] == port]
        failed += [(switch, index, int(cycle) if at else None) for index in ports]
    return failed


class _Speed:
    """Counts cycles over all engines, and shows them."""

    def __init__(self):
        self.start, self.cycles, self._last = time.monotonic(), 0, 0
        self.label = ""

    def engine(self, label):
        """A new engine begins at cycle 0."""
        self.label, self._last = label, 0

    def __call__(self, cycle):
        self.cycles += cycle - self._last
        self._last = cycle
        stage(f"{self.label}, cycle {cycle}, {self.cycles / self.seconds:.0f} cycles per second")

    @property
    def seconds(self):
        return max(time.monotonic() - self.start, 1e-6)


@click.command()
@click.option("--hosts", type=click.IntRange(1, 8), help="Hosts of a switch. Default 1.")
@click.option("--flit", type=click.IntRange(16, 512), help="Bits of a flit. Default 64; timing does not depend on it.")
@click.option("--packet", type=click.IntRange(1, 255), help="Flits of the longest packet. Default 4.")
@click.option("--depth", type=click.IntRange(2, 4096), help="Flits of a channel's buffer. Default two longest packets.")
@click.option("--channels", help="Virtual channels per class, such as 2 or x=4,y=4. Default 1.")
@click.option("--switching", type=click.Choice(["vct", "wormhole"]), help="Default vct.")
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
    metavar="CYCLES|METRES",
    help="Cycles of a cable, such as 3, or its length, such as 5m.",
)
@click.option("--ns-per-metre", type=Finite(0.1, 100), default=5.0, show_default=True, help="Delay of a cable.")
@click.option("--clock", type=Finite(0.001, 100), default=1.0, show_default=True, help="GHz, for lengths of cables.")
@click.option(
    "--fail",
    "failures",
    metavar="LINK[@CYCLE]",
    multiple=True,
    help="Failed link: ADDRESS:ADDRESS or ADDRESS:PORT, from the start or from a cycle on; repeatable. Needs a core with "
    "--routing detour.",
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
@click.option("--plot", metavar="FILE", help="Write latency against load as SVG.")
@click.option(
    "--compare", multiple=True, metavar="FILE", help="Draw the result of an earlier --out in the same plot; repeatable."
)
def simulate(config, pattern, **values):
    """Simulate a network of switch cores cycle by cycle: latency against load, saturation."""
    keys = (*PROPERTIES, "routing", "classes", "max_p", *CORE)
    if pattern == "help":
        from dsnswitch.net.simulate.patterns import FORMS

        width = max(len(form) for form, _ in FORMS.values())
        click.echo("\n".join(f"{form:<{width}}  {description}" for form, description in FORMS.values()))
        return
    core = DEFAULTS | given(config, values, keys, "switch-core")
    if (block := core.pop("block", "switch-core")) != "switch-core":
        raise UsageError(f"A simulation takes the configuration of a switch-core, not of {block}")
    if core.get("node") is not None:
        raise UsageError(f"A simulation needs a universal core, not one of node {core['node']}")
    _simulate(core, pattern, **values)


simulate = with_options(
    simulate,
    {key: {"network": rule} for key, rule in {**PROPERTIES, "routing": PROPERTY, "classes": CLASSES}.items()}
    | {
        "max_p": {
            "core": MAX_P | {"description": "Core whose sizes are inputs, for up to 2^P supernodes in each dimension."}
        }
    },
)


def _simulate(
    values, spelt, loads, burst, lengths, link_delay, ns_per_metre, clock, failures, seed, limit_texts, **more
):
    """Check everything that can be checked before the core is made; then make it, run, and print."""
    from dsnswitch.net.reading import read_valid
    from dsnswitch.net.simulate.patterns import is_finite, pattern
    from dsnswitch.net.simulate.points import Burst
    from dsnswitch.net.simulate.results import SCHEMA, Limit

    found = network(values)
    limits.at_most(limits.MOST_SIMULATED, found.nodes, f"Switches of a simulated network, {found.name},")
    finite, chosen = is_finite(spelt), sum(loads, ()) or (0.1,)
    limits.at_most(MOST_LOADS, len(chosen), "Loads")
    if finite:
        for name, given_value in (
            ("load", loads),
            ("burst", burst),
            ("lengths", lengths),
            ("saturation", more["saturate"]),
        ):
            if given_value:
                raise UsageError(f"Pattern {spelt.partition(':')[0]} takes no --{name}: its packets are given")
        if more["plot"]:
            raise UsageError(f"A plot needs loads, and pattern {spelt.partition(':')[0]} has none")
    attributes = pattern(spelt, found, values.get("hosts", 1), values["packet"], seed)
    if burst:
        ((on, off),) = _pairs(burst, "Option --burst must be ON:OFF in cycles")[:1]
        if on < 1 or off < 1 or "," in burst:
            raise UsageError(f"Bursts and the silence between them must last at least 1 cycle on average, not {burst}")
        attributes["burst"] = Burst(on, off)
    if lengths:
        pairs = _pairs(lengths, "Option --lengths must be FLITS:SHARE with commas between them")
        for flits, _ in pairs:
            if flits != int(flits) or not 1 <= flits <= values["packet"]:
                raise UsageError(f"Packets of --lengths must have 1..{values['packet']} flits, not {flits:g}")
        if not sum(share for _, share in pairs):
            raise UsageError("Shares of --lengths must not all be 0")
        attributes["lengths"] = {int(flits): share for flits, share in pairs}
    attributes["delay"] = _delay(link_delay, ns_per_metre, clock)
    failed = _failures(found, failures)
    if failed and values.get("routing") != "detour":
        raise UsageError("Links fail only in a core with detours: --fail needs --routing detour")
    attributes["failed"] = tuple((switch, port) for switch, port, cycle in failed if cycle is None)
    events = [
        (cycle, lambda engine, link=link: [engine.fail(point, *link) for point in range(len(engine.points))])
        for *link, cycle in failed
        if cycle is not None
    ]
    # A packet that takes a detour may be overtaken by one that left after the failure.
    attributes |= {"seed": seed, "ordered": not events, "log": finite}
    rules = [Limit(text) for text in limit_texts]
    if more["compare"] and not more["plot"]:
        raise UsageError("Option --compare needs --plot")
    more["others"] = [read_valid(path, "Result", SCHEMA) for path in more.pop("compare")]
    if more["plot"]:
        need("A plot", "report", "matplotlib")
    need("A simulation", "synth", "pyosys")
    result = _run(values, found, attributes, chosen, events, finite, **more)
    result["traffic"] = {
        "pattern": spelt,
        "flits": lengths or str(values["packet"]) if not spelt.startswith("trace:") else "the trace's",
        "burst": list(dataclasses.astuple(attributes["burst"])) if burst else None,
        "link_delay": attributes["delay"],
        "failed": list(failures),
    }
    _print(result, rules, more)


def _run(values, found, attributes, loads, events, finite, saturate, threads, isa, warm_up, cycles, **_):
    """The result without its part ``traffic``."""
    from dsnswitch.gen.cli.cores import core_manifest
    from dsnswitch.gen.version import __version__
    from dsnswitch.net.simulate import results
    from dsnswitch.net.simulate.engine import Core, Engine
    from dsnswitch.net.simulate.generate import COPIES
    from dsnswitch.net.simulate.measure import Rules, complete, measure, saturation, together
    from dsnswitch.net.simulate.points import Point, SimulationError

    if values.get("max_p"):
        # The sizes are not those of the core.
        own = {key: value for key, value in found.parameters.items() if key not in SIZES}
        values = {key: value for key, value in values.items() if key not in PROPERTIES} | own
    core = Core(core_manifest(values, stage), isa, watch=stage, network=found)
    rules = Rules(warm_up=warm_up and -(-warm_up // 100) * 100, cycles=-(-cycles // 1000) * 1000)
    most = threads or os.cpu_count() or 1
    at_once, speed = together(found.nodes, most), _Speed()

    def engine(chosen):
        speed.engine(f"load {', '.join(f'{load:g}' for load in chosen)}")
        words = max(1, -(-found.nodes * len(chosen) // COPIES))
        return Engine(core, [Point(load=load, **attributes) for load in chosen], min(most, words))

    rows, saturated = [], None
    try:
        if finite:
            made = engine([0.0])
            rows = [results.completed_row(core, made.points[0], complete(made, speed)[0])]
        for first in range(0, 0 if finite else len(loads), at_once):
            made = engine(loads[first : first + at_once])
            measured = measure(made, rules, speed, events=events)
            rows += [results.point_row(core, point, one) for point, one in zip(made.points, measured)]
        if saturate:
            saturated = results.saturation_row(saturation(engine, at_once, rules, watch=speed))
    except SimulationError as error:
        click.echo(f"dsnswitch: the simulation ends: {error}", err=True)
        sys.exit(1)
    except ValueError as error:
        raise UsageError(str(error)) from None
    about = core.manifest
    return {
        "format": "dsnswitch-simulation",
        "version": 1,
        "generator": f"dsnswitch {__version__}",
        "network": {"topology": found.spelling, "title": found.title, "switches": found.nodes, "hosts": core.hosts},
        "core": {
            "top": about["top"],
            "routing": values.get("routing") or PROPERTY["default"],
            "parameters": about["parameters"],
            "luts": core.luts,
            "flip_flops": core.flip_flops,
            "isa": core.isa,
        },
        "rules": dataclasses.asdict(rules),
        "links": results.link_rows(core),
        "points": rows,
        **({"saturation": saturated} if saturate else {}),
        "speed": {
            "cycles": speed.cycles,
            "seconds": round(speed.seconds, 3),
            "cycles_per_second": round(speed.cycles / speed.seconds, 1),
        },
    }


def _print(result, rules, more):
    """Write the files, print the result, and end with status 1 if a limit does not hold."""
    from dsnswitch.gen.writing import write_text
    from dsnswitch.net.simulate import results

    as_json = json.dumps(result, indent=1) + "\n"
    if more["plot"]:
        from dsnswitch.net.simulate.plots import load_plot

        curves = {}
        for one in (result, *more["others"]):
            # Results of one network differ in something else, which is not named here.
            label = f"{one['network']['topology']}, routing {one['core']['routing']}"
            curves[label + " " * sum(key.strip() == label for key in curves)] = one
        write_text(more["plot"], load_plot(f"Traffic: {result['traffic']['pattern']}", curves))
    if more["out"]:
        write_text(more["out"], as_json)
    shown = {"json": lambda: as_json, "csv": lambda: results.csv_text(result), "text": lambda: results.text(result)}
    click.echo(shown[more["form"]](), nl=False)
    broken = False
    for rule in rules:
        for point, value in rule.broken(result["points"]):
            at = f" at load {point['load']:g}" if "load" in point else ""
            state = "saturated" if value is None else f"{value:g}"
            click.echo(f"dsnswitch: limit {rule.text} does not hold{at}: {state}", err=True)
            broken = True
    if broken:
        sys.exit(1)
