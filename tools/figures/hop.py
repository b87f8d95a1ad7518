"""A hop of our switch, and what the dissertation assumes for one."""

from dsnswitch.lab.synth.library import PS_PER_FO4
from dsnswitch.lab.synth.measure import CORE, PORT, ROUTE, SWITCH

#: Clock in MHz at which RS(528,514) with 16 symbols of 10 bits per cycle carries 103.125 Gb/s.
CLOCK = 644.53125

#: Latency in ns that the dissertation assumes for a code: 270 bits at 50 Gb/s; twice 2112 and 5280 bits at 100 Gb/s (D 5.3.1).
CODE = {"secded-270-260": 5.4, "rs-255-239": 42.24, "rs-528-514": 105.6}

#: Switch latency with a code (Tables 5.1 and 6.1), without a table for the routes.
HOP = {"secded-270-260": 60, "rs-255-239": 100, "rs-528-514": 160}

#: Latency that a routing table adds (Table 6.1: 45 against 40, and 65 against 60).
TABLE = 5

#: Switch latency of the Hamming code without the code.
BASE = round(HOP["secded-270-260"] - CODE["secded-270-260"], 2)


class Hop:
    """A hop from codeword in to codeword out, from the recorded figures of core, fabric port and switch.

    Attributes
    ----------
    cycles : int
    period : float
        Shortest period of the clock in FO4: the longest of the three.
    ns : float
        Latency in OSU 0.18 um.
    """

    def __init__(self, store):
        self._core, self._switch, self._route = (store.of(values) for values in (CORE, SWITCH, ROUTE))
        self._decoder = store.of({"block": "secded-decoder", "n": 270, "k": 260})
        self.cycles = self._switch["latency_cycles"]
        self.period = max(entry["period"] for entry in (self._core, store.of(PORT), self._switch))
        self.ns = self._time(self.cycles)

    def _time(self, cycles):
        return cycles * self.period * PS_PER_FO4 / 1000

    def rows(self):
        """Parts of the hop: name, cycles, FO4, ns, and what the dissertation assumes in ns."""
        core = self._core["latency_cycles"]
        parts = (
            ("switching: the core", core, f"about {BASE}"),
            ("encoding: flit to line", self.cycles - core, f"in the {CODE['secded-270-260']}"),
            ("**hop, codeword in to codeword out**", self.cycles, f"60, or {60 + TABLE} with a routing table"),
        )
        return [
            ["error correction: while the core routes", "0", f"{self._decoder['delay']:.1f} of the core's first cycle", "0",
             f"{CODE['secded-270-260']} (Hamming code)"],
            ["routing: in the core's first cycle", "0", f"{self._route['delay']:.1f} of the same cycle", "0",
             f"0, or {TABLE} with a routing table"],
            *(
                [name, str(cycles), f"{cycles * self.period:.0f}", f"{self._time(cycles):.1f}", expected]
                for name, cycles, expected in parts
            ),
        ]  # fmt: skip
