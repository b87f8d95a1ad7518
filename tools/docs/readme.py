"""Generated parts of the README and of the page on figures."""

from dsnswitch.lab.synth.library import PS_PER_FO4
from tools.docs.markdown import paragraph, table
from tools.docs.papers import bisection
from tools.figures.hop import CLOCK, CORE, HOP, LINE, PAIR, Hop, of_nodes, ratios
from tools.figures.hop import CODE as ASSUMED
from tools.figures.hop import hop_heads as heads
from tools.figures.refresh import table_of, torus_of


def sizes(store):
    """The table of DSN sizes."""
    heads = ["DSN (`k4x2`)", "nodes", "average degree", "hops routed, average (max)", "dissertation's bound"]
    body = []
    for p in range(2, 7):
        found = store.value(f"dsn-{p}")
        row = [f"`P={p}`", f"{found['nodes']:,}", f"{found['average_degree']:.2f}"]
        row += [f"{found['average_path']:.2f} ({found['routing_diameter']})", f"{found['path_bound']}"]
        body.append([*row, f"{found['aspl']:.2f} ({found['diameter']})"])
    return table([*heads, "shortest paths, average (max)"], body)


def blocks(store):
    """The table of blocks. Each block is followed by designs for comparison."""
    heads = ["block", "area, GE", "delay, FO4", "remarks"]
    parts = (_route_rows, _core_rows, _secded_rows, _link_rows, _reed_solomon_rows)
    return table(heads, [row for part in parts for row in part(store)])


def _row(name, entry, remark="", key="delay"):
    return [name, f"{entry['area']:,.0f}", f"{entry[key]:.1f}", remark]


def _compared(name, entry, remark=""):
    """A row of a design for comparison with the block above it."""
    return _row(f"*for comparison:* {name}", entry, remark)


def _route_rows(store):
    rows = []
    for p, entries, nodes in ((3, 14, 512), (4, 16, 2048), (8, 24, 524288)):
        rows.append(_row(f"routing logic, `P={p}`, universal", store.of({"p": p}), f"{nodes:,} nodes"))
        rows.append(_compared(f"ternary table of {entries} entries", store.of(table_of(p)), "size by the dissertation"))
    count, nodes, places = of_nodes(store)
    for routing, remark in (("minimal", "shortest paths"), ("detour", "around failed links")):
        for p in (3, 4):
            entry = store.of({"p": p, "routing": routing})
            rows.append(_row(f"routing logic `{routing}`, `P={p}`, universal", entry, remark))
    for values, name, remark in (
        ({"max_p": 3}, "`--max-p 3`", "every size up to 8 x 8"),
        ({"topology": "dsn-f:160"}, "DSN-F of 160 switches", "grows by single switches"),
    ):
        rows.append(_row(f"routing logic, {name}", store.of(values), remark))
    return [
        *rows,
        _row("routing logic, `P=3`, specialised", nodes, f"mean of {count} nodes"),
        _compared("torus 8 x 8 x 8, specialised", places, f"mean of {count} nodes"),
        _compared("torus 8 x 8 x 8, universal", store.of(torus_of(3))),
    ]


def _core_rows(store):
    core, port, pair = map(store.of, (CORE, LINE, PAIR))
    whole = f"{pair['latency_cycles']} cycles; core and port in one netlist"
    return [
        _row(
            "switch core, `P=3`, 256-bit flits",
            core,
            f"{core['latency_cycles']} cycles; 9 ports; {_ram(core)}",
            "period",
        ),
        _row("fabric port, 256-bit flits", port, f"{port['latency_cycles']} cycle in each direction", "period"),
        _row("switch of one line and one host", pair, whole, "period"),
    ]


def _ram(entry):
    return f"{entry['memory_bits'] / 1024:.0f} Kbit of RAM, not in the area"


def _secded_rows(store):
    rows = []
    for side, unit in (("encoder", "XORs"), ("decoder", "gates")):
        entry = store.of({"block": f"secded-{side}", "n": 270, "k": 260})
        rows.append(_row(f"SECDED(270,260) {side}", entry, f"{entry['gates']:,} {unit} in {entry['levels']} levels"))
    return rows


def _link_rows(store):
    found = {way: store.of({"block": f"light-link-{way[0]}x"}) for way in ("transmitter", "receiver")}
    return [
        _row(f"light link, {way}", entry, f"{entry['latency_cycles']} cycles", "period") for way, entry in found.items()
    ]


