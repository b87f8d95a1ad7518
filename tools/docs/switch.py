"""Generated parts of the pages about the switch and the fabric port."""

from dsnswitch.hdl.line.search import searches
from dsnswitch.hdl.port.shape import KINDS
from tools.docs.links import COLUMNS
from tools.docs.markdown import paragraph, table
from tools.figures.hop import CORE, LINE, PAIR, ROUTE
from tools.figures.hop import part_heads as heads
from tools.figures.hop import part_rows as rows


def breakdown(store):
    """The table of the parts of a switch."""
    return table(list(heads), rows(*(store.of(values) for values in (CORE, LINE, ROUTE))))


def border(store):
    """Period of core, fabric port, and of a switch of both, which has the paths across the boundary."""
    core, line, pair = (store.of(values) for values in (CORE, LINE, PAIR))
    return paragraph(
        f"The core has {core['memory_bits']:,} bits of RAM, which no area includes. Mapped alone, the core has "
        f"a period of {core['period']:.1f} FO4, and a fabric port one of {line['period']:.1f} FO4. Flits that leave and credits "
        "cross the boundary between core and port directly from register outputs. With speculation, flits that arrive and their "
        "verdict pass through logic on both sides, and so does `stall`. A switch with one line and one host, mapped as a whole "
        f"(`dsnswitch synth --block switch --topology torus:2 --no-apb`), has all paths across this boundary: its period is "
        f"{pair['period']:.1f} FO4, with {pair['area']:,.0f} GE."
    )


def lookahead(store):
    """Delay of the route logic, of the slowest path from an input of the core, and the core's period."""
    core, route = store.of(CORE), store.of(ROUTE)
    first = core["paths"]["input_to_register"]
    begins = "at a register, so look-ahead would not shorten it" if first < core["period"] else "at an input"
    return paragraph(
        f"The route logic takes {route['delay']:.1f} FO4. The slowest path of the core from an input takes {first:.1f} FO4. The "
        f"longest path, {core['period']:.1f} FO4, begins {begins}."
    )


SWITCH_PARTS = {"breakdown": breakdown, "border": border, "look-ahead": lookahead}


#: Options of a fabric port, and their configuration in addition to :data:`LINE`.
_PORTS = {
    "`--link light`": {},
    "`--link light --retry`": {"retry": True},
    "`--link strict`": {"link": "strict"},
    "`--link selected`": {"link": "selected"},
}

PORT_COLUMNS = {name: COLUMNS[name] for name in ("area, GE", "flip-flops", "RAM bits", "period, FO4")} | {
    "from an input to a register, FO4": lambda entry: f"{entry['paths']['input_to_register']:.1f}"
}


def area(store):
    """The table of area and period of a fabric port with each code."""
    found = {options: store.of(LINE | values) for options, values in _PORTS.items()}
    body = [[options, *(text(entry) for text in PORT_COLUMNS.values())] for options, entry in found.items()]
    return table(["fabric port", *PORT_COLUMNS], body)


def round_trip(_):
    """The table of values that depend on the round trip."""
    body = []
    for kind in KINDS.values():
        trips = f"{kind.round_trip} ({kind.round_trips[0]} to {kind.round_trips[-1]})"
        limits = (f"{kind.replay(kind.round_trip)}", f"{kind.wait:,}", f"{kind.patience:,}")
        body.append([f"`{kind.name}`", f"{kind.ends}", trips, *limits])
    heads = ["`--link`", "both ends, cycles", "`--round-trip`, cycles", "replay buffer, flits"]
    return table([*heads, "`wait`, blocks", "`patience`, blocks"], body)


def search(_):
    """The table of searches for the boundary in words of 160 bits."""
    rates, body = (0, 1e-4, 1e-3), []
    for name in ("strict", "light"):
        found = [searches(ber)[name] for ber in rates]
        missed = [f"{1 - one.finds:.2g}" for one in found[1:]]
        means = [f"{one.longest:,.0f}" for one in found]
        body.append([name, f"{found[0].positions:,}", f"{found[0].slip}", *means, *missed, f"{found[-1].wrong:.1e}"])
    heads = ["format", "positions", "words each", "words to the lock", "at 1e-4", "at 1e-3"]
    return table([*heads, "boundary missed at 1e-4", "at 1e-3", "wrong lock at 1e-3"], body)


PORT_PARTS = {"area": area, "round-trip": round_trip, "search": search}
