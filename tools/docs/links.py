"""Generated parts of the pages about codes, PCS and links, and about the analysis of a link."""

from fractions import Fraction
from math import comb

from dsnswitch.gen.emit.manifest import never_elaborated
from dsnswitch.hdl.fec.reed_solomon.code import NAMED, Beats, DecoderPlan
from dsnswitch.hdl.line.rates import BLOCK, CODE, decode_latency
from dsnswitch.hdl.link.selected import SelectedLinkRx, SelectedLinkTx
from dsnswitch.hdl.link.strict import StrictLinkRx, StrictLinkTx
from dsnswitch.lab.codes.secded import flagged_counts, rejected, undetected
from dsnswitch.lab.synth.library import FLIP_FLOP, FO4, PS_PER_FO4
from dsnswitch.lab.synth.measure import peers
from dsnswitch.lab.synth.passes import GENERIC_MAPS
from tools.docs.markdown import paragraph, table
from tools.figures.hop import CLOCK
from tools.figures.hop import CODE as ASSUMED

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
    ends = SelectedLinkTx.latency, SelectedLinkRx.latency
    rows.append(("SECDED(270,260) on the selected link", ASSUMED["secded-270-260"], *ends))
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


#: Rows of the table: what is assumed about wrong bits -> name of the row.
_ROWS = {
    "independent": "Eq. 5.1, independent wrong bits",
    "flags ignored": "as built, flags ignored",
    "flagged frames dropped": "as built, flagged frames dropped",
}

#: Columns of the table: format -> significant digits. A value with one digit is sampled.
_FORMATS = {"66b": 3, "257b": 3, "260b": 3, "260b, flags counted": 3, "260b, literal": 1, "260b, protected": 1}


def mttfpa(store):
    """The table of the mean time to false packet acceptance at a post-FEC BER of 1e-9."""
    years = store.value("link-mttfpa")["years"][0]
    body = [
        [name, *(_short(years[assumed][pcs], digits) for pcs, digits in _FORMATS.items())]
        for assumed, name in _ROWS.items()
    ]
    return table(["years", *_FORMATS], body)


def age(store):
    """The MTTFPA of 256b/260b at two post-FEC BERs compared with the age of the universe."""
    found = store.value("link-mttfpa")
    coarse, fine = (
        " and ".join(_short(years[assumed]["260b"], 2) for assumed in list(_ROWS)[1:]) for years in found["years"]
    )
    return paragraph(
        f"With the code as built and a post-FEC BER of 1e-9, the MTTFPA of 256b/260b is {coarse} years: the first if flags are "
        f"ignored, the second if flagged frames are dropped. At 1e-12 (`--ber {_short(found['before'][1], 4)}`) it is {fine} "
        f"years. The universe is {_short(found['universe'], 2)} years old."
    )


def _short(number, digits):
    """A number with few digits, as text without a plus or a leading zero in the exponent."""
    return f"{number:.{digits}g}".replace("e+", "e").replace("e0", "e").replace("e-0", "e-")


#: Bit error rates of a line, and the time of a block at 100 Gbit/s of flits, in seconds.
_RATES = tuple(f"1e-{exponent}" for exponent in range(4, 13))
_BLOCK_TIME = 256 / 100e9
#: Units of a time, longest first: name and seconds.
_UNITS = {"years": 365.25 * 86400, "days": 86400, "hours": 3600, "min": 60, "s": 1, "ms": 1e-3, "us": 1e-6}


def _time(seconds):
    """A time as text, with two digits and the greatest unit of which it has at least one."""
    unit, length = next(((name, one) for name, one in _UNITS.items() if seconds >= one), ("us", 1e-6))
    amount = seconds / length
    return f"{float(f'{amount:.2g}'):,.0f} {unit}" if 10 <= amount < 1e6 else f"{_short(amount, 2)} {unit}"


def detection(_):
    """The table of errors that a fabric port with retransmission does not notice, if it corrects bits or only detects them."""
    body = []
    for ber in _RATES:
        row = [ber]
        for corrects in (True, False):
            missed = undetected(CODE, float(ber), corrects)
            again = rejected(CODE, float(ber), corrects)
            row += [_short(again, 2), _short(missed, 2), _time(_BLOCK_TIME / missed)]
        body.append(row)
    heads = [f"{way}: {what}" for way in ("corrects", "detects") for what in ("sent again", "undetected", "one in")]
    return table(["BER of the line", *heads], body)


ANALYSIS_PARTS = {"mttfpa": mttfpa, "age": age, "detection": detection}


RS528 = {"code": "rs-528-514"}

#: Area of a flip-flop in GE; FO4 of its clock-to-output and setup times.
FLIP_FLOP_AREA = (FLIP_FLOP["transistors"] + 2) / 6
FLIP_FLOP_TIME = (FLIP_FLOP["clk_to_q"] + FLIP_FLOP["setup"]) / FO4

#: Line rate of the Ethernet MAC in Gb/s.
GBPS = 103.125


def _named():
    here = {**RS528, "symbols": 16}
    yield "encoder, W = 16", {"block": "rs-encoder", **here}
    for unroll in (1, 2):
        yield f"decoder, W = 16, `unroll` {unroll}", {"block": "rs-decoder", **here, "unroll": unroll}
    for name in ("rs-544-514", "rs-255-239"):
        title = name.upper().replace("-", "(", 1).replace("-", ",") + ")"
        for side in ("encoder", "decoder"):
            yield f"{title} {side}, W = 16", {"block": f"rs-{side}", "code": name}
    yield "RS(255,239) encoder, W = 1", {"block": "rs-encoder", "code": "rs-255-239", "symbols": 1}


