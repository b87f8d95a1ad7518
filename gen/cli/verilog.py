"""Command ``verilog``: emits a block."""

import click

from dsnswitch.gen.blocks import DEVICE
from dsnswitch.gen.cli.block_help import BlockCommand
from dsnswitch.gen.cli.options import NAMED, block_options

#: Most ports that the summary of ``verilog`` lists; of a block with more it gives the number only.
MOST_LISTED = 24


@click.command(cls=BlockCommand)
@block_options(default=DEVICE)
@click.option("--out", default="build/verilog", show_default=True, help="Output directory; - prints the Verilog only.")
def verilog(block, out):
    """Write Verilog, instantiation template, manifest, file list, FuseSoC core and SDC."""
    from dsnswitch.gen.emit.folder import emit
    from dsnswitch.gen.emit.manifest import port_roles
    from dsnswitch.gen.emit.verilog.convert import convert

    chosen = "" if click.get_current_context().meta[NAMED] else ", the default; --block NAME selects another"
    if out == "-":
        component = block.component()
        text = convert(component, block.name, block.description, port_roles(block, component))
        if chosen:
            click.echo(f"block {block.block}{chosen}", err=True)
        click.echo(text, nl=False)
        return
    about, paths = emit(block, out)
    rows = [
        ("block", f"{block.block}{chosen}"),
        ("top", about["top"]),
        ("latency", f"{about['latency_cycles']} cycles"),
    ]
    rows += [("parameters", " ".join(f"{k}={v}" for k, v in about["parameters"].items() if v is not None))]
    for port in about.get("switch_ports", ()):
        cycles = f"cycles: {port['rx_latency_cycles']} in, {port['tx_latency_cycles']} out"
        rows.append(("port", f"{port['name']:<14} {port['link']:<7} {cycles}"))
    for way in ("input", "output"):
        ports = [f"{port['name']}[{port['width']}]" for port in about["ports"] if port["direction"] == way]
        listed = len(ports) <= MOST_LISTED
        rows.append((f"{way}s", " ".join(ports) if listed else f"{len(ports)}, listed in {about['files']['template']}"))
    for path in paths.values():
        lines = path.read_text().count("\n")
        rows.append(("wrote", f"{path}  {lines} lines, {path.stat().st_size} bytes"))
    for name, value in rows:
        click.echo(f"{name:<11} {value}")
