"""The links of this project beside others: measured figures of ours, published figures of the others with their sources."""

from math import comb

from dsnswitch.gen.config import build
from dsnswitch.hdl.fec.reed_solomon.code import NAMED
from dsnswitch.hdl.line.rates import CODE
from dsnswitch.hdl.port.shape import KINDS
from dsnswitch.lab.codes.ber import tail
from dsnswitch.lab.codes.secded import undetected
from dsnswitch.lab.synth.library import MODEL
from tools.docs.markdown import table
from tools.figures.hop import CLOCK, LINE

#: Bit error rate on the line at which undetected errors are compared.
BER = 1e-6

HEADS = (
    "link",
    "overhead on the line",
    "cycles",
    "FO4",
    "ns",
    "uncorrectable block",
    "gap by a retransmission",
    f"undetected per unit at {BER:.0e}".replace("e-0", "e-"),
    "area, GE",
)

#: What is not in any source that was found.
NONE = "not published"

#: Options of our fabric ports: configuration in addition to :data:`LINE`, and the gap in cycles without cables, which is measured
#: by the bench ``replay_bench``.
OURS = {
    "`--link light`": ({}, None),
    "`--link light --retry`": ({"retry": True}, "13 to 15 cycles"),
    "`--link light --retry --detect`": ({"retry": True, "detect": True}, "13 to 15 cycles"),
    "`--link strict`": ({"link": "strict"}, None),
    "`--link selected`, strict format": ({"link": "selected"}, None),
}

#: Rows of other links: cells of the columns, and the number of the note on the page that names the sources.
OTHERS = (
    (
        "RIFL [1]",
        "6.7 %",
        "11; 4 without aligner, clock crossing, output register",
        "about 148 for the 4",
        "110 with 10 m of cable at 112 Gb/s",
        "sent again",
        "231 or 487 cycles; other direction 356 or 740",
        "8.6e-20",
        "34,610, aligner 14,363 of it",
    ),
    ("PCIe 6, flit mode [2]", "5.8 %", NONE, NONE, "< 2, FEC and CRC", "sent again", NONE, NONE, NONE),
    ("UALink 200G [3]", "6.25 %", NONE, NONE, "<= 150, port to port of a switch", "sent again", NONE, NONE, NONE),
    ("Ethernet RS(272,257+1) [4]", "6.25 %", NONE, NONE, "half of RS(544,514)", NONE, "no retransmission", NONE, NONE),
    (
        "802.3dj, inner Hamming(128,120) [5]",
        "6.7 %, and 6.25 % of the outer code",
        NONE,
        NONE,
        NONE,
        "left to the outer code",
        "no retransmission",
        NONE,
        NONE,
    ),
    ("Tofu-D [6]", "about 7 %, headers included", NONE, NONE, "490, host to host", NONE, NONE, NONE, NONE),
    ("Slingshot [7]", NONE, NONE, NONE, "< 350, a switch", "sent again", NONE, NONE, NONE),
)


def peers(store):
    """The table of links."""
    rows = [_own(store, name, values, gap) for name, (values, gap) in OURS.items()]
    return table(list(HEADS), [*rows, *map(list, OTHERS)])


def _own(store, name, values, gap):
    """A row of one of our links, both ends of a line without SerDes and cable."""
    kind = KINDS[values.get("link", "light")]
    cycles = kind.tx_latency + kind.rx_latency
    entry = store.blocks.get(MODEL.name, {}).get(build(LINE | values).name)
    blocks = "block" if kind.codeword == 1 else "codeword"
    return [
        name,
        f"{float(100 * (kind.word / kind.rate / 256 - 1)):.1f} %",
        f"{cycles}",
        f"{cycles * entry['period']:,.0f}" if entry else "not measured",
        f"{1000 * cycles / CLOCK:.1f} at {CLOCK:.1f} MHz",
        "sent again" if gap else "dropped, packets marked or counted",
        gap or "no retransmission",
        f"{_undetected(kind, not values.get('detect')):.1e} per {blocks}",
        f"{entry['area']:,.0f}" if entry else "not measured",
    ]


def _undetected(kind, corrects):
    """Probability that a block or codeword with wrong bits passes as right, at :data:`BER`."""
    if kind.codeword == 1:
        return undetected(CODE, BER, corrects)
    code = NAMED["rs-528-514"]
    elements, wrong = 1 << code.field.m, 1 - (1 - BER) ** code.field.m
    # A word with more wrong symbols than the code corrects is as often near a codeword as a random word is.
    near = sum(comb(code.n, number) * (elements - 1) ** number for number in range(code.t + 1))
    return tail(code.n, wrong, code.t + 1) * near / elements**code.parity


PARTS = {"peers": peers}
