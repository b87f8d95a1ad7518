"""Generated parts of the pages about PCS and links."""

from fractions import Fraction

from dsnswitch.gen.emit.manifest import never_elaborated
from dsnswitch.hdl.fec.reed_solomon.code import NAMED
from dsnswitch.hdl.line.rates import BLOCK, CODE, decode_latency
from dsnswitch.hdl.link.selected import SelectedLinkRx, SelectedLinkTx
from dsnswitch.hdl.link.strict import StrictLinkRx, StrictLinkTx
from dsnswitch.lab.docs.markdown import paragraph, table
from dsnswitch.lab.figures.hop import CODE as ASSUMED
from dsnswitch.lab.synth.libraries import PS_PER_FO4

__all__ = ["PAPERS_PARTS", "PCS_PARTS", "STRICT_PARTS"]

#: Clock of a link in MHz: words of 160 bits are 103.125 Gb/s.
CLOCK = 644.53125

#: Columns after the block's name: heading -> text of a cell.
COLUMNS = {
    "gates / levels": lambda entry: f"{entry['gates']:,} / {entry['levels']}",
    "flip-flops": lambda entry: f"{entry['flip_flops']:,}",
    "RAM bits": lambda entry: f"{entry['memory_bits']:,}",
    "area, GE": lambda entry: f"{entry['area']:,.0f}",
    "period, FO4": lambda entry: f"{entry['period']:.1f}",
    "cycles": lambda entry: f"{entry['latency_cycles']}",
}

_PCS = (
    *((f"`pcs{width}-{way}`", {"block": f"pcs{width}-{way}"}) for width in (66, 257) for way in ("tx", "rx")),
    *(
        (f"`pcs260-{way}`, {layout}", {"block": f"pcs260-{way}", "format": layout})
        for layout in ("literal", "protected")
        for way in ("tx", "rx")
    ),
    *((f"`light-link-{way}`", {"block": f"light-link-{way}"}) for way in ("tx", "rx")),
)

_STRICT = (
    ("`gearbox --from 257 --to 160 --group 5140`", {"block": "gearbox", "from": 257, "to": 160, "group": 5140}),
    ("`gearbox --from 160 --to 257 --group 5140`", {"block": "gearbox", "from": 160, "to": 257, "group": 5140}),
    ("`gearbox --from 270 --to 160`", {"block": "gearbox", "from": 270, "to": 160}),
    *(
        (f"`{name}-{way}`", {"block": f"{name}-{way}"})
        for name in ("mii257", "strict-link", "selected-link")
        for way in ("tx", "rx")
    ),
)


def _area(rows, left_out):
    """Return a function that makes the table of blocks with all columns except ``left_out``."""
    columns = {head: text for head, text in COLUMNS.items() if head != left_out}

    def part(store):
        body = [[name, *(text(store.of(values)) for text in columns.values())] for name, values in rows]
        return table(["block", *columns], body)

    return part


def clock(store):
    """The light link's period in MHz and Gb/s."""
    period = max(store.of({"block": f"light-link-{way}"})["period"] for way in ("tx", "rx"))
    rates = [256e3 / (period * picoseconds) for picoseconds in (PS_PER_FO4, 10)]
    return paragraph(
        f"The light link moves one block per cycle. Its period of {period:.1f} FO4 is "
        f"{1e6 / (period * PS_PER_FO4):.0f} MHz and {rates[0]:.0f} Gb/s at {PS_PER_FO4:.0f} ps per FO4 (0.18 um), and "
        f"{rates[1]:.0f} Gb/s in a process with 10 ps per FO4."
    )


def receiver(store):
    """The 64b/66b receiver compared with a public one."""
    entry = store.of({"block": "pcs66-rx"})
    cycles, period = entry["latency_cycles"], entry["period"]
    return paragraph(
        f"Our receiver takes {cycles} cycles of {period:.1f} FO4, together {cycles * period:.1f} FO4. The receiver of "
        "verilog-ethernet, measured once by the same recipe (2026-11-22), takes two cycles of 19.6 FO4, together 39.2 FO4."
    )


def latency(_):
    """Latency of both ends of a link, and the latency of the code alone in D 5.3.1."""
    rows, sent = [], StrictLinkTx.latency
    for direct, mode in ((False, "verdict awaited"), (True, "`bypass_indication`")):
        for unroll in (1, 2):
            with never_elaborated():
                received = StrictLinkRx(unroll).latency - decode_latency(unroll) + decode_latency(unroll, direct)
            rows.append((f"RS(528,514), {mode}, `unroll` {unroll}", ASSUMED["rs-528-514"], sent, received))
    rows.append(
        (
            "SECDED(270,260) on the selected link",
            ASSUMED["secded-270-260"],
            SelectedLinkTx.latency,
            SelectedLinkRx.latency,
        )
    )
    body = [[name, str(assumed), f"{tx} + {rx}", f"{1000 * (tx + rx) / CLOCK:.1f}"] for name, assumed, tx, rx in rows]
    return table(["code", "D, code alone, ns", "link, cycles", "link, ns"], body)


def rates(_):
    """Rates and overheads of the codes, beside those of D 5.2.2 and Table 5.1."""
    rows = [
        ("CONV: 64b/66b, RS(255,239)", Fraction(66, 64), NAMED["rs-255-239"], "1.100", "both blocks, no such link"),
        ("RS-FEC: 256b/257b, RS(528,514)", Fraction(BLOCK, 256), NAMED["rs-528-514"], "1.031", "strict link"),
        ("Hamming: 256b/260b, SECDED(270,260)", Fraction(CODE.k, 256), CODE, "1.054", "light link"),
    ]
    body = []
    for name, pcs, code, rate, where in rows:
        expansion = Fraction(code.n, code.k)
        overhead = "3.84 %" if code is CODE else "-"
        body.append(
            [name, rate, f"{float(pcs * expansion):.5f}", overhead, f"{float(100 * (expansion - 1)):.3f} %", where]
        )
    return table(["link of D Table 5.1", "D, rate", "rate", "D, overhead", "overhead", "here"], body)


PAPERS_PARTS = {"rates": rates}
PCS_PARTS = {"area": _area(_PCS, "RAM bits"), "clock": clock, "receiver": receiver}
STRICT_PARTS = {"latency": latency, "area": _area(_STRICT, "cycles")}
