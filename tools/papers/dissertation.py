"""What the dissertation (D) prints about figures on a floor, and what comes out here."""

from dataclasses import dataclass
from math import log2

from dsnswitch.net.plan.cost import model
from tools.papers.cases import FIG_3_1, LOW_DEGREE, OPTIMISED, SERIES, TURNED, TURNED_SERIES, VARIED, VARIED_MAPPINGS, d_mapping
from tools.papers.measure import DELAYS, PAPER

#: Delay of a cable in ns per metre, and of a routing table in ns (D 6.2.1).
_NS, _TABLE = 5, 5


@dataclass(frozen=True)
class Statement:
    """A statement of a paper: its ``place``, ``text``, what the ``paper`` prints, and what comes out ``here``.

    ``remark`` is text of ours, ``command`` the one that prints what comes out here, if it is short.
    """

    place: str
    text: str
    paper: str
    here: str
    remark: str = ""
    command: str = ""


def change(new, old):
    """Percent by which ``new`` differs from ``old``."""
    return 100 * (new / old - 1)


def percent(value, digits=1):
    """A change as text, such as ``-31.2 %``."""
    return f"{value:+.{digits}f} %"


def mean_latency(record, kind, delay=PAPER):
    """Mean latency in ns of the paths ``fewest`` or ``routes`` of a record, by the delay of a switch."""
    return record[kind]["hops"] * delay + record[kind]["metres"] * _NS


def most_latency(record, kind, delay=PAPER):
    """Greatest latency in ns of the paths ``fewest`` or ``routes``."""
    return record[kind]["most"][DELAYS.index(delay)]


def of_series(store, series, k, mapping=None):
    """The record of a series of D 3.4 at 2^k switches; None if it is not recorded."""
    network = SERIES[series].get(k)
    chosen = mapping or d_mapping(series)
    return network and store.of(network, chosen, None if chosen == "supernode" else 8)


def _changes(store, new, old, value, mapping=None):
    """``{k: percent}`` of two series at all sizes at which both are recorded."""
    found = {}
    for k in SERIES[new]:
        pair = [of_series(store, series, k, mapping) for series in (new, old)]
        if all(pair):
            found[k] = change(*map(value, pair))
    return found


def _extreme(changes):
    """``(k, percent)`` of the greatest decrease."""
    return min(changes.items(), key=lambda item: item[1])


def up_to(changes):
    k, value = _extreme(changes)
    return f"up to {percent(value)} (at {1 << k:,} switches)"


def graphs(store):
    """D 3.4.1: diameter and mean shortest path against a 3-D torus and RR-6."""
    found = []
    for key, text, paper in (("diameter", "diameter", "-78.8 %"), ("aspl", "mean shortest path", "-74.5 %")):
        changes = _changes(store, "2-D DSN", "3-D torus", lambda one, key=key: one[key])
        if changes:
            found.append(Statement("D Fig. 3.5", f"{text} against the torus, up to", paper, up_to(changes)))
    changes = _changes(store, "2-D DSN", "RR-6", lambda one: one["aspl"])
    if 14 in changes:
        found.append(Statement("D Fig. 3.5", "mean shortest path against RR-6 at 16,384", "+10.5 %", percent(changes[14])))
    return found


def cuts(store):
    """``{switches: (DSN, torus)}``: the cables between two halves of both, at all sizes of D 3.4 that are recorded."""
    found = {}
    for k in SERIES["2-D DSN"]:
        pair = [of_series(store, series, k) for series in ("2-D DSN", "3-D torus")]
        if all(pair):
            found[1 << k] = tuple(one["cut"] for one in pair)
    return found


def min_cuts(store):
    """D Fig. 3.6."""
    rows = cuts(store)
    if not rows:
        return []
    wider = [size for size, (dsn, torus) in rows.items() if dsn > torus]
    equal = [size for size, (dsn, torus) in rows.items() if dsn == torus]
    parts = ", ".join(f"{size:,}: {dsn:,} and {torus:,}" for size, (dsn, torus) in rows.items())
    here = f"above from {wider[0]:,} switches on" if wider else "not above"
    same = f", equal at {_sizes(equal)}" if equal else ""
    remark = f"DSN and torus: {parts} cables. METIS's cuts are upper bounds: that of the largest torus is 512."
    return [Statement("D Fig. 3.6", "min-cut against the torus", "above, at every size", f"{here}{same}", remark)]


