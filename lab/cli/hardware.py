"""Commands that measure hardware: synth, budget, report, fpga."""

import os
import sys
from pathlib import Path

import click

from dsnswitch.gen.cli.blocks import BlockCommand, block_options
from dsnswitch.gen.cli.options import Finite
from dsnswitch.gen.cli.progress import progress, stage, watched
from dsnswitch.gen.extras import need, need_checkout
from dsnswitch.net.messages import UsageError

#: Default budget file, relative to the repository.
BUDGETS = "constraints/budgets.toml"

#: The clock frequency for which figures are given.
clock_option = click.option(
    "--clock", type=Finite(1, 100_000), default=644.53125, show_default=True, help="Clock in MHz."
)


#: The file of measured figures. Figures that are current there are not measured again.
figures_option = click.option(
    "--figures",
    "figures_path",
    default="docs/figures.json",
    show_default=True,
    metavar="FILE",
    help="File of measured figures; current ones are not measured again. The file is not changed.",
)

#: Largest limit of the iterations of loops in Verilog.
MOST_UNROLLED = 1 << 24


@click.command(cls=BlockCommand)
@block_options(required=False)
@click.option(
    "--verilog", "files", metavar="FILE", multiple=True, help="Also measure module --top of this file; repeatable."
)
@click.option("--top", metavar="NAME", help="Top module of --verilog.")
@click.option(
    "-f", "--file-list", "lists", metavar="FILE", multiple=True, help="File list with files like --verilog; repeatable."
)
@click.option(
    "-F", "relative_lists", metavar="FILE", multiple=True, help="The same, with paths relative to the list; repeatable."
)
@click.option(
    "-I", "--include", "includes", metavar="FOLDER", multiple=True, help="Include directory of --verilog; repeatable."
)
@click.option(
    "--libdir",
    "libraries",
    metavar="FOLDER",
    multiple=True,
    help="Directory that is searched for missing modules, -y of file lists; repeatable.",
)
@click.option(
    "-P", "--parameter", "parameters", metavar="NAME=VALUE", multiple=True, help="Parameter of --top; repeatable."
)
@click.option(
    "-D", "--define", "defines", metavar="NAME[=VALUE]", multiple=True, help="Macro for --verilog; repeatable."
)
@click.option(
    "--unroll-limit",
    "unroll_limit",
    type=click.IntRange(1, MOST_UNROLLED),
    help="Most iterations of loops in --verilog.  [default: 4000, that of slang]",
)
@click.option("--static", metavar="NAME,...", help="Static inputs of --top; paths from them are not timed.")
@click.option("--all", "everything", is_flag=True, help="Measure all blocks of the budget file.")
@click.option("--parts", is_flag=True, help="Measure each module in the top alone, not the whole.")
@click.option("--lib", type=click.Choice(["model", "osu018"]), default="model", show_default=True, help="Cell library.")
@clock_option
@click.option(
    "--prove/--no-prove",
    default=None,
    help="Prove the netlist equal to the RTL. Default: yes, except for fabric-port and switch, which the solver does not decide.",
)
@click.option("--out", metavar="FILE", help="Write the JSON report; - prints it instead of the table.")
def synth(block, files, top, static, everything, parts, lib, clock, prove, out, **reading):
    """Synthesize: area, levels, delay, latency and throughput."""
    need("Synthesis", "synth", "pyosys")
    from dsnswitch.gen.writing import write_text
    from dsnswitch.lab.synth.library import library
    from dsnswitch.lab.synth.measure import measure_all, measure_source, report, suite, table
    from dsnswitch.lab.synth.source import source

    given = bool(files or reading["lists"] or reading["relative_lists"])
    if given != (top is not None):
        raise UsageError("Options --verilog and --top must be given together; -f and -F count as --verilog")
    if not given and (static or any(reading.values())):
        raise UsageError(
            "Options --include, --libdir, --parameter, --define, --unroll-limit and --static need --verilog or a file list"
        )
    own = source(files, top, static, **reading) if given else None
    if block is not None and everything:
        raise UsageError("Option --all cannot be given together with a block")
    if block is None and own is None and not everything:
        raise UsageError("A network, --block, --all or --verilog must be given")
    cells = library(lib)
    if parts:
        if everything or out or (block is None) == (own is None):
            raise UsageError(
                "Option --parts needs a block or --verilog, and cannot be given together with --all or --out"
            )
        click.echo(_parts(block, own, cells), nl=False)
        return
    blocks = list(suite()) if everything else [block] if block is not None else []
    figures = measure_all(
        blocks, lambda items: progress(items, "synthesis", len(blocks) > 1), cells, prove, watch=stage
    )
    if own is not None:
        figures.append(measure_source(own, cells, prove is not False, watch=stage))
    if out == "-":
        click.echo(report(figures, cells, clock), nl=False)
        return
    click.echo(table(figures, cells, clock), nl=False)
    if out:
        write_text(out, report(figures, cells, clock))


