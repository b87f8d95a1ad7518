"""What the runtime knows before the start: cables, ports, headers, by copy."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dsnswitch.sim.network.compile.generate import COPIES
from dsnswitch.sim.network.engine.copies import Copies
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.headers import HeaderParts
from dsnswitch.sim.network.engine.lookup import kind_of_table
from dsnswitch.sim.network.engine.points import Point
from dsnswitch.sim.network.engine.runtime import CAUSES, HOPS, Config

__all__ = ["config_of"]


def config_of(core: Core, points: Sequence[Point], copies: Copies, threads: int, keep: Callable[[Any, Any], int]) -> Config:
    """The :class:`~dsnswitch.sim.network.engine.runtime.Config` of an engine.

    ``keep`` takes an array and its type, keeps it as long as the runtime reads it, and returns its address.
    """
    about = core.manifest
    switches, ports = core.cables
    count = copies.words * COPIES
    from_copy, from_port = (np.full((count, len(core.links)), -1, np.int32), np.zeros((count, len(core.links)), np.int32))
    delay, point_of = np.zeros((count, len(core.links)), np.int32), np.full(count, -1, np.int32)
    for number, point in enumerate(points):
        base = copies.bases[number]
        here = slice(base, base + core.network.nodes)
        from_copy[here] = np.where(switches >= 0, switches + base, -1)
        from_port[here], point_of[here], delay[here] = ports, number, _delays(core, point)
    parts = HeaderParts(about, core.network, len(core.host_ports), HOPS)
    if any(point.loop for point in points) and parts.width >= min(about["parameters"]["flit"], 64):
        raise ValueError(f"Hosts that answer requests mark replies in a bit after the header, which has {parts.width} bits")
    every = [*core.links, *core.host_ports]
    outs, ins = zip(*(core.wires(port) for port in core.links))
    wires = max(map(len, outs))
    leaves = [core.leaves(port) for port in core.links]
    link_channels = max(map(len, leaves))
    names = ("rx_valid", "rx_flit", "rx_credit", "tx_valid", "tx_flit", "tx_credit")
    # Only tables drop packets: an algorithm that does so is wrong.
    causes = {name: place for place, name in enumerate(CAUSES)} if kind_of_table(about["parameters"]) else {}
    return Config(
        step=core.step,
        rows=keep(np.array([rows.ctypes.data for rows in copies.rows], np.uint64), np.uint64),
        words=copies.words,
        ports=len(core.links),
        hosts=len(core.host_ports),
        channels=core.rows("rx_valid").shape[1],
        depth=max(map(core.most, every)),
        flit=about["parameters"]["flit"],
        header=parts.width,
        longest=about["parameters"]["packet"],
        flops=core.layout.flops,
        events=len(core.events),
        points=len(points),
        switches=core.network.nodes,
        source_shift=parts.source_shift,
        source_bits=parts.source_bits,
        destination_shift=parts.destination_shift,
        layer_shift=parts.layer_shift,
        layer_bits=parts.layer_bits,
        link_channels=link_channels,
        leaves=keep([[*rows, *[-1] * (link_channels - len(rows))] for rows in leaves], np.int32),
        undeliverable_bit=parts.undeliverable_bit,
        age_shift=parts.age_shift,
        age_bits=parts.age_bits,
        virtual_networks=len(parts.virtual_network),
        network_first=keep(np.cumsum([0, *core.host_channels]), np.int32),
        latency=core.latency - 2,
        threads=threads,
        wires=wires,
        outs=keep([[*rows, *[-1] * (wires - len(rows))] for rows in outs], np.int32),
        ins=keep([[*rows, *[-1] * (wires - len(rows))] for rows in ins], np.int32),
        most=keep([core.most(port) for port in every], np.int32),
        host_credits=keep([core.host_credits(port) for port in core.host_ports], np.int32),
        channels_of=keep([core.channels(port) for port in every], np.int32),
        **{name: keep(core.rows(name), np.int32) for name in names},
        event_rows=keep([row for _, _, row in core.events], np.int32),
        event_port=keep([bit for _, bit, _ in core.events], np.int32),
        event_cause=keep([causes.get(name, -1) for name, _, _ in core.events], np.int32),
        from_copy=keep(from_copy, np.int32),
        from_port=keep(from_port, np.int32),
        delay=keep(delay, np.int32),
        point_of=keep(point_of, np.int32),
        host_of=keep(parts.host_of, np.int32),
        source=keep(parts.source, np.uint64),
        destination=keep(parts.destination, np.uint64),
        length=keep(parts.length, np.uint64),
        hop=keep(parts.hop, np.uint64),
        layer=keep(parts.layer, np.uint64),
        undeliverable=keep(parts.undeliverable, np.uint64),
        age=keep(parts.age, np.uint64),
        virtual_network=keep(parts.virtual_network, np.uint64),
    )


def _delays(core, point):
    """Registers of the link at each input, ``[switch][port]``."""
    network, count = core.network, len(core.links)
    if not isinstance(point.delay, dict):
        if not 0 <= point.delay <= 1000:
            raise ValueError(f"Delay of a link must be in 0..1000, not {point.delay}")
        return np.full((network.nodes, count), point.delay, np.int32)
    found = np.zeros((network.nodes, count), np.int32)
    for (switch, port), delay in point.delay.items():
        end = network.neighbour(switch, port)
        if end is None or not 0 <= delay <= 1000:
            raise ValueError(f"Delay must be in 0..1000 of a link, not {delay} at port {port} of {switch}")
        for one, index in ((switch, port), end):
            found[network.number(one), core.link_of[index]] = delay
    return found
