"""The figures of the papers, drawn from the recorded networks: SVG text by the name of the figure."""

from dsnswitch.net.files.plotting import BLUE, ORANGE, SMALL, legend, looks, new_figure, svg
from tools.papers.cases import F_SERIES, FIG_3_1, LOW_DEGREE, R_256, R_SERIES, SERIES, SLIM_FLIES
from tools.papers.dissertation import mean_latency, most_latency, of_series
from tools.papers.measure import DELAYS


def curves(title, panels, log=True, top=None):
    """A figure with a panel for each ``{label of the axis: {series: [(x, value)]}}``; None if no series has a point."""
    panels = {name: {key: row for key, row in series.items() if row} for name, series in panels.items()}
    if not any(panels.values()):
        return None
    figure, axes = new_figure(title, 4.8 * max(len(panels), 1.4), 3.9, ncols=len(panels), squeeze=False)
    shown = looks(name for series in panels.values() for name in series)
    for panel, (label, series) in zip(axes.flat, panels.items()):
        where, _, what = label.partition(" by ")
        for name, row in series.items():
            panel.plot(*zip(*sorted(row)), **shown[name])
        if log:
            panel.set_xscale("log", base=2)
            sizes = sorted({x for row in series.values() for x, _ in row if x & (x - 1) == 0})
            panel.set_xticks(sizes, [f"{size:,}" for size in sizes], rotation=40, ha="right", fontsize=SMALL)
        panel.set_ylim(0, top)
        panel.set_ylabel(where)
        panel.set_xlabel(what or "switches")
    legend(figure, shown, columns=5)
    return svg(figure)


def _by_size(store, value, mapping=None, slim=True):
    """``{series: [(switches, value)]}`` of D 3.4."""
    found = {}
    for series, networks in SERIES.items():
        rows = [of_series(store, series, k, mapping) for k in networks]
        found[series] = [(row["switches"], value(row)) for row in rows if row and value(row) is not None]
    if slim:
        rows = [store.of(network, mapping or "sequential", 8) for network in SLIM_FLIES.values()]
        found["Slim Fly"] = [(row["switches"], value(row)) for row in rows if row and value(row) is not None]
    return found


def _get(*keys):
    def value(record):
        for key in keys:
            if isinstance(record, dict) and key not in record:
                return None
            record = record[key]
        return record

    return value


def d_3_1(store):
    rows = {name: store.of(network, "optimised", 8) for name, network in FIG_3_1.items()}
    series = {name: list(zip(DELAYS, row["fewest"]["most"]))[:-1] for name, row in rows.items() if row}
    title = "D Fig. 3.1: greatest latency of shortest paths, 2,048 switches (Slim Fly 1,922)"
    return curves(title, {"latency, ns by delay of a switch, ns": series}, log=False)


def d_3_5(store):
    panels = {"diameter": _by_size(store, _get("diameter")), "mean shortest path": _by_size(store, _get("aspl"))}
    return curves("D Fig. 3.5: hops", panels)


def d_3_6(store):
    return curves("D Fig. 3.6: cables between two halves, by METIS", {"cables": _by_size(store, _get("cut"))})


def d_3_7(store):
    return curves("D Fig. 3.7: mean length of a cable", {"metres": _by_size(store, _get("average"))})


def d_3_8(store):
    return curves("D Fig. 3.8: cost of switches and cables, model slim-fly", {"$": _by_size(store, _get("cost", "slim-fly"))})


def d_3_9(store):
    panels = {"mean, ns": _by_size(store, _get("lowest", 0)), "greatest, ns": _by_size(store, _get("lowest", 1))}
    return curves("D Fig. 3.9: latency of the paths with the lowest latency, 40 ns per hop", panels)


def d_3_10(store):
    found = {}
    for series in SERIES:
        rows = [of_series(store, series, k) for k in SERIES[series]]
        found[series] = [(row["cost"]["slim-fly"] / 1e6, row["lowest"][0]) for row in rows if row and "lowest" in row]
    rows = [store.of(network, "sequential", 8) for network in SLIM_FLIES.values()]
    found["Slim Fly"] = [(row["cost"]["slim-fly"] / 1e6, row["lowest"][0]) for row in rows if row and "lowest" in row]
    panels = {"mean lowest latency, ns by cost, million $": found}
    return curves("D Fig. 3.10: latency against cost, model slim-fly", panels, log=False)


