"""The report: figures, plots, a page as Markdown from a template, and the same page as HTML with the plots inside."""

import json
import re
import statistics
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path

from dsnswitch.gen.version import __version__
from dsnswitch.gen.writing import write_files
from dsnswitch.hdl.table.direct import MAX_WORDS
from dsnswitch.lab.docs.links import constructions
from dsnswitch.lab.docs.markdown import table
from dsnswitch.lab.docs.readme import hop
from dsnswitch.lab.docs.routing import verdict
from dsnswitch.lab.docs.switch import breakdown
from dsnswitch.lab.figures.refresh import LEVELS, SAMPLE, curves, entries_of, measured, nodes
from dsnswitch.lab.synth.library import MODEL, PS_PER_FO4, UM2_PER_GE, library
from dsnswitch.lab.synth.measure import baselines, peers, rows, suite
from dsnswitch.lab.synth.passes import FRONT, FULL, MAPS
from dsnswitch.net.files.plotting import BLUE, GREEN, PURPLE, RED, new_figure, svg
from dsnswitch.net.messages import UsageError


@dataclass
class Evidence:
    """Figures (:func:`measure_block`) for each part of the report, with times at ``clock`` (MHz)."""

    clock: float
    suite: list = field(default_factory=list)
    yardsticks: list = field(default_factory=list)
    #: ``{curve: {P: figures}}`` of :func:`curves`.
    curves: dict = field(default_factory=dict)
    #: Specialised logic of 8 x 8 x 8 at the nodes of SAMPLE, and that of a torus at the same nodes.
    nodes: list = field(default_factory=list)
    places: list = field(default_factory=list)
    #: The suite and the baselines in real cells, or the reason why there are none.
    real: list = field(default_factory=list)
    without_real: str = ""


def collect(store, clock, bar, real=True, levels=LEVELS, sample=SAMPLE):
    """Collect all figures: those of ``store`` that are current; the others are measured.

    New figures are added to ``store``; its file is not written. ``clock`` in MHz is for times in ns. ``bar(items, label)`` is a
    context manager for an iterator over ``items``, which may show progress. With ``real``, the blocks are measured in OSU
    0.18 um, too, if these cells are available. ``levels`` are the P of the curves, ``sample`` the numbers of averaged nodes.
    """

    def figures(blocks, cells=MODEL):
        return measured(store, blocks, bar, cells.name)

    found = Evidence(clock, figures(suite()), figures([*baselines(), *peers()]))
    for name, blocks in curves(levels).items():
        found.curves[name] = dict(zip(blocks, figures(list(blocks.values()))))
    for name, blocks in nodes(sample).items():
        setattr(found, name, figures(blocks))
    if not real:
        found.without_real = "Not asked for."
        return found
    try:
        cells = library("osu018")
    except UsageError as error:
        found.without_real = str(error)
    else:
        found.real = figures([*suite(), *baselines(), *peers()], cells)
    return found


#: Style of each curve: name in the evidence, label, colour, marker.
CURVES = (
    ("universal", "DSN, universal", BLUE, "o"),
    ("specialised", "DSN, one node's", GREEN, "s"),
    ("tables", "ternary table, m + 2 log N entries", RED, "^"),
    ("ternary", "ternary table with the same routes", "#cc4125", "<"),
    ("flat", "ternary table, an entry a node", "#7f6000", "v"),
    ("direct", "direct table, without its RAM", PURPLE, "D"),
    ("tori", "3-D torus, dimension order", "#555555", "x"),
)


def _figure(title, height=4.4):
    return new_figure(f"{title} (model cells, no wires)", height=height)


def _draw(axes, evidence, key, names):
    for name, label, colour, marker in CURVES:
        points = evidence.curves[name]
        if points and name in names:
            values = [entry[key] for entry in points.values()]
            axes.plot([8 * 4**p for p in points], values, color=colour, marker=marker, label=label)
    nodes = [8 * 4**p for p in evidence.curves["universal"]]
    axes.set_xscale("log", base=2)
    axes.set_xticks(nodes, [f"{n:,}" for n in nodes], rotation=20)
    axes.set_xlabel("nodes of the network")


def area_plot(evidence):
    """Plot of the area against N. RAM bits have a separate, dashed curve."""
    figure, axes = _figure("Area of route logic and tables")
    _draw(axes, evidence, "area", [name for name, *_ in CURVES])
    points = [p for p in evidence.curves["universal"] if 8 * 4**p <= MAX_WORDS]
    label = "RAM of a direct table, in bits"
    axes.plot([8 * 4**p for p in points], [8 * 4**p * 5 for p in points], "--", color=PURPLE, label=label)
    axes.set_yscale("log")
    axes.set_ylim(top=1e8)
    axes.set_ylabel("NAND2 equivalents (flip-flops counted); bits")
    axes.legend(loc="upper left")
    return svg(figure)


def delay_plot(evidence):
    """Plot of the delay from the packet's inputs against N. The access time of the RAM of a direct table is not modelled."""
    figure, axes = _figure("Delay from destination to port")
    _draw(axes, evidence, "delay", [name for name, *_ in CURVES if name != "direct"])
    axes.set_ylim(bottom=0)
    axes.set_ylabel("FO4, destination to port or action")
    axes.legend(loc="lower right")
    return svg(figure)


