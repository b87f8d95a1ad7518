"""Figures of the tables of a whole graph: virtual channels, hops, load of channels, entries."""

import numpy as np

from dsnswitch.net.messages import shortened
from dsnswitch.net.routing.balance import ideal
from dsnswitch.net.tables.switch_graph import text

#: Maximum number of characters of a name in the line of figures, which has at most 200.
LONGEST = 20


def summary(made):
    """Figures of :class:`Tables`, measured on the walks of all pairs through the finished tables.

    Returns
    -------
    dict
        ``layers``: number of virtual channels. ``root``: root of up*/down*. ``hops`` (``mean``, ``max``): of the pairs of
        different switches. ``load`` (``max``, ``ideal``): pairs on the busiest channel, and the bound of
        :func:`ideal`. ``entries``: number of entries of each switch.
    """
    walked = made.walked
    number = np.arange(len(walked.hops))
    pairs = int(walked.hops[1:].sum())
    return {
        "layers": made.layers,
        **({} if made.root is None else {"root": text(made.root)}),
        "hops": {
            "mean": round(float(walked.hops @ number) / pairs, 3) if pairs else 0,
            "max": int(number[walked.hops > 0].max(initial=0)),
        },
        "load": {"max": int(walked.load.max(initial=0)), "ideal": ideal(made.wiring)},
        "entries": {text(switch): len(table.entries) for switch, table in made.by_switch.items()},
    }


def sentence(made):
    """The figures of :func:`summary` as a line of at most 200 characters."""
    found = summary(made)
    entries = found["entries"]
    most = max(entries, key=entries.get)
    layers, hops, load = found["layers"], found["hops"], found["load"]
    channels = f"{layers} virtual channel" + ("s" if layers > 1 else "")
    root = f" from {shortened(found['root'], LONGEST)}" if "root" in found else ""
    worst = f"{made.graph.kind} {shortened(most, LONGEST)}"
    return (
        f"{made.routing}{root}, {channels}; hops {hops['mean']:.2f} mean, {hops['max']} max; "
        f"pairs on a channel {load['max']} max, {load['ideal']} ideal; "
        f"entries {sum(entries.values()) / len(entries):.1f} mean, {entries[most]} max ({worst})"
    )
