"""Commands about blocks: blocks, verilog, registers, vectors. Options: one for each parameter of each block."""

import functools
import json
from contextlib import suppress
from pathlib import Path

import click

from dsnswitch.gen.blocks import BLOCKS, DEFAULT, DEVICE, no_block, search
from dsnswitch.gen.cli.options import Grouped, folder_option, form_option, given, option_of, out_option, with_options
from dsnswitch.gen.cli.progress import watched
from dsnswitch.gen.config import build
from dsnswitch.gen.vectors import CODES
from dsnswitch.net.extras import need
from dsnswitch.net.files.options import NETWORK
from dsnswitch.net.limits import MOST_VECTORS
from dsnswitch.net.messages import UsageError, shortened

#: Key in the ``meta`` of a context: whether the user has named a block.
NAMED = f"{__name__}.named"

#: Names of all options that are a parameter of some block, and the blocks of a network.
_PARAMETERS = {one.word or key for block in BLOCKS.values() for key, one in block.OPTIONS.items()}
_OF_NETWORKS = [name for name, block in BLOCKS.items() if NETWORK.keys() <= block.OPTIONS.keys()]


def _option(key, declared):
    names, attributes = option_of(key, declared)
    return click.Option(names, **attributes)


class _BlockName(click.Choice):
    """Name of a block; another one is refused with the nearest."""

    def get_invalid_choice_message(self, value, ctx):
        """The message that names the nearest block."""
        return no_block(value)


class BlockCommand(Grouped):
    """A command with the options of all blocks.

    Its help shows the options that do not depend on the block, and those of a network. ``--block NAME --help`` shows the
    options of one block; the two options may have any order.
    """

    def parse_args(self, ctx, args):
        # The help is printed while the options are processed, so the block must be known before that.
        chosen = None
        with suppress(click.UsageError):
            chosen = self.make_parser(ctx).parse_args(list(args))[0].get("block")
        if chosen is not None and not ctx.resilient_parsing:
            option = next(param for param in self.get_params(ctx) if param.name == "block")
            ctx.meta[__name__] = option.type_cast_value(ctx, chosen)
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx, formatter):
        super().format_help_text(ctx, formatter)
        if __name__ in ctx.meta:
            name = ctx.meta[__name__]
            with formatter.section(f"Block {name}"):
                formatter.write_text(BLOCKS[name].summary())

    def format_options(self, ctx, formatter):
        name = ctx.meta.get(__name__)
        shown = BLOCKS[name].OPTIONS if name else NETWORK
        own = [_option(one.word or key, {name: one}) for key, one in shown.items()]
        others = [param for param in self.get_params(ctx) if param.name not in _PARAMETERS]
        title = "Parameters" if name else f"Network, for the blocks {', '.join(_OF_NETWORKS)}"
        more = "" if name else f"More parameters of a block: {ctx.command_path} --block NAME --help; dsnswitch blocks lists them."
        for head, params in ((title, own), ("Options", others)):
            if params:
                with formatter.section(head):
                    formatter.write_dl([param.get_help_record(ctx) for param in params])
        if more:
            formatter.write_paragraph()
            formatter.write_text(more)


def block_options(required=True, default=DEFAULT):
    """Decorate a command with ``--block`` and the options of all blocks; its first argument is the block.

    If ``required`` is false and no option is given, the argument is None. The block is ``default`` if neither the command line
    nor the configuration file names one. The command is a :class:`BlockCommand`.
    """
    keys = {}
    for name, block in BLOCKS.items():
        for key, one in block.OPTIONS.items():
            keys.setdefault(one.word or key, {})[name] = one
    words = {one.word for block in BLOCKS.values() for one in block.OPTIONS.values() if one.word}

    def decorate(command):
        @functools.wraps(command)
        def run(config, **values):
            own = {word: value for word in words if (value := values.pop(word)) is not None}
            typed = dict(values)
            found = given(config, values, {"block", *keys} - words, default)
            block = found.get("block", default)
            named = {one.word: key for key, one in BLOCKS[block].OPTIONS.items() if one.word}
            for word, key in named.items():
                if typed.get(key) is not None:
                    raise UsageError(f"Block {block} takes no -{key} (= {typed[key]}), a size of a ring, but --{word}")
            found |= {named.get(word, word): value for word, value in own.items()}
            click.get_current_context().meta[NAMED] = "block" in found
            return command(build(found, default) if found or required else None, **values)

        which = f"Which block; dsnswitch blocks lists them. Default {default}."
        run = with_options(run, keys)
        return click.option("--block", type=_BlockName(list(BLOCKS)), metavar="NAME", help=which)(run)

    return decorate