def nodes_plot(evidence):
    """Plot of the delays of the specialised logic over the nodes of 8 x 8 x 8, compared with a torus."""
    figure, axes = _figure("Specialised logic over the nodes of an 8 x 8 x 8 network", 3.8)
    groups = (("DSN", evidence.nodes, GREEN), ("torus", evidence.places, "#7f6000"))
    for row, (_, entries, colour) in enumerate(groups):
        delays = sorted(entry["delay"] for entry in entries)
        axes.plot(delays, [row] * len(delays), "|", color=colour, markersize=22)
        axes.plot([statistics.mean(delays)], [row], "o", color="black", markersize=7)
    torus = evidence.curves["tori"][3]["delay"]
    axes.axvline(torus, color="#7f6000", linestyle="--")
    axes.text(torus, 1.42, "torus, universal ", color="#7f6000", fontsize=9, ha="right")
    axes.set_yticks([0, 1], [name for name, _, _ in groups])
    axes.set_ylim(-0.6, 1.6)
    axes.set_xlim(left=0)
    axes.set_xlabel("FO4; a stroke a node, the dot their mean")
    return svg(figure)


def curve_rows(evidence):
    """``(heads, body)``: the table of the plotted figures, area in GE / delay in FO4."""
    body = []
    for p in evidence.curves["universal"]:
        found = {name: points.get(p) for name, points in evidence.curves.items()}
        cells = {name: f"{one['area']:,.0f} / {one['delay']:.2f}" if one else "-" for name, one in found.items()}
        if found["ternary"]:
            cells["ternary"] += f" ({entries_of(p)} x {2 * p + 3})"
        cells["direct"] = f"{found['direct']['area']:,.0f}, " if found["direct"] else ""
        cells["direct"] += f"{8 * 4**p * 5:,} bits" if 8 * 4**p <= MAX_WORDS else "-"
        body.append([f"{8 * 4**p:,}", *(cells[name] for name, *_ in CURVES)])
    return ["nodes", *(label for _, label, *_ in CURVES)], body


def real_rows(evidence):
    """``(heads, body)``: figures in real cells, and how far they deviate from the model."""
    model = {entry["name"]: entry for entry in evidence.suite + evidence.yardsticks}
    body = []
    for entry in evidence.real:
        ours, sta = model[entry["name"]], entry["delay_opensta"]
        area = entry["area"] / ours["area"] / UM2_PER_GE - 1
        # Clocked blocks: abc's worst path has no flip-flop times, so it is compared with the model's path without them.
        delay = 1000 * (sta or entry["delay"]) / ours["delay"] / PS_PER_FO4 - 1
        cells = (f"{entry['area']:.0f}", f"{area:+.0%}", f"{entry['delay']:.3f}", f"{delay:+.0%}")
        body.append([entry["name"], *cells, "-" if sta is None else f"{sta:.3f}"])
    return ["block", "um2", "off", "delay ns", "off", "OpenSTA ns"], body


def _template(name):
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    ).get_template(name)


def markdown(evidence, store):
    """The page as Markdown; its pictures are in the same folder. ``store`` has the figures of the evidence."""
    return _template("page.md.jinja").render(
        generator=f"dsnswitch {__version__}",
        tools={name: version(name) for name in ("amaranth", "pyosys")},
        ps_per_fo4=PS_PER_FO4,
        um2_per_ge=UM2_PER_GE,
        clock=f"{evidence.clock:g}",
        curves=table(*curve_rows(evidence)),
        verdict=verdict(store).replace("[layout.md](layout.md)", "`docs/layout.md`"),
        secded=constructions(store),
        hop=hop(store, evidence.clock),
        switch=breakdown(store),
        suite=table(*rows(evidence.suite, MODEL, evidence.clock)),
        yardsticks=table(*rows(evidence.yardsticks, MODEL, evidence.clock)),
        real=table(*real_rows(evidence)) if evidence.real else "",
        opensta=any(entry["delay_opensta"] is not None for entry in evidence.real),
        without_real=evidence.without_real,
        front=FRONT,
        maps=[*(f"{name:<18} {script}" for name, script in list(MAPS.items())[:6]), "..."],
        full=FULL,
    )


def html(text, pictures):
    """The page as HTML without references to anything outside it; ``pictures`` maps a file's name to its SVG."""
    from markdown import markdown as convert

    body = convert(text, extensions=["tables", "sane_lists"])
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    page = _template("page.html.jinja").render(body=body, title="dsnswitch: measured figures")
    for name, picture in pictures.items():
        alt = re.search(rf'<p><img alt="([^"]*)" src="{re.escape(name)}" ?/?></p>', page)
        page = page.replace(alt[0], f'<figure role="img" aria-label="{alt[1]}">{picture}</figure>')
    return page


def write(evidence, store, folder):
    """Write ``index.html``, ``report.md``, the plots and ``evidence.json`` to ``folder``; returns the page's path.

    Raises :class:`UsageError` if the folder cannot be written.
    """
    plots = {"area": area_plot, "delay": delay_plot, "nodes": nodes_plot}
    pictures = {f"{name}.svg": plot(evidence) for name, plot in plots.items()}
    text = markdown(evidence, store)
    files = {"report.md": text, "index.html": html(text, pictures)}
    files["evidence.json"] = json.dumps(asdict(evidence), indent=1) + "\n"
    write_files(Path(folder), pictures | files)
    return Path(folder, "index.html")
