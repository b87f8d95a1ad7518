"""The command expand: growth of an installed network."""

import click

from dsnswitch.net import limits
from dsnswitch.net.messages import UsageError

__all__ = ["expand"]


@click.command()
@click.option("--from", "before", required=True, metavar="TOPOLOGY", help="Network as it is, such as dsn-f:100.")
@click.option("--to", "after", required=True, metavar="TOPOLOGY", help="Network as it will be, such as dsn-f:200.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--out", default="-", show_default=True, help="File to write; - is standard output.")
@click.option("--plot", metavar="FILE", help="Write a picture of the cables as SVG.")
def expand(before, after, form, out, plot):
    """Plan the growth of a DSN-F, or of a grid or ring DSN: cables to add and to remove, new addresses of the switches."""
    from dsnswitch.gen.writing import write_text
    from dsnswitch.net.plan.picture import growth_picture
    from dsnswitch.net.plan.plan import as_json, as_text
    from dsnswitch.net.plan.plan import expand as plan_of

    networks = [_network(text) for text in (before, after)]
    for network in networks:
        limits.at_most(limits.MOST_GROWN, network.nodes, f"Switches of a network that grows, {network.name},")
    if plot:
        limits.at_most(limits.MOST_GROWN_DRAWN, networks[1].nodes, "Switches of a picture")
    plan = plan_of(*networks)
    if plot:
        write_text(plot, growth_picture(plan))
    write_text(out, (as_json if form == "json" else as_text)(plan))


def _network(text):
    from dsnswitch.net.files.parameters import spelt

    try:
        return spelt(text)
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
