"""Generated parts of the page on curves of networks."""

from functools import partial
from statistics import mean, stdev

from dsnswitch.net.messages import UsageError
from tools.docs.markdown import paragraph, table
from tools.network.store import PATH, load

#: Links of the DSN whose links fail.
LINKS = 1408


def _curves(store):
    """Curves, from the file in the folder of ``store``."""
    return load(store.path.with_name(PATH.rpartition("/")[2]))


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


def sizes(store):
    """The table of latency and saturation by network and size."""
    curves = _curves(store)
    heads = ["network", "switches", "mean hops", "buffers, flits", "latency at 0.05", "stable", "over", "static bound"]
    rows = []
    for one in sorted(curves.of("sizes").values(), key=lambda one: one["switches"]):
        low = _lowest(one)
        rows.append(
            [
                one["series"],
                f"{one['switches']:,}",
                _number(low["hops"]),
                f"{one['storage']:,}",
                "-" if low["saturated"] else _number(low["mean"], 1) + _other_load(low["load"]),
                _number(one["stable"], 3),
                _number(one["over"], 3),
                _number(one["bound"], 3),
            ]
        )
    return table(heads, rows)


def _other_load(load, usual=0.05):
    return "" if load == usual else f" at {load:g}"


def sizes_verdict(store):
    """Sentences on the table of sizes."""
    curves = _curves(store).of("sizes")
    by = {(one["series"], one["switches"]): one for one in curves.values()}
    lines = []
    for switches in sorted({key[1] for key in by}):
        base, torus = by.get(("DSN, base", switches)), by.get(("3-D torus", switches))
        minimal = by.get(("DSN, minimal", switches))
        if not (base and torus):
            continue
        for name, one in (("base", base), ("minimal", minimal)):
            if one is None:
                continue
            latency = _percent(_lowest(one)["mean"], _lowest(torus)["mean"])
            lines.append(
                f"- {switches:,} switches, {name} routing: latency at load 0.05 {latency}, stable saturation "
                f"{_percent(one['stable'], torus['stable'])}, {one['storage']} flits of buffers against {torus['storage']}."
            )
    head = "The DSN relative to the torus of the same size:\n\n"
    return head + "\n".join(paragraph(line, "  ") for line in lines)


def reached(store):
    """How much of the static bound is reached."""
    found = [one for one in _curves(store).of("sizes").values() if one["stable"] and one["bound"]]
    shares = {one["label"]: one["stable"] / one["bound"] for one in found}
    low, high = min(shares, key=shares.get), max(shares, key=shares.get)
    return paragraph(
        f"The networks reach {100 * shares[low]:.0f} % ({low}) to {100 * shares[high]:.0f} % ({high}) of the static bound."
    )


def zero_load(store):
    """The identity at zero load."""
    found = [one for one in _curves(store).of("zero-load").values() if one["zero_load"]]
    hops = sorted({one["zero_load"]["hop"] for one in found})
    packets = sum(one["zero_load"]["packets"] for one in found)
    return paragraph(
        f"The identity holds for all {len(found)} curves and {packets:,} packets. The measured hop takes "
        f"{' or '.join(f'{hop:g}' for hop in hops)} cycles{', with lookup by table the greater number' if len(hops) > 1 else ''}."
    )


def noise(store):
    """The table of several seeds and two depths."""
    groups = {}
    for one in sorted(_curves(store).of("noise").values(), key=lambda one: (one["depth"], one["seed"])):
        groups.setdefault(one["depth"], []).append(one)
    latencies = {
        depth: [{p["load"]: p["mean"] for p in one["points"] if not p["saturated"]} for one in some]
        for depth, some in groups.items()
    }
    loads = sorted(set.intersection(*(set(by) for some in latencies.values() for by in some)))
    heads = ["depth", "seeds", *(f"latency at {load:.3g}" for load in loads), "stable", "over"]
    rows = [
        [
            str(depth),
            str(len(some)),
            *(_spread(by[load] for by in latencies[depth]) for load in loads),
            _spread((one["stable"] for one in some), 3),
            _spread((one["over"] for one in some), 4),
        ]
        for depth, some in groups.items()
    ]
    return table(heads, rows)


