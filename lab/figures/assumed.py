"""Latencies that the dissertation assumes, in ns: D 5.3.1, Tables 5.1 and 6.1.

The switch latencies include the code: D 5.3.1 adds the latency of the code to a base delay.
"""

__all__ = ["BASE", "CODE", "HOP", "TABLE"]

#: Latency of a code: 270 bits at 50 Gb/s, and twice 2112 and 5280 bits at 100 Gb/s (text of D 5.3.1).
CODE = {"secded-270-260": 5.4, "rs-255-239": 42.24, "rs-528-514": 105.6}

#: Switch latency with a code (Tables 5.1 and 6.1), without a table for the routes.
HOP = {"secded-270-260": 60, "rs-255-239": 100, "rs-528-514": 160}

#: Latency that a routing table adds (Table 6.1: 45 against 40, and 65 against 60).
TABLE = 5

#: Switch latency of the Hamming code without the code.
BASE = round(HOP["secded-270-260"] - CODE["secded-270-260"], 2)