def d_3_13(store):
    rows = {int(added): row for added, row in store.experiments.get("growth", {}).items()}
    panels = {
        "diameter by switches added to 1,024": {"DSN-F": [(added, row[0]) for added, row in rows.items()]},
        "mean shortest path by switches added to 1,024": {"DSN-F": [(added, row[1]) for added, row in rows.items()]},
    }
    return curves("D Fig. 3.13(a), F Fig. 4: DSN-F that grows from 1,024 to 2,048 switches", panels, log=False)


def d_3_13b(store):
    rows = [store.of(network, "sequential", 16) for network in F_SERIES["DSN-F"].values()]
    rows = [row for row in rows if row and "spare" in row]
    series = {
        f"{share} % spare ports": [(row["switches"], row["spare"]["4"][place]) for row in rows]
        for place, share in enumerate((0, 25, 50, 100))
    }
    return curves("D Fig. 3.13(b): cost per switch of DSN-F with 4 ports for hosts, model slim-fly", {"$": series})


def _routing(store, value):
    found = {"2-D DSN, custom": [], "2-D DSN, minimal": []}
    for series in SERIES:
        for k in SERIES[series]:
            row = of_series(store, series, k, "optimised")
            for kind in ("fewest", "routes"):
                if row and kind in row:
                    name = series if series != "2-D DSN" else f"2-D DSN, {'custom' if kind == 'routes' else 'minimal'}"
                    found.setdefault(name, []).append((row["switches"], value(row, kind)))
    for name, networks in {**LOW_DEGREE, "Slim Fly": list(SLIM_FLIES.values())}.items():
        rows = [store.of(network, "optimised", 8) for network in networks]
        found[name] = [(row["switches"], value(row, "fewest")) for row in rows if row and "fewest" in row]
    return {name: row for name, row in found.items() if name not in ("RR-6", "Skywalk-4-2")}


def d_4_6(store):
    panels = {"greatest, ns": _routing(store, most_latency), "mean, ns": _routing(store, mean_latency)}
    return curves("D Fig. 4.6: latency of routes, 40 ns per hop, optimised layouts", panels)


def d_4_7(store):
    names = {
        "2-D DSN, custom": (of_series(store, "2-D DSN", 10, "optimised"), "routes"),
        "2-D DSN, minimal": (of_series(store, "2-D DSN", 10, "optimised"), "fewest"),
        "3-D torus": (of_series(store, "3-D torus", 10, "optimised"), "fewest"),
        "hypercube": (store.of("hypercube:10", "optimised", 8), "fewest"),
        "Dragonfly": (of_series(store, "Dragonfly", 10, "optimised"), "fewest"),
        "Slim Fly, 1,058": (store.of("slimfly:q=23", "optimised", 8), "fewest"),
    }
    names = {name: pair for name, pair in names.items() if pair[0]}
    panels = {
        "greatest, ns by delay of a switch, ns": {
            name: list(zip(DELAYS, row[kind]["most"]))[:-1] for name, (row, kind) in names.items()
        },
        "mean, ns by delay of a switch, ns": {
            name: [(delay, mean_latency(row, kind, delay)) for delay in DELAYS[:-1]] for name, (row, kind) in names.items()
        },
    }
    return curves("D Fig. 4.7: latency of routes, 1,024 switches, optimised layouts", panels, log=False)


def d_4_8(store):
    return _bars(store, "D Fig. 4.8: pairs on each link of a supernode", ("4x8", "8x8", "16x16", "32x32"), False)


def d_4_9(store):
    return _bars(store, "D Fig. 4.9: pairs on each link, half of the local moves by Table 4.3", ("8x8", "16x16"), True)


