"""Every block at its smallest sizes and with every option: configurations for tests of what is emitted."""

from itertools import product

#: Configurations that take more than ten seconds to emit, all with the decoder of the strict link.
LARGE = [
    {"block": "rs-decoder", "code": "rs-528-514", "symbols": 16},
    {"block": "mii257-rx"},
    {"block": "strict-link", "settle": 3},
    {"block": "strict-link-tx"},
    {"block": "strict-link-rx", "unroll": 2, "window": 1, "limit": 1, "keep": 1},
    {"block": "selected-link"},
    {"block": "selected-link-tx"},
    {"block": "selected-link-rx", "unroll": 14, "settle": 1, "window": 2, "limit": 3, "keep": 3},
    {"block": "fabric-port", "topology": "torus:2", "flit": 16, "packet": 1, "link": "strict", "settle": 2},
    {"block": "fabric-port", "topology": "torus:2", "flit": 16, "packet": 1, "link": "selected", "retry": True},
    {"block": "switch", "topology": "torus:2", "flit": 16, "packet": 1, "link": "selected"},
]


_DIGITS = {"routing": "minimal", "adaptive": True, "digits": True}
_RING = {"topology": "ring:3:ring-2", "packet": 1}

#: Links and switches that take seconds to emit and lint.
WIDE = [
    *({"block": f"{block}-{way}", "format": "protected"} for block in ("pcs260", "light-link") for way in ("tx", "rx")),
    *({"block": f"light-link-{way}", "format": "literal"} for way in ("tx", "rx")),
    {"block": "light-link", "format": "literal", "settle": 1},
    *({"block": "pcs260-rx", "format": "literal", "settle": settle} for settle in (0, 1)),
    {"block": "fabric-port", "topology": "torus:2", "flit": 16, "packet": 1},
    {"block": "switch", **_RING, "flit": 24, "node": "1,0", "lookup": "forwarding", "kind": "direct"},
    {"block": "fabric-port", **_RING, "port": "x_forward", "flit": 256, "depth": 600, "channels": "x=8"},
    {
        "block": "switch",
        "topology": "ring:1:ring-3",
        "packet": 1,
        "flit": 72,
        "routing": "detour",
        "host_interface": "axi",
        "tkeep": True,
    },
    {"block": "switch", **_RING, "flit": 200, "hosts": 2, "channels": "x=2,host=2", "settle": 2},
    {"block": "switch", **_RING, "flit": 24, "node": "1,0", "retry": True, "detect": True},
    {"block": "switch", "topology": "torus:2", "flit": 16, "packet": 1, "host_interface": "stream", "delays": True},
]


def _networks():
    yield from ({"x": x, "y": y, "supernode": "ring-2"} for x, y in product((1, 2, 3), (1, 2, 3)))
    for n, m, directions in product((1, 2, 3), (1, 2, 3), ("both", "forward")):
        if n * m > 1 and m >= (n - 1).bit_length():
            yield {"topology": "ring", "n": n, "m": m, "directions": directions}
    yield from ({"p": p} for p in (0, 1, 2, 3))
    yield from ({"x": 3, "y": 2, "supernode": shape} for shape in ("ring-3", "coc-2x2", "coc-3x2"))


def _routes():
    for network in _networks():
        yield network
        yield network | {"register": True}
        own = "0,0" if network.get("topology") == "ring" else "0,0,0"
        yield network | {"node": own}
    yield {"p": 2, "node": "3,0,7", "register": True}
    # Classes that depend on how the packet came.
    yield from (
        {"topology": spelling, **more} for spelling in ("ring:16:ring-4", "ring:22:ring-6") for more in ({}, {"register": True})
    )
    yield from (
        {"topology": spelling, "routing": "minimal", **more}
        for spelling in ("ring:1:ring-2", "ring:2:ring-3", "grid:3x2:coc-2x2", "grid:5x1:k4x2", "ring:3:ring-2:forward")
        for more in ({}, {"register": True}, {"node": "0,0,1" if spelling.startswith("grid") else "0,1"})
    )
    yield from (
        {"topology": spelling, "routing": "detour", **more}
        for spelling in ("ring:1:ring-3", "ring:2:ring-3", "grid:3x2:coc-2x2", "grid:1x5:k4x2", "grid:6x2:ring-4")
        for more in ({}, {"register": True}, {"node": "0,0,1" if spelling.startswith("grid") else "0,1"})
    )
    for sizes in ("2", "3", "1x2", "2x2", "3x2", "4x1x3", "5x8"):
        yield {"topology": f"torus:{sizes}"}
        yield {"topology": f"torus:{sizes}", "register": True}
        yield {"topology": f"torus:{sizes}", "node": ",".join("0" for _ in sizes.split("x"))}
    yield {"topology": "torus:5x3x2", "routing": "bubble"}
    for n in (8, 9, 32):
        yield {"topology": f"dsn-f:{n}"}
        yield {"topology": f"dsn-f:{n}", "register": True}
        yield {"topology": f"dsn-f:{n}", "node": "0,0,1"}
    # Rules, also with addresses of two fields and with classes that differ between kinds of ports.
    yield {"topology": "dragonfly:a=2,h=1"}
    yield {"topology": "dragonfly:a=2,h=1", "node": "1,0"}
    yield {"topology": "kautz:n=2,m=3", "register": True}
    # Sizes as inputs.
    yield from (
        {"max_p": p, **network, **more}
        for p, network in (
            *((p, {}) for p in (1, 3)),
            (1, {"topology": "ring"}),
            (2, {"topology": "ring", "supernode": "ring-3", "directions": "forward"}),
            (2, {"supernode": "coc-3x2"}),
        )
        for more in ({}, {"register": True})
    )
    yield {"x": 11, "y": 3}
    yield {"topology": "ring:4:ring-2", **_DIGITS}


