"""The command ``speed``."""

import click

from dsnswitch.gen.cli.progress import stage
from dsnswitch.net import limits
from dsnswitch.net.extras import need
from dsnswitch.net.messages import UsageError


@click.command()
@click.option("--topology", metavar="NETWORK", help="Measure only this network. Default: all rows of docs/simulate.md.")
@click.option("--load", type=click.FloatRange(0, 1, min_open=True), help="Flits per host and cycle. Default 0.2.")
@click.option("--seconds", type=click.IntRange(1, 600), default=3, show_default=True, help="Seconds of a measurement.")
@click.option("--out", metavar="FILE", help="Also write the figures as JSON; those of the page are docs/speed.json.")
def speed(topology, load, seconds, out):
    """Measure the speed of simulations against Verilator's instances.

    Without --topology, it also compares whole switches with cores. Speeds are cycles per second of processor time. All rows
    together take up to half an hour.
    """
    from dsnswitch.gen.writing import write_text
    from dsnswitch.lab.docs.speed import COLUMNS, SWITCH_COLUMNS, plain
    from dsnswitch.lab.figures.kept import Kept
    from dsnswitch.lab.figures.refresh import block_rtl
    from dsnswitch.lab.speed.measured import CASES, CORE, Case, blocks, measured, report, sampled, started
    from dsnswitch.lab.speed.whole import COMPARISONS, compared
    from dsnswitch.net.files.parameters import network
    from dsnswitch.sim.network.compile.compiler import best_form

    need("A benchmark of simulations", "synth", "pyosys")
    cases = CASES
    if topology:
        found = network({"topology": topology})
        limits.at_most(limits.MOST_SIMULATED, found.nodes, f"Switches of a simulated network, {found.name},")
        cases = [Case(topology, load or 0.2, best_form(), instances=True)]
    elif load:
        raise UsageError("Option --load needs --topology")
    rows = [measured(case, seconds, stage) for case in cases]
    chosen = () if topology else COMPARISONS
    switches = [row for one in chosen for row in compared(one, CORE["flit"], CORE["packet"], stage)]
    if out:
        more = () if topology else (sampled(), {block.name: block_rtl(block, Kept()) for block in blocks()})
        write_text(out, report(started(stage, *([topology] if topology else [])), rows, switches, *more))
    click.echo(plain(COLUMNS, rows), nl=False)
    if switches:
        click.echo("\n" + plain(SWITCH_COLUMNS, switches), nl=False)
