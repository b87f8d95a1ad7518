"""A switch core as users write it: the shape that a configuration describes, its parameters, and the ending of its name."""

import re

from dsnswitch.hdl.core.shape import USUAL_TABLE, CoreShape
from dsnswitch.hdl.table.shape import MAX_ENTRIES, MAX_WORDS, RAM
from dsnswitch.net.files.options import CORE, CoreOptions, TableOptions, with_preset
from dsnswitch.net.files.parameters import (
    chosen_classes,
    network_and_sized,
    routed,
    routing_of,
    routing_values,
    switch_of,
    without_sizes,
)
from dsnswitch.net.messages import UsageError, refusing
from dsnswitch.net.options import refuse_unneeded
from dsnswitch.net.routing.certificate import refuse_deadlock
from dsnswitch.net.routing.registry import ROUTINGS, TWO_STAGE, refuse_logic


def shape_of(values, hosts_have_pools=True):
    """The :class:`CoreShape` of a configuration. A host port of a switch has no pool, so a single number is not for it there.

    Raises
    ------
    UsageError
        If a value is wrong, or they contradict each other.
    """
    from dsnswitch.hdl.core.packet import Header

    with refusing((TypeError, ValueError)):
        values = with_preset(values)
        refuse_unneeded(CORE, values)
    found, sized = network_and_sized(values)
    routing, classes = routing_of(values), None
    by_table = values.get("lookup") == "table"
    if routing in TWO_STAGE and not (by_table and values.get("layers", 1) == 1):
        raise UsageError(f"Routing {routing} is for lookup by table in one layer, not by {values.get('lookup', 'algorithm')}")
    if not by_table:
        refuse_logic(found, values.get("node"))
    turns = _turns(found, values) if by_table and values.get("layers", 1) == 1 else 1
    if not by_table or not found.has_rules:
        classes = None if by_table else chosen_classes(found, routing, values.get("classes"))
        refuse_deadlock(routed(found, ROUTINGS[0] if routing in TWO_STAGE else routing, classes))
    node = switch_of(found, values.get("node"))
    kinds = dict.fromkeys([*(port.kind for port in found.ports), "host"])
    pooled = kinds if hosts_have_pools else [kind for kind in kinds if kind != "host"]
    spread, pool = (
        _by_kind(key, values[key], of) if values.get(key) else {} for key, of in (("channels", kinds), ("pool", pooled))
    )
    with refusing((TypeError, ValueError)):
        shape = CoreShape(
            found,
            node,
            tuple(spread.items()),
            tuple(pool.items()),
            table_of(found, values) if values.get("lookup", "algorithm") != "algorithm" else USUAL_TABLE,
            routing,
            classes,
            sized,
            values.get("speculate") == "on",
            turns,
            by_table and bool(values.get("adaptive")),
            *(_for_networks(key, values[key]) if values.get(key) else () for key in ("weights", "priorities")),
            **{key: values[key] for key in CoreOptions.OPTIONS if key in values},
        )
        Header(shape).check()
    return shape


def _turns(network, values):
    """The turn classes of a configuration."""
    if values.get("classes") is not None:
        return values["classes"]
    # These load numpy, which few cores need.
    if values.get("routing") in TWO_STAGE:
        from dsnswitch.net.tables.two_stage import usual_classes

        return usual_classes(network, bool(values.get("adaptive")))
    from dsnswitch.net.tables.compile import usual_classes

    return usual_classes(network)


def table_of(network, values):
    """The :class:`TableOptions` of a configuration for a network.

    Raises :class:`ValueError` if the network has no such keys, or too many addresses for a direct table.
    """
    table = TableOptions.of(values)
    if table.keys not in network.keys:
        raise ValueError(f"Keys of {network.spelling} must be one of {', '.join(network.keys)}, not {table.keys!r}")
    words, most = 1 << network.key_width(table.keys), MAX_WORDS if table.memory == RAM else MAX_ENTRIES
    if table.kind == "direct" and words > most:
        store = "" if table.memory == RAM else f" in {table.memory}"
        raise ValueError(f"A direct table{store} must have at most {most} words, not {words}")
    return table


def _by_kind(key, spelt, kinds):
    """``{kind: number}`` of a text such as ``4`` or ``x=4,host=2``. ``4/1`` is a tuple: a number for each virtual network."""
    number = "[0-9]{1,4}(/[0-9]{1,4}){0,7}"
    if re.fullmatch(number, spelt):
        return dict.fromkeys(kinds, _numbers(spelt))
    found = {}
    for part in spelt.split(","):
        if not re.fullmatch(f"[a-z0-9]{{1,9}}={number}", part):
            raise UsageError(f"{key} must be a number, or KIND=NUMBER with commas between them, not {spelt!r}")
        kind, value = part.split("=")
        if kind in found:
            raise UsageError(f"{key} names {kind} twice: {spelt!r}")
        found[kind] = _numbers(value)
    return found


