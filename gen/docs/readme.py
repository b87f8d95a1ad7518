"""Generated parts of the README."""

from ..figures.comparisons import of_nodes, ratio, ratios
from ..figures.measured_set import table_of, torus_of
from .markdown import paragraph, table

__all__ = ["PARTS"]

#: Clock of RS(528,514) at 103.125 Gb/s, 16 symbols of 10 bits per cycle.
CLOCK = 644.53125


def sizes(store):
    """The table of DSNs."""
    heads = ["DSN (`k4x2`)", "nodes", "average degree", "hops routed, average (max)", "paper's bound"]
    body = []
    for p in range(2, 7):
        found = store.value(f"dsn-{p}")
        body.append(
            [
                f"`P={p}`",
                f"{found['nodes']:,}",
                f"{found['average_degree']:.2f}",
                f"{found['average_path']:.2f} ({found['routing_diameter']})",
                f"{found['path_bound']}",
                f"{found['aspl']:.2f} ({found['diameter']})",
            ]
        )
    return table([*heads, "shortest paths, average (max)"], body)


def blocks(store):
    """The table of blocks."""
    heads = ["block, `make synth` / `make report`", "area, GE", "delay, FO4", "beside it, in the same run"]
    return table(heads, [*_route_rows(store), *_secded_rows(store), *_link_rows(store)])


def _route_rows(store):
    rows = []
    for p, what, yardstick in (
        (3, "one netlist for every node", "table of the paper's 14 entries"),
        (4, "", "table of 16 entries"),
        (8, "524,288 nodes", "table of 24 entries"),
    ):
        ours, theirs = store.of({"p": p}), store.of(table_of(p))
        name = f"`P={p}` universal" + (f" ({what})" if what else "")
        beside = f"{yardstick}: {theirs['area']:,.0f} GE, {theirs['delay']:.1f} FO4"
        rows.append([name, f"{ours['area']:,.0f}", f"{ours['delay']:.1f}", beside])
    count, nodes, places = of_nodes(store)
    torus = store.of(torus_of(3))
    beside = f"torus of 512, universal: {torus['area']:.0f} GE, {torus['delay']:.1f} FO4; one node's "
    beside += f"{places['area']:.0f} GE, {places['delay']:.1f} FO4"
    return [*rows, [f"`P=3`, one node's, mean of {count}", f"{nodes['area']:.0f}", f"{nodes['delay']:.1f}", beside]]


def _secded_rows(store):
    rows = []
    for side, unit in (("encoder", "XORs"), ("decoder", "gates")):
        code = {"n": 270, "k": 260}
        ours = store.of({"block": f"secded-{side}", **code})
        area = f"{ours['area']:,.0f}; {ours['gates']:,} {unit} in {ours['levels']} levels"
        peers = [
            (kind, store.of({"block": f"baseline-secded-{side}", **code, "construction": kind}))
            for kind in ("hsiao", "hamming")
        ]
        beside = "; ".join(
            f"{kind.title()} code {one['gates']:,} in {one['levels']}, {one['delay']:.1f}" for kind, one in peers
        )
        rows.append([f"SECDED(270,260) {side}", area, f"{ours['delay']:.1f}", f"by the same scripts: {beside}"])
    return rows


def _link_rows(store):
    tx, rx = (store.of({"block": f"light-link-{way}"}) for way in ("tx", "rx"))
    cycles = " and ".join(str(one["latency_cycles"]) for one in (tx, rx))
    light = [
        "light link, transmitter; receiver",
        f"{tx['area']:,.0f}; {rx['area']:,.0f}",
        f"{tx['period']:.1f}; {rx['period']:.1f}",
        f"{cycles} cycles: 256b/260b, protected format, and SECDED(270,260)",
    ]
    code = {"code": "rs-528-514"}
    encoder, decoder = (store.of({"block": f"rs-{side}", **code}) for side in ("encoder", "decoder"))
    unrolled = store.of({"block": "rs-decoder", **code, "unroll": 2})
    cycles = decoder["latency_cycles"]
    return [
        light,
        [
            "RS(528,514) encoder, 16 symbols per cycle",
            f"{encoder['area']:,.0f}",
            f"{encoder['period']:.1f}",
            f"{encoder['latency_cycles']} cycle; {encoder['levels']} levels",
        ],
        [
            "RS(528,514) decoder, 16 symbols per cycle",
            f"{decoder['area']:,.0f} and {decoder['memory_bits'] / 1024:.0f} Kbit of RAM",
            f"{decoder['period']:.1f}",
            f"{cycles} cycles, {1000 * cycles / CLOCK:.0f} ns at 644.5 MHz ({unrolled['latency_cycles']} with `unroll` 2); "
            "the dissertation assumes 105.6 ns",
        ],
    ]


def cost(store):
    """What dimension-order routing costs beside the DSN's."""
    universal, torus = store.of({"p": 3}), store.of(torus_of(3))
    _, nodes, places = of_nodes(store)
    small, table14 = store.of({"p": 4}), store.of(table_of(3))
    return paragraph(
        f"**Beside a table, and beside a torus.** The universal logic of 512 nodes takes {ratios(universal, table14)} of a "
        "table of the paper's size; at 2,048 nodes "
        f"{ratios(small, store.of(table_of(4)))}. Dimension-order routing of a torus or mesh is cheaper than both: the universal "
        f"DSN logic is 1.3 to 2.0 times slower and 2 to 4 times larger than that of published routers ([measured "
        f"once](docs/synthesis.md#dimension-order-routing)), and takes {ratio(universal, torus)} times the delay and "
        f"{ratio(universal, torus, 'area')} times the area of our own 8 x 8 x 8 torus. With the own address as a constant "
        f"the two are about equal: one node's DSN logic takes {ratios(nodes, places)} of one node's torus logic, and "
        f"{ratio(nodes, torus)} of the delay of the torus's universal logic."
    )


PARTS = {"sizes": sizes, "blocks": blocks, "cost": cost}
