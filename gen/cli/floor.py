"""The command floorplan: cables, cost and latency of a network in a machine room."""

import json
from collections.abc import Callable

import click

from dsnswitch.gen.cli.options import Finite, Picture, form_option, network_options, out_option, refuse_same
from dsnswitch.gen.cli.progress import watched
from dsnswitch.net import limits
from dsnswitch.net.extras import need
from dsnswitch.net.messages import UsageError, refusing
from dsnswitch.net.plan.floor import CABLINGS, CAPACITY, MAPPINGS, Room

#: Switches of a network without closed form whose routes are computed: its tables are compiled.
MOST_TABLED = 512

#: Sources, or destinations, of the paths whose latency is computed.
SAMPLED = 256

_METRES = Finite(0, 1000)

#: Options of all commands that lay networks out.
mapping_option = click.option(
    "--mapping", type=click.Choice(MAPPINGS), help="Default supernode, or sequential if a network has none."
)
cabling_option = click.option("--cabling", type=click.Choice(CABLINGS), default=CABLINGS[0], show_default=True)
delay_option = click.option("--ns-per-metre", type=Finite(0.1, 100), default=5.0, show_default=True, help="Delay of a cable.")


def cost_option(default: str | None = None) -> Callable:
    """The option ``--cost``."""
    text = "Prices and power: slim-fly, cable-monster, cables-low, cables-high or a TOML file."
    return click.option("--cost", metavar="MODEL", default=default, show_default=True, help=text)


@click.command()
@network_options
@mapping_option
@click.option(
    "--per-cabinet",
    "capacity",
    type=click.IntRange(1, 4096),
    help=f"Switches of a cabinet. Default: those of the network's own cabinets, or {CAPACITY}.",
)
@click.option("--width", type=Finite(0.01, 100), default=Room.width, show_default=True, help="Metres of a cabinet.")
@click.option(
    "--depth", type=Finite(0.01, 100), default=Room.depth, show_default=True, help="Metres to the next row, with aisle."
)
@cabling_option
@click.option("--inside", type=_METRES, default=Room.inside, show_default=True, help="Metres of a cable in a cabinet.")
@click.option("--end", type=_METRES, default=Room.end, show_default=True, help="More metres at each end of other cables.")
@click.option("--seed", type=click.IntRange(0, 1 << 31), default=0, show_default=True, help="Of mapping optimised.")
@cost_option()
@click.option("--ports", type=click.IntRange(0, 256), default=0, show_default=True, help="Ports for hosts, for the cost.")
@click.option("--spare", type=Finite(0, 1000), default=0.0, show_default=True, help="Spare ports in percent, for the cost.")
@click.option("--bill", metavar="FILE", help="Write the bill of materials as CSV; needs --cost.")
@click.option(
    "--switch-delay",
    "delays",
    type=Finite(0, 1e6),
    multiple=True,
    metavar="NS",
    help="Print latencies at zero load with this delay of a switch; repeatable.",
)
@delay_option
@click.option(
    "--paths",
    type=click.IntRange(1, limits.MOST_ON_FLOOR),
    default=SAMPLED,
    show_default=True,
    help="Sources of shortest paths, and destinations of routes, at random if there are more.",
)
@click.option(
    "--plot",
    "plots",
    type=Picture("svg", "png"),
    metavar="FILE",
    multiple=True,
    help="Write the plan as .svg or .png; repeatable.",
)
@form_option("text", "json", "csv")
@out_option()
def floorplan(network, mapping, bill, delays, plots, form, out, **values):
    """Lay a network out in cabinets: length of each cable, bill of materials, cost, latency, picture."""
    from dsnswitch.gen.writing import STANDARD_OUTPUT, write_files, write_text
    from dsnswitch.net.plan.cabling import bill_list, cable_list, figures, plan, summary
    from dsnswitch.net.plan.cost import model

    limits.at_most(limits.MOST_ON_FLOOR, network.nodes, f"Switches of a network on a floor, {network.name},")
    refuse_same([*(("--plot", name) for name in plots), ("--bill", bill), ("--out", out)])
    forms = [name.rpartition(".")[2].lower() for name in plots]
    prices = None if values["cost"] is None else model(values["cost"])
    if bill and prices is None:
        raise UsageError("Option --bill needs --cost")
    if mapping == "optimised":
        need("Mapping optimised", "floor", "scipy", "pymetis")
    if delays:
        need("Latency on a floor", "floor", "scipy")
    if plots:
        need("A picture of a floor", "floor", "matplotlib")
    room = Room(**{key: values[key] for key in ("width", "depth", "cabling", "inside", "end")})
    if mapping is None:
        mapping = "sequential" if network.cabinet_of(next(iter(network.switches()))) is None else "supernode"
    found = plan(network, mapping, values["capacity"], room, values["seed"])
    hosts, spare = values["ports"], values["spare"] / 100
    money = None if prices is None else found.prices(prices, hosts, spare)
    with refusing():
        rows = _latencies(found, delays, values["ns_per_metre"], values["paths"])
    files = {}
    if plots:
        from dsnswitch.net.plan.drawing import floor_picture

        files = {name: floor_picture(found, kind) for name, kind in zip(plots, forms)}
    if bill:
        files[bill] = bill_list(found.bill(prices, hosts, spare))
    if form == "json":
        result = figures(found) | {"cost": money and {"model": prices.name, "source": prices.source, **money}}
        text = json.dumps(result | {"latency": rows}, indent=2) + "\n"
    elif form == "csv":
        text = cable_list(found)
    else:
        text = "\n".join([*summary(found), *_cost_lines(prices, money), *_latency_lines(rows)]) + "\n"
    if out != STANDARD_OUTPUT:
        files[out] = text
    if files:
        write_files(".", files)
    if out == STANDARD_OUTPUT:
        write_text(out, text)


def _cost_lines(prices, money):
    if prices is None:
        return []
    parts = ", ".join(f"{name} {money[name]:,.0f}" for name in ("switches", "cables", "installation") if money[name])
    power = f"; {money['power']:,.0f} W" if money["power"] else ""
    return [f"cost       {prices.currency}{money['total']:,.0f}: {parts}{power}", f"model      {prices.name}: {prices.source}"]


def _latencies(found, delays, per_metre, most):
    """A row for each kind of path and each delay of a switch."""
    if not delays:
        return []
    from dsnswitch.net.analysis.latency import lowest, routed, shortest
    from dsnswitch.net.routing.registry import ROUTINGS, relation_of

    base, rows = ROUTINGS[0], []
    fewest = shortest(found, most, watched)
    routes = None
    if base in found.network.routings and not (found.network.is_tabled and found.network.nodes > MOST_TABLED):
        routes = routed(found, relation_of(found.network, base), most, watched)
    for delay in delays:
        kinds = {"routes": routes, "fewest hops": fewest}
        every = {name: one.latencies(delay, per_metre) for name, one in kinds.items() if one is not None}
        every["lowest latency"] = lowest(found, delay, per_metre, most, watched)
        rows += [
            {"switch_ns": delay, "paths": name, "average": float(one.mean()), "maximum": float(one.max())}
            for name, one in every.items()
        ]
    return rows


def _latency_lines(rows):
    return [
        f"latency    switch {row['switch_ns']:g} ns, {row['paths']}: "
        f"{row['average']:.1f} ns on average, {row['maximum']:.1f} at most"
        for row in rows
    ]
