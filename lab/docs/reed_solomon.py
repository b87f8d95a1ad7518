"""Generated parts of the page about Reed-Solomon."""

from dsnswitch.hdl.fec.reed_solomon.code import NAMED, Beats, DecoderPlan
from dsnswitch.lab.docs.markdown import paragraph, table
from dsnswitch.lab.figures.hop import CODE as ASSUMED
from dsnswitch.lab.synth.libraries import PS_PER_FO4
from dsnswitch.lab.synth.library import FLIP_FLOP, FO4

__all__ = ["PARTS"]

CODE = {"code": "rs-528-514"}

#: Area of a flip-flop in GE; FO4 of its clock-to-output and setup times.
FLIP_FLOP_AREA = (FLIP_FLOP["transistors"] + 2) / 6
FLIP_FLOP_TIME = (FLIP_FLOP["clk_to_q"] + FLIP_FLOP["setup"]) / FO4

#: Line rate of the Ethernet MAC in Gb/s.
GBPS = 103.125


def _named():
    here = {**CODE, "symbols": 16}
    yield "encoder, W = 16", {"block": "rs-encoder", **here}
    for unroll in (1, 2):
        yield f"decoder, W = 16, `unroll` {unroll}", {"block": "rs-decoder", **here, "unroll": unroll}
    for name in ("rs-544-514", "rs-255-239"):
        title = name.upper().replace("-", "(", 1).replace("-", ",") + ")"
        for side in ("encoder", "decoder"):
            yield f"{title} {side}, W = 16", {"block": f"rs-{side}", "code": name}
    yield "RS(255,239) encoder, W = 1", {"block": "rs-encoder", "code": "rs-255-239", "symbols": 1}


def area(store):
    """The table of encoders and decoders."""
    body = []
    for name, values in _named():
        entry = store.of(values)
        body.append(
            [
                name,
                f"{entry['latency_cycles']}",
                f"{entry['area'] - FLIP_FLOP_AREA * entry['flip_flops']:,.0f}",
                f"{entry['flip_flops']:,}",
                f"{entry['memory_bits']:,}",
                f"{entry['levels']}",
                f"{entry['period']:.1f}",
                {True: "yes", None: "-", False: "NO"}[entry["equivalent"]],
            ]
        )
    return table(
        ["block", "cycles", "logic, GE", "flip-flops", "RAM bits", "levels", "period, FO4", "proved equal"], body
    )


def clock(store):
    """The decoder's period in MHz, in the model and in real cells."""
    decoder = store.of({"block": "rs-decoder", **CODE})
    real, encoder = (store.of({"block": f"rs-{side}", **CODE}, "osu018") for side in ("decoder", "encoder"))
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


def latency(_):
    """Latency of the decoder at the line rate of 100 Gb/s Ethernet."""
    body = []
    for symbols in (16, 33, 66):
        beats = Beats(NAMED[CODE["code"]], symbols)
        cycles = [DecoderPlan(beats, unroll).latency for unroll in (1, 2)]
        mhz = 1000 * GBPS / symbols / 10
        ns = "; ".join(f"{1000 * count / mhz:.1f}" for count in cycles)
        body.append([f"W = {symbols}, {mhz:.5g} MHz", "; ".join(map(str, cycles)), ns])
    heads = ["", "cycles, `unroll` 1; 2", f"ns at {GBPS} Gb/s"]
    return table(heads, body) + f"\n\nD 5.3.1 assumes {ASSUMED[CODE['code']]} ns."


PARTS = {"maps": maps, "area": area, "serial": serial, "clock": clock, "latency": latency}
