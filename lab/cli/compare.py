"""The command compare: which network to build."""

import click

from dsnswitch.gen.cli.floor import cabling_option, cost_option, delay_option, mapping_option
from dsnswitch.gen.cli.options import Finite, form_option, out_option, refuse_same
from dsnswitch.gen.cli.progress import stage, watched
from dsnswitch.net.extras import need
from dsnswitch.net.plan.floor import CAPACITY, Room

#: Names of the columns that the table can be sorted by; they are those of lab/compare/rows.py.
SORTS = ("latency", "worst", "hops", "diameter", "cost", "bisection", "cable", "length", "power", "switches", "saturation")


@click.command()
@click.option(
    "--endpoints",
    "hosts",
    metavar="HOSTS",
    type=click.IntRange(2, 1 << 20),
    required=True,
    help="Hosts that the network must hold.",
)
@click.option("--radix", type=click.IntRange(3, 1024), required=True, help="Ports of a switch.")
@click.option("--topology", "names", multiple=True, metavar="NAME", help="Compare these only, such as torus; repeatable.")
@click.option(
    "--where",
    multiple=True,
    metavar="CONDITION",
    help="Only networks with these figures, such as diameter<=3 or 'bisection>=0.5'; the names are those of --format csv."
    " Repeatable.",
)
@click.option("--switch-delay", type=Finite(0, 1e6), default=100.0, show_default=True, metavar="NS", help="Of a switch.")
@delay_option
@cost_option("slim-fly")
@mapping_option
@click.option(
    "--per-cabinet",
    "capacity",
    type=click.IntRange(1, 4096),
    default=CAPACITY,
    show_default=True,
    help="Switches of a cabinet, except with mapping supernode.",
)
@cabling_option
@click.option("--sort", type=click.Choice(SORTS), default=SORTS[0], show_default=True, help="Column to sort by, best first.")
@click.option("--simulate", is_flag=True, help="Also find the saturation under uniform traffic, minutes for each network.")
@form_option("text", "csv", "json")
@click.option("--page", "page_file", metavar="FILE", help="Write an HTML page with table, plots and floor plans.")
@out_option()
def compare(hosts, radix, names, where, cost, sort, form, **values):
    """Compare all networks that hold a number of hosts: latency, cables, cost, power, bisection, saturation; table or page."""
    from dsnswitch.gen.writing import STANDARD_OUTPUT, refuse_unwritable, write_files, write_text
    from dsnswitch.net.messages import UsageError
    from dsnswitch.net.plan.cost import model

    page_file, out = values["page_file"], values["out"]
    refuse_same([("--page", page_file), ("--out", out)])
    for path in (out, page_file):
        if path and path != STANDARD_OUTPUT:
            refuse_unwritable(path)
    need("A comparison", "floor", "scipy", "pymetis", "bokeh", "pyosys")
    from dsnswitch.lab.compare.rows import COLUMNS, ordered
    from dsnswitch.lab.compare.rows import compare as compared
    from dsnswitch.lab.compare.table import as_csv, as_json, as_text
    from dsnswitch.net.conditions import condition

    more = "docs/floor.md lists all"
    conditions = [condition("Option --where", text, COLUMNS, "diameter<=3", more) for text in where]
    later = [one for one in conditions if one.name == "saturation"]
    if not values["simulate"] and (sort == "saturation" or later):
        raise UsageError(f"{'A condition on' if later else 'Sorting by'} saturation needs --simulate")
    prices, room = model(cost), Room(cabling=values["cabling"])
    delays = values["switch_delay"], values["ns_per_metre"]
    rows, left = compared(hosts, radix, names, values["mapping"], values["capacity"], room, prices, delays, watched)
    if not rows:
        why = f": {left[0]}" if left else ""
        raise UsageError(f"A network for {hosts} hosts must exist; none fits switches of {radix} ports{why}")
    # Whatever can be refused without a simulation is refused before the first one.
    rows, dropped = _kept(rows, [one for one in conditions if one not in later])
    left += dropped
    if values["simulate"]:
        left += _simulate(rows)
        rows, dropped = _kept(rows, later)
        left += dropped
    rows = ordered(rows, sort)
    about = {"hosts": hosts, "radix": radix, "switch_ns": delays[0], "ns_per_metre": delays[1], "cost": prices.name}
    text = {
        "text": lambda: as_text(rows, left, prices.currency),
        "csv": lambda: as_csv(rows),
        "json": lambda: as_json(rows, left, about),
    }[form]()
    written = {}
    if page_file:
        from dsnswitch.lab.compare.page import page

        written[page_file] = page(rows, left, about, prices)
    if out != STANDARD_OUTPUT:
        written[out] = text
    if written:
        write_files(".", written)
    if out == STANDARD_OUTPUT:
        write_text(out, text)


def _kept(rows, conditions):
    """As :func:`dsnswitch.lab.compare.rows.kept`, but an error if no row is left."""
    from dsnswitch.lab.compare.rows import kept
    from dsnswitch.net.messages import UsageError

    some, left = kept(rows, conditions)
    if not some:
        every = " and ".join(one.text for one in conditions)
        raise UsageError(f"A network must have {every}; none of the {len(rows)} that fit has")
    return some, left


def _simulate(rows):
    """Fill in the saturation of each network that can be simulated; returns a line about each that cannot.

    Raises :class:`UsageError` before the first simulation if none can.
    """
    from dsnswitch.lab.compare.saturation import prepared, saturation
    from dsnswitch.net.messages import UsageError

    left, ready = [], []
    for row in watched(rows, "networks to simulate"):
        try:
            ready.append((row, prepared(row.plan.network, row.figures["per_switch"])))
        except UsageError as error:
            left.append(f"saturation of {row.network}: {error}")
    if not ready:
        raise UsageError(f"Option --simulate needs a network that can be simulated; {left[0]}")
    for number, (row, one) in enumerate(ready, 1):
        stage(f"simulating {row.network}, network {number} of {len(ready)}")
        try:
            row.figures["saturation"] = saturation(one)
        except UsageError as error:
            left.append(f"saturation of {row.network}: {error}")
    return left
