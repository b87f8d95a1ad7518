"""What the papers print about figures of networks, and what comes out here: the papers F, O and R, and the list of all."""

from tools.papers.cases import F_MAPPINGS, F_SERIES, R_SERIES
from tools.papers.dissertation import (
    Statement,
    cables,
    change,
    failures,
    graphs,
    growth,
    latencies,
    loads,
    min_cuts,
    percent,
    spare_ports,
    up_to,
)


def f_graphs(store):
    """F Figs 5 to 7."""
    found = []
    pairs = {k: [store.of(F_SERIES[series][k], "sequential", 16) for series in ("DSN-F", "DSN")] for k in F_SERIES["DSN"]}
    pairs = {k: pair for k, pair in pairs.items() if all(pair)}
    for place, key, text, paper in (
        ("F Fig. 5", "diameter", "diameter", "-16.7 %"),
        ("F Fig. 6", "aspl", "mean shortest path", "-4.6 %"),
    ):
        if pairs:
            changes = {k: change(pair[0][key], pair[1][key]) for k, pair in pairs.items()}
            found.append(Statement(place, f"{text} of DSN-F against DSN-x, at most", paper, up_to(changes)))
    for k, paper in ((7, "-17.72 %"), (12, "-24.82 %")):
        rows = {
            name: [store.of(F_SERIES[series][k], name, 16) for series in ("DSN-F", "DSN", "2-D torus")] for name in F_MAPPINGS
        }
        rows = {name: row for name, row in rows.items() if row[0] and row[2]}
        if rows:
            here, parts = [], []
            for name, (own, dsn, torus) in rows.items():
                parts.append(
                    f"{name} {percent(change(own['average'], torus['average']), 2)}"
                    + (f" and {percent(change(own['average'], dsn['average']), 2)}" if dsn else "")
                )
                here.append(change(own["average"], torus["average"]))
            remark = "Against the 2-D torus, and against DSN-x where it is recorded: " + "; ".join(parts) + "."
            found.append(Statement("F Fig. 7", f"mean cable of DSN-F, {1 << k:,} switches", paper, percent(min(here), 2), remark))
    return found


def random_layouts(store):
    """R IV and V."""

    def record(series, k, mapping="optimised"):
        return store.of(R_SERIES[series][k], mapping, 16) if k in R_SERIES[series] else None

    found = []
    for new, old, paper, pick in (("RING", "Hypercube", "+59 %", max), ("Nbr(0.5)", "RING", "up to -24 %", min)):
        every = {k: [record(series, k) for series in (new, old)] for k in R_SERIES[new]}
        changes = {k: change(a["between"], b["between"]) for k, (a, b) in every.items() if a and b and b["between"]}
        if changes:
            k = pick(changes, key=changes.get)
            text, here = (f"cables between cabinets, {new} against {old}", f"{percent(changes[k], 0)} (at {1 << k:,} switches)")
            found.append(Statement("R Fig. 14", text, paper, here))
    every = {k: [record(series, k) for series in ("Nbr(0.5)", "RING")] for k in R_SERIES["RING"]}
    changes = {k: change(a["average"], b["average"]) for k, (a, b) in every.items() if a and b}
    if changes:
        found.append(Statement("R Fig. 15", "mean cable, Nbr(0.5) against RING", "-26 %", up_to(changes)))
    for series in ("RING", "Nbr(0.5)"):
        both = {k: [record(series, k), record(series, k, "serpentine")] for k in R_SERIES[series]}
        changes = {k: change(a["average"], b["average"]) for k, (a, b) in both.items() if a and b}
        if changes:
            found.append(Statement("R Fig. 15", f"optimised against base layout, {series}", "about -10 %", up_to(changes)))
    top = {series: record(series, 13) for series in ("Nbr(0.5)", "Hypercube", "RING")}
    if all(top.values()):
        here = ", ".join(f"{one['average']:.1f} m" for one in top.values())
        found.append(
            Statement("R Fig. 15", "mean cable at 8,192 switches: Nbr(0.5), hypercube, RING", "11 m, 7 m, above 14 m", here)
        )
    ring, cube = record("RING", 12), record("P-Hypercube", 12) or record("Hypercube", 12)
    if ring and cube:
        models = ", ".join(f"{name} {percent(change(cube['cost'][name], ring['cost'][name]), 0)}" for name in ring["cost"])
        both = [50 * one["inside"] + 250 * one["between"] for one in (cube, ring)]
        here = percent(change(*both), 0)
        remark = (
            f"Cables only: $50 inside a cabinet, $250 between cabinets, of the ranges that R states. Whole networks: {models}."
        )
        found.append(Statement("R V", "cost of P-HYPERCUBE against RING-12, 4,096 switches", "up to -27 %", here, remark))
    return found


def order_radix(store):
    """O Figs 9 to 11 (b)."""
    rows, found = store.experiments.get("order-radix", {}), []
    for place, name, paper in (
        ("O Fig. 9b", "5-D torus", "+31 %"),
        ("O Fig. 10b", "dragonfly", "+24 %"),
        ("O Fig. 11b", "fat tree", "-35 % (the fat tree +53 %)"),
    ):
        if name not in rows:
            continue
        known, own = rows[name]["known"], rows[name]["random"]
        every = [change(b, a) for a, b in zip(known["cuts"], own["cuts"])]
        sizes = f"{own['switches']:.0f} switches against {known['switches']}"
        remark = f"For 1,024 hosts, {sizes}; cuts into 2 to 16 parts: {min(every):+.0f} to {max(every):+.0f} %."
        text = f"bisection of the graph of O against the {name}"
        found.append(Statement(place, text, paper, percent(every[0], 0), remark))
    return found


def statements(store):
    """Every :class:`Statement` whose networks are recorded, in the order of the papers."""
    parts = (graphs, min_cuts, cables, latencies, spare_ports, growth, loads, failures, f_graphs, order_radix, random_layouts)
    return [one for part in parts for one in part(store)]