def _sizes(sizes):
    return " and ".join(f"{size:,}" for size in sizes)


def cables(store):
    """D 3.4.2: mean length of cables."""
    found = []
    for other, paper in (("3-D torus", "-31.2 %"), ("RR-6", "-64.5 %")):
        changes = _changes(store, "2-D DSN", other, lambda one: one["average"])
        if not changes:
            continue
        row = ", ".join(f"{1 << k:,}: {value:+.1f}" for k, value in changes.items())
        remark = f"By size: {row} %.{_turned(store, changes)}" if other == "3-D torus" else ""
        found.append(Statement("D Fig. 3.7", f"mean cable against {other}, up to", paper, up_to(changes), remark))
    sizes = [
        (one, two)
        for one, two in ((of_series(store, "2-D DSN", k), of_series(store, "3-D torus", k)) for k in (13, 14))
        if one and two
    ]
    if sizes:
        higher = all(one["cost"]["slim-fly"] > two["cost"]["slim-fly"] for one, two in sizes)
        text = "costs more" if higher else "costs less"
        found.append(Statement("D Fig. 3.8", "cost against the torus above 4,096 switches", "higher", f"the DSN {text}"))
    pair = [store.of("grid:8x8:k4x2", "supernode", None, way) for way in ("manhattan", "diagonal")]
    other = [store.of("random-ring:n=512,degree=6,seed=1", "sequential", 8, way) for way in ("manhattan", "diagonal")]
    if all(pair) and all(other):
        more = [percent(change(*(one["total"] for one in both))) for both in (pair, other)]
        here = f"{more[0]} (DSN), {more[1]} (RR-6)"
        remark = "Cables of a DSN run along a row or a column, so they are equally long in both cablings."
        found.append(Statement("D 3.3", "Manhattan instead of diagonal cabling, 512 switches", "up to +10 %", here, remark))
    return found


def _turned(store, changes):
    """The changes of the cables with the other side of both networks along the row, as text."""
    found = {}
    for k in TURNED:
        pair = [store.of(TURNED_SERIES[series][k], "supernode") for series in ("2-D DSN", "3-D torus")]
        if k in changes and all(pair):
            found[k] = change(*(one["average"] for one in pair))
    if not found:
        return ""
    row = ", ".join(f"{1 << k:,}: {value:+.1f}" for k, value in found.items())
    return f" Sizes that are not square have their longer side along the row; with the shorter side: {row} %."


def variants(store, k, value, routes=False):
    """``[(percent, DSN, torus)]`` of all recorded layouts at 2^k switches; ``value`` takes a record and a kind of path."""
    dsns, tori = VARIED[k]
    found = []
    for dsn, a in _laid(store, k, dsns):
        for torus, b in _laid(store, k, tori):
            for kind in ("lowest", "fewest", *(("routes",) if routes else ())):
                other = "lowest" if kind == "lowest" else "fewest"
                new, old = value(a, kind), value(b, other)
                if new is not None and old is not None:
                    found.append((change(new, old), f"{dsn}, {_PATHS[kind]}", torus))
    return found


_PATHS = {"lowest": "lowest latency", "fewest": "fewest hops", "routes": "custom routes"}


def _laid(store, k, networks):
    """``(text, record)`` of every recorded mapping of some networks."""
    for network in networks:
        for mapping in VARIED_MAPPINGS[k]:
            record = store.of(network, mapping, 8 if mapping in ("sequential", "serpentine") else None)
            if record:
                yield f"{network} {mapping}", record


def _mean(record, kind, delay=PAPER):
    if kind == "lowest":
        return record["lowest"][0] if delay == PAPER else None
    return mean_latency(record, kind, delay) if kind in record else None


