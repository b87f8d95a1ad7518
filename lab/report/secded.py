"""Comparison of the SECDED codecs with other constructions, all measured by the same scripts."""

from math import comb

from dsnswitch.hdl.fec.secded.parameters import SecdedCode
from dsnswitch.lab.codes.secded_spectrum import flagged_counts
from dsnswitch.lab.synth.passes import GENERIC_MAPS
from dsnswitch.lab.synth.suite import peers

__all__ = ["rows"]


def rows(evidence):
    """Headings and rows of the table: this project's codecs first, then the baselines; encoders before decoders."""
    heads = ["codec", "best", *(f"script `{name}`" for name in GENERIC_MAPS), "GE", "FO4", "triples flagged"]
    body = []
    for side in ("encoder", "decoder"):
        theirs = [block.name for block in peers() if block.block.endswith(side)]
        names = [f"secded_{side}_270_260", *theirs]
        found = {entry["name"]: entry for entry in evidence.suite + evidence.yardsticks}
        body += [_line(found[name]) for name in names if name in found]
    return heads, body


def _line(entry):
    counts = [entry, *(entry["generic"][name] for name in GENERIC_MAPS)]
    return [
        f"`{entry['name']}`",
        *(f"{count['gates']:,} / {count['levels']}" for count in counts),
        f"{entry['area']:,.0f}",
        f"{entry['period']:.1f}",
        _triples(entry),
    ]


def _triples(entry):
    """Share of errors of three bits that a decoder flags. The decoder of a baseline corrects at every odd syndrome."""
    if entry["block"] == "secded-decoder":
        code = SecdedCode(270, 260)
        return f"{flagged_counts(code)[3] / comb(code.n, 3):.1%}".replace("%", " %")
    return "none" if entry["block"].endswith("decoder") else "-"
