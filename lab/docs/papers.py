"""Generated parts of the pages on networks on a floor, from the recorded comparisons with the papers."""

from dsnswitch.lab.docs.markdown import paragraph, table
from dsnswitch.lab.papers.page import latencies, own_hop
from dsnswitch.lab.papers.statements import statements
from dsnswitch.lab.papers.store import PATH, current
from dsnswitch.net.analysis.latency import SWITCH_NS


def _recorded(store):
    """The comparisons in the folder of ``store``."""
    return current(store.path.with_name(PATH.rpartition("/")[2]))


def floors(store):
    """A line for each statement of a paper: what it prints, and what comes out here."""
    lines = []
    for one in statements(_recorded(store)):
        text = f"- **{one.place}**, {one.text}: the paper has {one.paper}, here {one.here}."
        lines.append(paragraph(f"{text} {one.remark}".strip(), "  "))
    return "\n".join(lines)


def hop(store):
    """Mean latency of networks of 2,048 switches with our switch, and with those of the papers."""
    own, sentence = own_hop(store)
    heads = ["2,048 switches", "our switch", *(f"{delay:g} ns" for delay in SWITCH_NS)]
    rows = [[name, *(f"{cell:.0f}" for cell in row)] for name, row in latencies(_recorded(store), own).items()]
    return f"{paragraph(sentence)}\n\n{table(heads, rows)}"


FLOOR_PARTS = {"floor-latency": hop}
PAPERS_PARTS = {"floors": floors}