def _most(record, kind, delay=PAPER):
    if kind == "lowest":
        return record["lowest"][1] if delay == PAPER else None
    return most_latency(record, kind, delay) if kind in record else None


def nearest(found, paper):
    """The layouts whose change is nearest to what the paper prints, as text; empty if there are none."""
    if not found:
        return ""
    value, dsn, torus = min(found, key=lambda row: abs(row[0] - paper))
    return f"{percent(value, 2)} with {dsn} against {torus}"


def latencies(store):
    """D 3.4.2 and 4.3: latency on the floor."""
    found = []
    changes = _changes(store, "2-D DSN", "3-D torus", lambda one: one["lowest"][0])
    for k, paper in ((11, -29.70), (14, -57.83)):
        if k in changes:
            near = nearest(variants(store, k, _mean, routes=True), paper)
            remark = f"Nearest of all layouts: {near}." if near else ""
            text = f"mean lowest latency against the torus, {1 << k:,} switches"
            found.append(Statement("D Fig. 3.9", text, percent(paper, 2), percent(changes[k], 2), remark))
    found += _together(store)
    other = _changes(store, "2-D DSN", "RR-6", lambda one: one["lowest"][0])
    if other:
        row = ", ".join(f"{1 << k:,}: {value:+.1f}" for k, value in other.items())
        found.append(
            Statement("D Fig. 3.9", "mean lowest latency against RR-6, up to", "-10 %", up_to(other), f"By size: {row} %.")
        )
    dsn, torus = of_series(store, "2-D DSN", 10, "optimised"), of_series(store, "3-D torus", 10, "optimised")
    if dsn and torus:
        for name, of, paper in (("greatest", _most, -24.7), ("mean", _mean, -14.5)):
            value = change(of(dsn, "routes", 30), of(torus, "fewest", 30))
            rows = variants(store, 10, lambda one, kind, of=of: of(one, kind, 30), routes=True)
            layouts = [(value, "an optimised layout", "an optimised one"), *(row for row in rows if "custom" in row[1])]
            remark = f"Nearest of all layouts: {nearest(layouts, paper)}."
            text = f"{name} latency of custom routes against the torus, 1,024 switches, 30 ns"
            found.append(Statement("D Fig. 4.7", text, percent(paper), percent(value), remark))
    lower, sizes = [], []
    for k in SERIES["2-D DSN"]:
        record = of_series(store, "2-D DSN", k, "optimised") or of_series(store, "2-D DSN", k)
        if record and "routes" in record:
            sizes.append(k)
            lower += [k] * (most_latency(record, "routes") < most_latency(record, "fewest"))
    if sizes:
        here = ", ".join(f"{1 << k:,}" for k in lower) or "none"
        remark = f"Of {1 << sizes[0]:,} to {1 << sizes[-1]:,}. Minimal: the shortest cables of the paths with the fewest hops."
        found.append(
            Statement(
                "D Fig. 4.6", "sizes at which custom routes have a lower greatest latency than minimal ones", "all", here, remark
            )
        )
    found += [*low_degree(store), *threshold(store)]
    for degree, paper in ((6, 30), (11, 80)):
        name = "3-D torus, degree 6" if degree == 6 else "hypercube, degree 11"
        pair = [store.of(FIG_3_1[one], "optimised", 8) for one in (name, f"random, degree {degree}")]
        if all(pair):
            found.append(_crossing(pair, degree, paper))
    return found


def low_degree(store):
    """D 4.3.1: custom routes against the shortest paths of other networks of degree 6 and a similar size."""
    found = []
    for series in ("de Bruijn", "Kautz"):
        rows = []
        for network in LOW_DEGREE[series]:
            other = store.of(network, "optimised", 8)
            k = other and round(log2(other["switches"]))
            dsn = k in OPTIMISED and of_series(store, "2-D DSN", k, "optimised")
            if other and dsn:
                pair = [
                    [f(one, kind) for f in (mean_latency, most_latency)] for one, kind in ((dsn, "routes"), (other, "fewest"))
                ]
                changes = " and ".join(percent(change(*two)) for two in zip(*pair))
                rows.append(f"{changes} ({1 << k:,} against {other['switches']:,} switches)")
        if rows:
            text = f"mean and greatest latency of custom routes against {series}"
            found.append(Statement("D 4.3.1", text, "lower", "; ".join(rows)))
    return found