def _codes():
    for n, k, position in product((4, 7, 8, 39), (1, 2, 3, 32), ("none", "onehot", "binary")):
        if (n, k) in ((4, 1), (7, 3), (7, 2), (8, 3), (39, 32)):
            yield from ({"block": "secded", "n": n, "k": k, "position": position, "stages": stages} for stages in (0, 1))
            yield from (
                {"block": "secded-decoder", "n": n, "k": k, "position": position, "stages": stages} for stages in (0, 1, 2)
            )
            yield from ({"block": "secded-encoder", "n": n, "k": k, "stages": stages} for stages in (0, 1))
    yield {"block": "secded-decoder", "n": 270, "k": 260, "position": "binary", "stages": 2}
    for construction, (n, k) in product(("hsiao", "hamming"), ((4, 1), (7, 3), (8, 4), (39, 32))):
        yield from (
            {"block": f"baseline-secded-{side}", "n": n, "k": k, "construction": construction} for side in ("encoder", "decoder")
        )


def _reed_solomon():
    for symbols in (1, 2, 3, 7):
        yield {"block": "rs-encoder", "code": "rs-7-3", "symbols": symbols}
        for unroll in (1, 2, 3):
            yield {"block": "rs-decoder", "code": "rs-7-3", "symbols": symbols, "unroll": unroll}
    yield {"block": "rs-decoder", "code": "rs-7-3", "symbols": 2, "lanes": 1, "cuts": "none"}
    smallest = {"n": 3, "k": 1, "field": 2, "polynomial": 7, "root": 1}
    for symbols in (1, 2, 3):
        yield {"block": "rs-encoder", **smallest, "symbols": symbols}
        yield {"block": "rs-decoder", **smallest, "symbols": symbols}
    yield {"block": "rs-encoder", "n": 30, "k": 25, "field": 5, "polynomial": 0x25, "root": 2, "symbols": 4}
    yield {"block": "rs-encoder", "code": "rs-255-239", "symbols": 1}
    yield {"block": "rs-encoder", "code": "rs-528-514", "symbols": 16}


def _lines():
    yield from ({"block": block} for block in ("pcs66-tx", "pcs66-rx", "pcs257-tx", "pcs257-rx", "mii257-tx"))
    yield {"block": "pcs66-rx", "window": 2, "limit": 1, "settle": 1}
    yield {"block": "pcs66-rx", "window": 3, "limit": 3, "settle": 3}
    yield {"block": "pcs260-tx", "format": "literal"}
    yield {"block": "pcs260-rx", "format": "literal", "settle": 2}
    yield {"block": "light-link", "format": "protected", "settle": 1}
    for narrow, wide in product((1, 2, 3), (1, 2, 3)):
        yield {"block": "gearbox", "from": narrow, "to": wide}
    yield from ({"block": "gearbox", "from": 3, "to": 2, "group": group} for group in (6, 12))
    yield {"block": "gearbox", "from": 257, "to": 160, "group": 5140}


