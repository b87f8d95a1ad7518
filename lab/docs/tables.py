"""Generated parts of the page about tables."""

from dsnswitch.lab.docs.markdown import table
from dsnswitch.net.tables.formulas import COLUMNS

__all__ = ["PARTS"]


def entries(store):
    """The number of entries of each kind of table."""
    keys = [key for key in COLUMNS if key != "direct_bits"]
    body = []
    for row in store.value("table-sizes"):
        cells = [f"{row[key]:,}" if key != "absolute_fewest" else f"{row[key]:.1f}" for key in keys]
        body.append([row["network"], *cells])
    heads = {**COLUMNS, "nodes": "nodes", "absolute_fewest": "fewest, mean", "absolute_worst": "fewest, worst"}
    return table(["network", *(heads[key] for key in keys)], body)


PARTS = {"entries": entries}