@click.command()
@click.argument("words", metavar="[WORD]...", nargs=-1)
@form_option("text", "json")
def blocks(words, form):
    """List the blocks that --block accepts, one line each; as JSON with the schema of each parameter.

    With words, only blocks whose descriptions have all of them: dsnswitch blocks hamming encoder. The parameters of one block:
    dsnswitch verilog --block NAME --help
    """
    found = {name: block for name, block in BLOCKS.items() if all(name in search(word) for word in words)}
    if not found:
        raise UsageError(f"No block has the words {shortened(' '.join(words), 40)!r}; dsnswitch blocks lists all")
    if form == "json":
        rows = [
            {
                "name": name,
                "default": name == DEFAULT,
                "default_of_verilog": name == DEVICE,
                "description": block.summary(),
                "parameters": {key: one.schema for key, one in block.OPTIONS.items()},
            }
            for name, block in found.items()
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(map(len, found))
    for name, block in found.items():
        click.echo(f"{name:<{width}}  {block.summary()}")


#: Most ports that the summary of ``verilog`` lists; of a block with more it gives the number only.
MOST_LISTED = 24


@click.command(cls=BlockCommand)
@block_options(default=DEVICE)
@folder_option("Folder of all files.  [default: build/verilog]")
@out_option("Write the Verilog only, to this file; - is standard output.", None)
def verilog(block, folder, out):
    """Write Verilog, instantiation template, manifest, file list, FuseSoC core and SDC."""
    from dsnswitch.gen.emit.folder import emit, files_of
    from dsnswitch.gen.writing import write_text

    chosen = "" if click.get_current_context().meta[NAMED] else ", the default; --block NAME selects another"
    if out:
        if folder:
            raise UsageError("Option --out writes the Verilog only, and --folder all files: give one of them")
        if out != "-" and not out.endswith(".v"):
            raise UsageError(f"Option --out names the file of the Verilog, which ends in .v, not {shortened(out, 60)!r}")
        _, names, texts = files_of(block)
        if chosen:
            click.echo(f"block {block.block}{chosen}", err=True)
        write_text(out, texts[names["verilog"]])
        return
    about, paths = emit(block, folder or "build/verilog")
    rows = [("block", f"{block.block}{chosen}"), ("top", about["top"]), ("latency", f"{about['latency_cycles']} cycles")]
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


@click.command(cls=BlockCommand)
@block_options(default=DEVICE)
@click.option(
    "--as",
    "form",
    type=click.Choice(["rdl", "html", "markdown", "c"]),
    default="rdl",
    show_default=True,
    help="SystemRDL, a folder of HTML pages, a Markdown page, or a C header.",
)
@folder_option(default="build/registers")
def registers(block, form, folder):
    """Write the registers of a switch as SystemRDL, or as HTML, Markdown or C header by PeakRDL."""
    from dsnswitch.gen.registers import registers_of, written
    from dsnswitch.gen.version import __version__
    from dsnswitch.gen.writing import write_files

    found = registers_of(block)
    if form != "rdl":
        need("A register description", "registers", "systemrdl", "peakrdl_html", "peakrdl_markdown", "peakrdl_cheader")
    files = written(found, form, block.name, f"dsnswitch {__version__}")
    write_files(folder, files)
    names = sorted(files, key=lambda name: (name.count("/"), not name.endswith("index.html"), name))
    for name in names if form != "html" else [next(name for name in names if name.endswith("index.html"))]:
        click.echo(f"wrote {Path(folder, name)}")


@click.command()
@click.option("--code", "name", type=click.Choice(CODES), required=True, help="Name of the code.")
@click.option("--count", type=click.IntRange(1, MOST_VECTORS), default=10, show_default=True, help="Number of words.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the random numbers.")
@out_option()
def vectors(name, count, seed, out):
    """Write test vectors as JSON: data, codeword and received word as bytes in hex and as symbols, errors, syndromes."""
    from dsnswitch.gen.vectors import vectors as made
    from dsnswitch.gen.writing import write_text

    write_text(out, made(name, watched(range(count), "words"), seed))
