"""Runs the tests on mutants of the design: ``make mutants``."""

import os
import sys
from pathlib import Path

import click

from dsnswitch.gen.cli.progress import progress

from .catalogue import CatalogueError, read, sampled
from .score import Score
from .trial import Trials

ROOT = Path(__file__).resolve().parents[2]


@click.command()
@click.option("--workers", type=click.IntRange(1), default=os.cpu_count() or 1, help="Mutants at a time.")
@click.option("--sample", type=click.IntRange(1), help="Run this many mutants of the list.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the sample.")
@click.option("--under", default="", help="Only mutants of this subject, such as fec/secded.")
@click.option("--limit", type=click.IntRange(1), default=900, show_default=True, help="Seconds per mutant.")
@click.option("--least", type=float, default=95, show_default=True, help="Score in percent that is an error if missed.")
@click.option("--result", type=click.Path(dir_okay=False, path_type=Path), help="JSON file for the outcomes.")
def main(workers, sample, seed, under, limit, least, result):
    """Break the design, one fault at a time, and count the faults that the tests of `make test` catch."""
    mutants = read(under=under)
    if sample is not None:
        mutants = sampled(mutants, sample, seed)
    if not mutants:
        raise CatalogueError(f"Subject must have mutants, not {under!r}")
    for mutant in mutants:
        mutant.applied((ROOT / mutant.path).read_text(encoding="utf-8"))

    score = Score([])
    outcomes = Trials(ROOT, workers, limit).outcomes(mutants)
    with progress(mutants, "mutants") as shown:
        for mutant, outcome in zip(shown, outcomes):
            score.rows.append((mutant, outcome))
            if result is not None:
                result.write_text(score.json(), encoding="utf-8")
    click.echo(score.text())
    for mutant, outcome in score.listed("error"):
        click.echo(f"\n{mutant.name} could not be tested:\n{outcome.log}", err=True)
    sys.exit(score.percent < least or bool(score.listed("error")))


if __name__ == "__main__":
    try:
        main()
    except CatalogueError as error:
        click.echo(f"dsnswitch: error: {error}", err=True)
        sys.exit(2)
