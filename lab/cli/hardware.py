"""Commands that measure hardware: synth, fpga, layout."""

from pathlib import Path

import click

from dsnswitch.gen.cli.blocks import BlockCommand, block_options
from dsnswitch.gen.cli.options import Finite, folder_option, form_option, out_option
from dsnswitch.gen.cli.progress import stage, watched
from dsnswitch.net.extras import need
from dsnswitch.net.messages import UsageError
from dsnswitch.net.printing import columns

#: The clock frequency for which figures are given.
clock_option = click.option(
    "--clock", type=Finite(0.001, 100), default=0.64453125, show_default=True, metavar="GHZ", help="Clock."
)


#: Largest limit of the iterations of loops in Verilog.
MOST_UNROLLED = 1 << 24


def _repeated(*names_metavar_help):
    """An option that may be repeated: its names, the placeholder of its value, and its help."""
    *names, metavar, text = names_metavar_help
    return click.option(*names, metavar=metavar, multiple=True, help=f"{text}; repeatable.")


@click.command(cls=BlockCommand)
@block_options(required=False)
@_repeated("--verilog", "files", "FILE", "Also measure module --top of this file")
@click.option("--top", metavar="NAME", help="Top module of --verilog.")
@_repeated("-f", "--file-list", "lists", "FILE", "File list with files like --verilog")
@_repeated("-F", "relative_lists", "FILE", "The same, with paths relative to the list")
@_repeated("-I", "--include", "includes", "FOLDER", "Include directory of --verilog")
@_repeated("--libdir", "libraries", "FOLDER", "Directory that is searched for missing modules, -y of file lists")
@_repeated("-P", "--parameter", "parameters", "NAME=VALUE", "Parameter of --top")
@_repeated("-D", "--define", "defines", "NAME[=VALUE]", "Macro for --verilog")
@click.option(
    "--unroll-limit",
    "unroll_limit",
    type=click.IntRange(1, MOST_UNROLLED),
    help="Most iterations of loops in --verilog.  [default: 100000]",
)
@click.option("--static", metavar="NAME,...", help="Static inputs of --top; paths from them are not timed.")
@click.option("--all", "everything", is_flag=True, help="Measure all blocks of the budget file.")
@click.option("--parts", is_flag=True, help="Measure each module in the top of a block alone, not the whole.")
@click.option("--lib", type=click.Choice(["model", "osu018"]), default="model", show_default=True, help="Cell library.")
@clock_option
@click.option(
    "--prove/--no-prove",
    default=None,
    help="Prove the netlist equal to the RTL. Default: yes, except for fabric-port and switch, which the solver does not decide.",
)
@out_option("Write the JSON report; - prints it instead of the table.", None)
def synth(block, files, top, static, parts, prove, out, **values):
    """Synthesize: area, levels, delay, latency and throughput."""
    need("Synthesis", "synth", "pyosys")
    from dsnswitch.gen.writing import write_text
    from dsnswitch.lab.synth.library import library
    from dsnswitch.lab.synth.measure import measure_all, measure_source, report, suite, table
    from dsnswitch.lab.synth.source import source

    everything, lib, clock = (values.pop(key) for key in ("everything", "lib", "clock"))
    clock *= 1000
    # What is left says how Verilog is read.
    lists = [(path, False) for path in values.pop("lists")] + [(path, True) for path in values.pop("relative_lists")]
    given = bool(files or lists)
    if given != (top is not None):
        raise UsageError("Options --verilog and --top must be given together; -f and -F count as --verilog")
    if not given and (static or any(values.values())):
        raise UsageError(
            "Options --include, --libdir, --parameter, --define, --unroll-limit and --static need --verilog or a file list"
        )
    own = source(files, top, static, lists=lists, **values) if given else None
    if block is not None and everything:
        raise UsageError("Option --all cannot be given together with a block")
    if block is None and own is None and not everything:
        raise UsageError("A network, --block, --all or --verilog must be given")
    cells = library(lib)
    if parts:
        if block is None or own is not None or out:
            raise UsageError("Option --parts needs a block, and cannot be given together with --verilog or --out")
        click.echo(_parts(block, cells), nl=False)
        return
    blocks = list(suite()) if everything else [block] if block is not None else []
    figures = measure_all(blocks, watched, cells, prove, watch=stage)
    if own is not None:
        figures.append(measure_source(own, cells, prove is not False, watch=stage))
    if out == "-":
        click.echo(report(figures, cells, clock), nl=False)
        return
    click.echo(table(figures, cells, clock), nl=False)
    if out:
        write_text(out, report(figures, cells, clock))


