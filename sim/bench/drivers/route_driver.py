"""Driver of the route logic, combinational or registered: one packet at a time."""

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

__all__ = ["RouteDriver", "next_node"]


class RouteDriver:
    """Drives the route logic with a packet and returns its answer.

    The own address is driven only if the logic has straps, and only when it changes.
    """

    def __init__(self, dut, manifest):
        self._dut = dut
        self._clocked = manifest["clock"] is not None
        names = {port["name"] for port in manifest["ports"]}
        fields = [field["name"] for field in manifest["address"]["fields"]]
        self._own = [getattr(dut, f"own_{name}") if f"own_{name}" in names else None for name in fields]
        self._dst = [getattr(dut, f"dst_{name}") if f"dst_{name}" in names else None for name in fields]
        self._outputs = (dut.out_port, dut.arrived, dut.invalid) if "out_port" in names else ()
        self._arrival = {name: getattr(dut, name) for name in names if name.startswith("in_")}
        self._class = dut.out_class if "out_class" in names else None
        self._last = None

    def arrive(self, network, switch, arrival):
        """Drive the channel on which the packet arrived at ``switch``, if the logic has inputs for it."""
        kind = None if arrival is None else network.ports[arrival.port].kind
        for name, handle in self._arrival.items():
            if name == "in_class":
                handle.value = 0 if arrival is None else arrival.virtual_class
            elif name == "in_down":
                handle.value = int(arrival is not None and network.neighbour(switch, arrival.port)[0][-1] > switch[-1])
            else:
                handle.value = int(name == f"in_{kind}")

    def change(self, **straps):
        """Drive other straps than the own address; they count from the next decision on."""
        for name, value in straps.items():
            getattr(self._dut, name).value = value
        self._last = None

    @property
    def has_arrival(self):
        """Whether the logic has inputs for the channel on which a packet arrived."""
        return bool(self._arrival)

    def virtual_class(self):
        """Class of the next hop; 0 if the logic has no such output."""
        return 0 if self._class is None else int(self._class.value)

    async def start(self):
        """Start the clock and reset the logic, if it has a clock."""
        if self._clocked:
            Clock(self._dut.clk, 2, unit="ns").start()
            self._dut.rst.value = 1
            await RisingEdge(self._dut.clk)
            await FallingEdge(self._dut.clk)
            self._dut.rst.value = 0

    async def decide(self, own, dst):
        """Drive own and destination address (tuples) and return ``(out_port, arrived, invalid)`` as integers."""
        if own != self._last:
            for handle, value in zip(self._own, own):
                if handle is not None:
                    handle.value = value
            self._last = own
            if self._clocked:
                # Registered straps count from the next cycle on.
                await FallingEdge(self._dut.clk)
        for handle, value in zip(self._dst, dst):
            if handle is not None:
                handle.value = value
        if self._clocked:
            await FallingEdge(self._dut.clk)
        else:
            await Timer(1, unit="ns")
        return tuple(int(handle.value) for handle in self._outputs)


def next_node(manifest, dsn, own, port):
    """The neighbour of node ``own`` at a one-hot ``port`` and the link's ``(kind, level, direction)``, by the manifest.

    Returns None if the port has no link.
    """
    for link in manifest["links"]:
        if link["id"] == own[-1] and 1 << link["output"] == port:
            there = [*own[:-1], link["to_id"]]
            direction = None
            if link["kind"] != "local":
                axis = "xy".index(link["kind"])
                there[axis] = (there[axis] + link["offset"]) % dsn.sizes[axis]
                direction = "forward" if link["offset"] > 0 else "backward"
            return tuple(there), link["kind"], link["level"], direction
    return None
