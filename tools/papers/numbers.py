"""Numbers in the texts of the papers that a command of ours prints, too: a row for each, with its command."""

from itertools import product

from dsnswitch.lab.codes.rows import snr_rows
from dsnswitch.lab.synth.library import PS_PER_FO4
from dsnswitch.net.plan.floor import Room
from dsnswitch.net.routing.registry import relation_of
from dsnswitch.net.topology.registry import parse_network
from tools.figures.hop import CLOCK, CODE, Hop
from tools.papers.cases import R_256, R_FIG_1, R_FIG_12, R_FOLDED, R_SERIES, SERIES
from tools.papers.dissertation import Statement, change, mean_latency, most_latency, of_series, percent
from tools.papers.measure import routed_to

#: Bits of a flit, of which a link carries one per cycle.
FLIT = 256


def _floor(network, mapping="sequential"):
    return f"dsnswitch floorplan --topology {network} --mapping {mapping} --per-cabinet 16"


def _check(network):
    return f"dsnswitch check --topology {network}"


def targets(store, figures):
    """D 1.1: what D asks of a system of 100,000 endpoints, beside what exists."""
    dsn, hop = of_series(store, "2-D DSN", 14), Hop(figures)
    ns = hop.cycles * hop.period * PS_PER_FO4 / 1000
    wide, slow = FLIT * CLOCK / 1000, FLIT * 1000 / (hop.period * PS_PER_FO4)
    place, found = "D 1.1", []
    if dsn:
        network = SERIES["2-D DSN"][14]
        command = f"dsnswitch floorplan --topology {network} --paths {routed_to(dsn['switches'])} --switch-delay"
        text = "latency over 16,384 switches with 131,072 hosts, with a hop of"
        mean = f"{mean_latency(dsn, 'routes', ns):.0f} and {mean_latency(dsn, 'routes'):.0f} ns"
        most = f"{most_latency(dsn, 'routes', 10):.0f} and {most_latency(dsn, 'routes'):.0f} ns"
        found += [
            Statement(place, f"mean {text} {ns:.1f} and 40 ns", "1 us", mean, "", f"{command} {ns:.1f} --switch-delay 40"),
            Statement(place, f"greatest {text} 10 and 40 ns", "1 us", most, "", f"{command} 10 --switch-delay 40"),
        ]
    clock = f"at {CLOCK:.1f} MHz and in OSU 0.18 um"
    single = f"{CLOCK:.0f} and {slow / FLIT * 1000:.0f}"
    snr = snr_rows(1e-23, 4)
    before = {row["code"]: row["before"] for row in snr}
    need = f"{before['SECDED(270,260)']:.1e} with SECDED(270,260), {before['RS(528,514)']:.1e} with RS(528,514)"
    return [
        *found,
        Statement(place, f"Gb/s of a link, {clock}", "above 800", f"{wide:.0f} and {slow:.0f}", "", "make figures"),
        Statement(
            place, f"million packets of one flit per second and host port, {clock}", "100 and 1,000", single, "", "make figures"
        ),
        Statement(place, "bit error rate of the line for 1e-23 after the code", "-", need, "", "dsnswitch link snr --ber 1e-23"),
    ]


def decoders(figures):
    """D 5.3.1: latency of the decoder of RS(255,239)."""
    cycles = figures.of({"block": "rs-decoder", "code": "rs-255-239"})["latency_cycles"]
    # 16 symbols of 8 bits per cycle carry 100 Gb/s of the line at 781.25 MHz.
    ns = cycles * 128 / 100
    here = f"{cycles} cycles, {ns:.2f} ns at 100 Gb/s and 128 bits per cycle"
    command = "dsnswitch verilog --block rs-decoder --code rs-255-239"
    return [Statement("D 5.3.1", "latency of RS(255,239)", f"{CODE['rs-255-239']} ns", here, "", command)]


def growing(store):
    """F III-C to III-E: bounds of routes, a switch more, the transformation."""
    found = []
    n, levels = 1024, 10
    bound, other = relation_of(parse_network(f"dsn-f:{n}")).paper_bound, 3 * levels + n % levels
    found.append(
        Statement(
            "F III-C",
            "longest route of DSN-F against DSN, by F's bounds, 1,024 switches",
            "about half",
            f"{bound} against {other}",
            "",
            _check(f"dsn-f:{n}"),
        )
    )
    rows = store.experiments.get("added", {})
    if rows:
        starts = [int(p) << int(p) for p in rows]
        where = f"from {', '.join(map(str, starts))} switches on"
        most, new, rises, rewired = (", ".join(map(str, column)) for column in zip(*rows.values()))
        here = f"{most}; {new} of {rises} rises at the first switch of a layer"
        text = f"rise of the diameter by a switch, {where}"
        found.append(Statement("F III-D", text, "at most 1, at a new layer", here, "", "make papers"))
        # The first ring of a last supernode that is partly filled, if p leaves one.
        command = f"dsnswitch expand --from dsn-f:{starts[-1] + 3} --to dsn-f:{starts[-1] + 4}"
        found.append(Statement("F III-D", f"cables rewired by a switch, {where}", "0", f"at most {rewired}", "", command))
    low = next(p for p in range(2, 99) if p + 7 <= 0.3 * (4 * p + 4))
    shares = ", ".join(f"{100 * (p + 7) / (4 * p + 4):.0f}" for p in (4, 6, 8))
    here = f"{shares} % at p = 4, 6, 8; 30 % from p = {low} on, {low << low:,} switches"
    command = "dsnswitch expand --from dsn-f:159 --to dsn-f:160"
    found.append(Statement("F III-E", "share of rewired cables for large p", "25 to 30 %", here, "", command))
    return found