def _tables():
    for entries, key, action in product((1, 2, 3), (1, 2, 3), (1, 3)):
        for stages in (0, 1, 2):
            yield {"block": "table-ternary", "entries": entries, "key": key, "action": action, "stages": stages}
        yield {"block": "baseline-tcam", "entries": entries, "key": key, "action": action}
    yield from (
        {"block": "table-direct", "words": words, "action": action, "memory": memory}
        for words, action, memory in product((2, 3), (1, 2), ("ram", "flip-flops"))
    )
    for network in ({"x": 2, "y": 1}, {"x": 3, "y": 2}, {"topology": "ring", "n": 3, "m": 2}, {"p": 1}):
        for keys, entries, stages in product(("absolute", "relative", "folded"), (1, 2, 3), (0, 2)):
            yield {"block": "forwarding", **network, "keys": keys, "entries": entries, "stages": stages}
        yield {"block": "forwarding", **network, "kind": "direct"}
    yield {"block": "forwarding", "p": 2, "kind": "direct", "node": "1,2,3"}
    yield {"block": "forwarding", "p": 2, "kind": "direct", "memory": "flip-flops"}
    yield {"block": "forwarding", "x": 5, "y": 3, "node": "1,2,3", "keys": "relative", "entries": 1, "stages": 1}
    yield from ({"block": "baseline-torus", "sizes": sizes} for sizes in ("2", "2x2", "4x2x2", "8x8"))
    yield {"block": "baseline-torus", "sizes": "2x4", "node": "1,2"}


def _switches():
    core = {"block": "switch-core", "topology": "torus:2", "flit": 16, "packet": 1}
    yield core
    yield core | {"depth": 2, "channels": "2", "flit": 17}
    yield core | {"hosts": 3, "packet": 2, "flit": 24, "depth": 3}
    ring = core | {"topology": "ring:3:ring-2", "flit": 24}
    yield ring | {"packet": 3, "depth": 3, "channels": "x=2,host=4"}
    yield ring | {"node": "1,0"}
    yield core | {"topology": "ring:1:ring-3", "flit": 40, "routing": "detour"}
    yield ring | {"routing": "minimal", "register": True}
    yield core | {"topology": "torus:4x3", "routing": "bubble", "flit": 24}
    yield core | {"topology": "torus:4", "routing": "bubble", "flit": 40, "packet": 2, "virtual_networks": 2, "priorities": "0/1"}
    yield core | {"topology": "ring:4:ring-2", "flit": 32, "channels": "x=2", **_DIGITS}
    yield core | {"topology": "ring", "supernode": "ring-2", "max_p": 1, "flit": 24}
    yield core | {"block": "switch", "topology": "ring", "supernode": "ring-2", "max_p": 1, "flit": 24}
    yield ring | {"lookup": "table", "entries": 1}
    yield ring | {"lookup": "table", "layers": 3, "kind": "direct"}
    yield ring | {"lookup": "table", "classes": 3, "adaptive": True, "kind": "direct", "memory": "flip-flops", "flit": 32}
    yield ring | {"lookup": "table", "classes": 2, "adaptive": True, "entries": 2, "flit": 32}
    two = {"lookup": "table", "classes": 2, "kind": "direct", "flit": 48}
    yield ring | two | {"routing": "indirect", "memory": "flip-flops"}
    yield ring | two | {"routing": "ugal", "candidates": 3, "penalty": 3, "threshold": 20, "adaptive": True, "hosts": 2}
    yield ring | {"lookup": "forwarding", "entries": 2, "stages": 1, "keys": "relative"}
    yield ring | {"lookup": "forwarding", "kind": "direct", "node": "1,0"}
    more = {"hosts": 3, "port": "host_2", "flit": 24, "packet": 2, "channels": "host=2", "settle": 3}
    yield core | {"block": "fabric-port", **more}
    yield core | {"block": "fabric-port", "retry": True, "round_trip": 8, "detect": True}
    yield core | {"block": "fabric-port", "retry": True, "channels": "dim0=2", "speculate": "on"}
    two = {"virtual_networks": 2, "weights": "1/2", "priorities": "0/1", "free_weights": True, "packet": 2, "flit": 72}
    yield core | {"block": "fabric-port", **two, "channels": "dim0=2/1", "pool": "dim0=4/0"}
    yield core | {"block": "switch", **two, "host_interface": "axi", "channels": "host=1/2"}
    yield ring | {"speculate": "on", "channels": "x=2,host=4"}
    yield ring | {"age": 2}
    axi = core | {"block": "switch", "hosts": 3, "flit": 72, "channels": "host=2", "host_interface": "axi"}
    yield axi
    yield axi | {"flit": 32, "tkeep": True}
    yield core | {"block": "switch", "flit": 72, "channels": "dim0=2", "pool": "dim0=4", "packet": 3}
    yield core | {"packet": 3, "flit": 24, "channels": "dim0=2", "pool": "dim0=6,host=4"}
    yield core | {"virtual_networks": 2, "packet": 3, "flit": 32, "channels": "dim0=2/1", "pool": "dim0=6/0,host=8"}
    yield ring | {"virtual_networks": 3, "age": 1, "speculate": "on", "flit": 32, "weights": "2/1/1", "priorities": "0/0/1"}
    yield core | {"block": "switch", "node": "1", "flit": 72, "apb": False, "end_to_end": "none", "speculate": "off"}
    yield core | {"topology": "dsn-f:10", "flit": 24}
    yield core | {"block": "switch", "topology": "dsn-f:10", "node": "1,0,1", "flit": 24}


