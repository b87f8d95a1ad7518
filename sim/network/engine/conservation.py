"""Checks of an engine: errors that the runtime has noticed, credits, and networks that stop."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dsnswitch.sim.network.engine.copies import Copies
from dsnswitch.sim.network.engine.core import Core
from dsnswitch.sim.network.engine.points import NetworkStopped, SimulationError
from dsnswitch.sim.network.engine.stopped import describe, waiting_cycle

__all__ = ["check_credits", "error_of", "stopped"]

#: What an error of the runtime means.
ERRORS = {
    2: "the host gets more credits of channel {channel} than it has spent",
    3: "more flits are in the buffer of channel {channel} of port {port} than it holds, or not all credits have returned",
    4: "a credit of channel {channel} of port {port} returns without a flit",
    5: "the header of a packet from host {source} is wrong at host {destination}",
    7: "host {destination} gets a packet of host {source} that was never sent to it, or has arrived before",
    8: "the payload of packet {number} from host {source} to host {destination} has changed",
    9: "packet {number} from host {source} to host {destination} is overtaken by a later one",
    10: "flits of packets are mixed, unmarked or marked bad at host {destination}",
    11: "a packet of host {source} is too long at host {destination}",
    12: "the detours do not deliver a packet from host {source} to host {destination}",
}


def error_of(core: Core, bases: Sequence[int], error: Any) -> SimulationError:
    """The :class:`SimulationError` of an :class:`~dsnswitch.sim.network.engine.runtime.Error`."""
    point = max(number for number, base in enumerate(bases) if base <= error.copy)
    switch = core.network.switch(error.copy - bases[point])
    if error.kind == 1:
        text = core.event_text(error.port)
    else:
        port = (*core.links, *core.host_ports)[error.port]["name"]
        values = {name: getattr(error, name) for name in ("channel", "source", "destination", "number")}
        text = ERRORS[error.kind].format(port=port, **values)
    label = core.network.spell_switch(switch)
    return SimulationError(f"Cycle {error.cycle}, point {point}, switch {label}: {text}", error.cycle, point, switch)


def stopped(core: Core, point: int, counts: Any, state: Callable[[int], np.ndarray], replies: np.ndarray) -> NetworkStopped:
    """The :class:`NetworkStopped` of a point with these :class:`~dsnswitch.sim.network.engine.runtime.Counts`.

    ``state`` and ``replies`` are those of :func:`~dsnswitch.sim.network.engine.stopped.waiting_cycle`.
    """
    cycle, end = waiting_cycle(core, state, replies)
    return NetworkStopped(
        f"Point {point}: {counts.in_flight} packets are in the network, and none has moved since cycle {counts.last_move};"
        f" {describe(core, cycle, end)}",
        counts.last_move,
        point,
        None,
        cycle,
    )


def check_credits(core: Core, copies: Copies, cycle: int) -> None:
    """Raise a :class:`SimulationError` unless every output of every core has as many credits as after a reset.

    Hosts' credits are checked by the runtime.
    """
    for row, port, channel, right in core.credits:
        for point in range(len(copies.bases)):
            wrong = np.flatnonzero(copies.flip_flop(point, row, cycle) != right)
            if len(wrong):
                switch = core.network.switch(int(wrong[0]))
                raise SimulationError(
                    f"Cycle {cycle}, point {point}, switch {core.network.spell_switch(switch)}: port {port} has not got back"
                    f" all credits of channel {channel}",
                    cycle,
                    point,
                    switch,
                )