def permuted(store):
    """R III-B, III-D: 4,096 and 256 switches."""
    found = []
    twelve = [R_SERIES[name][12] for name in ("Hypercube", "P-Hypercube", "RING")]
    for cube, ring, networks, mapping, papers in (
        ("HYPERCUBE", "RING-12", twelve, "serpentine", ("-4", "+3", "-1.63", "+0.72")),
        ("FHYPERCUBE", "RING-13", [*R_FOLDED.values()], "sequential", ("down to -2", "0", "-1.24", "+0.23")),
    ):
        stored = [store.of(network, mapping, 16) for network in networks]
        if not all(stored):
            continue
        rows = product((("diameter", "diameter", 0), ("mean path", "aspl", 2)), ((cube, stored[0]), (ring, stored[2])))
        for ((title, key, digits), (name, other)), paper in zip(rows, papers):
            text = f"{title} of P-{cube} less that of {name}, 4,096 switches"
            here = f"{stored[1][key] - other[key]:+.{digits}f}"
            found.append(Statement("R III-B", text, paper, here, "", _check(networks[1])))
    for degree, base, paper in ((4, "P-TORUS-4", "+24 to +25 %"), (8, "P-HYPERCUBE", "+30 to +31 %")):
        ring, other = store.of(R_256[f"RING-{degree}"], "optimised", 16), store.of(R_256[base], "sequential", 16)
        if ring and other:
            text = f"mean cable of RING-{degree} against {base}, 256 switches: all, and between cabinets"
            far = [(one["total"] - Room.inside * one["inside"]) / one["between"] for one in (ring, other)]
            here = f"{percent(change(ring['average'], other['average']))} and {percent(change(*far))}"
            command = _floor(R_256[f"RING-{degree}"], "optimised")
            found.append(Statement("R III-D", text, paper, here, "", command))
    return found


def shortcuts(store):
    """R Fig. 1 and 12: random shortcuts."""
    found = []
    pairs = {
        degree: [store.of(one, "sequential", 16) for one in (f"random-ring:n=1024,degree={degree},seed=1", network)]
        for degree, network in R_FIG_1.items()
    }
    pairs = {degree: pair for degree, pair in pairs.items() if all(pair)}
    if pairs:
        networks = ", ".join(f"`{R_FIG_1[degree]}`" for degree in pairs)
        text = f"diameter of random rings and of {networks}, 1,024 switches of degree {', '.join(map(str, pairs))}"
        here = ", ".join(" and ".join(str(one["diameter"]) for one in pair) for pair in pairs.values())
        found.append(Statement("R Fig. 1a", text, "the first is lower", here, "", "make papers"))
    for k in (8, 10, 12):
        ring, cube = (store.of(R_SERIES[name][k], "sequential", 16) for name in ("RING", "Hypercube"))
        if ring and cube:
            text = f"mean cable of RING-{k} to that of the hypercube, {1 << k:,} switches in the order of their numbers"
            here = f"{ring['average'] / cube['average']:.2f} times"
            found.append(Statement("R Fig. 1b", text, "about 3 times", here, "", _floor(R_SERIES["RING"][k])))
    for name, networks in R_FIG_12.items():
        for k, network in networks.items():
            own, ring = store.of(network, "serpentine", 16), store.of(R_FIG_12["RING"][k], "serpentine", 16)
            if name != "RING" and own and ring:
                here = f"{own['diameter'] - ring['diameter']:+d} and {percent(change(own['aspl'], ring['aspl']), 2)}"
                text = f"diameter and mean path of {name}-{k} against RING-{k}, {1 << k:,} switches"
                found.append(Statement("R Fig. 12", text, "at most +1, comparable", here, "", _check(network)))
    return found


def bisections(store):
    """T Fig. 4, and the share of the Moore bound of T 2.1.2."""
    found = []
    for network, text, paper in (
        ("oft:k=12", "OFT", "0.89 b"),
        ("oft:k=6", "OFT, small", "0.81 b"),
        ("oft:k=4", "OFT, small", "0.81 b"),
        ("slimfly:q=13", "Slim Fly, p rounded down", "0.71 b"),
        ("slimfly:q=13,p=10", "Slim Fly, p rounded up", "0.67 b"),
        ("mlfm:h=15", "MLFM", "0.5 b"),
    ):
        one = store.of(network, "sequential", 16)
        if one:
            text = f"bisection per host: {text}, {one['hosts']:,} hosts"
            found.append(Statement("T Fig. 4", text, paper, f"{one['per_host']:.2f} b", "", _check(network)))
    return found


def numbers(store, figures):
    """Every row whose networks are recorded, in the order of the papers; ``figures`` are those of the netlists."""
    return [
        *targets(store, figures),
        *decoders(figures),
        *growing(store),
        *shortcuts(store),
        *permuted(store),
        *bisections(store),
    ]