def _bars(store, title, sizes, alternatives):
    rows = store.experiments.get("links")
    if not rows:
        return None
    figure, axes = new_figure(title, 8.8, 1.5 + 1.5 * len(sizes), nrows=len(sizes), squeeze=False)
    for panel, size in zip(axes.flat, sizes):
        both = rows[size]
        names = list(both[0])
        if alternatives:
            panel.bar(range(len(names)), list(both[0].values()), 0.8, color="#cbd5e1", label="Table 4.2 only")
        colours = [BLUE if name[0] == "L" else ORANGE for name in names]
        panel.bar(range(len(names)), list(both[alternatives].values()), 0.45 if alternatives else 0.8, color=colours)
        panel.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
        panel.set_ylabel(f"{size} supernodes", fontsize=8)
        panel.grid(False, axis="x")
        if alternatives:
            panel.legend()
    return svg(figure)


def d_4_10(store):
    rows = store.experiments.get("failures", {})
    names = {"first": "XY", "shorter": "XY-YX", "minimal": "minimal"}
    panels = {
        "mean path, hops by failed links, %": {
            text: [(100 * float(rate), row[name][0]) for rate, row in rows.items()] for name, text in names.items()
        },
        "pairs that arrive, % by failed links, %": {
            text: [(100 * float(rate), 100 * row[name][1]) for rate, row in rows.items()] for name, text in names.items()
        },
    }
    return curves("D Fig. 4.10: random failed links, 1,024 switches", panels, log=False)


def _of_networks(store, table, mapping, value):
    found = {}
    for series, networks in table.items():
        rows = [store.of(network, mapping, 16) for network in networks.values()]
        found[series] = [(row["switches"], value(row)) for row in rows if row]
    return found


def f_5(store):
    panels = {
        "diameter": _of_networks(store, F_SERIES, "sequential", _get("diameter")),
        "mean shortest path": _of_networks(store, F_SERIES, "sequential", _get("aspl")),
    }
    return curves("F Figs 5 and 6: hops", panels)


def _laid(store, title, table, base, what, key):
    """A panel for the layout ``base``, and one for the optimised layout."""
    panels = {f"{what}, {name}": _of_networks(store, table, name, _get(key)) for name in (base, "optimised")}
    return curves(title, panels)


def f_7(store):
    title = "F Fig. 7: mean length of a cable, 16 switches per cabinet"
    return _laid(store, title, F_SERIES, "sequential", "metres", "average")


def r_14(store):
    title = "R Fig. 14: cables between cabinets, degree log2 N; clusters of METIS on the right"
    return _laid(store, title, R_SERIES, "serpentine", "cables", "between")


def r_15(store):
    title = "R Fig. 15: mean length of a cable, degree log2 N"
    return _laid(store, title, R_SERIES, "serpentine", "metres", "average")


def r_16(store):
    rows = {name: store.of(network, "sequential", 16) for name, network in R_256.items()}
    series = {
        name: [(row["average"], 120 * row["fewest"]["hops"] + 5 * row["fewest"]["metres"])] for name, row in rows.items() if row
    }
    title = "R Fig. 16: latency at zero load against cables, 256 switches, 120 ns per hop"
    return curves(title, {"mean latency, ns by mean length of a cable, m": series}, log=False)


#: Every figure by its name, in the order of the page.
FIGURES = {
    "d-3-1": d_3_1,
    "d-3-5": d_3_5,
    "d-3-6": d_3_6,
    "d-3-7": d_3_7,
    "d-3-8": d_3_8,
    "d-3-9": d_3_9,
    "d-3-10": d_3_10,
    "d-3-13a": d_3_13,
    "d-3-13b": d_3_13b,
    "d-4-6": d_4_6,
    "d-4-7": d_4_7,
    "d-4-8": d_4_8,
    "d-4-9": d_4_9,
    "d-4-10": d_4_10,
    "f-5-6": f_5,
    "f-7": f_7,
    "r-14": r_14,
    "r-15": r_15,
    "r-16": r_16,
}


def figures(store):
    """``{name: SVG text}`` of the figures whose networks are recorded."""
    found = {name: draw(store) for name, draw in FIGURES.items()}
    return {name: text for name, text in found.items() if text}
