"""The latency of a hop in an empty network, in parts, compared with the dissertation's assumptions (:mod:`assumed`)."""

from dataclasses import dataclass

from dsnswitch.lab.figures import assumed
from dsnswitch.lab.figures.switch_parts import CORE, LINE, PAIR, ROUTE
from dsnswitch.lab.synth.libraries import PS_PER_FO4

__all__ = ["BLOCKS", "Hop", "heads"]

#: Configurations of the blocks whose figures :class:`Hop` takes, by the name of the parameter.
BLOCKS = {
    "core": CORE,
    "port": LINE,
    "pair": PAIR,
    "route": ROUTE,
    "decoder": {"block": "secded-decoder", "n": 270, "k": 260},
}

_CODE, _HOP = (latencies["secded-270-260"] for latencies in (assumed.CODE, assumed.HOP))

heads = ("part of a hop", "cycles", "FO4", "ns, 0.18 um", "dissertation assumes, ns")


@dataclass(frozen=True)
class Hop:
    """A hop from codeword in to codeword out.

    Parameters
    ----------
    core, port, pair, route, decoder : dict
        Figures (:func:`measure_block`) of the blocks in :data:`BLOCKS`.
    """

    core: dict
    port: dict
    pair: dict
    route: dict
    decoder: dict

    @property
    def cycles(self):
        """Latency in cycles."""
        return 2 * self.port["latency_cycles"] + self.core["latency_cycles"]

    @property
    def period(self):
        """Shortest period of the clock in FO4."""
        return max(entry["period"] for entry in (self.core, self.port, self.pair))

    def sentences(self, clock):
        """The latency, its period and its time at ``clock`` (MHz) as text."""
        core, port, pair = (f"{entry['period']:.1f}" for entry in (self.core, self.port, self.pair))
        return (
            f"**A hop takes {self.cycles} cycles** in an empty network, error correction included. The clock period is "
            f"{self.period:.1f} FO4, the longest period of three netlists: the core ({core}), a fabric port ({port}), and a "
            f"whole switch with one line and one host ({pair}). The SECDED decoder alone takes {self.decoder['delay']:.1f} FO4. "
            f"At {clock:.1f} MHz, {self.cycles} cycles are {1000 * self.cycles / clock:.1f} ns. These figures exclude wires and "
            "SerDes. The dissertation estimates a base delay of 40 to 60 ns from chips (45.3 ns on BlueGene/Q, 40.1 ns on "
            f"Anton-2) and adds the latency of the code: its hop takes {_HOP} ns with the Hamming code, {_HOP + assumed.TABLE} "
            f"with a routing table as well, and {assumed.HOP['rs-528-514']} with RS(528,514) (Tables 5.1 and 6.1)."
        )

    def rows(self):
        """Rows of the table with the headings :data:`heads`."""
        one = self.port["latency_cycles"]
        within = f"{self.route['delay']:.1f} of the core's {self.core['period']:.1f}"
        return [
            self._row("error correction: line to flit", one, f"{_CODE} (Hamming code)"),
            ["routing: in the core's first cycle", "0", within, "0", f"0, or {assumed.TABLE} with a routing table"],
            self._row("switching: the core", self.core["latency_cycles"], f"about {assumed.BASE}"),
            self._row("encoding: flit to line", one, f"in the {_CODE}"),
            self._row(
                "**hop, codeword in to codeword out**",
                self.cycles,
                f"{_HOP}, or {_HOP + assumed.TABLE} with a routing table",
            ),
        ]

    def _row(self, name, cycles, expected):
        fo4 = cycles * self.period
        return [name, str(cycles), f"{fo4:.0f}", f"{fo4 * PS_PER_FO4 / 1000:.1f}", expected]
