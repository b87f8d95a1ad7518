"""The networks that the papers compare, by series and size, and what is measured of each."""

from dataclasses import dataclass

from dsnswitch.net.topology.registry import TOPOLOGIES


@dataclass(frozen=True)
class Case:
    """A network on a floor; ``wants`` are the further figures: ``latency``, ``routes``, ``cut``, ``hosts``."""

    network: str
    mapping: str
    capacity: int | None = None
    cabling: str = "manhattan"
    wants: tuple = ()

    @property
    def key(self):
        """Name of the case in the file of results."""
        words = (self.network, self.mapping, self.capacity or "own", *(() if self.cabling == "manhattan" else (self.cabling,)))
        return " ".join(map(str, words))

    @property
    def known(self):
        """Whether this version has the topology."""
        parts = self.network.split(":")
        name = parts[2] if parts[0] == "permuted" and len(parts) > 2 else parts[0]
        return parts[0] in TOPOLOGIES and name in TOPOLOGIES


def halves(number):
    """``(a, b)`` with a * b = 2^number, and a = b or 2 a = b."""
    return 1 << number // 2, 1 << number - number // 2


def _dsn(k, turned=False):
    a, b = halves(k - 3)
    return f"grid:{b}x{a}:k4x2" if turned else f"grid:{a}x{b}:k4x2"


def _torus(k, turned=False):
    a, b = halves(k - 3)
    return f"torus:{b}x{a}x8" if turned else f"torus:{a}x{b}x8"


def _skywalk(k):
    a, b = halves(k - 3)
    return f"skywalk:columns={b},rows={a},c=8,inside=4,outside=2,seed=1"


def _dragonfly(k):
    groups = 1 << k - 3
    return f"dragonfly:a=8,h={max(1, groups // 8)},g={groups}"


#: Sizes of D as powers of two: 128 to 16,384 switches.
SIZES = range(7, 15)

#: ``{series: {2^k: network}}`` of D 3.4, with the mapping of each series: 8 switches per cabinet.
SERIES = {
    "2-D DSN": {k: _dsn(k, True) for k in SIZES},
    "3-D torus": {k: _torus(k, True) for k in SIZES},
    "RR-6": {k: f"random-ring:n={1 << k},degree=6,seed=1" for k in SIZES},
    "Skywalk-4-2": {k: _skywalk(k) for k in SIZES},
    "Dragonfly": {k: _dragonfly(k) for k in range(7, 12)},
}

#: Sizes of D 3.4 whose grid is not square: also with the other side along the row.
TURNED = (8, 10, 12, 14)
TURNED_SERIES = {"2-D DSN": {k: _dsn(k) for k in TURNED}, "3-D torus": {k: _torus(k) for k in TURNED}}

#: Networks of D 3.4 whose sizes are no powers of two: 2 q^2 switches.
SLIM_FLIES = {q: f"slimfly:q={q}" for q in (7, 11, 17, 19, 23, 31)}

#: Series of D 4.3, with optimised layouts.
LOW_DEGREE = {
    "de Bruijn": [f"de-bruijn:d=3,n={n}" for n in (5, 6, 7)],
    "Kautz": [f"kautz:n={n},m=4" for n in (5, 6, 7)],
    "n-star": ["star:n=7"],
    "Hypercube": [f"hypercube:{n}" for n in range(7, 12)],
}

#: Sizes of D 4.3 that are laid out optimally here: a quadratic assignment of up to 256 cabinets.
OPTIMISED = range(7, 12)

#: ``{series: {2^k: network}}`` of F IV, 16 switches per cabinet.
F_SIZES = range(5, 13)
F_SERIES = {
    "2-D torus": {k: "torus:{}x{}".format(*halves(k)) for k in F_SIZES},
    "DLN-4": {k: f"random-ring:n={1 << k},degree=4,seed=1" for k in F_SIZES},
    "DSN": {k: f"dsn-x:n={1 << k}" for k in F_SIZES},
    "DSN-F": {k: f"dsn-f:{1 << k}" for k in F_SIZES},
}

