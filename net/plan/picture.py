"""The picture of an expansion: the network after it, with the cables that are kept, moved to other ports, removed and added."""

from dsnswitch.net.files.pictures import Drawing
from dsnswitch.net.svg import INK, add, text_of

#: Meaning, colour, width and dashes of the cables of each kind of change, in the order in which they are drawn.
STYLES = {
    "keep": ("cables that stay", "#94a3b8", 0.8, "none"),
    "add": ("cables to add", "#15803d", 1.2, "none"),
    "replug": ("cables that move to another port", "#1d4ed8", 1.8, "none"),
    "remove": ("cables to remove", "#c81e1e", 1.4, "5 3"),
}

#: Units between two columns, and radius of a switch.
PITCH, RADIUS = 14, 3.2


def growth_picture(plan) -> str:
    """The picture of an :class:`Expansion` as SVG text.

    Every cable is one ``path`` with ``data-change`` (``keep``, ``replug``, ``remove``, ``add``) and ``data-link``, the numbers of
    its switches after the expansion. Old switches are filled dots, new ones are rings.
    """
    after, old, cables = plan.after, set(plan.moved.values()), _cables(plan)
    looks = {
        change: {"stroke": colour, "stroke_width": width, "stroke_dasharray": dashes}
        for change, (_, colour, width, dashes) in STYLES.items()
    }
    legend = {f"{len(cables[change])} {STYLES[change][0]}": look for change, look in looks.items()}
    legend[f"{len(old)} old switches (filled), {after.nodes - len(old)} new switches (rings)"] = {"stroke": "none"}
    title = f"{plan.before.spelling} grows to {after.spelling}"
    drawing = Drawing(after, title, legend, PITCH)
    for change, look in looks.items():
        group = add(drawing.body, "g", fill="none", **look)
        for ends in cables[change]:
            drawing.link(group, *ends, data_change=change)
    drawing.switches((at for at in after.switches() if at in old), RADIUS, fill=INK)
    new = (at for at in after.switches() if at not in old)
    drawing.switches(new, RADIUS, fill="#ffffff", stroke=STYLES["add"][1], stroke_width=1.4)
    return text_of(drawing.root)


def _cables(plan):
    """``{change: ends of each cable}``, all as addresses after the expansion."""
    added, moved = plan.add, [new for _, new in plan.replug]
    changed = {(link.source, link.port) for link in [*added, *moved]}
    kept = [link for link in plan.after.links() if (link.source, link.port) not in changed]
    found = {"keep": kept, "add": added, "replug": moved}
    removed = [(plan.moved[link.source], plan.moved[link.target]) for link in plan.remove]
    return {change: [(at.source, at.target) for at in links] for change, links in found.items()} | {"remove": removed}