def scale(store):
    """The table of sizes at low load."""
    by = {}
    for one in _curves(store).of("scale").values():
        by.setdefault(one["switches"], {})[one["series"]] = one
    heads = [
        "switches",
        "DSN, mean hops",
        "added",
        "bound of D Fact 2",
        "latency",
        "torus, mean hops",
        "latency",
        "DSN to torus",
    ]
    rows, last = [], None
    for switches, some in sorted(by.items()):
        if len(some) < 2:
            continue
        dsn, torus = (_lowest(some[name]) for name in ("DSN, base", "3-D torus"))
        # D Fact 2 for supernodes of diameter 2: log2 of the number of supernodes, and 3 * 2 + 2.
        bound = (switches // 8).bit_length() - 1 + 8
        rows.append(
            [
                f"{switches:,}",
                _number(dsn["hops"]),
                "" if last is None else f"{dsn['hops'] - last:+.2f}",
                str(bound),
                _number(dsn["mean"], 1),
                _number(torus["hops"]),
                _number(torus["mean"], 1),
                _percent(dsn["mean"], torus["mean"]),
            ]
        )
        last = dsn["hops"]
    return table(heads, rows)


def links(store):
    """The table of light and strict links."""
    heads = ["link", "depth", "cycles of a hop", "latency at 0.05", "stable", "over"]
    rows = [
        [
            one["series"],
            str(one["depth"]),
            str(one["link_delay"] + 2),
            _number(_lowest(one)["mean"], 1),
            _number(one["stable"], 3),
            _number(one["over"], 3),
        ]
        for one in sorted(_curves(store).of("links").values(), key=lambda one: (one["link_delay"], one["depth"]))
    ]
    return table(heads, rows)


def failures(store):
    """The table of failed links."""
    groups = {}
    for one in sorted(_curves(store).of("failures").values(), key=lambda one: (one["series"], one["failed"])):
        groups.setdefault((one["series"], one["failed"]), []).append(one)
    heads = [
        "switches use",
        "failed links",
        "seeds",
        "latency at 0.02",
        "mean hops",
        "lost packets, %",
        "over",
        "not simulated",
    ]
    rows = []
    for (series, failed), some in groups.items():
        lowest = [_lowest(one) for one in some if one["points"]]
        good = [point for point in lowest if not point["saturated"]]
        lost = [100 * point["lost"] / (point["packets"] + point["lost"]) for point in lowest]
        rows.append(
            [
                series,
                f"{failed} ({100 * failed / LINKS:.0f} %)",
                str(len(lowest)),
                _spread((point["mean"] for point in good), 1),
                _spread(point["hops"] for point in good),
                _spread(lost),
                _spread(map(_full, some), 3),
                f"{len(some) - len(lowest)} of {len(some)}" if len(lowest) < len(some) else "",
            ]
        )
    return table(heads, rows)


def _against(curves, experiments, pairs, *more):
    """Rows of a comparison of curves of some experiments at the lowest load.

    ``more`` are functions of names and pattern and both curves, a cell each.
    """
    every = [one for name in experiments for one in curves.of(name).values()]
    found = {(one["series"], one["pattern"]): one for one in every if one["points"]}
    rows = []
    for ours, other in pairs:
        for pattern in dict.fromkeys(pattern for _, pattern in found):
            one, two = found.get((ours, pattern)), found.get((other, pattern))
            if not (one and two):
                continue
            a, b = _lowest(one), _lowest(two)
            rows.append(
                [
                    f"{ours} to {other}",
                    pattern,
                    f"{_number(a['hops'])}, {_number(b['hops'])}",
                    f"{_number(a['mean'], 1)}, {_number(b['mean'], 1)}",
                    _percent(a["mean"], b["mean"]),
                    *(cell((ours, other, pattern), one, two) for cell in more),
                ]
            )
    return rows


def _over(_, one, two):
    """Accepted loads of two curves if sources always have a packet."""
    return f"{_number(_full(one), 3)}, {_number(_full(two), 3)}"


def _with_cable(_, one, two):
    """Difference of the latencies if the cable of a host counts as a hop, as in R: the link and two cycles of a switch."""
    return _percent(*(_lowest(curve)["mean"] + curve["link_delay"] + 2 for curve in (one, two)))


def _printed(table):
    """Cells with what a paper prints."""
    return lambda names, one, two: table.get(names, "-")


#: Heads of :func:`_against`.
_HEADS = ["networks", "pattern", "mean hops", "latency, cycles", "difference"]


def papers_f(store):
    """F V beside ours."""
    pairs = (("DSN-F", "2-D torus"), ("DSN-F", "DSN"), ("DLN-4", "DSN-F"), ("DLN-4", "2-D torus"))
    return table([*_HEADS, "over"], _against(_curves(store), ("papers-f",), pairs, _over))


def _of_patterns(ours, other, *values):
    return {(ours, other, name): value for name, value in zip(("uniform", "transpose", "bit-reversal"), values)}


#: Latencies of R III-C, III-D and IV-B relative to the second network, and throughputs.
R = {
    **_of_patterns("RING-8, 256", "Hypercube, 256", "-19.4 %", "-20.1 %", "-15.6 %"),
    **_of_patterns("P-Hypercube", "Hypercube", "-16.5 %", "-17.2 %", "-12.0 %"),
    **_of_patterns("P-TORUS-4, up*/down*", "PF-TORUS-4, up*/down*", "-5 %", "-5 %"),
    **_of_patterns("RING-4, up*/down*", "PF-TORUS-4, up*/down*", "-21 %", "-21 %"),
    **_of_patterns("RING-4, up*/down*", "P-TORUS-4, up*/down*", "-19 to -20 %", "-19 to -20 %"),
    **_of_patterns("RING-8", "P-Hypercube", "-3 to -5 %", "-3 to -5 %"),
    **_of_patterns("PF-fat tree, 80", "Fat tree, 80", "down to -23.4 %"),
    **{
        key: "similar"
        for name in ("Nbr(0.4)-8", "Nbr(0.5)-8", "Gau(0.7)-8", "Gau(1.0)-8")
        for key in _of_patterns(name, "RING-8", *[""] * 2)
    },
}
R_OVER = {
    **_of_patterns("RING-4, up*/down*", "P-TORUS-4, up*/down*", *["+100 to +150 %"] * 2),
    **_of_patterns("RING-8", "P-Hypercube", *["below +0.04 %"] * 2),
    **_of_patterns("PF-fat tree, 80", "Fat tree, 80", "similar"),
    **_of_patterns("Nbr(0.4)-8", "RING-8", "similar", "lower"),
    **_of_patterns("Nbr(0.5)-8", "RING-8", "similar", "similar"),
    **_of_patterns("Gau(0.7)-8", "RING-8", "similar", "lower"),
    **_of_patterns("Gau(1.0)-8", "RING-8", "similar", "similar"),
}


def papers_r(store):
    """R III-C beside ours, with one or four hosts per switch."""
    pairs = (
        ("RING-8, 256", "Hypercube, 256"),
        ("RING-6, 64", "Hypercube, 64"),
        ("RING-4, 256, up*/down*", "TORUS-4, 256"),
    )
    return table([*_HEADS, "R"], _against(_curves(store), ("papers-r",), pairs, _printed(R)))


def papers_r_hosts(store):
    """R Fig. 6 beside ours, with eight hosts per switch as in R."""
    pairs = (("RING-8, 256", "Hypercube, 256"),)
    rows = _against(_curves(store), ("papers-r-hosts",), pairs, _with_cable, _printed(R))
    return table([*_HEADS, "with the hosts' cables", "R"], rows)


def papers_r_permuted(store):
    """R III-C, V beside ours: permuted networks and fat trees."""
    pairs = (
        ("P-Hypercube", "Hypercube"),
        ("P-TORUS-4, up*/down*", "PF-TORUS-4, up*/down*"),
        ("RING-4, up*/down*", "PF-TORUS-4, up*/down*"),
        ("RING-4, up*/down*", "P-TORUS-4, up*/down*"),
        ("RING-8", "P-Hypercube"),
        ("PF-fat tree, 80", "Fat tree, 80"),
    )
    return _with_throughput(store, ("papers-r-permuted", "papers-r-shortcuts"), pairs)


def papers_r_shortcuts(store):
    """R IV-B, Fig. 13 beside ours: shortcuts of limited length."""
    pairs = [(name, "RING-8") for name in ("Nbr(0.4)-8", "Nbr(0.5)-8", "Gau(0.7)-8", "Gau(1.0)-8")]
    return _with_throughput(store, ("papers-r-shortcuts",), pairs)


def _with_throughput(store, experiments, pairs):
    rows = _against(_curves(store), experiments, pairs, _printed(R), _over, _printed(R_OVER))
    return table([*_HEADS, "R", "over", "R, throughput"], rows)


def digits(store):
    """The table of permutations with digits: one row for each pattern, and one for all random permutations."""
    groups = {}
    for one in _curves(store).of("digits").values():
        sets, _, kind = one["series"].partition(",")
        groups.setdefault((sets, one["pattern"] if not kind.endswith("random") else "random"), []).append(one)
    heads = ["shortcuts", "buffers, flits", "pattern", "offered", "accepted", "latency", "hops", "stable"]
    rows = []
    for (sets, pattern), some in sorted(groups.items()):
        for offered in sorted({point["load"] for one in some for point in one["points"]}):
            points = [point for one in some for point in one["points"] if point["load"] == offered]
            worst = min(points, key=lambda point: point["accepted"])
            stable = sum(not point["saturated"] for point in points)
            rows.append(
                [
                    sets.lower(),
                    str(some[0]["storage"]),
                    pattern if len(points) == 1 else f"{len(points)} {pattern} permutations, the worst",
                    f"{offered:g}",
                    _number(worst["accepted"], 3),
                    "-" if worst["saturated"] else _number(worst["mean"], 1),
                    _number(worst["hops"]),
                    ("yes" if stable else "no") if len(points) == 1 else f"{stable} of {len(points)}",
                ]
            )
    return table(heads, rows)


def storage(store, name="storage"):
    """The table of saturation by channels and buffers, with the cost of the cores if it is recorded."""
    found = sorted(_curves(store).of(name).values(), key=lambda one: one["storage"])
    costed = all(one["cost"] for one in found)
    heads = ["channels per class", "depth", "channels", "buffers, flits", *(["core, GE", "RAM, bits"] * costed), "over"]
    rows = [
        [
            *(one["series"], str(one["depth"]), str(one["channels"]), f"{one['storage']:,}"),
            *([f"{one['cost'][key]:,}" for key in ("area", "memory_bits")] if costed else []),
            _number(_full(one), 3),
        ]
        for one in found
    ]
    return table(heads, rows)


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
    "network-verdict": sizes_verdict,
    "network-reached": reached,
    "network-zero-load": zero_load,
    "network-noise": noise,
    "network-scale": scale,
    "network-links": links,
    "network-failures": failures,
    "network-digits": digits,
    "network-storage": storage,
    "network-storage-large": partial(storage, name="storage-large"),
    "network-storage-packets": partial(storage, name="storage-packets"),
    "network-papers-f": papers_f,
    "network-papers-r": papers_r,
    "network-papers-r-hosts": papers_r_hosts,
    "network-papers-r-permuted": papers_r_permuted,
    "network-papers-r-shortcuts": papers_r_shortcuts,
}

PARTS = {name: _or_unmeasured(part) for name, part in _PARTS.items()}