def coders(store):
    """The table of encoders and decoders."""
    body = []
    for name, values in _named():
        entry = store.of(values)
        logic = f"{entry['area'] - FLIP_FLOP_AREA * entry['flip_flops']:,.0f}"
        proved = {True: "yes", None: "-", False: "NO"}[entry["equivalent"]]
        sizes = [COLUMNS[head](entry) for head in ("flip-flops", "RAM bits")]
        speed = [f"{entry['levels']}", COLUMNS["period, FO4"](entry)]
        body.append([name, COLUMNS["cycles"](entry), logic, *sizes, *speed, proved])
    heads = ["cycles", "logic, GE", "flip-flops", "RAM bits", "levels", "period, FO4", "proved equal"]
    return table(["block", *heads], body)


def decoder_clock(store):
    """The decoder's period in MHz, in the model and in real cells."""
    decoder = store.of({"block": "rs-decoder", **RS528})
    real, encoder = (store.of({"block": f"rs-{side}", **RS528}, "osu018") for side in ("decoder", "encoder"))
    needed = 1e6 / (1e3 * GBPS / 160) / decoder["period"]
    flip_flop = FLIP_FLOP_TIME * PS_PER_FO4 / 1000
    sta = real["delay_opensta"]
    return paragraph(
        f"At {decoder['period']:.1f} FO4, the decoder runs at {1e6 / decoder['period'] / PS_PER_FO4:.0f} MHz in 0.18 um. A clock "
        f"of 644.5 MHz, which is {GBPS} Gb/s at W = 16, needs an FO4 of {needed:.0f} ps. Mapped to the cells of OSU 0.18 um, its "
        f"logic takes {real['delay']:.2f} ns"
        + (f" ({sta:.2f} by OpenSTA)" if sta else "")
        + f" and the encoder's {encoder['delay']:.2f} ns, without flip-flops. With the model's {FLIP_FLOP_TIME:.0f} FO4 or "
        f"{flip_flop:.2f} ns for these, the decoder runs at {1000 / (real['delay'] + flip_flop):.0f} MHz."
    )


def maps(store):
    """The numbers of XORs of the linear maps."""
    encoder, syndromes = (
        "{xors:,} XORs in {levels} levels".format(**store.value("rs-maps")[name]) for name in ("parity", "syndromes")
    )
    return paragraph(
        f"For 16 symbols of RS(528,514) the encoder's map takes {encoder}, and the syndromes' map takes {syndromes}."
    )


def serial(store):
    """The encoder of one symbol per cycle compared with a public one."""
    entry = store.of({"block": "rs-encoder", "code": "rs-255-239", "symbols": 1})
    return paragraph(
        f"The encoder of RS(255,239) for one symbol per cycle takes {entry['area']:,.0f} GE, including its {entry['flip_flops']} "
        f"flip-flops, at {entry['period']:.1f} FO4. A public one takes 1,924 GE (measured once by the same recipe, 2026-11-22)."
    )


def decoder_latency(_):
    """Latency of the decoder at the line rate of 100 Gb/s Ethernet."""
    body = []
    for symbols in (16, 33, 66):
        beats = Beats(NAMED[RS528["code"]], symbols)
        cycles = [DecoderPlan(beats, unroll).latency for unroll in (1, 2)]
        mhz = 1000 * GBPS / symbols / 10
        ns = "; ".join(f"{1000 * count / mhz:.1f}" for count in cycles)
        body.append([f"W = {symbols}, {mhz:.5g} MHz", "; ".join(map(str, cycles)), ns])
    heads = ["", "cycles, `unroll` 1; 2", f"ns at {GBPS} Gb/s"]
    return table(heads, body) + f"\n\nD 5.3.1 assumes {ASSUMED[RS528['code']]} ns."


REED_SOLOMON_PARTS = {
    "maps": maps,
    "area": coders,
    "serial": serial,
    "clock": decoder_clock,
    "latency": decoder_latency,
}


def constructions(store):
    """The table that compares (270,260) with other constructions, all measured by the same scripts."""
    heads = ["codec", "best", *(f"script `{name}`" for name in GENERIC_MAPS), "GE", "FO4", "triples flagged"]
    body = []
    for side in ("encoder", "decoder"):
        designs = [{"block": f"secded-{side}", "n": 270, "k": 260}, *(b for b in peers() if b.block.endswith(side))]
        for entry in map(store.of, designs):
            counts = [entry, *(entry["generic"][name] for name in GENERIC_MAPS)]
            gates = [f"{count['gates']:,} / {count['levels']}" for count in counts]
            figures = [f"{entry['area']:,.0f}", f"{entry['period']:.1f}", _triples(entry["block"])]
            body.append([f"`{entry['name']}`", *gates, *figures])
    return table(heads, body)


def _triples(block):
    """Share of errors of three bits that a decoder flags. The decoder of a baseline corrects at every odd syndrome."""
    if block == "secded-decoder":
        return f"{flagged_counts(CODE)[3] / comb(CODE.n, 3):.1%}".replace("%", " %")
    return "none" if block.endswith("decoder") else "-"


SECDED_PARTS = {"constructions": constructions}
