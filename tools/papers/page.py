"""The page of the comparisons: statements of the papers, latencies with our switch, and the figures, without scripts."""

from importlib.resources import files

from dsnswitch.lab.synth.library import PS_PER_FO4
from dsnswitch.net.analysis.latency import SWITCH_NS
from tools.figures.hop import Hop
from tools.figures.store import load as load_figures
from tools.papers.dissertation import mean_latency, of_series
from tools.papers.measure import ALL, SOME
from tools.papers.numbers import numbers
from tools.papers.plots import figures
from tools.papers.statements import statements

#: Size of the networks of :func:`latencies`, as a power of two.
SIZE = 11


def own_hop(figures):
    """``(ns, sentence)`` of a hop of our switch in OSU 0.18 um, from the recorded figures of its netlists."""
    hop = Hop(figures)
    ns = hop.cycles * hop.period * PS_PER_FO4 / 1000
    text = (
        f"A hop takes {hop.cycles} cycles of {hop.period:.1f} FO4, {ns:.1f} ns in OSU 0.18 um, without wires and SerDes. The "
        "papers assume 40 ns, and 60, 100 or 160 ns with an error-correcting code."
    )
    return ns, text


def latencies(store, own):
    """``{network: mean latencies}`` at the delays of the papers and of our switch: fewest hops, or custom routes."""
    found = {}
    for series in ("2-D DSN", "3-D torus", "RR-6", "Skywalk-4-2", "Dragonfly"):
        record = of_series(store, series, SIZE)
        for kind, text in (("fewest", "fewest hops"), ("routes", "custom routes")):
            if record and kind in record:
                found[f"{series}, {text}"] = [mean_latency(record, kind, delay) for delay in (own, *SWITCH_NS)]
    return found


def page(store, path):
    """The page as HTML text; ``path`` is that of the recorded figures of netlists."""
    from jinja2 import Environment

    netlists = load_figures(path)
    own, sentence = own_hop(netlists)
    text = files("tools.papers").joinpath("page.html.jinja").read_text(encoding="utf-8")
    return (
        Environment(autoescape=True)
        .from_string(text)
        .render(
            rows=[*statements(store), *numbers(store, netlists)],
            figures=figures(store),
            hop=sentence,
            most=f"{ALL:,}",
            some=SOME,
            size=f"{1 << SIZE:,} switches: mean latency, ns",
            delays=["our switch", *(f"{delay:g} ns" for delay in SWITCH_NS)],
            latencies={name: [f"{cell:.0f}" for cell in row] for name, row in latencies(store, own).items()},
        )
    )