def _parts(block, own, cells):
    """Text table of the modules in the top of a block, or of a user's design."""
    from dsnswitch.lab.synth.measure import breakdown, breakdown_of_source, design_of

    divide, design = (breakdown_of_source, own) if own else (breakdown, design_of(block))
    found = divide(design, cells, watched)
    if not found:
        raise UsageError(f"The top of {block.name if block else own.top} contains no modules")
    width = max(map(len, found))
    lines = [f"{'module':<{width}}  number  area of one  area of all  period of one"]
    for module, one in found.items():
        area = one["number"] * one["area"]
        lines.append(
            f"{module:<{width}}  {one['number']:>6}  {one['area']:>11,.0f}  {area:>11,.0f}  {one['period']:>13.2f}"
        )
    total = sum(one["number"] * one["area"] for one in found.values())
    return "\n".join([*lines, f"{'sum':<{width}}  {'':>6}  {'':>11}  {total:>11,.0f}"]) + "\n"


@click.command()
@click.option("--file", "path", default=BUDGETS, show_default=True, help="Budget file.")
@click.option("--lower", is_flag=True, help="Lower ceilings to the measured values, and add missing blocks.")
@figures_option
def budget(path, lower, figures_path):
    """Compare area and period of all blocks with their ceilings; exit status 1 if a ceiling is exceeded."""
    if path == BUDGETS:
        need_checkout("Without --file, command budget", os.path.dirname(path) if lower else path)
    need("Measuring a budget", "synth", "pyosys")
    from dsnswitch.gen.writing import write_text
    from dsnswitch.lab.figures.refresh import measured
    from dsnswitch.lab.figures.store import load as load_figures
    from dsnswitch.lab.synth.budget import load, lowered, render, violations
    from dsnswitch.lab.synth.measure import suite

    budgets = load(path) if Path(path).exists() or not lower else {}
    figures = measured(load_figures(figures_path), suite(), progress)
    if lower:
        budgets = lowered(figures, budgets)
        write_text(path, render(budgets))
    found = violations(figures, budgets)
    for line in found:
        click.echo(line)
    if found:
        sys.exit(1)
    click.echo(f"{len(figures)} blocks are within their budgets")


@click.command()
@click.option("--out", default="build/report", show_default=True, help="Output directory.")
@clock_option
@click.option("--real/--no-real", default=True, show_default=True, help="Also measure in OSU 0.18 um cells.")
@figures_option
def report(out, clock, real, figures_path):
    """Write a page with tables and plots of all measurements; figures that are not current are measured."""
    need("A report", "report", "pyosys", "jinja2", "markdown", "matplotlib")
    from dsnswitch.gen.writing import make_folder
    from dsnswitch.lab.figures.store import load
    from dsnswitch.lab.report.page import collect, write

    store = load(figures_path)
    make_folder(out)
    page = write(collect(store, clock, progress, real), store, out)
    click.echo(f"wrote {page}")


@click.command(cls=BlockCommand)
@block_options(required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def fpga(block, as_json):
    """Place and route on an ECP5: LUTs, flip-flops, RAM, Fmax.

    Without any parameter of a block: a switch with four ports and 64-bit flits.
    """
    need("Place and route", "fpga", "pyosys")
    import json

    from dsnswitch.gen.config import build
    from dsnswitch.lab.synth.fpga import DEVICE, FOUR_PORTS, place_and_route

    found = place_and_route(block or build(FOUR_PORTS))
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    others = [(name, one) for name, one in found["tried"].items() if name != found["mapping"]]
    tried = ", ".join(f"{name} LUTs: {one['luts']} at {one['fmax']:g} MHz" for name, one in others)
    speeds = ", ".join(f"{speed:g}" for speed in found["fmax_by_seed"].values())
    for name, value in (
        ("block", found["name"]),
        ("device", "ECP5 " + " ".join(DEVICE)),
        ("LUTs", f"{found['luts']} ({found['mapping']} LUTs; {tried})"),
        ("flip-flops", found["flip_flops"]),
        ("RAM", ", ".join(f"{number} {kind}" for kind, number in found["rams"].items()) or "none"),
        ("Fmax", f"{found['fmax']:g} MHz (by seed: {speeds}), registers around the block"),
    ):
        click.echo(f"{name:<11} {value}")
