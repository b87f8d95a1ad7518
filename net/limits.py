"""Limits of the work of one command. Input within the limits takes at most some minutes of one core.

The measured seconds are those of an x86-64 core at about 3 GHz. Limits of a block's parameters are in its schema, and limits of
files in :mod:`reading`.
"""

from dsnswitch.net.messages import UsageError

#: Nodes of a network that `topology` or `check` visits one by one: `check` takes 42 s for
#: 256 x 256 x 8 nodes and 67 s for a ring of 4,096 x 64; GraphML of the latter takes 4 s and 0.4 GB.
MOST_NODES = 1 << 19

#: Routes that `check` and `load` follow, from the switches that symmetry leaves: about 4 us each, and 4 bytes.
MOST_ROUTES = 1 << 26

#: Switches of a network without a closed form whose routes and loads `check` and `load` find by blocks of destinations: about
#: 204 s and 3.1 GB for a random ring of degree 14, with its cuts.
MOST_ROUTED = 1 << 14

#: Switches of a network with random failed links, of which `faults` walks all pairs: 4 s for each share at 8 x 16 x 8.
MOST_FAULTY = 1 << 12

#: Switches after an expansion that `expand` plans: 4 s for a DSN-F of 16,384 switches; and of one that it draws.
MOST_GROWN = 1 << 17
MOST_GROWN_DRAWN = 1 << 12

#: Switches of a network on a floor: 16,384 take 2 s. Pairs whose lowest latency is searched: 20 s for 2^22 at degree 6; pairs
#: whose routes are followed: 40 s for 2^22.
MOST_ON_FLOOR = 1 << 16
MOST_FLOOR_PATHS = 1 << 26
MOST_FLOOR_ROUTES = 1 << 23

#: Switches of a network that `simulate` runs: twice those of 64 x 64 x 8, which take about 0.2 GB.
MOST_SIMULATED = 1 << 16

#: Switches of a network of which `simulate` lists the flows that stay in order: 0.6 GB while it draws them.
MOST_ORDERED = 1 << 13

#: Nodes of a network whose tables are made at once: 8 ms each at 64 x 64 x 8.
MOST_TABLES = 1 << 15

#: Keys of a table that is made key by key: 2 s for a torus of 2^16 switches.
MOST_KEYS = 1 << 16

#: Bits of the linear map of a Reed-Solomon block, and of the multipliers of its key equation. `verilog` takes 52 s for an
#: encoder of 192,000 bits (RS(544,514), 64 symbols per cycle) and 40 s for a decoder of 65,536.
MOST_MAP = 200_000

#: Gates of a design before its mapping by `synth`: mapping takes about 8 minutes for 250,000, a switch core of 161,000 GE.
MOST_CELLS = 1_000_000

#: Cells of a layout, placed and routed by `layout`, and gates of its design before the mapping. On a busy machine the
#: placement of 4,113 cells takes 436 s.
MOST_PLACED = 5_000
MOST_GATES_PLACED = 20_000

#: Words of `vectors`: 32 ms each for RS(544,514).
MOST_VECTORS = 10_000

#: Words for each bit error rate of a Monte Carlo simulation: 33 us each for all five rates.
MOST_WORDS = 10_000_000

#: Patterns for each row of `link framing`: 2.1 ms each for all rows.
MOST_PATTERNS = 100_000


def at_most(most, value, what) -> None:
    """Refuse a ``value`` above ``most``.

    Raises :class:`UsageError`: the message consists of ``what`` (the name of the quantity), the limit and the value.
    """
    if value > most:
        raise UsageError(f"{what} must be at most {most}, not {value}")


def pairs(ends, network) -> None:
    """Refuse to measure pairs of switches if a network has hosts at only one: ``ends`` is the number of switches with hosts."""
    if ends < 2:
        raise UsageError(f"{network.spelling} has no pair of switches with hosts")
