"""Generated parts of the page about the fabric port."""

from dsnswitch.hdl.port.shape import KINDS
from dsnswitch.lab.docs.links import COLUMNS
from dsnswitch.lab.docs.markdown import table
from dsnswitch.lab.figures.hop import LINE

__all__ = ["PARTS"]

#: Options of a fabric port, and their configuration in addition to :data:`LINE`.
_PORTS = {
    "`--link light`": {},
    "`--link light --retry`": {"retry": True},
    "`--link strict`": {"link": "strict"},
    "`--link selected`": {"link": "selected"},
}

_COLUMNS = {name: COLUMNS[name] for name in ("area, GE", "flip-flops", "RAM bits", "period, FO4")} | {
    "from an input to a register, FO4": lambda entry: f"{entry['paths']['input_to_register']:.1f}"
}


def area(store):
    """The table of area and period of a fabric port with each code."""
    found = {options: store.of(LINE | values) for options, values in _PORTS.items()}
    body = [[options, *(text(entry) for text in _COLUMNS.values())] for options, entry in found.items()]
    return table(["fabric port", *_COLUMNS], body)


def round_trip(_):
    """The table of values that depend on the round trip."""
    body = [
        [
            f"`{kind.name}`",
            f"{kind.ends}",
            f"{kind.round_trip} ({kind.round_trips[0]} to {kind.round_trips[-1]})",
            f"{kind.replay(kind.round_trip)}",
            f"{kind.wait:,}",
            f"{kind.patience:,}",
        ]
        for kind in KINDS.values()
    ]
    heads = ["`--link`", "both ends, cycles", "`--round-trip`, cycles", "replay buffer, flits"]
    return table([*heads, "`wait`, blocks", "`patience`, blocks"], body)


PARTS = {"area": area, "round-trip": round_trip}