def _for_networks(key, spelt):
    """The numbers of a text such as ``3/1``, one for each virtual network."""
    if not re.fullmatch("[0-9]{1,4}(/[0-9]{1,4}){0,7}", spelt):
        raise ValueError(f"{key} must be numbers with / between them, not {spelt!r}")
    return tuple(map(int, spelt.split("/")))


def _numbers(spelt):
    """A number, or a tuple of those that ``/`` separates."""
    numbers = tuple(map(int, spelt.split("/")))
    return numbers if len(numbers) > 1 else numbers[0]


def _spelt(value, between="/"):
    """A number, or the numbers of a tuple with ``between`` between them."""
    return between.join(map(str, value)) if isinstance(value, tuple) else str(value)


def applying(table):
    """The options of a table that apply to its kind, with the defaults of a ternary table."""
    if table.kind == "ternary":
        return {key: value for key, value in vars(table).items() if key != "memory"}
    return {"kind": table.kind} | ({} if table.memory == RAM else {"memory": table.memory})


def store_of(table):
    """The table in the names of blocks."""
    if table.kind == "ternary":
        return f"{table.keys}{table.entries}{f'_s{table.stages}' if table.stages else ''}"
    return f"{table.kind}{TableOptions.OPTIONS['memory'].ending(table.memory)}"


def parameters(shape):
    """Parameters of a core in the spelling of a configuration, including defaults."""
    own = {
        "node": {"node": None if shape.node is None else shape.network.spell_switch(shape.node)},
        "channels": {
            "channels": ",".join(f"{kind}={_spelt(number)}" for kind, number in shape.spread) or CORE["channels"].default
        },
        **{key: {key: _spelt(values)} if (values := getattr(shape, key)) else {} for key in ("weights", "priorities")},
        "pool": {"pool": ",".join(f"{kind}={_spelt(flits)}" for kind, flits in shape.pool)} if shape.pool else {},
        "routing": routing_values(shape.routing) if shape.routing != ROUTINGS[0] else {},
        "classes": {"classes": shape.detour_classes or shape.turns} if shape.detour_classes or shape.by_turns else {},
        "adaptive": {"adaptive": True} if shape.adaptive else {},
        "speculate": {"speculate": "on"} if shape.speculative else {},
        "layers": {"layers": shape.layers} if shape.lookup == "table" else {},
        "kind": applying(shape.table) if shape.lookup != "algorithm" else {},
    }
    for key in CoreOptions.OPTIONS.keys() - own.keys():
        value, one = getattr(shape, key), CORE[key]
        own[key] = {key: value} if not one.suffix or value != one.default else {}
    found = dict(shape.network.parameters)
    for key in CORE:
        found |= own.get(key, {})
    return without_sizes(found, shape.network) if shape.sized else found


def ending(shape):
    """End of the name of a core: sizes, and what differs from the defaults."""
    table = shape.table
    store = f"{table.keys}{table.entries}_s{table.stages}" if table.kind == "ternary" else store_of(table)
    own = {
        "hosts": f"_h{shape.host_ports}",
        "channels": "".join(f"_{kind}{_spelt(number, '_')}" for kind, number in shape.spread if number != 1),
        "weights": f"_w{_spelt(shape.weights, '_')}" if shape.weights else "",
        "priorities": f"_levels{_spelt(shape.priorities, '_')}" if shape.priorities else "",
        "pool": "".join(f"_{kind}_pool{_spelt(flits, '_')}" for kind, flits in shape.pool),
        "lookup": f"_{shape.lookup}_{store}" if shape.lookup != "algorithm" else "",
        "routing": f"_{shape.routing.replace('-', '_')}" if shape.routing != ROUTINGS[0] else "",
        "adaptive": "_adaptive" if shape.adaptive else "",
        "classes": f"_c{shape.detour_classes or shape.turns}" if shape.detour_classes or shape.turns > 1 else "",
        **{key: f"_{key[0]}{getattr(shape, key)}" for key in ("flit", "packet", "depth")},
    }
    ends = {key: CORE[key].ending(getattr(shape, key)) for key in CoreOptions.OPTIONS} | own
    return "".join(ends.get(key, "") for key in CORE)
