"""Generated parts of the pages about routing: synthesis, variants of the route logic, tables, detours."""

from dsnswitch.net.tables.formulas import COLUMNS as SIZES
from tools.docs.markdown import paragraph, table
from tools.figures.computed import FAULTS
from tools.figures.hop import of_nodes, ratio, ratios
from tools.figures.refresh import FLAT, curves, entries_of, table_of, torus_of


def _rows(store, named):
    return [
        [name, f"{entry['area']:,.0f}", f"{entry['static_area']:,.0f}", f"{entry['delay']:.2f}"]
        for name, entry in ((name, store.of(values)) for name, values in named)
    ]


def sized(store):
    """The table of the cost of sizes as inputs."""
    named = [
        ("any size up to 8 x 8", {"max_p": 3}),
        ("8 x 8", {"p": 3}),
        ("12 x 10", {"x": 12, "y": 10}),
        ("any size up to 32 x 32", {"max_p": 5}),
        ("32 x 32", {"p": 5}),
    ]
    return table(["route logic", "area, GE", "of this static", "delay, FO4"], _rows(store, named))


def minimal(store):
    """The table that compares minimal routing with the base routing and with ternary tables."""
    designs = {
        "base": lambda p: {"p": p},
        "minimal": lambda p: {"p": p, "routing": "minimal"},
        "*for comparison:* ternary table of 14 and 16 entries": table_of,
    }
    body = []
    for name, design in designs.items():
        found = [store.of(design(p)) for p in (3, 4)]
        body.append([name, *(text for entry in found for text in (f"{entry['area']:,.0f}", f"{entry['delay']:.2f}"))])
    return table(["universal logic", "512 nodes, GE", "FO4", "2,048 nodes, GE", "FO4"], body)


GROWTH_PARTS = {"sized": sized}
MINIMAL_PARTS = {"minimal": minimal}


def _size(entry):
    return f"{entry['area']:,.0f} GE and {entry['delay']:.1f} FO4"


def _curve(store, name):
    return {p: store.of(block) for p, block in curves()[name].items()}


def tables(store):
    """The table that compares the algorithm with tables that contain its routes."""
    ours, nodes, theirs = (_curve(store, name) for name in ("universal", "specialised", "ternary"))
    heads = ["nodes", "universal, GE / FO4", "specialised", "ternary table, entries x key", "GE / FO4"]
    body = [
        [
            f"{8 * 4**p:,}",
            *(f"{entry['area']:,.0f} / {entry['delay']:.1f}" for entry in (ours[p], nodes[p])),
            f"{entries_of(p)} x {2 * p + 3}",
            f"{theirs[p]['area']:,.0f} / {theirs[p]['delay']:.1f}",
            ratio(ours[p], theirs[p]),
            ratio(nodes[p], theirs[p]),
        ]
        for p in theirs
    ]
    return table([*heads, "universal delay / table's", "specialised delay / table's"], body)


def verdict(store):
    """The paragraph about the ratios in that table."""
    ours, nodes, theirs = (_curve(store, name) for name in ("universal", "specialised", "ternary"))
    delays, constants = ([found[p]["delay"] / theirs[p]["delay"] for p in theirs] for found in (ours, nodes))
    areas = [ours[p]["area"] / theirs[p]["area"] for p in theirs]
    (first,), flat = FLAT, _curve(store, "flat")
    return paragraph(
        f"The algorithm has {min(delays):.2f} to {max(delays):.2f} times the delay of a ternary table with the same routes if "
        f"the address of the switch is on straps, and {min(constants):.2f} to {max(constants):.2f} times if it is a constant. "
        f"The universal logic has {min(areas):.2f} to {max(areas):.2f} times the area of the table. A ternary table with an "
        f"entry per node takes {_size(flat[first])} at {8 * 4**first} nodes. Tables with the dissertation's `m + 2 log N` "
        "entries hold only the forward half of the routes."
    )


