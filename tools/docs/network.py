"""Generated parts of docs/network.md: tables and sentences of the recorded curves."""

from functools import partial
from statistics import mean, stdev

from dsnswitch.net.messages import UsageError
from tools.docs.markdown import paragraph, table
from tools.network.store import PATH, load

#: Links of the DSN whose links fail.
LINKS = 1408


def _curves(store, name):
    """The curves of an experiment, from the file in the folder of ``store``."""
    return list(load(store.path.with_name(PATH.rpartition("/")[2])).of(name).values())


def _table(columns, items):
    """The table with a row for each of ``items``; ``columns`` is ``{heading: function of an item}``."""
    return table(list(columns), [[text(one) for text in columns.values()] for one in items])


def _number(value, digits=2):
    return "-" if value is None else f"{value:,.{digits}f}"


def _spread(values, digits=2):
    """Mean and standard deviation of the ``values`` of several seeds; those that are None are left out."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return _number(known[0] if known else None, digits)
    return f"{_number(mean(known), digits)} ± {_number(stdev(known), digits)}"


def _percent(new, old):
    return f"{100 * (new / old - 1):+.1f} %"


def _lowest(one):
    """The point with the lowest load."""
    return min(one["points"], key=lambda point: point["load"])


def _full(one):
    """The accepted load if sources always have a packet, or None."""
    return next((point["accepted"] for point in one["points"] if point["load"] == 1), None)


def _grouped(items, key):
    """``{key of an item: items}``, in the order of the keys."""
    groups = {}
    for one in sorted(items, key=key):
        groups.setdefault(key(one), []).append(one)
    return groups


def _key(name, digits):
    return lambda one: _number(one[name], digits)


_STABLE = {"stable": _key("stable", 3), "over": _key("over", 3)}


def _first_latency(one, usual=0.05):
    low = _lowest(one)
    load = "" if low["load"] == usual else f" at {low['load']:g}"
    return "-" if low["saturated"] else _number(low["mean"], 1) + load


def sizes(store):
    """Latency and saturation by network and size."""
    columns = {
        "network": lambda one: one["series"],
        "switches": _key("switches", 0),
        "mean hops": lambda one: _number(_lowest(one)["hops"]),
        "buffers, flits": _key("storage", 0),
        "latency at 0.05": _first_latency,
        **_STABLE,
        "static bound": _key("bound", 3),
    }
    return _table(columns, sorted(_curves(store, "sizes"), key=lambda one: one["switches"]))


def zero_load(store):
    """The identity at zero load."""
    found = [one["zero_load"] for one in _curves(store, "zero-load") if one["zero_load"]]
    hops = sorted({one["hop"] for one in found})
    return paragraph(
        f"The identity holds for all {len(found)} curves and {sum(one['packets'] for one in found):,} packets. The measured hop "
        f"takes {' or '.join(f'{hop:g}' for hop in hops)} cycles"
        f"{', with lookup by table the greater number' if len(hops) > 1 else ''}."
    )


def noise(store):
    """Several seeds and two depths."""
    groups = _grouped(_curves(store, "noise"), lambda one: one["depth"])
    means = {
        depth: [{p["load"]: p["mean"] for p in one["points"] if not p["saturated"]} for one in some]
        for depth, some in groups.items()
    }
    loads = sorted(set.intersection(*(set(by) for some in means.values() for by in some)))
    columns = {
        "depth": str,
        "seeds": lambda depth: str(len(groups[depth])),
        **{f"latency at {load:.3g}": lambda depth, load=load: _spread(by[load] for by in means[depth]) for load in loads},
        "stable": lambda depth: _spread((one["stable"] for one in groups[depth]), 3),
        "over": lambda depth: _spread((one["over"] for one in groups[depth]), 4),
    }
    return _table(columns, groups)


def seeds(store):
    """Tables by turn classes with several seeds."""
    groups = _grouped(_curves(store, "seeds"), lambda one: (one["switches"], one["series"]))
    columns = {
        "network": lambda key: key[1],
        "switches": lambda key: _number(key[0], 0),
        "buffers, flits": lambda key: _number(max(one["storage"] for one in groups[key]), 0),
        "seeds": lambda key: str(len(groups[key])),
        **{name: lambda key, name=name: _spread((one[name] for one in groups[key]), 3) for name in ("stable", "over")},
    }
    return _table(columns, groups)


def structured(store):
    """Random against structured networks: uniform traffic and a permutation."""
    rows = []
    for series, some in _grouped(_curves(store, "random"), lambda one: one["series"]).items():
        uniform, permuted = sorted(some, key=lambda one: one["pattern"] != "uniform")
        low = (_number(uniform["average_path"]), str(uniform["storage"]), _first_latency(uniform, 0.1))
        rows.append([series, *low, *(_number(one[key], 3) for one in (uniform, permuted) for key in ("stable", "over"))])
    heads = (f"{traffic}: {what}" for traffic in ("uniform", "permutation") for what in ("stable", "over"))
    return table(("network", "mean hops", "buffers, flits", "latency at 0.1", *heads), rows)


def scale(store):
    """Sizes at low load. The bound is D Fact 2 for supernodes of diameter 2: log2 of their number, and 3 * 2 + 2."""
    rows, last = [], None
    for switches, some in _grouped(_curves(store, "scale"), lambda one: one["switches"]).items():
        by = {one["series"]: _lowest(one) for one in some}
        if len(by) < 2:
            continue
        dsn, torus = by["DSN, base"], by["3-D torus"]
        added = "" if last is None else f"{dsn['hops'] - last:+.2f}"
        bound = (switches // 8).bit_length() + 7
        numbers = (_number(dsn["mean"], 1), _number(torus["hops"]), _number(torus["mean"], 1))
        rows.append([f"{switches:,}", _number(dsn["hops"]), added, str(bound), *numbers, _percent(dsn["mean"], torus["mean"])])
        last = dsn["hops"]
    heads = ("switches", "DSN, mean hops", "added", "bound of D Fact 2", "latency", "torus, mean hops", "latency", "DSN to torus")
    return table(heads, rows)


def links(store):
    """Light and strict links."""
    columns = {
        "link": lambda one: one["series"],
        "depth": lambda one: str(one["depth"]),
        "cycles of a hop": lambda one: str(one["link_delay"] + 2),
        "latency at 0.05": lambda one: _number(_lowest(one)["mean"], 1),
        **_STABLE,
    }
    return _table(columns, sorted(_curves(store, "links"), key=lambda one: (one["link_delay"], one["depth"])))


def failures(store):
    """Failed links."""
    groups = _grouped(_curves(store, "failures"), lambda one: (one["series"], one["failed"]))
    rows = []
    for (series, failed), some in groups.items():
        lowest = [_lowest(one) for one in some if one["points"]]
        good = [point for point in lowest if not point["saturated"]]
        lost = [100 * point["lost"] / (point["packets"] + point["lost"]) for point in lowest]
        seeds = f"{len(lowest)} of {len(some)}" if len(lowest) < len(some) else str(len(lowest))
        spreads = (_spread((point["mean"] for point in good), 1), _spread(lost), _spread(map(_full, some), 3))
        rows.append([series, f"{failed} ({100 * failed / LINKS:.0f} %)", seeds, *spreads])
    return table(("switches use", "failed links", "seeds", "latency at 0.02", "lost packets, %", "over"), rows)


# The simulations of the papers F, R and T beside ours.


def _against(store, experiments, pairs, **more):
    """The table that compares pairs of series at the lowest load; ``more`` are columns of names, pattern and both curves."""
    found = {(one["series"], one["pattern"]): one for name in experiments for one in _curves(store, name) if one["points"]}
    rows = []
    for ours, other in pairs:
        for pattern in dict.fromkeys(pattern for _, pattern in found):
            one, two = found.get((ours, pattern)), found.get((other, pattern))
            if one and two:
                a, b = _lowest(one), _lowest(two)
                latencies = f"{_number(a['mean'], 1)}, {_number(b['mean'], 1)}"
                further = (cell((ours, other, pattern), one, two) for cell in more.values())
                rows.append([f"{ours} to {other}", pattern, latencies, _percent(a["mean"], b["mean"]), *further])
    return table(["networks", "pattern", "latency, cycles", "difference", *more], rows)


def _over(_, one, two):
    """Accepted loads of two curves if sources always have a packet."""
    return f"{_number(_full(one), 3)}, {_number(_full(two), 3)}"


def _with_cable(_, one, two):
    """Difference of the latencies if the cable of a host counts as a hop, as in R: the link and two cycles of a switch."""
    return _percent(*(_lowest(curve)["mean"] + curve["link_delay"] + 2 for curve in (one, two)))


def _printed(names, *_, table):
    """What a paper prints of two networks: one text for each of the patterns, the last for those that follow."""
    ours, other, pattern = names
    texts = dict(zip(("uniform", "transpose", "bit-reversal"), table.get((ours, other), ())))
    return texts.get(pattern, "-")


_SHORTCUTS = [(name, "RING-8") for name in ("Nbr(0.4)-8", "Nbr(0.5)-8", "Gau(0.7)-8", "Gau(1.0)-8")]

#: Latencies of R III-C, III-D and IV-B relative to the second network, and throughputs: uniform, transpose, bit reversal.
R = {
    ("RING-8, 256", "Hypercube, 256"): ("-19.4 %", "-20.1 %", "-15.6 %"),
    ("P-Hypercube", "Hypercube"): ("-16.5 %", "-17.2 %", "-12.0 %"),
    ("P-TORUS-4", "PF-TORUS-4"): ("-5 %", "-5 %"),
    ("RING-4", "PF-TORUS-4"): ("-21 %", "-21 %"),
    ("RING-4", "P-TORUS-4"): ("-19 to -20 %", "-19 to -20 %"),
    ("RING-8", "P-Hypercube"): ("-3 to -5 %", "-3 to -5 %"),
    ("PF-fat tree, 80", "Fat tree, 80"): ("down to -23.4 %",),
    **dict.fromkeys(_SHORTCUTS, ("similar", "similar")),
}
R_OVER = {
    ("RING-4", "P-TORUS-4"): ("+100 to +150 %", "+100 to +150 %"),
    ("RING-8", "P-Hypercube"): ("below +0.04 %", "below +0.04 %"),
    ("PF-fat tree, 80", "Fat tree, 80"): ("similar",),
    **dict(zip(_SHORTCUTS, [("similar", "lower"), ("similar", "similar")] * 2)),
}

_LATENCY, _THROUGHPUT = partial(_printed, table=R), partial(_printed, table=R_OVER)
_ALL = {"R": _LATENCY, "over": _over, "R, throughput": _THROUGHPUT}

_F = (("DSN-F", "2-D torus"), ("DSN-F", "DSN"), ("DLN-4", "DSN-F"), ("DLN-4", "2-D torus"))
_R_C = (("RING-8, 256", "Hypercube, 256"), ("RING-6, 64", "Hypercube, 64"), ("RING-4, 256", "TORUS-4, 256"))
_R_HOSTS = (_R_C[0], ("RING-9, 512", "Hypercube, 512"))
_PERMUTED = tuple(pair for pair in R if pair not in _SHORTCUTS and pair not in _R_C)
_PERMUTED_IN = ("papers-r-permuted", "papers-r-shortcuts")


def two_stages(store, names=("papers-t", "papers-t-adaptive"), latency=True):
    """Shortest paths, routes over a random switch and UGAL: uniform traffic, and the worst case of each network."""
    heads = [f"{traffic}: {what}" for traffic in ("uniform", "worst case") for what in ("latency at 0.1", "over")[not latency :]]
    curves, rows = [one for name in names for one in _curves(store, name)], []
    for (series, routing), some in _grouped(curves, lambda one: (one["series"], one["routing"])).items():
        some = sorted(some, key=lambda one: one["pattern"] != "uniform")
        cells = [cell for one in some for cell in (_first_latency(one, 0.1), _number(_full(one), 3))[not latency :]]
        rows.append([series, f"{some[0]['hosts']:,}", routing.removeprefix("table, "), f"{some[0]['storage']:,}", *cells])
    return table(("network", "hosts", "routing", "buffers, flits", *heads), rows)


def exchanges(store):
    """Effective throughput of exchanges: by network and routing, in percent of the rate of the hosts."""
    groups = _grouped(_curves(store, "papers-t-exchange"), lambda one: one["series"])
    rows = []
    for series, some in groups.items():
        routings = {}
        for one in some:
            routings.setdefault(one["routing"].removeprefix("table, "), {})[one["pattern"]] = one["points"][0]["accepted"]
        for routing, found in routings.items():
            cells = (f"{100 * found[pattern]:.0f} %" if pattern in found else "-" for pattern in ("all-to-all", "stencil"))
            rows.append([series, routing, *cells])
    return table(("network", "routing", "all-to-all", "nearest neighbour"), rows)


def digits(store):
    """Permutations with digits and pools: the greatest stable load of each, and its latency; random ones together."""

    def kind(one):
        sets, _, random = one["series"].partition(",")
        return sets, one["pattern"] if not random.endswith("random") else "random permutations"

    def cell(some):
        by = {}
        for one in some:
            for point in one["points"]:
                by.setdefault(point["load"], []).append(point)
        offered = max(by, key=lambda load: -load if any(point["saturated"] for point in by[load]) else load)
        points = by[offered]
        worst, stable = min(points, key=lambda point: point["accepted"]), sum(not point["saturated"] for point in points)
        count = f", {stable} of {len(points)} stable" if len(points) > 1 else ""
        if stable < len(points):
            return f"{offered:g}: accepted {_number(worst['accepted'], 3)}{count}"
        return f"{offered:g}: {_number(worst['mean'], 1)}"

    groups = _grouped((one for one in _curves(store, "digits") if "pools" in one["series"]), kind)
    sets = {key[0]: some[0]["storage"] for key, some in groups.items()}
    rows = [
        [pattern, *(cell(groups[one, pattern]) if (one, pattern) in groups else "" for one in sets)]
        for pattern in sorted({pattern for _, pattern in groups})
    ]
    return table(["pattern", *(f"{one.lower()}, {flits} flits" for one, flits in sets.items())], rows)


def storage(store, name="storage"):
    """Saturation by channels and buffers. Where their cost is recorded, cores are compared with that of the first row."""
    found = sorted(_curves(store, name), key=lambda one: one["storage"])
    columns = {
        "channels per class": lambda one: one["series"],
        "depth": lambda one: str(one["depth"]),
        "channels": lambda one: str(one["channels"]),
        "buffers, flits": _key("storage", 0),
    }
    if all(one["cost"] for one in found):
        first = found[0]["cost"]
        columns["gates, relative"] = lambda one: _number(one["cost"]["area"] / first["area"])
        columns["RAM, relative"] = lambda one: _number(one["cost"]["memory_bits"] / first["memory_bits"])
    return _table(columns | {"over": lambda one: _number(_full(one), 3)}, found)


def bubbles(store):
    """Tori with datelines and with bubbles, by the flits of their buffers: means of the seeds."""
    groups = _grouped(_curves(store, "bubbles"), lambda one: (one["switches"], one["storage"], one["series"], one["depth"]))
    columns = {
        "switches": lambda key: str(key[0]),
        "buffers, flits": lambda key: str(key[1]),
        "rings": lambda key: key[2].partition(", 512")[0],
        "depth": lambda key: str(key[3]),
        **{name: lambda key, name=name: _spread((one[name] for one in groups[key]), 3) for name in ("stable", "over")},
    }
    return _table(columns, groups)


def _or_unmeasured(part):
    """A part that says so if its experiment is not recorded, because measuring takes long and the page need not wait."""

    def text(store):
        try:
            return part(store)
        except UsageError:
            return "*Not measured yet: run `make network`.*"

    return text


_PARTS = {
    "network-sizes": sizes,
    "network-zero-load": zero_load,
    "network-noise": noise,
    "network-seeds": seeds,
    "network-random": structured,
    "network-scale": scale,
    "network-links": links,
    "network-failures": failures,
    "network-digits": digits,
    "network-storage": storage,
    "network-storage-large": partial(storage, name="storage-large"),
    "network-storage-packets": partial(storage, name="storage-packets"),
    "network-bubbles": bubbles,
    "network-papers-f": partial(_against, experiments=("papers-f",), pairs=_F, over=_over),
    "network-papers-r": partial(_against, experiments=("papers-r",), pairs=_R_C[1:]),
    "network-papers-r-hosts": partial(
        _against, experiments=("papers-r-hosts",), pairs=_R_HOSTS, **{"with the hosts' cables": _with_cable, "R": _LATENCY}
    ),
    "network-papers-r-permuted": partial(_against, experiments=_PERMUTED_IN, pairs=_PERMUTED, **_ALL),
    "network-papers-adaptive": partial(
        _against, experiments=("papers-adaptive",), pairs=(*_F, *_PERMUTED), **{"R": _LATENCY, "over": _over}
    ),
    "network-papers-t": two_stages,
    "network-papers-t-exchange": exchanges,
    "network-papers-t-large": partial(two_stages, names=("papers-t-large",), latency=False),
    "network-papers-r-shortcuts": partial(_against, experiments=_PERMUTED_IN[1:], pairs=_SHORTCUTS, **_ALL),
}

PARTS = {name: _or_unmeasured(part) for name, part in _PARTS.items()}