def _reed_solomon_rows(store):
    code = {"code": "rs-528-514"}
    encoder, decoder = (store.of({"block": f"rs-{side}", **code}) for side in ("encoder", "decoder"))
    return [
        _row("RS(528,514) encoder", encoder, f"{encoder['latency_cycles']} cycle", "period"),
        _row("RS(528,514) decoder", decoder, f"{decoder['latency_cycles']} cycles; {_ram(decoder)}", "period"),
    ]


def remarks(store):
    """The sentences about the latencies in the table of blocks."""
    code = {"block": "rs-decoder", "code": "rs-528-514"}
    decoder, unrolled = store.of(code), store.of({**code, "unroll": 2})
    cycles = decoder["latency_cycles"]
    return paragraph(
        "The light link is 256b/260b in the protected format and SECDED(270,260). The Reed-Solomon codes process 16 symbols per "
        f"cycle. At 644.5 MHz, the {cycles} cycles of the RS(528,514) decoder are {1000 * cycles / CLOCK:.0f} ns; it takes "
        f"{unrolled['latency_cycles']} cycles with `unroll` 2. The dissertation assumes {ASSUMED['rs-528-514']} ns."
    )


def hop(store, clock=CLOCK):
    """The latency of a hop, in parts, compared with the dissertation's assumptions; ``clock`` in MHz."""
    found = Hop(store)
    return f"{paragraph(found.sentences(clock))}\n\n{table(heads, found.rows())}"


def summary(store):
    """Ten rows: the figures that a reader wants first, some next to those of a design for comparison."""
    code, reed_solomon = {"n": 270, "k": 260}, store.of({"block": "rs-decoder", "code": "rs-528-514"})
    _, nodes, places = of_nodes(store)
    hsiao = store.of({"block": "baseline-secded-decoder", **code, "construction": "hsiao"})
    rows = [
        ("routing logic, 512 switches", store.of({"p": 3}), "ternary table", store.of(table_of(3))),
        ("routing logic, 2,048 switches", store.of({"p": 4}), "ternary table", store.of(table_of(4))),
        ("routing logic of one switch of 512", nodes, "torus 8 x 8 x 8", places),
        ("routing logic `minimal`, 512 switches", store.of({"p": 3, "routing": "minimal"})),
        ("routing logic `detour`, 512 switches", store.of({"p": 3, "routing": "detour"})),
        ("switch core, 9 ports", store.of(CORE)),
        ("fabric port", store.of(LINE)),
        ("receiver of the light link", store.of({"block": "light-link-rx"})),
        ("SECDED(270,260) decoder", store.of({"block": "secded-decoder", **code}), "Hsiao code", hsiao),
        ("RS(528,514) decoder", reed_solomon),
    ]
    return table(["block", "area, GE", "delay, FO4", "cycles", "for comparison"], [_summarised(*row) for row in rows])


def _summarised(name, entry, peer="", other=None):
    cycles = entry.get("latency_cycles", 0)
    compared = f"{peer}: {other['area']:,.0f} GE, {other['delay']:.1f} FO4" if other else ""
    return [*_row(name, entry, str(cycles), "period" if cycles else "delay"), compared]


def compared(store):
    """What a reader of the README compares with: tables, a torus, the dissertation's hop, the code of Ethernet."""
    universal, torus = store.of({"p": 3}), store.of(torus_of(3))
    found = Hop(store)
    cycles = store.of({"block": "rs-decoder", "code": "rs-528-514"})["latency_cycles"]
    sentences = (
        f"**A routing table.** The logic for 512 switches has {ratios(universal, store.of(table_of(3)))} of a ternary table "
        "with as many entries as the dissertation counts. It needs no memory and no software that fills it.",
        f"**A torus.** The logic has {ratios(universal, torus)} of dimension-order routing in a torus of 8 x 8 x 8 switches.",
        f"**Cables between two halves.** {bisection(store)}",
        f"**The dissertation's hop.** It assumes {HOP['secded-270-260']} ns for a hop with the light code. Here, a hop takes "
        f"{found.cycles} cycles of {found.period:.1f} FO4, {found.cycles * found.period * PS_PER_FO4 / 1000:.1f} ns in OSU "
        f"0.18 um, or {1000 * found.cycles / CLOCK:.1f} ns at {CLOCK:.1f} MHz, without SerDes and wires.",
        f"**The code of Ethernet.** The decoder of RS(528,514) takes {cycles} cycles. The light code takes one, and "
        "corrects one wrong bit per block of 260 bits.",
    )
    return "\n".join(paragraph(f"- {sentence}", "  ") for sentence in sentences)


PARTS = {"summary": summary, "compared": compared}

#: Parts of docs/figures.md.
FIGURES_PARTS = {"sizes": sizes, "blocks": blocks, "remarks": remarks, "hop": hop}
