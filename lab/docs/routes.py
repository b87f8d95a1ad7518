"""Generated parts of pages about variants of the route logic."""

from dsnswitch.lab.docs.markdown import table
from dsnswitch.lab.figures.refresh import table_of

__all__ = ["GROWTH_PARTS", "NEAR_MINIMAL_PARTS"]


def _rows(store, named):
    return [
        [name, f"{entry['area']:,.0f}", f"{entry['static_area']:,.0f}", f"{entry['delay']:.2f}"]
        for name, entry in ((name, store.of(values)) for name, values in named)
    ]


def sized(store):
    """The table of the cost of sizes as inputs."""
    named = [
        ("any size up to 8 x 8", {"max_p": 3}),
        ("8 x 8", {"p": 3}),
        ("12 x 10", {"x": 12, "y": 10}),
        ("any size up to 32 x 32", {"max_p": 5}),
        ("32 x 32", {"p": 5}),
    ]
    return table(["route logic", "area, GE", "of this static", "delay, FO4"], _rows(store, named))


def minimal(store):
    """The table that compares minimal routing with the base routing and with ternary tables."""
    designs = {
        "base": lambda p: {"p": p},
        "minimal": lambda p: {"p": p, "routing": "minimal"},
        "*for comparison:* ternary table of 14 and 16 entries": table_of,
    }
    body = []
    for name, design in designs.items():
        found = [store.of(design(p)) for p in (3, 4)]
        body.append([name, *(text for entry in found for text in (f"{entry['area']:,.0f}", f"{entry['delay']:.2f}"))])
    return table(["universal logic", "512 nodes, GE", "FO4", "2,048 nodes, GE", "FO4"], body)


GROWTH_PARTS = {"sized": sized}
NEAR_MINIMAL_PARTS = {"minimal": minimal}
