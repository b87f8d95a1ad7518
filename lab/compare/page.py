"""The comparison as one HTML page: a table that can be sorted and filtered, a plot of any two columns, and floor plans.

Bokeh draws it, and its scripts are in the page, so that the page needs neither a server nor the network.
"""

import numpy as np

from dsnswitch.lab.compare.rows import FULL
from dsnswitch.lab.compare.table import heading, shown
from dsnswitch.net.files.plotting import BLUE, MARKS, looks
from dsnswitch.net.plan.drawing import arc, bundles

#: Most lines of cables in one floor plan of the page; of a larger network, only the longest are there.
MOST_LINES = 4000

#: Columns that the plot shows first: cost and latency.
FIRST = ("cost", "latency")

#: Marks of Bokeh for those of :func:`looks`.
_MARKS = dict(
    zip(
        MARKS,
        ("circle", "square", "diamond", "triangle", "inverted_triangle", "plus", "star", "square_pin", "hex", "triangle_pin"),
    )
)

#: Heights of the heading of the table, a row and a scroll bar.
_HEAD, _ROW, _BAR = 78, 25, 20

#: Headings of the table take three lines.
_TABLE = """
.slick-header-column { height: 70px !important; white-space: normal !important; }
.slick-column-name { white-space: normal; }
"""

#: Script of the filter: rows whose network has all words and keeps all conditions, and whose topology is chosen.
_FILTER = """
const words = text.value.toLowerCase().replace(/\\s*([<>]=?)\\s*/g, "$1").split(/\\s+/).filter(word => word);
const all = source.data;
const holds = {"<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b};
const is_kept = (word, at) => {
  const found = /^([a-z_]+)(<=|>=|<|>)([0-9.]+)$/.exec(word);
  if (!found || !(found[1] in all)) return all.network[at].toLowerCase().includes(word);
  const value = all[found[1]][at];
  return value !== null && !Number.isNaN(value) && holds[found[2]](value, Number(found[3]));
};
const fits = at => topologies.active.includes(names.indexOf(all.topology[at])) && words.every(word => is_kept(word, at));
view.filter.indices = all.network.map((name, at) => at).filter(fits);
"""

#: Script of the axes: the plot shows the chosen columns.
_AXES = """
points.glyph.x = {field: across.value};
points.glyph.y = {field: up.value};
points.change.emit();
plot.below[0].axis_label = heads[across.value];
plot.left[0].axis_label = heads[up.value];
"""

#: Script of the selection: the floor plan of the selected network.
_FLOOR = """
const at = source.selected.indices[0];
if (at === undefined) return;
const plan = plans[at];
cabinets.data = plan.cabinets;
cables.data = plan.cables;
floor.title.text = plan.title;
"""


