"""Generated parts of the pages on networks on a floor, from the recorded comparisons with the papers."""

from itertools import groupby
from operator import attrgetter

from dsnswitch.net.analysis.latency import SWITCH_NS
from tools.docs.markdown import paragraph, table
from tools.figures.hop import Hop
from tools.papers.dissertation import cuts, mean_latency, of_series
from tools.papers.numbers import numbers as every_number
from tools.papers.statements import statements
from tools.papers.store import PATH, current

#: Sizes of the networks whose curves docs/network.md compares.
COMPARED = (128, 512, 2048)


def recorded(store):
    """The comparisons in the folder of ``store``."""
    return current(store.path.with_name(PATH.rpartition("/")[2]))


def _line(place, some):
    """The statements of one place: what the paper prints, and what comes out here."""
    texts = [f"{one.text}: {one.paper}; here {one.here}. {one.remark}".replace(": -;", ":").strip() for one in some]
    return paragraph(f"- **{place}**: {' '.join(text[0].upper() + text[1:] for text in texts)}", "  ")


def floors(store):
    """A line for each place of a paper with statements."""
    places = groupby(statements(recorded(store)), key=attrgetter("place"))
    return "\n".join(_line(place, some) for place, some in places)


def hop(store):
    """Mean latency of networks of 2,048 switches with our switch, and with those of the papers."""
    hop, rows = Hop(store), []
    for series in ("2-D DSN", "3-D torus", "RR-6", "Skywalk-4-2", "Dragonfly"):
        record = of_series(recorded(store), series, 11)
        for kind, text in (("fewest", "fewest hops"), ("routes", "custom routes")):
            if record and kind in record:
                cells = (f"{mean_latency(record, kind, delay):.0f}" for delay in (hop.ns, *SWITCH_NS))
                rows.append([f"{series}, {text}", *cells])
    return table(["2,048 switches", f"our switch, {hop.ns:.1f} ns", *(f"{delay:g} ns" for delay in SWITCH_NS)], rows)


def numbers(store):
    """A line for each command that prints numbers of a paper's text, too."""
    groups = groupby(every_number(recorded(store), store), key=attrgetter("place", "command"))
    return "\n".join(f"{_line(place, some)}\n  `{command}`" for (place, command), some in groups)


def bisection(store):
    """Cables between two halves of DSN and torus at the sizes whose curves docs/network.md compares."""
    rows = cuts(recorded(store))
    parts = [f"{dsn} and {torus} at {size:,}" for size, (dsn, torus) in rows.items() if size in COMPARED]
    more = next(size for size, (dsn, torus) in rows.items() if dsn > torus)
    return (
        f"A DSN has one for each supernode, since only shortcuts of length 1 join even and odd columns. DSN and 3-D torus have "
        f"{', '.join(parts)} switches; the DSN has more from {more:,} switches on."
    )


def network_bisection(store):
    """The same for docs/network.md."""
    return paragraph(f"**Cables between two halves**, by METIS (D Fig. 3.6). {bisection(store)}")


PAPERS_PARTS = {"floors": floors, "floor-latency": hop, "numbers": numbers}
NETWORK_PARTS = {"network-bisection": network_bisection}
