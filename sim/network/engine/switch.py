"""A universal switch with fabric ports for simulations: the core, and the ports and lines between the cores."""

from functools import cached_property
from typing import Any

import numpy as np

from dsnswitch.net.messages import UsageError
from dsnswitch.sim.network.engine.core import Core

__all__ = ["Switch"]

#: Links whose switches can be simulated: they always accept a word of the line.
LINKS = ("light", "strict")

#: End of the name of the output by which a port accepts a word.
_READY = "_i_ready"


class Switch(Core):
    """A universal switch, ready to run as a :class:`~dsnswitch.sim.network.engine.core.Core`.

    Words of the lines go from switch to switch; :attr:`Point.delay` adds cycles to each line. The links come up first: cycle 0 of
    an ``Engine`` comes after that. Flits in buffers are inside the switch, so they are not
    counted; flits on links count where they leave the core.

    Parameters
    ----------
    manifest, isa, watch
        As for the core. The manifest is that of a universal ``switch`` with light or strict links, without APB registers
        (``--no-apb``) and end-to-end check, whose hosts have flits.
    """

    block, has_links = "switch", True

    def check(self, about: dict[str, Any]) -> None:
        """Raise :class:`UsageError` if a switch with this manifest cannot be simulated."""
        parameters = about["parameters"]
        if parameters["apb"] or parameters["host_interface"] != "flit":
            raise UsageError("A simulation needs a switch without registers, with flits at the hosts: --no-apb")
        if parameters["end_to_end"] != "none":
            raise UsageError("A simulation compares all of each payload, so its switches need --end-to-end none")
        if parameters["link"] not in LINKS:
            raise UsageError(f"Links of a simulated switch must be {' or '.join(LINKS)}, not {parameters['link']}")
        # The line loses payload of a wider head flit.
        if parameters["flit"] > (widest := about["fabric"]["head_bits"]):
            raise UsageError(f"Flits of a simulated switch must have at most {widest} bits, not {parameters['flit']}")

    def tied(self, about: dict[str, Any]) -> set[str]:
        """Input ports that are always 0."""
        return super().tied(about) | {"clear", "patience"}

    def straps(self, switch: tuple[int, ...]) -> dict[str, int]:
        """``{port: value}`` of the constant inputs: the address, what the cables lead to, and lines that accept every word."""
        network, values = self.network, super().straps(switch)
        for port in self.links:
            name, end = port["name"], network.neighbour(switch, port["index"])
            values[f"{name}_o_ready"] = 1
            if end is not None:
                values[f"{name}_peer_address"] = self._address(end[0])
                values[f"{name}_peer_port"] = end[1]
        return {name: value for name, value in values.items() if name in self.layout.inputs}

    def _address(self, switch):
        """Address of a switch: the fields in the order of the header, the first from bit 0."""
        number = shift = 0
        for field, value in zip(self.network.fields, switch):
            number |= value << shift
            shift += field.width
        return number

    def wires(self, port: dict[str, Any]) -> tuple[list[int], list[int]]:
        """``(rows of outputs, rows of inputs)`` of the line of a port."""
        name, parts = port["name"], ("payload", "valid")
        found = ([row for part in parts for row in self._port_rows(f"{name}_{end}_{part}")] for end in "oi")
        return self.registers(*found)

    def leaves(self, port: dict[str, Any]) -> list[int]:
        """Rows of the registers of the core that say that a flit leaves by a port, by channel; none for a port without links."""
        state = next(state for state in self.manifest["state"] if state["port"] == port["name"])
        return [row for row in self.layout.registers.get(state["sent"], []) if row >= 0]

    @cached_property
    def events(self) -> list[tuple[str, int, int]]:
        """``[(name, bit, row)]`` of the outputs that report events of packets, and ``~row`` of those that must be 1."""
        names = [port["name"] for port in self.manifest["ports"] if port["role"] == "packet-event"]
        found = [(name, bit, row) for name in names for bit, row in enumerate(self.layout.outputs[name])]
        ready = [(f"{port['name']}{_READY}", 0) for port in self.links]
        return found + [(name, bit, ~self.layout.outputs[name][bit]) for name, bit in ready]

    def event_text(self, number: int) -> str:
        """What an event means."""
        name = self.events[number][0]
        if name.endswith(_READY):
            return f"port {name.removesuffix(_READY)} does not accept a word of its line"
        return super().event_text(number)

    @cached_property
    def _state(self):
        """``(first bit, last bit, value of an established link)`` of the state in the status of a port."""
        states = self._fabric["states"]
        status = next(port for port in self.manifest["ports"] if port["name"] == f"{self.links[0]['name']}_status")
        low, high = next(field["bits"] for field in status["fields"] if field["name"] == "state")
        return low, high, states.index("up")

    def is_up(self, port: dict[str, Any], rows: np.ndarray, copy: int, parity: int) -> bool:
        """Whether the link of a port of a copy was up in the cycle with ``parity``."""
        low, high, up = self._state
        found = self.layout.outputs[f"{port['name']}_status"][low : high + 1]
        return up == sum(
            (int(rows[row + parity * self.layout.flops][copy // 8]) >> copy % 8 & 1) << bit for bit, row in enumerate(found)
        )
