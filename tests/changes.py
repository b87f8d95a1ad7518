"""Tables by turn classes that change under traffic: cores, random changes, and the run with its checks, that tests share."""

import numpy as np
from cores import CORE

from dsnswitch.net.messages import UsageError
from dsnswitch.net.topology.registry import parse_network
from dsnswitch.sim.network.engine import lookup
from dsnswitch.sim.network.engine.engine import Engine
from dsnswitch.sim.network.engine.points import Point

SIZES = CORE | {"flit": 48, "packet": 4, "depth": 4, "lookup": "table"}
GRAPHS = {"random": "jellyfish:n=64,degree=6", "dsn": "grid:2x2:k4x2", "torus": "torus:4x4", "dragonfly": "dragonfly:a=4,h=2"}
LENGTHS = {1: 0.4, 2: 0.2, 3: 0.2, 4: 0.2}

#: Greatest share of links, or of switches, that are away at a time.
MOST = 0.1


def sequence(values, parts_of, links_of, at_once, count, seed=1):
    """The tables of the whole network, and ``[(links that die or return, tables after that)]``.

    A change takes up to ``at_once`` of ``parts_of(network)`` away, or brings some back; ``links_of(network, some)`` has their
    links.
    """
    network, rng = parse_network(values["topology"]), np.random.default_rng(seed)
    parts, first, away, found = parts_of(network), lookup.tables_for(network, values), set(), []
    while len(found) < count:
        some = {parts[at] for at in rng.choice(len(parts), rng.integers(1, at_once + 1), replace=False)}
        # Half of the changes repair.
        if away and rng.random() < 0.5:
            some = set(sorted(away)[: len(some)])
        after = away ^ some
        if len(after) > MOST * len(parts) + 1:
            continue
        try:
            made = lookup.tables_for(network, values, broken=sorted(links_of(network, after)), before=first)
        except UsageError:
            # The change divides the network, or its routes do not fit the classes.
            continue
        found.append((sorted(links_of(network, away) ^ links_of(network, after)), made))
        away = after
    return first, found


def core_values(graph, kind, classes, *how):
    """The parameters of a core, and the changes for it: :func:`sequence`, to which ``how`` goes."""
    values = SIZES | {"topology": GRAPHS[graph], "kind": kind, "classes": classes}
    first, found = sequence(values, *how)
    if kind == "ternary":
        values |= {"entries": lookup.entries_needed([first, *(made for _, made in found)])}
    return values, first, found


def change(engine, changes, seed, pauses, dying=True):
    """Apply the changes to point 0 of an engine, at random times; returns the number of links that are dead at the end."""
    rng, dead = np.random.default_rng(seed), set()
    for links, made in changes:
        for link in links if dying else ():
            (engine.repair if link in dead else engine.fail)(0, *link)
        dead ^= set(links)
        engine.run(int(rng.integers(1, 200 if pauses else 20)))
        cycles = engine.rewrite({0: made})
        engine.run(cycles + int(rng.integers(0, 200)) if pauses else max(1, int(rng.integers(0, cycles))))
    return len(dead)


def run(made, values, first, changes, pauses, dying=True, load=0.2):
    """The statistics of a point after the changes, when all has arrived or is lost."""
    point = Point(load=load, tables=first, lossy=True, ordered=False, log=True, lengths=LENGTHS)
    engine = Engine(made, [point])
    engine.start_measuring()
    engine.run(200)
    change(engine, changes, 7, pauses, dying)
    engine.run(200)
    # Buffers are empty then, and all credits have returned.
    engine.drain()
    found = engine.statistics(0)
    lost = sum(found.lost.values())
    assert found.missing == 0
    assert found.offered_packets == found.delivered_packets + lost == len(engine.delivered(0)) + lost > 100
    return found
