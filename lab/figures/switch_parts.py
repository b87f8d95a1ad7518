"""The area of a switch in parts: core, with its own parts, and fabric ports."""

from dsnswitch.gen.config import build

__all__ = ["CORE", "LINE", "PAIR", "ROUTE", "heads", "rows"]

_NETWORK = {"p": 3}
#: Configurations: the core of a switch of 8 x 8 x 8, one of its fabric ports, its routing logic, and a switch of two ports
#: (one line, one host) that is measured as a whole.
CORE = {"block": "switch-core", **_NETWORK}
LINE = {"block": "fabric-port", **_NETWORK, "port": "x_forward"}
ROUTE = _NETWORK
PAIR = {"block": "switch", "topology": "torus:2", "apb": False}

#: What the modules are called whose names begin so.
NAMES = {
    "arrival": "arrival: header check, routing",
    "input_channel": "input channels: buffer control, front register",
    "allocator": "allocation",
    "crossbar_column": "crossbar, with output registers",
}

heads = ("part", "number", "one, GE", "all, GE", "share")


def rows(core, line, route):
    """Rows of the table, from the figures of :data:`CORE`, :data:`LINE` and :data:`ROUTE`.

    Modules of one kind are together. The core's own area is that of the whole netlist: buffers for signals with many readers
    are its rest.
    """
    shape = build(CORE).shape
    lines = sum(not port.is_host for port in shape.ports)
    total = core["area"] + lines * line["area"]
    found, sum_of_parts = [], 0
    for kind, name in NAMES.items():
        ones = [one for module, one in core["parts"].items() if module.startswith(kind)]
        number, area = sum(one["number"] for one in ones), sum(one["number"] * one["area"] for one in ones)
        sum_of_parts += area
        found.append(_row(name, number, area, total))
        if kind == "arrival":
            found.append(_row("- of which routing logic", number, number * route["area"], total))
    rest = core["area"] - sum_of_parts
    return [
        *found,
        _row("rest: buffers for signals with many readers", None, rest, total),
        _row("**switch core**", 1, core["area"], total),
        _row("**fabric ports**", lines, lines * line["area"], total),
        _row("**switch**", None, total, total),
    ]


def _row(name, number, area, total):
    one = "" if number in (None, 1) else f"{area / number:,.0f}"
    return [name, "" if number is None else str(number), one, f"{area:,.0f}", f"{area / total:.1%}"]
