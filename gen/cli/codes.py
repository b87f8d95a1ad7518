"""Command ``vectors``: test vectors of codes."""

import click

from dsnswitch.gen.cli.progress import progress
from dsnswitch.hdl.fec.reed_solomon.code import NAMED
from dsnswitch.net.limits import MOST_VECTORS


@click.command()
@click.option("--code", "name", type=click.Choice(list(NAMED)), required=True, help="Name of the code.")
@click.option("--count", type=click.IntRange(1, MOST_VECTORS), default=10, show_default=True, help="Number of words.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the random numbers.")
@click.option("--out", metavar="FILE", default="-", show_default=True, help="File to write; - is standard output.")
def vectors(name, count, seed, out):
    """Write test vectors as JSON: data, codeword and received word as bytes in hex and as symbols, errors, syndromes."""
    from dsnswitch.gen.vectors import vectors as made
    from dsnswitch.gen.writing import write_text

    with progress(range(count), "words") as words:
        text = made(name, words, seed)
    write_text(out, text)
