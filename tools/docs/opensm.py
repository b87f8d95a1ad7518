"""The generated part of docs/tables.md: routes of OpenSM beside ours, from ``docs/opensm.json``."""

from dsnswitch.net.messages import UsageError
from tools.docs.markdown import table
from tools.opensm.routes import ENGINES, GRAPHS, OURS, PATH, load


def _lanes(record):
    """Virtual lanes of a record, and what is wrong with its routes."""
    if "hops" not in record:
        return f"more than {record['lanes'] - 1}" if record["lanes"] else "fails"
    lost = f", {record['lost']:,} pairs lost" if record.get("lost") else ""
    return f"{record['lanes']}{', can deadlock' if record.get('deadlock') else ''}{lost}"


#: Heading of each row of a network, in which the ideal load is filled, -> its text of a record.
ROWS = {
    "virtual lanes": _lanes,
    "mean hops": lambda record: f"{record['hops']:.2f}" if "hops" in record else "-",
    "greatest load, ideal {ideal:,}": lambda record: f"{record['load']:,}" if "load" in record else "-",
    "seconds": lambda record: f"{record['seconds']:.1f}",
}


def comparison(store):
    """Four rows for each network, a column for each engine and for ours."""
    records = load(store.path.with_name(PATH.rpartition("/")[2]))
    if absent := records.missing():
        raise UsageError(f"{records.path} has no figures of {absent[0]}: run make opensm")
    body = []
    for text, network in GRAPHS.items():
        found = records.networks[network]
        engines = [found[name] for name in (OURS, *ENGINES)]
        for place, (label, cell) in enumerate(ROWS.items()):
            body.append(["" if place else text, label.format(ideal=found[OURS]["ideal"]), *map(cell, engines)])
    return table(["network", "", "turn classes", *ENGINES], body)


PARTS = {"opensm": comparison}