def forwarding(store):
    """The figures of forwarding, which combines the algorithm and a table."""
    absolute = store.of({"block": "forwarding", "p": 3, "entries": 18})
    folded = store.of({"block": "forwarding", "p": 3, "entries": 16, "keys": "folded"})
    return paragraph(
        f"`forwarding` (algorithm, table and selector) takes {_size(absolute)} with 18 absolute prefixes at N = 512. Folded "
        f"keys need fewer entries, but a subtraction before the table: {folded['delay']:.1f} FO4 with 16 prefixes."
    )


def targets(store):
    """The ratios to the baselines, and the growth with P."""
    universal = _curve(store, "universal")
    count, nodes, places = of_nodes(store)
    torus = store.of(torus_of(3))
    compared = "; ".join(f"at N = {8 * 4**p:,} {ratios(universal[p], store.of(table_of(p)))}" for p in (3, 4))
    real = "; ".join(
        f"at N = {8 * 4**p:,} {ratios(store.of({'p': p}, 'osu018'), store.of(table_of(p), 'osu018'))}" for p in (3, 4)
    )
    doubled = ", ".join(f"{universal[p]['delay']:.1f}" for p in (2, 4, 8))
    growth = (universal[8]["area"] - universal[2]["area"]) / 6
    items = (
        f"Universal logic compared with a table of the dissertation's size: {compared}. In OSU 0.18 um: {real}.",
        f"Universal logic compared with universal torus logic, N = 512: {ratios(universal[3], torus)}.",
        f"The logic of one node, mean of {count} nodes of N = 512, takes {_size(nodes)}: {ratios(nodes, torus)} of the universal "
        f"torus logic, and {ratios(nodes, places)} of the torus logic of one node at the same nodes. A constant address makes a "
        "torus cheaper, too.",
        f"Delay at P = 2, 4 and 8: {doubled} FO4. Area grows by about {growth:.0f} GE when P grows by one.",
    )
    return "\n".join(paragraph(f"- {item}", "  ") for item in items)


SYNTHESIS_PARTS = {"tables": tables, "verdict": verdict, "forwarding": forwarding, "targets": targets}


def entries(store):
    """The number of entries of each kind of table."""
    keys = [key for key in SIZES if key not in ("flat", "direct_bits")]
    body = []
    for row in store.value("table-sizes"):
        cells = [f"{row[key]:,}" if key != "absolute_fewest" else f"{row[key]:.1f}" for key in keys]
        body.append([row["network"], *cells])
    heads = {**SIZES, "nodes": "nodes", "absolute_fewest": "fewest, mean", "absolute_worst": "fewest, worst"}
    return table(["network", *(heads[key] for key in keys)], body)


TABLES_PARTS = {"entries": entries}


#: Heading, field of a row of :mod:`faults`, factor, and digits after the point.
_COLUMNS = (
    ("delivered pairs, %", "delivered", 100, 3),
    ("average path", "average_path", 1, 3),
    ("growth, %", "growth", 100, 2),
    ("shortest path, growth, %", "shortest_growth", 100, 2),
    ("entries per switch", "entries", 1, 2),
)


def faults(store):
    """Mean and range over the seeds, for each share of failed links."""
    body = []
    for found in store.value("faults"):
        cells = [[f"{factor * row[field]:.{digits}f}" for row in found] for _, field, factor, digits in _COLUMNS]
        body.append(
            [f"{100 * found[0]['rate']:.0f} %", *(f"{mean} ({least} to {largest})" for mean, least, largest in cells)]
        )
    return table(["failed links", *(heading for heading, *_ in _COLUMNS)], body)


def paper(store):
    """Our growths where D Fig. 4.10 states its own."""
    rows = [found[0] for found in store.value("faults") if found[0]["rate"] in (0.1, 0.2)]
    ours, shortest = (" and ".join(f"{row[name]:.2%}" for row in rows) for name in ("growth", "shortest_growth"))
    return paragraph(
        f"With local knowledge and random links of 8 x 16 x 8, the average path grows by {ours} with detours, and by {shortest} "
        f"for shortest paths (means over {len(FAULTS[2])} seeds, [detours.md](detours.md#random-failures))."
    ).replace("%", " %")


DETOURS_PARTS = {"faults": faults}
FAULTS_PAPERS_PARTS = {"fig-4-10": paper}