#: Mappings that F may mean for DSN-F: it states 16 switches per cabinet, and prefers all layers in one cabinet.
F_MAPPINGS = ("sequential", "serpentine", "optimised")

#: ``{series: {2^k: network}}`` of R III-D to V: degree k, 16 switches per cabinet.
R_SIZES = range(6, 14)
R_SERIES = {
    "RING": {k: f"random-ring:n={1 << k},degree={k},seed=1" for k in R_SIZES},
    "Nbr(0.5)": {k: f"nbr:n={1 << k},degree={k},alpha=0.5,seed=1" for k in R_SIZES},
    "Hypercube": {k: f"hypercube:{k}" for k in R_SIZES},
    "P-Hypercube": {k: f"permuted:cabinet=16,seed=1:hypercube:{k}" for k in (8, 12)},
}

#: Largest size of R whose layout is optimised here: 128 cabinets take seconds, 512 take a minute.
R_OPTIMISED = range(6, 14)

#: Networks of R Fig. 16: 256 switches.
R_256 = {
    "TORUS-4": "torus:16x16",
    "P-TORUS-4": "permuted:cabinet=16,seed=1:torus:16x16",
    "RING-4": "random-ring:n=256,degree=4,seed=1",
    "Nbr(0.5)-4": "nbr:n=256,degree=4,alpha=0.5,seed=1",
    "HYPERCUBE": "hypercube:8",
    "P-HYPERCUBE": "permuted:cabinet=16,seed=1:hypercube:8",
    "RING-8": "random-ring:n=256,degree=8,seed=1",
    "Nbr(0.5)-8": "nbr:n=256,degree=8,alpha=0.5,seed=1",
}

#: Networks of R Fig. 1, 1,024 switches: the degree of each, and random rings of the same degrees.
R_FIG_1 = {
    4: "torus:32x32",
    6: "torus:16x8x8",
    8: "torus:8x8x4x4",
    10: "hypercube:10",
    11: "folded-hypercube:n=10",
    62: "hyperx:32x32",
}

#: Folded hypercubes of R III-B, 4,096 switches of degree 13.
R_FOLDED = {
    "FHYPERCUBE": "folded-hypercube:n=12",
    "P-FHYPERCUBE": "permuted:cabinet=16,seed=1:folded-hypercube:n=12",
    "RING-13": "random-ring:n=4096,degree=13,seed=1",
}

#: Random shortcuts of R Fig. 12: 2^k switches of degree k.
R_FIG_12 = {
    name: {k: f"{text.format(n=1 << k, degree=k)},seed=1" for k in (8, 12)}
    for name, text in {
        "RING": "random-ring:n={n},degree={degree}",
        "Nbr(0.5)": "nbr:n={n},degree={degree},alpha=0.5",
        "Gau(0.7)": "gau:n={n},degree={degree},alpha=0.7",
        "Gau(1.0)": "gau:n={n},degree={degree},alpha=1.0",
    }.items()
}

#: Networks of T Fig. 4 with all of their hosts.
T_FIG_4 = ("oft:k=4", "oft:k=6", "oft:k=12", "slimfly:q=13", "slimfly:q=13,p=10", "mlfm:h=15")

#: Networks of D Fig. 3.1, 2,048 switches (Slim Fly 1,922) of degree 6 and 11.
FIG_3_1 = {
    "3-D torus, degree 6": "torus:16x16x8",
    "random, degree 6": "random-ring:n=2048,degree=6,seed=1",
    "hypercube, degree 11": "hypercube:11",
    "random, degree 11": "random-ring:n=2048,degree=11,seed=1",
    "Skywalk-4-2, degree 6": _skywalk(11),
    "Slim Fly, degree 47": "slimfly:q=31",
}

