"""Breaks the design, one fault at a time: ``make mutants``."""

import sys
from pathlib import Path

import click

from .written import judged, written

ROOT = Path(__file__).resolve().parents[2]


@click.command()
@click.argument("names", nargs=-1)
def main(names):
    """Run the tests on the written mutants, or on those whose names begin with one of NAMES, such as replay/."""
    mutants = [mutant for name, mutant in written().items() if name.startswith(names or "")]
    if not mutants:
        raise click.UsageError(f"NAMES must begin names of mutants, not {' '.join(names)!r}")
    missed = 0
    for mutant, verdict, log in judged(ROOT, mutants):
        click.echo(f"{verdict}: {mutant.name}: {mutant.fault}")
        missed += verdict in ("survived", "error")
        if verdict == "error":
            click.echo(log, err=True)
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
