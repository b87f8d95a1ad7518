"""Breaks the design, one fault at a time, and names the faults that no test catches: ``make mutants``."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
from mutants.verdicts import Verdicts
from mutants.written import ROOT, written

from tools.docs.mutants import share, table

#: Tests that break the design themselves would fail because they do not find what they break.
SOUND = "not (mutant or mutation or noticed or broken or can_fail)"

#: Directories of tests of which others, too, test the units.
ALSO = {"gf": ["fec"], "line": ["link", "port/test_block_codec.py", "port/test_lines.py"]}


def judges_of(under):
    """Paths of the tests of a directory or file of ``hdl``."""
    hdl = ROOT / "tests" / "hdl"
    paths = [hdl / part for name in Path(under).parts[1:2] for part in [Path(name).stem, *ALSO.get(name, [])]] or [hdl]
    return [str(path) for path in paths if path.exists()]


def pytest(*words, limit=None, **more):
    """Exit status of pytest; the environment has ``more``."""
    words = [sys.executable, "-m", "pytest", "-q", "-n", "0", "--timeout", "0", "-k", SOUND, *words]
    more |= {"PYTHONPATH": str(ROOT / "tests"), "HYPOTHESIS_PROFILE": "ci"}
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / "mutants.log", "ab") as log:
        return subprocess.run(words, cwd=ROOT, env=os.environ | more, stdout=log, stderr=log, timeout=limit).returncode


def verdict(name, mutant, limit=900):
    """``caught``, ``survived`` or ``error``: what the tests say about a written mutant."""
    try:
        status = pytest("-x", "-p", "mutants.written", *mutant.tests, limit=limit, DSNSWITCH_MUTANT=name)
    except subprocess.TimeoutExpired:
        return "caught"
    return {0: "survived", 1: "caught"}.get(status, "error")


@click.command()
@click.argument("tests", nargs=-1)
@click.option("--sample", default=2000, show_default=True, help="Generated mutants, about; 0 judges what is left.")
@click.option("--under", default="hdl", show_default=True, help="Mutants of this directory or file.")
@click.option("--seed", default=0, show_default=True, help="Seed of the choice.")
@click.option("--longest", default=120.0, show_default=True, help="Seconds of processor time of a test that is too long.")
@click.option("--seconds", default=10, show_default=True, help="Seconds of a proof that a mutant has no effect.")
@click.option("--regress", is_flag=True, help="Run the tests of `make regress`, too, on what is left.")
@click.option("--least", default=97.0, show_default=True, help="Percentage of caught mutants that is an error if missed.")
@click.option("--result", default="build/mutants.json", show_default=True, help="JSON of the verdicts, which are kept.")
@click.option("--only-written", is_flag=True, help="Run the written mutants; TESTS begin their names, such as replay/.")
def main(tests, under, longest, seconds, regress, least, result, only_written, **given):
    """Break the design, one fault at a time, and name the faults that TESTS do not catch; by default those of UNDER."""
    if only_written:
        verdicts = {name: verdict(name, one) for name, one in written().items() if name.startswith(tests or "")}
        click.echo("\n".join(f"{said}: {name}: {written()[name].fault}" for name, said in verdicts.items()))
        sys.exit({"caught"} != {*verdicts.values()})
    Path(result).parent.mkdir(parents=True, exist_ok=True)
    given |= {"path": str(Path(result).absolute()), "under": under.rstrip("/")}
    words = ["-p", "mutants.plugin", *(tests or judges_of(under)), *(["-m", "not prove"] if regress else [])]
    status = pytest(*words, DSNSWITCH_MUTANTS=json.dumps(given | {"longest": longest}))
    record = Verdicts(**given | {"path": Path(given["path"])})
    os.environ["PYTHONPATH"] = str(ROOT / "tests")
    record.prove(seconds)
    rows = list(record.rows.values())
    click.echo(table(rows))
    for row in rows:
        if row["verdict"] == "survived" and "note" not in row:
            click.echo(f"survived: {row['source']}: {row['class']}: {row['command']}")
    click.echo(f"{share(rows):.1f} % of those with an effect are caught")
    if status:
        click.echo(f"pytest ended with status {status}, see build/mutants.log", err=True)
    sys.exit(bool(status) or share(rows) < least)


if __name__ == "__main__":
    main()