def threshold(store):
    """D 6.2.1: the delay t of a switch at which custom routes take as long as minimal ones at t + 5 ns, which pay for a table."""
    found = []
    for network, record in _laid(store, 10, VARIED[10][0]):
        custom, minimal = record["routes"], record["fewest"]
        metres = (minimal["metres"] - custom["metres"]) * _NS
        found.append(((_TABLE * minimal["hops"] + metres) / (custom["hops"] - minimal["hops"]), network))
    if not found:
        return []
    (low, first), (high, last) = min(found), max(found)
    remark = f"Mean latency. With a table, a switch takes {_TABLE} ns more: {low:.1f} with {first}, {high:.1f} with {last}."
    text = "delay of a switch below which custom routes are faster than minimal ones with a table, 1,024 switches"
    return [Statement("D 6.2.1", text, "55 ns", f"{low:.0f} to {high:.0f} ns", remark)]


def _together(store):
    """Both numbers of D Fig. 3.9 with one choice of mappings, paths, and form of the torus: the best of all choices."""
    choices = {}
    for k, paper in ((11, -29.70), (14, -57.83)):
        for value, dsn, torus in variants(store, k, _mean, routes=True):
            shape, mapping = torus.split()
            key = dsn.split(" ", 1)[1], mapping, shape.endswith("x8")
            choices.setdefault(key, {}).setdefault(k, []).append((abs(value - paper), value))
    both = [(max(min(rows[k])[0] for k in (11, 14)), key, rows) for key, rows in choices.items() if len(rows) == 2]
    if not both:
        return []
    _, (dsn, mapping, flat), rows = min(both, key=lambda row: row[:2])
    here = " and ".join(percent(min(rows[k])[1], 2) for k in (11, 14))
    form = "a torus X x Y x 8" if flat else "a torus of nearly equal sides"
    remark = f"The best of {len(both)} choices: DSN {dsn}; {form} {mapping}."
    return [Statement("D Fig. 3.9", "both latencies against the torus with one choice", "-29.70 and -57.83 %", here, remark)]


def _crossing(pair, degree, paper):
    """The delay of a switch at which two networks have the same greatest latency."""
    rows = [[a - b for a, b in zip(pair[0]["fewest"]["most"], pair[1]["fewest"]["most"])], DELAYS]
    here = "none up to 160 ns"
    for (a, low), (b, high) in zip(zip(*rows), list(zip(*rows))[1:]):
        if a <= 0 < b:
            here = f"{low + (high - low) * -a / (b - a):.0f} ns"
    if rows[0][0] > 0:
        here = "none: the random network is better at 0 ns"
    return Statement(
        "D Fig. 3.1", f"delay of a switch at which regular and random networks of degree {degree} are equal", f"{paper} ns", here
    )


def growth(store):
    """F Fig. 4, D Fig. 3.13(a)."""
    rows = {int(added): row for added, row in store.experiments.get("growth", {}).items()}
    if not rows:
        return []
    steps = ", ".join(f"{added}: {rows[added][0]} and {rows[added][1]:.2f}" for added in (0, 256, 512, 768, 896, 1024))
    more = {rows[added][0] for added in rows if 768 < added < 1024}
    lower = rows[1024][1] < rows[768][1]
    before, after = (f"{rows[added][0]} and {rows[added][1]:.2f}" for added in (768, 1024))
    return [
        Statement(
            "D Fig. 3.13a",
            "diameter above 768 added switches",
            "one hop more",
            f"{' or '.join(map(str, sorted(more)))} against {rows[768][0]}",
            f"Diameter and mean path: {steps}.",
        ),
        Statement(
            "F Fig. 4",
            "diameter and mean path at 1,024 added switches",
            "below those at 768",
            f"{after} against {before}",
            "" if lower else "The diameter is lower, the mean path is not.",
        ),
    ]