def page(rows, left, about, prices):
    """The page as HTML text, from the ordered rows, lines about what is ``left`` out, and what was asked for."""
    from bokeh.embed import file_html
    from bokeh.layouts import column, row
    from bokeh.models import (
        CDSView,
        CheckboxGroup,
        ColumnDataSource,
        CustomJS,
        DataTable,
        Div,
        HoverTool,
        IndexFilter,
        InlineStyleSheet,
        NumberFormatter,
        Select,
        TableColumn,
        TapTool,
        TextInput,
    )
    from bokeh.plotting import figure
    from bokeh.resources import INLINE

    names = shown(rows)
    heads = {name: heading(name, prices.currency) for name in names}
    topologies = list(dict.fromkeys(one.topology for one in rows))
    found = looks(topologies)
    data = {name: [one.figures[name] for one in rows] for name in names}
    data |= {"network": [one.network for one in rows], "topology": [one.topology for one in rows]}
    source = ColumnDataSource(
        data
        | {
            "ink": [found[one.topology]["color"] for one in rows],
            "mark": [_MARKS[found[one.topology]["marker"]] for one in rows],
        },
        name="rows",
    )
    view = CDSView(filter=IndexFilter(list(range(len(rows)))), name="view")

    forms = {name: "0,0" if isinstance(rows[0].figures[name], int) else "0,0.00" for name in names}
    table = DataTable(
        source=source,
        view=view,
        columns=[
            TableColumn(field="network", title="network", width=320),
            *(
                TableColumn(field=name, title=heads[name], formatter=NumberFormatter(format=forms[name]), width=75)
                for name in names
            ),
        ],
        width=1300,
        # The heading is as high as three lines; below the last row there is the bar by which a wide table is moved.
        height=_HEAD + _ROW * min(len(rows), 20) + _BAR,
        index_position=None,
        autosize_mode="none",
        stylesheets=[InlineStyleSheet(css=_TABLE)],
        sortable=True,
        name="table",
    )

    across, up = (name if name in names else names[0] for name in FIRST)
    plot = figure(width=720, height=440, tools="pan,wheel_zoom,box_zoom,reset,save", name="plot")
    points = plot.scatter(
        across,
        up,
        source=source,
        view=view,
        size=12,
        marker="mark",
        fill_color="ink",
        line_color="#222222",
        legend_group="topology",
    )
    plot.add_layout(plot.legend[0], "right")
    plot.legend[0].update(label_text_font_size="8pt", spacing=0, padding=2, border_line_color=None)
    tips = [("network", "@network"), *((heads[name], f"@{name}{{0,0.[00]}}") for name in names)]
    plot.add_tools(HoverTool(tooltips=tips, renderers=[points]), TapTool(renderers=[points]))
    plot.xaxis.axis_label, plot.yaxis.axis_label = heads[across], heads[up]

    plans = [_floor(one) for one in rows]
    cabinets, cables = (ColumnDataSource(plans[0][key], name=key) for key in ("cabinets", "cables"))
    floor = figure(width=580, height=440, match_aspect=True, tools="pan,wheel_zoom,box_zoom,reset,save", title=plans[0]["title"])
    floor.name = "floor"
    boxes = floor.rect("x", "row", "width", "depth", source=cabinets, fill_color="#e2e8f0", line_color="#64748b")
    lines = floor.multi_line("xs", "rows", source=cables, line_color=BLUE, line_alpha="shade", line_width=1.5)
    floor.add_tools(
        HoverTool(tooltips=[("cabinet", "@name"), ("switches", "@switches")], renderers=[boxes]),
        HoverTool(tooltips=[("cables", "@number"), ("each", "@metres{0.0} m")], renderers=[lines]),
    )
    floor.y_range.flipped = True
    floor.xaxis.axis_label, floor.yaxis.axis_label = "metres", "metres"
    floor.grid.visible = False

    text = TextInput(title="Networks with", placeholder="words, or diameter<=3", name="text", width=200)
    chosen = CheckboxGroup(labels=topologies, active=list(range(len(topologies))), inline=True, name="topologies")
    selects = [
        Select(title=title, value=value, options=list(heads.items()), name=title, width=200)
        for title, value in (("across", across), ("up", up))
    ]
    arguments = {"source": source, "view": view, "text": text, "topologies": chosen, "names": topologies}
    for widget, key in ((text, "value_input"), (chosen, "active")):
        widget.js_on_change(key, CustomJS(args=arguments, code=_FILTER.replace("text.value", "text.value_input")))
    axes = {"points": points, "plot": plot, "heads": heads, "across": selects[0], "up": selects[1]}
    for widget in selects:
        widget.js_on_change("value", CustomJS(args=axes, code=_AXES))
    drawn = {"source": source, "plans": plans, "cabinets": cabinets, "cables": cables, "floor": floor}
    source.selected.js_on_change("indices", CustomJS(args=drawn, code=_FLOOR))

    title = f"Networks for {about['hosts']:,} hosts, switches of {about['radix']} ports"
    words = (
        f"<h1>{title}</h1><p>A switch takes {about['switch_ns']:g} ns, a cable {about['ns_per_metre']:g} ns per metre. "
        f"Prices: {_escaped(prices.name)}, {_escaped(prices.source)}. Click a heading to sort, a row or a point to see its "
        "floor plan; point at anything to see its figures. "
        f"{_escaped(FULL[0].upper() + FULL[1:])}. The filter takes words of a network's name, and conditions such as "
        f"diameter&lt;=3 on {', '.join(names)}.</p>" + "".join(f"<p>Left out: {_escaped(one)}.</p>" for one in left)
    )
    parts = column(Div(text=words, width=1300), row(text, *selects), chosen, table, row(plot, floor))
    return file_html(parts, INLINE, title)


def _escaped(text):
    from html import escape

    return escape(text)


def _floor(one):
    """Cabinets, cables and title of a floor plan, for the scripts of the page."""
    plan = one.plan
    size = np.array((plan.room.width, plan.room.depth))
    spots = plan.mapping.spots * size
    within = np.bincount(plan.mapping.cabinet, minlength=len(spots))
    some = bundles(plan)[:MOST_LINES]
    most = max((number for *_, number in some), default=1)
    paths = [arc(spots[a], spots[b]).round(3) for a, b, _ in some]
    metres = [float(plan.room.lengths(plan.mapping.spots[[a]], plan.mapping.spots[[b]])[0]) for a, b, _ in some]
    left = len(bundles(plan)) - len(some)
    return {
        "title": f"{one.network}\nMapping {plan.name}: {len(spots)} cabinets, {plan.average:.2f} m per cable"
        + (f"; {left:,} pairs of cabinets are not drawn" if left else ""),
        "cabinets": {
            "x": spots[:, 0].tolist(),
            "row": spots[:, 1].tolist(),
            "width": [0.86 * plan.room.width] * len(spots),
            "depth": [0.45 * plan.room.depth] * len(spots),
            "name": [f"C{column}R{line}" for column, line in plan.mapping.spots.tolist()],
            "switches": within.tolist(),
        },
        "cables": {
            **{key: [path[:, axis].tolist() for path in paths] for axis, key in enumerate(("xs", "rows"))},
            "number": [number for *_, number in some],
            "metres": metres,
            "shade": [0.15 + 0.6 * number / most for *_, number in some],
        },
    }
