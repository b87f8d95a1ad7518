"""Generated parts of the page about the switch."""

from ..figures.switch_parts import CORE, LINE, PAIR, ROUTE, heads, rows
from .markdown import paragraph, table

__all__ = ["PARTS"]


def breakdown(store):
    """The table of the parts of a switch."""
    return table(list(heads), rows(*(store.of(values) for values in (CORE, LINE, ROUTE))))


def border(store):
    """Period of core, fabric port, and of a switch of both, which has the paths across the border."""
    core, line, pair = (store.of(values) for values in (CORE, LINE, PAIR))
    return paragraph(
        f"The core has {core['memory_bits']:,} bits of RAM, which are in no area. Its period is {core['period']:.1f} FO4, that "
        f"of a fabric port {line['period']:.1f} FO4, each mapped alone. Flits and credits cross the border of core and port "
        "from register outputs; only the stall of the core passes logic on both sides. A switch of one line and one host, mapped "
        "as a whole (`dsnswitch synth --block switch --topology torus:2 --no-apb`), has all paths across this border: its "
        f"period is {pair['period']:.1f} FO4, with {pair['area']:,.0f} GE."
    )


PARTS = {"breakdown": breakdown, "border": border}