def spare_ports(store):
    """D Fig. 3.13(b): cost with spare ports."""
    record = store.of("dsn-f:1024", "sequential", 16)
    if not record or "spare" not in record:
        return []
    price, whole = model("slim-fly").per_port, {int(hosts): row[0] for hosts, row in record["spare"].items()}
    # Prices are linear in the ports: the ports for hosts at which 100 % more ports for cables cost 54 % more.
    hosts = (price * record["degree"] / 0.54 - whole[0]) / price
    total = whole[0] + price * round(hosts)
    here = ", ".join(f"{100 * price * record['degree'] * share / total:+.0f}" for share in (0.25, 0.5, 1))
    rounded = ", ".join(f"{change(value, whole[4]):+.0f}" for value in record["spare"]["4"][1:])
    remark = (
        f"D prints neither prices nor hosts. Model slim-fly, 1,024 switches with {round(hosts)} ports for hosts, spare ports "
        f"for cables only, and fractions of ports. With whole spare ports for cables and hosts, and 4 hosts, it is {rounded} %."
    )
    text = "cost per switch with 25, 50, 100 % spare ports, up to"
    return [Statement("D Fig. 3.13b", text, "+13, +27, +54 %", f"{here} %", remark)]


def loads(store):
    """D Figs 4.8 and 4.9."""
    every = store.experiments.get("links")
    if not every:
        return []
    found = []
    far = {text: {name: value for name, value in rows[0].items() if name[0] != "L"} for text, rows in every.items()}
    equal = all(
        len({value for name, value in one.items() if not name.endswith("_1")}) == 1
        for text, one in far.items()
        if text in ("8x8", "16x16", "32x32")
    )
    halves = [far[text]["X_1"] / far[text]["X_2"] for text in ("8x8", "16x16", "32x32")]
    here = "equal" if equal else "not equal"
    found.append(
        Statement(
            "D Fig. 4.8",
            "load of shortcuts of all levels but the first",
            "equal",
            here,
            f"Level 1 carries {', '.join(f'{value:.2f}' for value in halves)} of it at 512, 2,048, 8,192 switches.",
        )
    )
    for text, place in (("8x8", "512"), ("16x16", "2,048")):
        spread = [{name: value for name, value in rows.items() if name[0] == "L"} for rows in every[text]]
        most = [max(one, key=one.get) for one in spread]
        here = " to ".join(f"{one[name]:.0f} ({name})" for one, name in zip(spread, most))
        ratio = [one[name] / (sum(one.values()) / len(one)) for one, name in zip(spread, most)]
        found.append(
            Statement(
                "D Fig. 4.9",
                f"greatest load of a local link with Table 4.3, {place} switches",
                "a better balance",
                here,
                f"Pairs; {ratio[0]:.2f} and {ratio[1]:.2f} times the mean of the local links.",
            )
        )
    return found


def failures(store):
    """D Fig. 4.10."""
    rows = store.experiments.get("failures")
    if not rows:
        return []
    whole, found = rows["0"], []
    for name, text, printed in (
        ("shorter", "XY-YX", ("8.82", "24.86")),
        ("minimal", "minimal", ("9.45", "19.49")),
        ("first", "XY", ("-", "-")),
    ):
        here = [change(rows[rate][name][0], whole[name][0]) for rate in ("0.1", "0.2")]
        shares = [rows[rate][name][1] for rate in ("0.1", "0.2")]
        remark = f"{100 * shares[0]:.2f} and {100 * shares[1]:.2f} % of the pairs arrive."
        paper = "the highest curve" if name == "first" else f"+{printed[0]}, +{printed[1]} %"
        found.append(
            Statement(
                "D Fig. 4.10",
                f"mean path at 10 and 20 % failed links, {text}",
                paper,
                f"{percent(here[0], 2)}, {percent(here[1], 2)}",
                remark,
            )
        )
    return found