def _parts(block, cells):
    """Text table of the modules in the top of a block."""
    from dsnswitch.lab.synth.measure import breakdown, design_of

    found = breakdown(design_of(block), cells, watched)
    if not found:
        raise UsageError(f"The top of {block.name} contains no modules")
    lines, total = [["module", "number", "area of one", "area of all", "period of one"]], 0.0
    for module, one in found.items():
        area = one["number"] * one["area"]
        total += area
        lines.append([module, str(one["number"]), f"{one['area']:,.0f}", f"{area:,.0f}", f"{one['period']:.2f}"])
    return "\n".join(columns([*lines, ["sum", "", "", f"{total:,.0f}", ""]], right=True)) + "\n"


@click.command(cls=BlockCommand)
@block_options(required=False)
@click.option("--map-only", is_flag=True, help="Count LUTs, flip-flops and RAM, without placing: no nextpnr, no Fmax.")
@form_option("text", "json")
def fpga(block, map_only, form):
    """Place and route on an ECP5: LUTs, flip-flops, RAM, Fmax.

    Without any parameter of a block: a switch with four ports and 64-bit flits.
    """
    if map_only:
        need("Mapping to LUTs", "synth", "pyosys")
    else:
        need("Place and route", "fpga", "pyosys")
    import json

    from dsnswitch.gen.config import build
    from dsnswitch.lab.synth import fpga

    found = (fpga.map_only if map_only else fpga.place_and_route)(block or build(fpga.FOUR_PORTS))
    if form == "json":
        click.echo(json.dumps(found, indent=2))
        return
    others = [(name, one) for name, one in found["tried"].items() if name != found["mapping"]]
    speed = "" if map_only else " at {fmax:g} MHz"
    tried = ", ".join(f"{name} LUTs: {one['luts']}" + speed.format(**one) for name, one in others)
    lines = [
        ("block", found["name"]),
        ("device", "ECP5, not placed" if map_only else "ECP5 " + " ".join(fpga.DEVICE)),
        ("LUTs", f"{found['luts']} ({found['mapping']} LUTs; {tried})"),
        ("flip-flops", found["flip_flops"]),
        ("RAM", ", ".join(f"{number} {kind}" for kind, number in found["rams"].items()) or "none"),
    ]
    if not map_only:
        speeds = ", ".join(f"{speed:g}" for speed in found["fmax_by_seed"].values())
        lines.append(("Fmax", f"{found['fmax']:g} MHz (by seed: {speeds}), registers around the block"))
    for name, value in lines:
        click.echo(f"{name:<11} {value}")


@click.command(cls=BlockCommand)
@block_options(required=False)
@click.option("--density", type=Finite(0.3, 0.95), help="Share of the rows that cells take; lower ones are tried if it fails.")
@folder_option(default="build/layout")
def layout(block, density, folder):
    """Place and route: delay, area and picture with wires."""
    need("A layout", "layout", "pyosys", "gdstk", "PIL")
    from dsnswitch.gen.writing import make_folder, write_files
    from dsnswitch.lab.layout.drawing import drawing, gds, png
    from dsnswitch.lab.layout.flow import DENSITIES, lay_out
    from dsnswitch.lab.layout.measured import figures, report, table
    from dsnswitch.lab.layout.tools import tools
    from dsnswitch.lab.synth.measure import design_of

    if block is None:
        raise UsageError("A network or --block must be given")
    subject = design_of(block)
    tools()
    make_folder(folder)
    densities = DENSITIES if density is None else (density, *(lower for lower in DENSITIES if lower < density))
    found = lay_out(subject, watched, densities=densities)
    entry = figures(found)
    files = {f"{subject.name}.{suffix}": text for suffix, text in found.files.items()}
    files |= {f"{subject.name}.png": png([drawing(found, subject.name)]), f"{subject.name}.gds": gds(found)}
    files[f"{subject.name}.json"] = report([entry])
    write_files(folder, files)
    click.echo(table(entry), nl=False)
    for name in files:
        click.echo(f"{'wrote':<15} {Path(folder, name)}")
