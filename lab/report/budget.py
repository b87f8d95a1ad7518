"""The latency budget of a switch hop: the dissertation's assumptions, and the latencies measured here."""

from dataclasses import dataclass

from dsnswitch.lab.figures.assumed import BASE, CODE, TABLE
from dsnswitch.lab.synth.libraries import PS_PER_FO4

__all__ = ["Stage", "stages"]


@dataclass(frozen=True)
class Stage:
    """One part of a hop.

    Attributes
    ----------
    name : str
    assumed_ns : float or None
        The dissertation's assumption.
    source : str
        Section or table of the dissertation, and the derivation of the number.
    cycles : int or None
        Latency of the block; None for a part that does not exist here.
    clocked_ns : float or None
        The same latency at the report's clock.
    logic_ns : float or None
        Delay of the logic alone in 0.18 um without wires: the longest path from its inputs.
    """

    name: str
    assumed_ns: float | None
    source: str
    cycles: int | None = None
    clocked_ns: float | None = None
    logic_ns: float | None = None


def stages(evidence):
    """Every stage, in the order in which a packet passes them."""

    def measured(name, assumed, source, entry):
        if entry is None:
            return Stage(name, assumed, source)
        cycles = entry["latency_cycles"]
        logic = entry["delay"] * PS_PER_FO4 / 1000
        return Stage(name, assumed, source, cycles, cycles * 1000 / evidence.clock, logic)

    return [
        measured(
            "switch without error correction",
            BASE,
            "D Table 5.1: 60 with the Hamming code, less its 5.4; 40 in Table 6.1; after BlueGene/Q and Anton-2",
            _first(evidence.suite, "switch-core"),
        ),
        measured("fabric port, in each direction", None, "", _first(evidence.suite, "fabric-port")),
        measured(
            "route by a ternary table, N = 512", TABLE, "D 4.1.2 and Table 6.1: 45 against 40 ns", evidence.tables[3]
        ),
        measured("route by DSN logic, N = 512", 0, "D Table 6.1: the table's 5 ns saved", evidence.universal[3]),
        measured("the same, registered", 0, "", _named(evidence.suite, "dsn_route_grid_8x8_k4x2_registered")),
        measured("SECDED(270,260) encoder", None, "", _named(evidence.suite, "secded_encoder_270_260_s1")),
        measured(
            "SECDED(270,260) decoder",
            CODE["secded-270-260"],
            "D 5.3.1: 270 bits at 50 Gb/s",
            _named(evidence.suite, "secded_decoder_270_260_s1"),
        ),
        measured(
            "256b/260b and SECDED(270,260), transmitter", None, "", _named(evidence.suite, "light_link_tx_protected")
        ),
        measured(
            "256b/260b and SECDED(270,260), receiver", None, "", _named(evidence.suite, "light_link_rx_protected")
        ),
        Stage("RS(255,239)", CODE["rs-255-239"], "D 5.3.1: twice 2112 bits at 100 Gb/s"),
        measured("RS(528,514) encoder", None, "", _named(evidence.suite, "rs_encoder_528_514_w16")),
        measured(
            "RS(528,514) decoder, to the first corrected symbol",
            CODE["rs-528-514"],
            "D 5.3.1: twice 5280 bits at 100 Gb/s",
            _named(evidence.suite, "rs_decoder_528_514_w16_u1"),
        ),
        measured("256b/257b and RS(528,514), transmitter", None, "", _named(evidence.suite, "strict_link_tx")),
        measured("256b/257b and RS(528,514), receiver", None, "", _named(evidence.suite, "strict_link_rx")),
    ]


def _first(figures, block):
    """Figures of the first configuration of a block, or None."""
    return next((entry for entry in figures if entry["block"] == block), None)


def _named(figures, name):
    return next((entry for entry in figures if entry["name"] == name), None)