def _few_switches():
    """Every option of :func:`_switches`, several at a time, because each switch takes a second or more."""
    core = {"block": "switch-core", "topology": "torus:2", "flit": 24, "packet": 1}
    ring = core | {"topology": "ring:3:ring-2"}
    yield core | {"hosts": 3, "packet": 2, "depth": 3, "channels": "2"}
    yield core | {"topology": "ring:1:ring-3", "flit": 40, "routing": "detour"}
    yield core | {"topology": "ring:4:ring-2", "flit": 32, "register": True, "age": 1, **_DIGITS}
    yield core | {"topology": "torus:4", "routing": "bubble", "packet": 2}
    yield core | {"topology": "ring", "supernode": "ring-2", "max_p": 1, "speculate": "on"}
    yield core | {"topology": "ring:2:ring-1", "lookup": "table", "layers": 3, "kind": "direct"}
    turns = {"lookup": "table", "classes": 3, "adaptive": True, "flit": 32}
    yield core | {"topology": "ring:2:ring-1", "kind": "direct", "memory": "flip-flops", **turns}
    ugal = {"routing": "ugal", "candidates": 3, "penalty": 3, "threshold": 20}
    yield core | {"topology": "ring:2:ring-1", "kind": "direct", "lookup": "table", "classes": 2, "flit": 32, **ugal}
    yield ring | {"lookup": "forwarding", "entries": 2, "stages": 1, "keys": "relative", "node": "1,0"}
    yield core | {"virtual_networks": 2, "packet": 2, "age": 1, "channels": "dim0=2/1", "pool": "dim0=4/0", "flit": 32}
    yield core | {"virtual_networks": 3, "packet": 2, "weights": "2/1/1", "priorities": "0/0/1", "flit": 32}
    two = {"virtual_networks": 2, "priorities": "0/1", "free_weights": True}
    retry = {"hosts": 3, "port": "host_2", "packet": 2, "settle": 3, "retry": True, "round_trip": 8, "detect": True, **two}
    yield core | {"block": "fabric-port", **retry}
    last = {
        **two,
        "flit": 80,
        "host_interface": "axi",
        "tkeep": True,
        "end_to_end": "crc32c",
        "apb": True,
        "channels": "dim0=2",
        "pool": "dim0=4",
    }
    yield core | {"block": "switch", "node": "1", **last}


def every_value(configurations):
    """Those of ``configurations`` in which a value of an option of a block occurs for the first time."""
    seen = set()
    for values in configurations:
        values = {"block": "route", **values}
        found = {(values["block"], option, value) for option, value in values.items()}
        if found - seen:
            yield values
        seen |= found


#: Every configuration that takes seconds at most, by the family of its block.
CORNERS = {
    "route": list(_routes()),
    "secded": list(_codes()),
    "reed-solomon": list(_reed_solomon()),
    "line": list(_lines()),
    "table": list(_tables()),
    "switch": list(_switches()),
}

#: Blocks whose parts are in others. The fabric port of the switches contains the decoder; the encoder differs from that of a
#: small code only in the number of gates; the light link consists of both, and of units of 256b/260b.
_ELSEWHERE = (
    {"block": "light-link", "format": "protected", "settle": 1},
    {"block": "secded-decoder", "n": 270, "k": 260, "position": "binary", "stages": 2},
    {"block": "rs-encoder", "code": "rs-528-514", "symbols": 16},
)

#: Families by name: every value of every option once (of switches every option; no :data:`_ELSEWHERE`), then those for
#: `make regress`.
QUICK = {name: [values for values in every_value(family) if values not in _ELSEWHERE] for name, family in CORNERS.items()} | {
    "switch": list(_few_switches())
}
ALL = {"switch-all": CORNERS["switch"], "large": LARGE, "wide": [*WIDE, *_ELSEWHERE]}
