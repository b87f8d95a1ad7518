"""The report's page: Markdown from a template, HTML from the Markdown with the plots inside."""

import re
import statistics
from importlib.metadata import version
from pathlib import Path

from dsnswitch.gen.version import __version__
from dsnswitch.lab.figures.hop import hop_heads
from dsnswitch.lab.figures.hop import part_heads as switch_heads
from dsnswitch.lab.report.tables import hop, secded_rows, sentence, stages, switch_rows, table_rows
from dsnswitch.lab.synth.libraries import PS_PER_FO4, UM2_PER_GE
from dsnswitch.lab.synth.library import MODEL
from dsnswitch.lab.synth.measure import rows
from dsnswitch.lab.synth.passes import FRONT, FULL, MAPS

__all__ = ["aligned_table", "converted", "html", "markdown", "template"]


def template(name):
    """The template of that name in this folder."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    ).get_template(name)


def aligned_table(heads, body):
    """A Markdown table with its first column to the left, the others to the right."""
    lines = [heads, [":--", *["--:"] * (len(heads) - 1)], *body]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def markdown(evidence):
    """The page as Markdown; its pictures are in the same folder."""
    suite_heads, suite = rows(evidence.suite, MODEL, evidence.clock)
    yardstick_heads, yardsticks = rows(evidence.yardsticks, MODEL, evidence.clock)
    curve_heads, curves = _curves(evidence)
    real_heads, real = _real(evidence)
    secded_heads, secded = secded_rows(evidence)
    table_heads, tables = table_rows(evidence)
    return template("page.md.jinja").render(
        table=aligned_table,
        generator=f"dsnswitch {__version__}",
        tools={name: version(name) for name in ("amaranth", "pyosys")},
        ps_per_fo4=PS_PER_FO4,
        um2_per_ge=UM2_PER_GE,
        clock=f"{evidence.clock:g}",
        frequency=evidence.clock,
        hop=hop(evidence),
        hop_heads=hop_heads,
        curve_heads=curve_heads,
        curves=curves,
        ratios=_ratios(evidence),
        table_heads=table_heads,
        tables=tables,
        sentence=sentence(evidence),
        budget=_budget(evidence),
        secded_heads=secded_heads,
        secded=secded,
        switch_heads=switch_heads,
        switch=switch_rows(evidence),
        suite_heads=suite_heads,
        suite=suite,
        yardstick_heads=yardstick_heads,
        yardsticks=yardsticks,
        real_heads=real_heads,
        real=real,
        opensta=any(entry["delay_opensta"] is not None for entry in evidence.real),
        without_real=evidence.without_real,
        front=FRONT,
        maps=[*(f"{name:<18} {script}" for name, script in list(MAPS.items())[:6]), "..."],
        full=FULL,
    )


def converted(text, title):
    """Markdown as an HTML page in the report's style."""
    from markdown import markdown as convert

    body = convert(text, extensions=["tables", "sane_lists"])
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    # The columns' alignment is the style sheet's.
    body = re.sub(r' style="text-align: (left|right);"', "", body)
    return template("page.html.jinja").render(body=body, title=title)


def html(text, pictures):
    """The page as HTML without references to anything outside it; ``pictures`` maps a file's name to its SVG."""
    page = converted(text, "dsnswitch: measured figures")
    for name, svg in pictures.items():
        alt = re.search(rf'<p><img alt="([^"]*)" src="{re.escape(name)}" ?/?></p>', page)
        figure = f'<figure role="img" aria-label="{alt[1]}">{svg}</figure>'
        page = page.replace(alt[0], figure)
    return page


def _curves(evidence):
    heads = ["P (nodes)"]
    names = (("universal", "universal"), ("specialised", "one node's"), ("tables", "table"), ("tori", "torus"))
    for _, label in names:
        heads += [f"{label}, GE", "FO4"]
    body = []
    for p in evidence.universal:
        line = [f"{p} ({8 * 4**p:,})"]
        for name, _ in names:
            entry = getattr(evidence, name)[p]
            line += [f"{entry['area']:.0f}", f"{entry['delay']:.2f}"]
        body.append(line)
    return heads, body


def _ratios(evidence):
    def mean(entries, key):
        return statistics.mean(entry[key] for entry in entries)

    def line(text, ours, theirs):
        return [text, f"{ours['delay'] / theirs['delay']:.2f}", f"{ours['area'] / theirs['area']:.3f}"]

    nodes, places = (
        {"delay": mean(entries, "delay"), "area": mean(entries, "area")}
        for entries in (evidence.nodes, evidence.places)
    )
    body = [
        line(f"universal DSN to table, N = {8 * 4**p:,}", evidence.universal[p], evidence.tables[p])
        for p in evidence.universal
    ]
    count = len(evidence.nodes)
    body += [
        line(f"specialised DSN (mean of {count} nodes) to torus, universal, N = 512", nodes, evidence.tori[3]),
        line("the same to torus, specialised (mean of the same nodes)", nodes, places),
    ]
    if evidence.real:
        real = {entry["name"]: entry for entry in evidence.real}
        body += [
            line(
                f"universal DSN to table, N = {8 * 4**p:,}, in OSU 0.18 um",
                real[evidence.universal[p]["name"]],
                real[evidence.tables[p]["name"]],
            )
            for p in (3, 4)
        ]
    return body


def _budget(evidence):
    def text(value, form="{:.1f}"):
        return "-" if value is None else form.format(value)

    return [
        [
            f"{stage.name} ({stage.source})" if stage.source else stage.name,
            text(stage.assumed_ns, "{:g}"),
            text(stage.cycles, "{}"),
            text(stage.clocked_ns, "{:.2f}"),
            text(stage.logic_ns, "{:.2f}"),
        ]
        for stage in stages(evidence)
    ]


def _real(evidence):
    heads = ["block", "um2", "off", "delay ns", "off", "OpenSTA ns"]
    model = {entry["name"]: entry for entry in evidence.suite + evidence.yardsticks}
    body = []
    for entry in evidence.real:
        ours = model[entry["name"]]
        area = entry["area"] / ours["area"] / UM2_PER_GE - 1
        # Clocked blocks: abc's worst path has no flip-flop times, so it is compared with the model's path without them.
        delay = 1000 * (entry["delay_opensta"] or entry["delay"]) / ours["delay"] / PS_PER_FO4 - 1
        sta = entry["delay_opensta"]
        body.append(
            [
                entry["name"],
                f"{entry['area']:.0f}",
                f"{area:+.0%}",
                f"{entry['delay']:.3f}",
                f"{delay:+.0%}",
                "-" if sta is None else f"{sta:.3f}",
            ]
        )
    return heads, body