#: Sizes at which other dimensions and mappings of DSN and torus are measured, to find what D may have meant.
VARIED = {
    11: (("grid:16x16:k4x2",), ("torus:16x16x8", "torus:8x16x16", "torus:16x8x16")),
    14: (("grid:32x64:k4x2", "grid:64x32:k4x2"), ("torus:32x64x8", "torus:64x32x8", "torus:32x32x16")),
    10: (("grid:8x16:k4x2", "grid:16x8:k4x2"), ("torus:8x16x8", "torus:16x8x8")),
}
VARIED_MAPPINGS = {
    10: ("supernode", "sequential", "serpentine", "folded"),
    11: ("supernode", "sequential", "serpentine", "folded"),
    14: ("supernode", "sequential"),
}


def d_mapping(series):
    """Mapping of a series of D 3.4: supernode = cabinet, (x, y, *) = cabinet, a Skywalk's cabinets; the others sequential."""
    return "supernode" if series in ("2-D DSN", "3-D torus", "Skywalk-4-2", "Dragonfly") else "sequential"


def cases():
    """Every :class:`Case` once."""
    found = []
    for series, networks in SERIES.items():
        routes = ("routes",) if series == "2-D DSN" else ()
        own = None if d_mapping(series) == "supernode" else 8
        for network in networks.values():
            found.append(Case(network, d_mapping(series), own, wants=("latency", "cut", *routes)))
        for k in OPTIMISED:
            if k in networks:
                found.append(Case(networks[k], "optimised", 8, wants=("latency", *routes)))
    found += [Case(network, "sequential", 8, wants=("latency", "cut")) for network in SLIM_FLIES.values()]
    found += [Case(network, "optimised", 8, wants=("latency",)) for q, network in SLIM_FLIES.items() if q <= 23]
    found += [Case(network, "optimised", 8, wants=("latency",)) for row in LOW_DEGREE.values() for network in row[:5]]
    found += [Case(network, "optimised", 8, wants=("latency",)) for network in FIG_3_1.values()]
    for k, (dsns, tori) in VARIED.items():
        for network in (*dsns, *tori):
            for mapping in VARIED_MAPPINGS[k]:
                own = 8 if mapping in ("sequential", "serpentine") else None
                routes = ("routes",) if network in dsns else ()
                found.append(Case(network, mapping, own, wants=("latency", *routes)))
    for cabling in ("manhattan", "diagonal"):
        found.append(Case("random-ring:n=512,degree=6,seed=1", "sequential", 8, cabling))
        found.append(Case("grid:8x8:k4x2", "supernode", None, cabling))
    for networks in F_SERIES.values():
        found += [Case(network, mapping, 16) for network in networks.values() for mapping in F_MAPPINGS]
    for networks in R_SERIES.values():
        found += [Case(network, "serpentine", 16) for network in networks.values()]
        found += [Case(network, "optimised", 16) for k, network in networks.items() if k in R_OPTIMISED]
    found += [Case(network, "sequential", 16, wants=("latency",)) for network in R_256.values()]
    found.append(Case(R_256["RING-4"], "optimised", 16))
    for degree, network in R_FIG_1.items():
        found += [Case(one, "sequential", 16) for one in (network, f"random-ring:n=1024,degree={degree},seed=1")]
    found += [Case(R_SERIES[name][k], "sequential", 16) for name in ("RING", "Hypercube") for k in (8, 10, 12)]
    found += [Case(network, "sequential", 16) for network in R_FOLDED.values()]
    found += [Case(network, "serpentine", 16) for networks in R_FIG_12.values() for network in networks.values()]
    found += [Case(network, "sequential", 16, wants=("hosts",)) for network in T_FIG_4]
    for networks in TURNED_SERIES.values():
        found += [Case(network, "supernode") for network in networks.values()]
    merged = {}
    for case in found:
        wants = {*case.wants, *merged.get(case.key, case).wants}
        merged[case.key] = Case(case.network, case.mapping, case.capacity, case.cabling, tuple(sorted(wants)))
    return list(merged.values())
