"""Commands that analyse the link: BER, SNR, MTTFPA, Monte Carlo simulation, plots."""

import functools
import json

import click

from dsnswitch.gen.cli.groups import HelpByDefault
from dsnswitch.gen.cli.options import folder_option, form_option
from dsnswitch.lab.codes.defaults import PATTERNS, SEED, WORDS
from dsnswitch.net.extras import need
from dsnswitch.net.limits import MOST_PATTERNS, MOST_WORDS
from dsnswitch.net.messages import UsageError
from dsnswitch.net.printing import columns as aligned

_form = form_option("text", "json")
_pam = click.option(
    "--pam", "levels", type=click.Choice(["2", "4", "8", "16"]), default="4", show_default=True, help="Levels of PAM-M."
)
_seed = click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of the random numbers.")
_words = click.option("--words", type=click.IntRange(1, MOST_WORDS), default=WORDS, show_default=True, help="Words per point.")


def _operating_point(command):
    """Decorate a command with --ber or --snr with --pam; it receives the BER before correction and the SNR."""

    @functools.wraps(command)
    def run(ber, snr, levels, **values):
        from dsnswitch.lab.codes.codes import operating_point

        return command(*operating_point(ber, snr, int(levels)), int(levels), **values)

    for option in (
        _pam,
        click.option("--snr", type=float, help="Eb/N0 in dB; Eb is the energy of a bit on the wire."),
        click.option("--ber", type=float, help="BER before correction."),
    ):
        run = option(run)
    return run


def _print(rows, columns, form):
    """Print rows as JSON, or as a table with the columns ``{heading: function of a row}``."""
    if form == "json":
        click.echo(json.dumps(rows, indent=2, allow_nan=False))
        return
    table = [list(columns), *([text(row) for text in columns.values()] for row in rows)]
    click.echo("\n".join(aligned(table)))


def _number(key, form=".3g"):
    return lambda row: "-" if row[key] is None else format(row[key], form)


def _head(form, ber, snr, levels):
    if form != "json":
        at = "" if snr is None else f", PAM-{levels} at {snr:.2f} dB"
        click.echo(f"BER before correction {ber:.3g}{at}")


@click.group(cls=HelpByDefault)
def link():
    """Analyse links: error rates and false packets, by the dissertation's formulas and as built."""


@link.command()
@_operating_point
@_form
def ber(before, snr, levels, form):
    """Print the BER after each code, given the BER before it (--ber) or the SNR (--snr)."""
    from dsnswitch.lab.codes.rows import ber_rows

    _head(form, before, snr, levels)
    _print(ber_rows(before), {"code": lambda row: row["code"], "BER after": _number("after")}, form)


@link.command()
@click.option("--ber", "wanted", type=float, required=True, help="Required BER after correction.")
@_pam
@_form
def snr(wanted, levels, form):
    """Print the SNR that each code needs for a BER, and its coding gain."""
    from dsnswitch.lab.codes.codes import SMALLEST_WANTED_BER
    from dsnswitch.lab.codes.rows import snr_rows

    if not SMALLEST_WANTED_BER <= wanted <= 0.1:
        raise UsageError(f"BER after correction must be in {SMALLEST_WANTED_BER:g}..0.1, not {wanted:g}")
    columns = {
        "code": lambda row: row["code"],
        "BER before": _number("before"),
        "Eb/N0, dB": _number("snr", ".2f"),
        "gain, dB": _number("gain", ".2f"),
        "with rate, dB": _number("net_gain", ".2f"),
    }
    _print(snr_rows(wanted, int(levels)), columns, form)


@link.command()
@_operating_point
@_form
def mttfpa(before, snr, levels, form):
    """Print the mean time to false packet acceptance of each PCS format with each code."""
    from dsnswitch.lab.codes.rows import mttfpa_rows

    rows = mttfpa_rows(before)
    if form == "json":
        _print(rows, {}, form)
        return
    _head(form, before, snr, levels)
    click.echo("Years, one link of 100 Gb/s, frames of 1518 bytes")
    lines = {}
    for row in rows:
        line = lines.setdefault((row["code"], row["assumed"]), {"code": row["code"], "assumed": row["assumed"]})
        line[row["pcs"]] = row["years"]
    columns = {"code": lambda line: line["code"], "wrong bits": lambda line: line["assumed"]}
    columns |= {pcs: _number(pcs) for pcs in dict.fromkeys(row["pcs"] for row in rows)}
    _print(lines.values(), columns, "text")


@link.command()
@_words
@_seed
@_form
def simulate(words, seed, form):
    """Simulate the golden model of the SECDED code (Monte Carlo); compare with D (Eq. 5.6) and the exact figures."""
    from dsnswitch.lab.codes.codes import montecarlo_rows

    def shares(key):
        return lambda row: "{:.3g} .. {:.3g}".format(*row[f"{key}_interval"])

    columns = {"BER before": _number("ber")}
    for key, label in (("after", "BER after"), ("flagged", "flagged"), ("unflagged", "wrong, no flag")):
        columns |= {f"{label}, 95 %": shares(key), "exact" + " " * len(columns): _number(f"{key}_exact", ".4g")}
        if key == "after":
            columns["Eq. 5.6"] = _number("after_formula", ".4g")
    _print(montecarlo_rows(words, seed), columns, form)


@link.command()
@click.option("--patterns", type=click.IntRange(1, MOST_PATTERNS), default=PATTERNS, show_default=True, help="Patterns per row.")
@_seed
@_form
def framing(patterns, seed, form):
    """Print the effect of one to three wrong bits in the framing of a 256b/260b block, in both formats."""
    from dsnswitch.lab.codes.rows import framing_rows

    columns = {"format": lambda row: row["format"], "wrong bits": _number("wrong", "d")}
    columns |= {name: _number(name, ".2%") for name in ("corrected", "flagged", "valid")}
    _print(framing_rows(patterns, seed), columns, form)


@link.command()
@folder_option(default="build/link")
@_words
@_seed
def plot(folder, words, seed):
    """Write Figures 5.3 and 5.5 of D as plots, and all their figures as JSON."""
    need("A plot", "plot", "matplotlib")
    from dsnswitch.lab.codes.rows import write

    for name in write(folder, words, seed):
        click.echo(f"wrote {folder}/{name}")
